// SPDX-License-Identifier: MIT
// The workloads of other emulators' published figures, one thread, and C loops that do the same as
// a kernel. Each case gives the best of several dispatches in CPU time.
#include <benchmark/benchmark.h>

#include <functional>

#include "bench/launch.h"
#include "bench/native_loops.h"

namespace lockstep::bench {
namespace {

constexpr uint32_t kMi = 1 << 20;

struct Case {
  std::string name, target, kernel;
  std::array<uint32_t, 3> groups, block;
  std::vector<Argument> arguments;
  double published_ms = 0;  ///< one thread, on their host; 0: none is published
  std::function<void(Launch&)> native = {};
};

template <class T>
T* at(Launch& l, size_t buffer) {
  return reinterpret_cast<T*>(l.buffers[buffer].data());
}

void gemm(Launch& l) { native_gemm(at<float>(l, 0), at<float>(l, 1), at<float>(l, 2), 512); }
void softmax(Launch& l) { native_softmax(at<float>(l, 0), at<float>(l, 1), 64, 4096); }
void sums(Launch& l) { native_sums(at<float>(l, 0), at<float>(l, 1), 256, 16384); }

std::vector<Case> cases() {
  std::vector<Case> all;
  // rocjitsu's desktop targets: seconds of dispatches on a Threadripper PRO 9995WX, one thread.
  for (const auto& [target, matrix, memory] :
       {std::tuple("gfx1100", 13020.0, 1379.0), std::tuple("gfx1201", 3710.0, 1344.0)}) {
    const auto one = [&](std::string kernel, std::array<uint32_t, 3> groups,
                         std::array<uint32_t, 3> block, std::vector<Argument> arguments,
                         double published = 0, std::function<void(Launch&)> native = {}) {
      all.push_back({kernel, target, kernel, groups, block, std::move(arguments), published,
                     std::move(native)});
    };
    one("matrix", {512, 1, 1}, {32, 1, 1}, {Buffer{512 * 1024}, Buffer{4096, 2}}, matrix);
    one("valu_memory", {512, 1, 1}, {32, 1, 1}, {Buffer{512 * 128}}, memory);
    const uint32_t n = 8 * kMi + 3;
    one("vector_add", {(n + 255) / 256, 1, 1}, {256, 1, 1},
        {Buffer{n * 4ull}, Buffer{n * 4ull}, Buffer{n * 4ull}, n});
    one("transpose", {64, 64, 1}, {32, 8, 1}, {Buffer{8 * kMi, 2}, Buffer{8 * kMi, 2}, 2048u});
    const uint32_t picked = 4194307;
    one("gather", {(picked + 255) / 256, 1, 1}, {256, 1, 1},
        {Buffer{picked * 4ull}, Buffer{32 * kMi}, picked, 8 * kMi});
    one("atomic_add", {512, 1, 1}, {256, 1, 1}, {Buffer{1024, 0}, Buffer{512 * 1024, 0}});
    one("softmax_f32", {64, 1, 1}, {256, 1, 1}, {Buffer{kMi}, Buffer{kMi}, 4096u}, 0, softmax);
    one("softmax_f16", {64, 1, 1}, {256, 1, 1}, {Buffer{kMi / 2, 2}, Buffer{kMi / 2, 2}, 4096u});
    one("rmsnorm_f16", {128, 1, 1}, {256, 1, 1}, {Buffer{kMi, 2}, Buffer{kMi, 2}, 4096u});
  }
  // rocjitsu's scaling test, gfx950, one thread, median.
  all.push_back({"vector_add_64",
                 "gfx950",
                 "vector_add_64",
                 {9216, 1, 1},
                 {64, 1, 1},
                 {Buffer{589824 * 4}, Buffer{589824 * 4}, Buffer{589824 * 4}},
                 120.0});
  all.push_back({"matmul_tiled",
                 "gfx950",
                 "matmul_tiled",
                 {32, 32, 1},
                 {64, 1, 1},
                 {Buffer{256 * 1024}, Buffer{256 * 1024}, Buffer{256 * 1024}, 256u},
                 877.1});
  all.push_back({"matmul_mfma",
                 "gfx950",
                 "matmul_mfma",
                 {32, 32, 1},
                 {64, 1, 1},
                 {Buffer{64 * 1024}, Buffer{64 * 1024}, Buffer{64 * 1024}, 128u},
                 1470.4});
  // Kernels of bench/kernels beside C loops.
  all.push_back({"gemm_f32_512",
                 "gfx1100",
                 "r_16_8_8_16_4_4_128_4",
                 {8, 16, 1},
                 {8, 16, 1},
                 {Buffer{kMi}, Buffer{kMi}, Buffer{kMi}},
                 0,
                 gemm});
  all.push_back({"sum_4m",
                 "gfx1100",
                 "r_256_16_1024",
                 {256, 1, 1},
                 {16, 1, 1},
                 {Buffer{1024}, Buffer{16 * kMi}},
                 0,
                 sums});
  return all;
}

double best_of(const std::function<void(Launch&)>& work, Launch& launch) {
  double best = 1e9;
  for (int i = 0; i < 10; ++i) {
    const double begin = cpu_seconds();
    work(launch);
    benchmark::ClobberMemory();
    best = std::min(best, cpu_seconds() - begin);
  }
  return best;
}

void run(benchmark::State& state, const Case& c) {
  const bool compiled = c.name == c.kernel;  // by clang, from peers.cl
  const std::string path = compiled
                               ? std::string(LOCKSTEP_BENCH_OBJECTS) + "/peers." + c.target + ".co"
                               : std::string(LOCKSTEP_BENCH_KERNELS) + "/" + c.name + ".s";
  Launch launch;
  if (const auto done = prepare(launch, path, c.kernel, c.groups, c.block, c.arguments); !done) {
    state.SkipWithError(done.error().c_str());
    return;
  }
  emu::DispatcherOptions options;
  options.threads = 1;
  emu::Dispatcher dispatcher(options);
  Times times;
  for (auto _ : state) {
    if (const auto done = run_once(dispatcher, launch, times); !done) {
      state.SkipWithError(done.error().c_str());
      return;
    }
  }
  state.counters["ms"] = times.best * 1e3;
  state.counters["wave_instructions/s"] = static_cast<double>(times.instructions) / times.best;
  if (c.published_ms != 0) {
    state.counters["published_ms"] = c.published_ms;
    state.counters["times_faster"] = c.published_ms / (times.best * 1e3);
  }
  if (c.native) {
    const double native = best_of(c.native, launch);
    state.counters["native_ms"] = native * 1e3;
    state.counters["native_times"] = times.best / native;
  }
}

const bool registered = [] {
  static const std::vector<Case> all = cases();
  for (const Case& c : all)
    benchmark::RegisterBenchmark((c.name + "/" + c.target).c_str(), [&c](benchmark::State& state) {
      run(state, c);
    })->Unit(benchmark::kMillisecond);
  return true;
}();

}  // namespace
}  // namespace lockstep::bench

BENCHMARK_MAIN();
