#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs BUILD_DIR under a prefix of its own, moves the tree, and builds and runs a user's project against it.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
work=$build/install-test
rm -rf "$work"
cmake --install "$build" --prefix "$work/first" >/dev/null
mv "$work/first" "$work/prefix" # nothing in it may know where it was installed

grep -rlF "$build" "$work/prefix/lib" --include='*.cmake' --include='*.pc' && {
  echo "the files above name the build folder"
  exit 1
}
"$work/prefix/bin/lockstep" --version
cmake -S "$here" -B "$work/user" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$work/prefix" >/dev/null
cmake --build "$work/user"
LD_LIBRARY_PATH="$work/prefix/lib" "$work/user/uses_c"
"$work/user/coverage"
