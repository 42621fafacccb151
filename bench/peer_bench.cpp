// SPDX-License-Identifier: MIT
// The workloads of other emulators' published figures, on one thread. Each case gives the best of
// several dispatches in CPU time.
#include <functional>

#include "bench/launch.h"
#include "bench/native_loops.h"

namespace lockstep::bench {
namespace {

constexpr uint32_t kMi = 1 << 20;

struct Case {
  std::string target, kernel;
  std::array<uint32_t, 3> groups, block;
  std::vector<Argument> arguments;
  double published_ms = 0;                   ///< one thread, on their host; 0: none is published
  std::function<void(Launch&)> native = {};  ///< the same work on the host
};

void softmax(Launch& l) {
  native_softmax(reinterpret_cast<float*>(l.buffers[0].data()),
                 reinterpret_cast<const float*>(l.buffers[1].data()), 64, 4096);
}

std::vector<Case> cases() {
  std::vector<Case> all;
  // rocjitsu's desktop targets: seconds of dispatches on a Threadripper PRO 9995WX, one thread.
  for (const auto& [target, matrix, memory] :
       {std::tuple("gfx1100", 13020.0, 1379.0), std::tuple("gfx1201", 3710.0, 1344.0)}) {
    const auto one = [&](std::string kernel, std::array<uint32_t, 3> groups,
                         std::array<uint32_t, 3> block, std::vector<Argument> arguments,
                         double published = 0, std::function<void(Launch&)> native = {}) {
      all.push_back(
          {target, kernel, groups, block, std::move(arguments), published, std::move(native)});
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
  const auto square = [&](const char* kernel, uint64_t bytes, uint32_t n, double published) {
    all.push_back({"gfx950",
                   kernel,
                   {32, 32, 1},
                   {64, 1, 1},
                   {Buffer{bytes}, Buffer{bytes}, Buffer{bytes}, n},
                   published});
  };
  const Buffer items{589824 * 4};
  all.push_back(
      {"gfx950", "vector_add_64", {9216, 1, 1}, {64, 1, 1}, {items, items, items}, 120.0});
  square("matmul_tiled", 256 * 1024, 256, 877.1);
  square("matmul_mfma", 64 * 1024, 128, 1470.4);
  return all;
}

void run(benchmark::State& state, const Case& c) {
  const std::string path = std::string(LOCKSTEP_BENCH_OBJECTS) + "/peers." + c.target + ".co";
  Launch launch;
  Times times;
  if (!measure(state, {path, c.kernel, c.groups, c.block, c.arguments}, launch, times)) return;
  state.counters["ms"] = times.best * 1e3;
  if (c.published_ms != 0) {
    state.counters["published_ms"] = c.published_ms;
    state.counters["times_faster"] = c.published_ms / (times.best * 1e3);
  }
  if (c.native)
    state.counters["native_times"] = times.best / best_seconds([&] { c.native(launch); });
}

const bool registered = [] {
  static const std::vector<Case> all = cases();
  for (const Case& c : all)
    benchmark::RegisterBenchmark((c.kernel + "/" + c.target).c_str(), [&c](
                                                                          benchmark::State& state) {
      run(state, c);
    })->Unit(benchmark::kMillisecond);
  return true;
}();

}  // namespace
}  // namespace lockstep::bench

BENCHMARK_MAIN();
