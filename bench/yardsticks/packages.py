"""Finds a Python that has what the yardsticks need."""

import importlib.util
import os
import sys

SYSTEM_PYTHON = "/usr/bin/python3"  # Debian's packages belong to it


def ensure_packages(packages):
    """Starts the program again with Debian's python where this one lacks a package.

    `packages`: what is imported -> the Debian package that has it.
    """
    missing = [name for name in packages if importlib.util.find_spec(name) is None]
    if not missing:
        return
    if os.path.exists(SYSTEM_PYTHON) and "UPDRAFT_COMPARE_AGAIN" not in os.environ:
        os.environ["UPDRAFT_COMPARE_AGAIN"] = "1"
        os.execv(SYSTEM_PYTHON, [SYSTEM_PYTHON, *sys.argv])
    wanted = " ".join(packages[name] for name in missing)
    sys.exit(
        f"{os.path.basename(sys.argv[0])}: this Python has no {' and no '.join(missing)}. "
        f"On Debian: apt install {wanted}, then {SYSTEM_PYTHON} {sys.argv[0]}"
    )
