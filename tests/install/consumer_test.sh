#!/usr/bin/env bash
# Installs the library and builds examples/consumer against it: once with find_package, once with
# pkg-config. Usage: consumer_test.sh SOURCE_DIR BUILD_DIR CXX
set -euo pipefail
source_dir=$1 build_dir=$2 cxx=$3
work=$build_dir/consumer-test
rm -rf "$work"
mkdir -p "$work"

cmake --install "$build_dir" --prefix "$work/prefix" >"$work/install.log"
"$work/prefix/bin/updraft" --version | grep -Fx "updraft $(cat "$source_dir/VERSION")"

cmake -G Ninja -S "$source_dir/examples/consumer" -B "$work/cmake" -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_PREFIX_PATH="$work/prefix" >"$work/configure.log"
cmake --build "$work/cmake" >"$work/build.log" || { cat "$work/build.log"; exit 1; }

pkg_config_dir=$(dirname "$(find "$work/prefix" -name updraft.pc)")
# shellcheck disable=SC2046  # flags are several words
PKG_CONFIG_PATH=$pkg_config_dir "$cxx" "$source_dir/examples/consumer/main.cc" \
  $(PKG_CONFIG_PATH=$pkg_config_dir pkg-config --cflags --libs updraft) -o "$work/with-pkg-config"

for program in "$work/cmake/consumer" "$work/with-pkg-config"; do
  said=$("$program")
  echo "$program: $said"
  [[ $said =~ ^offer\ 1\ on\ ([0-9]+)\ of\ 100\ days$ ]]
  ((BASH_REMATCH[1] > 50)) || { echo "the better offer was not preferred"; exit 1; }
done
