#!/usr/bin/env python3
"""Checks takeover.pml with spin, and that leaving out a part of the protocol is noticed.

Exit code 77: spin or gcc is not installed."""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

MODEL = Path(__file__).resolve().parent / "takeover.pml"
WITHOUT = ["NO_EPOCH", "NO_COMPARE", "NO_WAIT", "NO_CLAIM_WAIT"]


def check(folder, *defines):
    """States, and what was violated."""
    subprocess.run(["spin", *(f"-D{one}" for one in defines), "-a", MODEL], cwd=folder, check=True,
                   capture_output=True)
    subprocess.run(["gcc", "-O1", "-w", "-DSAFETY", "-DCOLLAPSE", "-o", "pan", "pan.c"], cwd=folder,
                   check=True)
    out = subprocess.run(["./pan", "-m100000", "-w22"], cwd=folder, check=True, capture_output=True,
                         text=True).stdout
    if "max search depth too small" in out:
        sys.exit("model_test.py: the search was cut off")
    errors = int(re.search(r"errors: (\d+)", out).group(1))
    found = re.search(r"pan:\d+: (.*) \(at depth", out)
    return int(float(re.search(r"([0-9.e+]+) states, stored", out).group(1))), errors, found and found.group(1)


def main():
    if not shutil.which("spin") or not shutil.which("gcc"):
        print("spin or gcc is not installed")
        sys.exit(77)
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        states, errors, found = check(folder)
        print(f"the protocol: {states} states, {errors} errors {found or ''}")
        failed |= errors != 0 or states < 1000
        for without in WITHOUT:
            states, errors, found = check(folder, without)
            print(f"{without}: {found}")
            failed |= errors == 0 or "assertion violated" not in (found or "")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
