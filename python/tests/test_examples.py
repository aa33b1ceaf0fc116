"""The examples run as people run them."""

import os
import pathlib
import re
import struct
import subprocess
import sys

import pytest

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples" / "python"


def run(name, *arguments, folder):
    """The finished process of an example, started in a folder of its own."""
    return subprocess.run(
        [sys.executable, "-B", str(EXAMPLES / name), *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
        timeout=300,
    )


def output_of(name, *arguments, folder):
    done = run(name, *arguments, folder=folder)
    assert done.returncode == 0, done.stderr
    assert "Warning" not in done.stderr
    return done.stdout


def test_every_example_is_tested():
    assert sorted(path.name for path in EXAMPLES.glob("*.py")) == [
        "first_policy.py",
        "targeting.py",
        "which_policy.py",
    ]


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.stem)
def test_cells(path):
    """Text cells hold comments only, and code cells something to run."""
    head, *cells = re.split(r"^# %%", path.read_text(encoding="utf-8"), flags=re.M)
    assert head == "" and len(cells) > 5
    for cell in cells:
        kind, _, body = cell.partition("\n")
        code = [line for line in body.splitlines() if line and not line.startswith("#")]
        assert kind in ("", " [markdown]")
        assert (not code) == (kind == " [markdown]"), cell


def test_first_policy(tmp_path):
    output = output_of("first_policy.py", folder=tmp_path)
    days = dict(re.findall(r"^(\w+) +(\d+) +-?\d+\.\d", output, re.M))
    assert sum(map(int, days.values())) == 150
    assert max(days, key=lambda name: int(days[name])) == "drinks"
    assert (tmp_path / "first.policy").stat().st_size > 0


def test_which_policy(tmp_path):
    pytest.importorskip("matplotlib", reason="the example draws a figure with matplotlib")
    output = output_of("which_policy.py", "--out", "figures", folder=tmp_path)
    picks = re.findall(r"^  \w.*?  +(\S+) +\d+ ± +\d+$", output, re.M)[:5]
    names = ["up_ts_bl", "up_ts", "up_ts_sparse_bl", "up_ts_sparse", "up_ucb_l"]
    assert [pick.partition("(")[0] for pick in picks] == names
    figure = (tmp_path / "figures" / "which-policy.png").read_bytes()
    assert figure[:8] == b"\x89PNG\r\n\x1a\n" and figure[12:16] == b"IHDR"
    width, height = struct.unpack(">II", figure[16:24])
    assert 800 <= width <= 2000 and 400 <= height <= 1500
    assert 10_000 < len(figure) < 1_000_000


def test_targeting(tmp_path):
    output = output_of("targeting.py", "--out", str(tmp_path), folder=tmp_path)
    rows = re.findall(r"^  (\w+) +(\d\.\d+) ±", output, re.M)
    uplift = {name: float(mean) for name, mean in rows}
    assert uplift["random"] < uplift["c2_up_ucb"] < uplift["oracle"]
    assert "600 customers" in output
    assert (tmp_path / "shop.policy").stat().st_size > 0


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.stem)
def test_wrong_arguments_are_refused(path, tmp_path):
    if path.stem == "which_policy":
        pytest.importorskip("matplotlib", reason="the example draws a figure with matplotlib")
    done = run(path.name, "--folder", "x", folder=tmp_path)
    assert done.returncode == 2
    assert "usage:" in done.stderr and "--folder" in done.stderr


def test_a_table_that_is_not_there(tmp_path):
    done = run("targeting.py", "--data", "nowhere.csv", folder=tmp_path)
    assert done.returncode == 2
    assert "nowhere.csv: no such file" in done.stderr
