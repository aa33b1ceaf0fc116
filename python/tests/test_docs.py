"""What docstrings and documentation show is run."""

import doctest
import pathlib
import re

import pytest

import updraft
from updraft import _own, _progress, _results, _simulate

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("module", [updraft, _own, _progress, _results, _simulate])
def test_docstrings(module):
    assert doctest.testmod(module).failed == 0


def test_everything_public_has_a_docstring():
    for name in updraft.__all__:
        thing = getattr(updraft, name)
        if name == "version":
            continue
        assert thing.__doc__, name
        for member in vars(thing).values() if isinstance(thing, type) else ():
            if callable(member) and not getattr(member, "__name__", "_").startswith("_"):
                assert member.__doc__, member


@pytest.mark.parametrize("page", ["README.md", "docs/python.md", "docs/estimates.md", "docs/coming-from.md",
                                  "docs/propensities.md", "docs/stopping.md", "docs/evaluation.md"])
def test_pages(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```python\n(.*?)^```", (ROOT / page).read_text(encoding="utf-8"), re.M | re.S)
    assert blocks
    names = {}
    for block in blocks:
        exec(compile(block, page, "exec"), names)
