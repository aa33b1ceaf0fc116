#!/usr/bin/env bash
# Opens the web pages in Chromium, with pytest and Selenium. Exit code 77: skipped.
# Usage: browser_test.sh TEST_DIR, with UPDRAFT_PROGRAM and UPDRAFT_SCREENSHOTS set
set -euo pipefail
skip() { echo "skipped: no $1 (Debian's package $2)"; exit 77; }
# Debian's packages belong to Debian's Python, which is not always the first on PATH.
python=/usr/bin/python3
[[ -x $python ]] || python=python3
command -v chromedriver >/dev/null || skip chromedriver chromium-driver
"$python" -c 'import pytest' 2>/dev/null || skip pytest python3-pytest
"$python" -c 'import selenium' 2>/dev/null || skip selenium python3-selenium
mkdir -p "$UPDRAFT_SCREENSHOTS"
exec "$python" -B -m pytest -q -p no:cacheprovider "$1"
