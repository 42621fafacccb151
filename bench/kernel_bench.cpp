// SPDX-License-Identifier: MIT
// Whole kernels through the dispatcher: what tinygrad compiles, and loops of one operation. Each
// case gives the best of many dispatches in CPU time, because the machine is shared.
#include <benchmark/benchmark.h>

#include <cstring>

#include "bench/launch.h"

namespace lockstep::bench {
namespace {

constexpr uint64_t kMiB = 1 << 20;

struct Case {
  const char* name;  ///< of the file in bench/kernels
  const char* kernel;
  std::array<uint32_t, 3> groups, block;
  std::vector<uint64_t> buffers;  ///< bytes: the kernel's arguments
  uint32_t element;               ///< bytes of the numbers they are filled with: 2 or 4
  const char* counter;            ///< "wave_instructions/s", or the unit of `per_dispatch`
  double per_dispatch = 0;        ///< operations; 0: the rate of wave-instructions
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"gemm_f32_512", "r_16_8_8_16_4_4_128_4", {8, 16, 1}, {8, 16, 1}, {kMiB, kMiB, kMiB}, 4, ""},
      {"gemm_f16_512",
       "r_8_2_32_4_2_2_2_4_4_32_2",
       {2, 8, 1},
       {32, 4, 1},
       {kMiB, kMiB / 2, kMiB / 2},
       2,
       ""},
      {"exp_sum_1024", "r_1024_16_64", {1024, 1, 1}, {16, 1, 1}, {4096, 4 * kMiB, 4096}, 4, ""},
      {"softmax_1024",
       "E_128_16_8_16_4",
       {16, 128, 1},
       {8, 16, 1},
       {4 * kMiB, 4 * kMiB, 4096, 4096},
       4,
       ""},
      {"sum_4m", "r_256_16_1024", {256, 1, 1}, {16, 1, 1}, {1024, 16 * kMiB}, 4, ""},
      {"empty", "empty", {1, 1, 1}, {32, 1, 1}, {}, 4, "us", 1},
      {"wmma_gfx1100", "wmma_gfx1100", {1, 1, 1}, {32, 1, 1}, {4096}, 4, "ns", 8000},
      {"wmma_gfx1201", "wmma_gfx1201", {1, 1, 1}, {32, 1, 1}, {4096}, 4, "ns", 8000},
      {"mfma_gfx942", "mfma_gfx942", {1, 1, 1}, {64, 1, 1}, {4096}, 4, "ns", 4000},
      {"load_contiguous", "load_contiguous", {1, 1, 1}, {32, 1, 1}, {32768}, 4, "ns", 16000},
      {"load_random", "load_random", {1, 1, 1}, {32, 1, 1}, {32768}, 4, "ns", 16000},
      {"store_contiguous", "store_contiguous", {1, 1, 1}, {32, 1, 1}, {32768}, 4, "ns", 16000},
      {"store_random", "store_random", {1, 1, 1}, {32, 1, 1}, {32768}, 4, "ns", 16000},
      {"lds_load_contiguous", "lds_load_contiguous", {1, 1, 1}, {32, 1, 1}, {4096}, 4, "ns", 16000},
      {"lds_load_random", "lds_load_random", {1, 1, 1}, {32, 1, 1}, {4096}, 4, "ns", 16000},
      {"copy", "copy", {8192, 1, 1}, {256, 1, 1}, {32 * kMiB, 32 * kMiB}, 4, "GB/s", 32.0 * kMiB},
  };
  return all;
}

void run(benchmark::State& state, const Case& c, emu::Engine engine) {
  Launch launch;
  std::vector<Argument> arguments;
  for (const uint64_t size : c.buffers) arguments.push_back(Buffer{size, c.element});
  const std::string path = std::string(LOCKSTEP_BENCH_KERNELS) + "/" + c.name + ".s";
  if (const auto done = prepare(launch, path, c.kernel, c.groups, c.block, arguments); !done) {
    state.SkipWithError(done.error().c_str());
    return;
  }
  emu::DispatcherOptions options;
  options.threads = 1;
  options.engine = engine;
  emu::Dispatcher dispatcher(options);
  Times times;
  for (auto _ : state) {
    if (const auto done = run_once(dispatcher, launch, times); !done) {
      state.SkipWithError(done.error().c_str());
      return;
    }
  }
  const auto& [best, first, instructions] = times;
  state.counters["first_ms"] = first * 1e3;
  state.counters["wave_instructions/s"] = static_cast<double>(instructions) / best;
  const std::string unit = c.counter;
  if (unit == "ns") state.counters["ns_each"] = best / c.per_dispatch * 1e9;
  if (unit == "us") state.counters["us_each"] = best / c.per_dispatch * 1e6;
  if (unit == "GB/s") {
    state.counters["GB/s"] = c.per_dispatch / best * 1e-9;
    std::vector<uint8_t> from(c.buffers[1], 1), to(c.buffers[0], 2);
    double host = 1e9;
    for (int i = 0; i < 20; ++i) {
      const double begin = cpu_seconds();
      std::memcpy(to.data(), from.data(), to.size());
      benchmark::DoNotOptimize(to.data());
      benchmark::ClobberMemory();
      host = std::min(host, cpu_seconds() - begin);
    }
    state.counters["memcpy_times"] = best / host;
  }
}

const bool registered = [] {
  for (const Case& c : cases())
    benchmark::RegisterBenchmark(c.name, [&c](benchmark::State& state) {
      run(state, c, emu::Engine::kJit);
    })->Unit(benchmark::kMicrosecond);
  return true;
}();

}  // namespace
}  // namespace lockstep::bench

BENCHMARK_MAIN();
