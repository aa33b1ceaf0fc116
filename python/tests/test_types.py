"""Type hints: the package is consistent, the stub has what the compiled module has, and what the
documentation shows passes."""

import ast
import importlib.util
import os
import pathlib
import re
import subprocess
import sys

import pytest

import updraft
from updraft import _updraft

PACKAGE = pathlib.Path(updraft.__file__).parent
ROOT = pathlib.Path(__file__).resolve().parents[2]

needs_mypy = pytest.mark.skipif(importlib.util.find_spec("mypy") is None, reason="no mypy")


def mypy(*arguments, cache):
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--cache-dir", str(cache), *map(str, arguments)],
        env={**os.environ, "MYPYPATH": str(PACKAGE.parent)},
        cwd=cache,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@needs_mypy
def test_the_package_is_consistent(tmp_path):
    mypy("--strict", "-p", "updraft", cache=tmp_path)


@needs_mypy
def test_the_documentation_has_no_type_errors(tmp_path):
    page = (ROOT / "docs/python.md").read_text(encoding="utf-8")
    program = tmp_path / "page.py"
    program.write_text("".join(re.findall(r"^```python\n(.*?)^```", page, re.M | re.S)))
    mypy("--strict", program, cache=tmp_path)


def public(names):
    return {name for name in names if not name.startswith("_")}


def test_the_stub_has_what_the_compiled_module_has():
    stub = ast.parse((PACKAGE / "_updraft.pyi").read_text(encoding="utf-8"))
    declared = {}
    for node in stub.body:
        if isinstance(node, ast.ClassDef):
            declared[node.name] = public(
                item.name for item in node.body if isinstance(item, ast.FunctionDef)
            )
        elif isinstance(node, ast.FunctionDef):
            declared[node.name] = None
        elif isinstance(node, ast.AnnAssign):
            declared[node.target.id] = None
    assert declared.keys() == public(vars(_updraft))
    for name, members in declared.items():
        if members is not None:
            assert members == public(vars(getattr(_updraft, name))), name
