"""Follows the walk of CONTRIBUTING.md in a copy of the files that it changes, and checks that the
compiler takes the result without a warning.

Usage: walk_test.py SOURCE_DIR BUILD_DIR

The steps are those of the page, in its own words:

    Create `FILE`:                       the next block is the file
    In `FILE`, after `LINE`:             the next block goes after that line, which occurs once
    In `FILE`, before `LINE`:            the same, before it
    In `FILE`, replace `OLD` with `NEW`. OLD occurs once
"""

import json
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

STEP = re.compile(
    r"(?:Create `(?P<new>[^`]+)`|In\s`(?P<file>[^`]+)`,\s(?P<where>after|before)\s`(?P<line>[^`]+)`)"
    r":\n\n(?P<fence>`{3,})\w+\n(?P<text>.*?\n)(?P=fence)\n"
    r"|In\s`(?P<changed>[^`]+)`,\sreplace\s`(?P<old>[^`]+)`\swith\s`(?P<with>[^`]+)`\.",
    re.DOTALL,
)
KINDS = ("src/policies", "src/policies/targeting", "src/policies/contextual")


def inserted(text, step):
    lines = text.splitlines(keepends=True)
    places = [i for i, line in enumerate(lines) if line.strip() == step["line"]]
    assert len(places) == 1, f"{step['file']}: {step['line']!r} occurs {len(places)} times"
    at = places[0] + (step["where"] == "after")
    return "".join([*lines[:at], step["text"], *lines[at:]])


def replaced(text, step):
    count = text.count(step["old"])
    assert count == 1, f"{step['changed']}: {step['old']!r} occurs {count} times"
    return text.replace(step["old"], step["with"])


def follow(page, source, copy):
    """Does every step of the page. Returns the files created and those changed, in `copy`."""
    created, changed = [], []
    for step in STEP.finditer(page):
        name = step["new"] or step["file"] or step["changed"]
        path = copy / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if step["new"]:
            assert not (source / name).exists(), f"{name} is there already"
            path.write_text(step["text"])
            created.append(path)
            continue
        text = (path if path in changed else source / name).read_text()
        path.write_text(inserted(text, step) if step["file"] else replaced(text, step))
        if path not in changed:
            changed.append(path)
    return created, changed


def compiler(source, build, copy):
    """How the library's policies are compiled, with the files of the copy before its own."""
    known = json.loads((build / "compile_commands.json").read_text())
    own = "CMakeFiles/updraft.dir/"  # of the library, be it one file or several in one
    words = shlex.split(next(entry["command"] for entry in known
                             if own in entry["command"] and "cmake_pch" not in entry["file"]))
    words = words[: words.index("-o")]
    include = words.index(f"-I{source}/src")
    return [*words[:include], f"-I{copy}/src", *words[include:], "-Werror", "-fsyntax-only"]


def main():
    source, build = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder)
        created, changed = follow((source / "CONTRIBUTING.md").read_text(), source, copy)
        policies = [path for path in created if path.suffix == ".cc"]
        assert sorted(path.parent for path in policies) == sorted(copy / kind for kind in KINDS)
        for path in policies:
            assert copy / f"docs/policies/{path.stem}.md" in created, f"{path.stem} has no page"
        command = compiler(source, build, copy)
        for path in [*policies, *(path for path in changed if path.suffix == ".cc")]:
            print("compiling", path.relative_to(copy), flush=True)
            if subprocess.run([*command, path], cwd=build).returncode != 0:
                sys.exit("CONTRIBUTING.md: the walk gives a file that does not compile")
    print(f"{len(created)} files created, {len(changed)} changed")


if __name__ == "__main__":
    main()
