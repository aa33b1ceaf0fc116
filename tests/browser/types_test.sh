#!/usr/bin/env bash
# The types of the web pages' scripts are right. Exit code 77: skipped.
# Usage: types_test.sh WEB_DIR
set -euo pipefail
command -v tsc >/dev/null || { echo "skipped: no tsc (Debian's package node-typescript)"; exit 77; }
tsc --noEmit -p "$1"
