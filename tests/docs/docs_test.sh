#!/usr/bin/env bash
# What the documentation shows is run: every line in a ```sh block that begins with `updraft ` must
# succeed, and the README's C++ program must be examples/consumer. docs/results/ is left out: its
# commands are whole runs. docs/service.md is run against a service, curl commands included.
# Usage: docs_test.sh SOURCE_DIR UPDRAFT
set -euo pipefail
source_dir=$1
PATH=$(dirname "$2"):$PATH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

blocks() { # LANGUAGE FILE
  awk -v fence="\`\`\`$1" '$0 == fence {inside = 1; next} /^```/ {inside = 0} inside' "$2"
}

diff <(blocks cpp "$source_dir/README.md") "$source_dir/examples/consumer/main.cc" ||
  { echo "README.md: the C++ program differs from examples/consumer/main.cc"; exit 1; }

commands=0
cd "$work"
cp -r "$source_dir/examples" .
while IFS= read -r file; do
  while IFS= read -r line; do
    [[ $line == "updraft "* ]] || continue
    echo "$(basename "$file"): $line"
    bash -c "$line" >out 2>err || { cat out err; exit 1; }
    commands=$((commands + 1))
  done < <(blocks sh "$file")
done < <(find "$source_dir/README.md" "$source_dir/docs" -path '*/docs/results' -prune -o -name '*.md' \
  ! -name service.md -print)
echo "$commands commands run"
((commands > 0))

updraft serve --store campaigns.db --listen 127.0.0.1:0 --log-level off >address &
trap 'kill %1; rm -rf "$work"' EXIT
until grep -q listening address; do kill -0 %1; sleep 0.1; done
address=$(sed -n 's|listening on http://||p' address)
until curl -sf "$address/readyz" >out; do kill -0 %1; sleep 0.1; done
curl() { echo "curl $*" >&2; command curl -sfS "$@"; }
curl "$address/v1/schema" >schema.json
blocks json "$source_dir/docs/service.md" | /usr/bin/env python3 -c '
import json, sys
shown = sys.stdin.read()
said = json.load(open("schema.json"))
assert json.loads(shown[shown.index("{\n \"campaign\""):]) == said, "docs/service.md has other schemas"
'
# Heads and fences of the page aside, in one shell: commands go over several lines.
blocks sh "$source_dir/docs/service.md" | grep -v '^updraft serve' | sed "s|localhost:8080|$address|" >page.sh
# shellcheck disable=SC1091
source page.sh
