#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs the demo: an unmodified tinygrad trains a small network on an emulated device. Usage: demo.sh [BUILD_DIR]
# DEVICE chooses the device. Exit status: the program's own; it compares itself with NumPy.
set -eu
cd "$(dirname "$0")/.."
build=$(cd "${1:-build}" && pwd)
for LLVM_PATH in /usr/lib/*/libLLVM.so.22.1; do :; done
[ -f "$LLVM_PATH" ] || { echo "demo: libLLVM.so.22.1 is not here: run tools/bootstrap.sh build" >&2; exit 1; }
mkdir -p "$build/cache"
# tinygrad's own settings: the AMD device through the kernel driver, that exact LLVM, no worker processes, its
# compile cache in the build folder.
export DEV=AMD:LLVM LLVM_PATH PARALLEL=0 CACHEDB="$build/cache/demo.db" PYTHONUNBUFFERED=1
exec "$build/bin/lockstep" run --device="${DEVICE:-gfx1100}" --report="$build/demo-report.json" -- \
  .venv/bin/python tests/clients/demo_train.py
