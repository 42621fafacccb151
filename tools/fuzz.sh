#!/bin/sh
# SPDX-License-Identifier: MIT
# fuzz.sh BUILD SECONDS NAME...: runs each fuzzer that long, one after the other. New inputs go to BUILD/corpus, what
# breaks to BUILD/findings; the seeds in tests/fuzz/corpus stay as they are. The first finding ends it.
set -eu
build=$1 seconds=$2
shift 2
root=$(dirname "$0")/..
mkdir -p "$build/findings"
for name in "$@"; do
  mkdir -p "$build/corpus/$name"
  echo "== $name, $seconds seconds"
  "$build/bin/fuzz_$name" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
    -artifact_prefix="$build/findings/$name-" "$build/corpus/$name" "$root/tests/fuzz/corpus/$name" \
    >"$build/findings/$name.log" 2>&1 || { tail -n 40 "$build/findings/$name.log" >&2; exit 1; }
  grep -E '^stat::(number_of_executed_units|average_exec_per_sec)' "$build/findings/$name.log"
done
echo "no findings"
