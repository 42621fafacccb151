// SPDX-License-Identifier: MIT
// Whole kernels through the dispatcher: what tinygrad compiles, and loops of one operation. Each
// case gives the best of many dispatches in CPU time, because the machine is shared.
#include <algorithm>
#include <cstring>
#include <thread>

#include "bench/launch.h"
#include "bench/native_loops.h"

namespace lockstep::bench {
namespace {

constexpr uint64_t kMiB = 1 << 20;

struct Case {
  const char* name;
  const char* file;  ///< in bench/kernels, without .s
  const char* kernel;
  std::array<uint32_t, 3> groups, block;
  std::vector<uint64_t> buffers;      ///< bytes: the kernel's arguments
  uint32_t element = 4;               ///< bytes of the numbers they are filled with: 2 or 4
  const char* counter = "";           ///< unit of `per_dispatch`
  double per_dispatch = 0;            ///< operations
  void (*native)(Launch&) = nullptr;  ///< the same work on the host
};

template <class T>
T* at(Launch& l, size_t buffer) {
  return reinterpret_cast<T*>(l.buffers[buffer].data());
}
void gemm(Launch& l) { native_gemm(at<float>(l, 0), at<float>(l, 1), at<float>(l, 2), 512); }
void sums(Launch& l) { native_sums(at<float>(l, 0), at<float>(l, 1), 256, 16384); }
void copy(Launch& l) { std::memcpy(at<char>(l, 0), at<char>(l, 1), l.buffers[0].size()); }

/// A loop of one operation, by one wave.
Case loop(const char* file, const char* kernel, uint32_t lanes, uint64_t bytes, double operations) {
  return {kernel, file, kernel, {1, 1, 1}, {lanes, 1, 1}, {bytes}, 4, "ns", operations};
}

std::vector<Case> cases() {
  std::vector<Case> all = {
      {"gemm_f32_512",
       "gemm_f32_512",
       "r_16_8_8_16_4_4_128_4",
       {8, 16, 1},
       {8, 16, 1},
       {kMiB, kMiB, kMiB},
       4,
       "",
       0,
       gemm},
      {"gemm_f16_512",
       "gemm_f16_512",
       "r_8_2_32_4_2_2_2_4_4_32_2",
       {2, 8, 1},
       {32, 4, 1},
       {kMiB, kMiB / 2, kMiB / 2},
       2},
      {"exp_sum_1024",
       "exp_sum_1024",
       "r_1024_16_64",
       {1024, 1, 1},
       {16, 1, 1},
       {4096, 4 * kMiB, 4096}},
      {"softmax_1024",
       "softmax_1024",
       "E_128_16_8_16_4",
       {16, 128, 1},
       {8, 16, 1},
       {4 * kMiB, 4 * kMiB, 4096, 4096}},
      {"sum_4m",
       "sum_4m",
       "r_256_16_1024",
       {256, 1, 1},
       {16, 1, 1},
       {1024, 16 * kMiB},
       4,
       "",
       0,
       sums},
      {"empty", "empty", "empty", {1, 1, 1}, {32, 1, 1}, {}, 4, "us", 1},
      {"start_wave", "empty", "empty", {8192, 1, 1}, {256, 1, 1}, {}, 4, "ns", 65536},
      {"copy",
       "copy",
       "copy",
       {8192, 1, 1},
       {256, 1, 1},
       {32 * kMiB, 32 * kMiB},
       4,
       "GB/s",
       32.0 * kMiB,
       copy},
      loop("wmma_gfx1100", "wmma_gfx1100", 32, 4096, 8000),
      loop("wmma_gfx1201", "wmma_gfx1201", 32, 4096, 8000),
      loop("mfma_gfx942", "mfma_gfx942", 64, 4096, 4000),
  };
  for (const char* kernel : {"load_contiguous", "load_random", "store_contiguous", "store_random",
                             "lds_load_contiguous", "lds_load_random"})
    all.push_back(loop("memory_loops", kernel, 32, 32768, 16000));
  return all;
}

KernelCase kernel_case(const Case& c) {
  KernelCase kernel{
      std::string(LOCKSTEP_BENCH_KERNELS) + "/" + c.file + ".s", c.kernel, c.groups, c.block, {}};
  for (const uint64_t size : c.buffers) kernel.arguments.push_back(Buffer{size, c.element});
  return kernel;
}

void run(benchmark::State& state, const Case& c) {
  Launch launch;
  Times times;
  if (!measure(state, kernel_case(c), launch, times)) return;
  state.counters["first_ms"] = times.first * 1e3;
  const std::string unit = c.counter;
  if (unit == "ns") state.counters["ns_each"] = times.best / c.per_dispatch * 1e9;
  if (unit == "us") state.counters["us_each"] = times.best / c.per_dispatch * 1e6;
  if (unit == "GB/s") state.counters["GB/s"] = c.per_dispatch / times.best * 1e-9;
  if (c.native)
    state.counters["native_times"] = times.best / best_seconds([&] { c.native(launch); });
}

/// Wall time of one dispatch on `threads` threads, the best of some after a first that compiles.
Result<double> best_wall_time(const Launch& launch, int threads) {
  constexpr int kRuns = 30;
  emu::DispatcherOptions options;
  options.threads = threads;
  emu::Dispatcher dispatcher(options);
  double best = 1e9;
  for (int i = 0; i <= kRuns; ++i) {
    const emu::DispatchResult result = dispatcher.run(launch.request);
    if (!result.ok) return Error{result.fault.describe()};
    if (i > 0) best = std::min(best, result.stats.seconds);
  }
  return best;
}

/// One thread and all threads of the host, in turns, in wall time: a busy machine shows less.
void run_scaling(benchmark::State& state, const Case& c) {
  const int threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  Launch launch;
  Result<void> done = prepare(launch, kernel_case(c));
  Result<double> one = 1e9, many = 1e9;
  for (auto _ : state) {
    if (!done) break;
    const auto alone = best_wall_time(launch, 1), together = best_wall_time(launch, threads);
    if (!alone) done = Error{alone.error()};
    if (!together) done = Error{together.error()};
    if (!done) break;
    one = std::min(*one, *alone);
    many = std::min(*many, *together);
  }
  if (!done) return state.SkipWithError(done.error().c_str());
  state.counters["threads"] = threads;
  state.counters["groups"] = c.groups[0] * c.groups[1] * c.groups[2];
  state.counters["speedup"] = *one / *many;
}

const bool registered = [] {
  static const std::vector<Case> all = cases();
  constexpr uint32_t kGroupsThatScale = 64;
  for (const Case& c : all)
    if (c.groups[0] * c.groups[1] * c.groups[2] >= kGroupsThatScale)
      benchmark::RegisterBenchmark((std::string("scaling/") + c.name).c_str(),
                                   [&c](benchmark::State& state) { run_scaling(state, c); })
          ->Unit(benchmark::kMillisecond);
  for (const Case& c : all)
    benchmark::RegisterBenchmark(c.name, [&c](benchmark::State& state) {
      run(state, c);
    })->Unit(benchmark::kMicrosecond);
  return true;
}();

}  // namespace
}  // namespace lockstep::bench

BENCHMARK_MAIN();
