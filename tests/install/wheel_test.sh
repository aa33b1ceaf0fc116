#!/usr/bin/env bash
# Makes the wheel out of what CMake has built, installs it into an empty folder and uses it from
# there. Usage: wheel_test.sh SOURCE_DIR BUILD_DIR PYTHON. Exits with 77 where pip is missing.
set -euo pipefail
source_dir=$1 build_dir=$2 python=$3
for module in pip setuptools wheel; do
  "$python" -c "import $module" 2>/dev/null && continue
  echo "skipped: $python has no $module"
  exit 77
done
work=$build_dir/wheel-test
rm -rf "$work"
mkdir -p "$work"
(cd "$source_dir" && cp --parents -r pyproject.toml setup.py VERSION LICENSE python/updraft docs/python.md "$work")

UPDRAFT_CMAKE_BUILD=$build_dir "$python" -m pip wheel "$work" --quiet --no-build-isolation --no-deps \
  --no-index --disable-pip-version-check --wheel-dir "$work/wheels"
wheel=$(ls "$work"/wheels/updraft-"$(cat "$source_dir/VERSION")"-*.whl)
PIP_ROOT_USER_ACTION=ignore "$python" -m pip install --quiet --no-deps --no-index \
  --disable-pip-version-check --target "$work/site" "$wheel"
for file in __init__.py _updraft.pyi py.typed; do
  cmp "$work/site/updraft/$file" "$source_dir/python/updraft/$file"
done

cd "$work/site"
PYTHONPATH=$work/site "$python" - "$work/site" "$(cat "$source_dir/VERSION")" <<'EOT'
import importlib.metadata, pathlib, sys
import updraft as ud

folder, version = sys.argv[1:]
assert pathlib.Path(ud.__file__).parent == pathlib.Path(folder) / "updraft", ud.__file__
assert ud.version == version == importlib.metadata.version("updraft")
result = ud.simulate("gaussian", ["ucb(alpha=2)", "up_ucb(alpha=3)"], rounds=300, runs=4)
assert result["mean"][1] < result["mean"][0]
print(result)
EOT
