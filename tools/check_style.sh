#!/bin/sh
# SPDX-License-Identifier: MIT
# Formatting, include order and clang-tidy. Usage: check_style.sh --format-only | BUILD_DIR [--all]
# clang-tidy looks at the files that differ from origin/main (or from the last commit where there is no origin/main),
# with --all at every file of the build.
set -eu
cd "$(dirname "$0")/.."

echo "clang-format: $(git ls-files -- '*.cpp' '*.h' | wc -l) files"
git ls-files -z -- '*.cpp' '*.h' | xargs -0 -r sh -c 'for f; do [ ! -f "$f" ] || printf "%s\0" "$f"; done' sh |
  xargs -0 -r clang-format-19 --dry-run -Werror
[ "$1" != --format-only ] || exit 0

build=$1
python3 tests/check_includes.py

if [ "${2:-}" = --all ]; then
  echo "clang-tidy: every file"
  exec run-clang-tidy-19 -quiet -p "$build" "^$PWD/(isa|asm|emu|loader|mockgpu|runtime|cli|tests|bench)/"
fi
base=$(git merge-base HEAD origin/main 2>/dev/null || git rev-parse HEAD)
[ "$base" != "$(git rev-parse HEAD)" ] || base=$(git rev-parse -q --verify 'HEAD~1' || echo "$base")
files=$({ git diff --name-only --diff-filter=d "$base"; } | grep '\.cpp$' || true)
if [ -z "$files" ]; then
  echo "clang-tidy: no .cpp file differs from $(git rev-parse --short "$base")"
  exit 0
fi
echo "clang-tidy: $(echo "$files" | wc -l) files that differ from $(git rev-parse --short "$base")"
pattern=$(echo "$files" | sed 's/[.+]/\\&/g; s/$/$/' | paste -sd'|')
exec run-clang-tidy-19 -quiet -p "$build" "($pattern)"
