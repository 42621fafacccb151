#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs every benchmark program of a build folder: a table on the screen, JSON into its bench/ folder.
set -eu
build=${1:-build}
mkdir -p "$build/bench"
found=no
for program in "$build"/bin/bench_*; do
  [ -x "$program" ] || continue
  found=yes
  name=$(basename "$program")
  echo "== $name"
  "$program" --benchmark_out="$build/bench/$name.json" --benchmark_out_format=json
done
[ "$found" = yes ] || { echo "bench: no bench_* program in $build/bin" >&2; exit 1; }
echo "JSON: $build/bench/"
