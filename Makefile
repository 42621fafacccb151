# SPDX-License-Identifier: MIT
# The commands of the README. The build itself is CMake's (CMakePresets.json).
JOBS ?= $(shell nproc)
CTEST = ctest -j$(JOBS) --output-on-failure --timeout 600
# A second clone of the same code finds the first one's objects.
export CCACHE_BASEDIR := $(CURDIR)
export CCACHE_NOHASHDIR := 1
PRODUCTS = bin/lockstep lib/liblockstep.so lib/liblockstep-kfd.so

# Which fuzzers `make fuzz` runs, and how long each.
FUZZERS ?= decode assemble source code_object metadata
SECONDS ?= 300

.PHONY: help demo test build bench check-style test-asan test-tsan fuzz readme clean

help:
	@echo "make demo         set up what is missing, build, train a network on an emulated gfx1100"
	@echo "make test         set up what is missing, build, run every test"
	@echo "make build        build everything (Release) into build/"
	@echo "make bench        run the benchmarks; JSON into build/bench/"
	@echo "make check-style  clang-format, clang-tidy, include order (ALL=1: clang-tidy on every file)"
	@echo "make test-asan    the tests under AddressSanitizer and UBSan (build-asan/)"
	@echo "make test-tsan    the tests under ThreadSanitizer (build-tsan/)"
	@echo "make fuzz         libFuzzer for SECONDS=300 on each of FUZZERS=\"$(FUZZERS)\" (build-fuzz/)"
	@echo "make readme       fill the generated parts of README.md from real runs"
	@echo "make clean        remove the build folders"

# The demo builds the products only: tests stay as the build folder has them, off in a fresh one.
demo:
	@tools/bootstrap.sh build
	@test -f build/CMakeCache.txt || cmake --preset release -DLOCKSTEP_TESTS=OFF -DLOCKSTEP_BENCH=OFF
	@cmake --build build -j$(JOBS) --target $(PRODUCTS)
	@tools/demo.sh

build:
	@tools/bootstrap.sh test
	@cmake --preset release
	@cmake --build build -j$(JOBS)

test: build
	@$(CTEST) --test-dir build

bench: build
	@tools/bench.sh build

check-style:
	@tools/bootstrap.sh style
	@cmake --preset release >/dev/null
	@tools/check_style.sh build $(if $(ALL),--all)

# Real clients load the preload library into an uninstrumented Python, which the sanitizers do not support.
test-asan test-tsan: test-%:
	@tools/bootstrap.sh test
	@cmake --preset $*
	@cmake --build build-$* -j$(JOBS)
	@setarch -R $(CTEST) --test-dir build-$* -LE clients

fuzz:
	@tools/bootstrap.sh style
	@cmake --preset fuzz
	@cmake --build build-fuzz -j$(JOBS) --target $(FUZZERS:%=fuzz_%)
	@tools/fuzz.sh build-fuzz $(SECONDS) $(FUZZERS)

readme: build
	@.venv/bin/python tools/update_readme.py

clean:
	rm -rf build build-debug build-asan build-tsan build-fuzz
