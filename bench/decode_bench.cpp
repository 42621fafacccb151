// SPDX-License-Identifier: MIT
// Decoding: code that a compiler made, and random words.
#include <benchmark/benchmark.h>

#include <random>

#include "asm/print.h"
#include "bench/compiled_kernels.h"
#include "isa/inst.h"

namespace {

using namespace lockstep;
using bench::compiled_code;

std::vector<uint8_t> random_code() {
  constexpr size_t kBytes = 1 << 18;
  std::vector<uint8_t> code(kBytes);
  std::mt19937 random(1);
  for (uint8_t& b : code) b = static_cast<uint8_t>(random());
  return code;
}

void run(benchmark::State& state, const std::vector<uint8_t>& code, isa::Isa isa) {
  if (code.empty()) {
    state.SkipWithError("no compiled kernels: build the target test_kernels");
    return;
  }
  int64_t decoded = 0, refused = 0;
  for (auto _ : state) {
    std::span<const uint8_t> left(code);
    while (left.size() >= 4) {
      isa::Inst inst;
      const bool good = isa::decode(isa, left, inst) == isa::DecodeError::kNone;
      benchmark::DoNotOptimize(inst);
      decoded += good;
      refused += !good;
      left = left.subspan(good ? inst.size : 4);
    }
  }
  state.SetItemsProcessed(decoded + refused);
  state.counters["refused"] = static_cast<double>(refused) / static_cast<double>(decoded + refused);
}

void decode_compiled(benchmark::State& state, const char* target) {
  run(state, compiled_code(target), isa::target_info(*isa::find_target(target)).isa);
}
void decode_random(benchmark::State& state, const char* target) {
  run(state, random_code(), isa::target_info(*isa::find_target(target)).isa);
}
void print_compiled(benchmark::State& state, const char* target) {
  const std::vector<uint8_t> code = compiled_code(target);
  const isa::Isa isa = isa::target_info(*isa::find_target(target)).isa;
  std::vector<isa::Inst> list;
  std::span<const uint8_t> left(code);
  while (left.size() >= 4) {
    isa::Inst inst;
    const bool good = isa::decode(isa, left, inst) == isa::DecodeError::kNone;
    if (good) list.push_back(inst);
    left = left.subspan(good ? inst.size : 4);
  }
  if (list.empty()) {
    state.SkipWithError("no compiled kernels: build the target test_kernels");
    return;
  }
  for (auto _ : state)
    for (const isa::Inst& inst : list) benchmark::DoNotOptimize(asm_::print(inst).size());
  state.SetItemsProcessed(static_cast<int64_t>(list.size()) * state.iterations());
}

BENCHMARK_CAPTURE(decode_compiled, gfx1100, "gfx1100");
BENCHMARK_CAPTURE(decode_random, gfx1100, "gfx1100");
BENCHMARK_CAPTURE(decode_random, gfx1201, "gfx1201");
BENCHMARK_CAPTURE(decode_random, gfx942, "gfx942");
BENCHMARK_CAPTURE(print_compiled, gfx1100, "gfx1100");

}  // namespace

BENCHMARK_MAIN();
