// SPDX-License-Identifier: MIT
// From a file to a dispatch.
#include "bench/launch.h"

#include <time.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>

#include "asm/source.h"

namespace lockstep::bench {
namespace {

void fill(std::span<uint8_t> bytes, uint32_t element) {
  uint32_t random = 1;
  const size_t width = element ? element : 4;
  for (size_t i = 0; i + width <= bytes.size(); i += width) {
    random = random * 1664525 + 1013904223;
    const uint32_t bits = element == 4   ? 0x3f000000 | random >> 9
                          : element == 2 ? 0x3800 | random >> 22
                                         : random >> 8;
    std::memcpy(bytes.data() + i, &bits, width);
  }
}

Result<std::vector<uint8_t>> read_object(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return Error{path + " cannot be read"};
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!path.ends_with(".s")) return std::vector<uint8_t>(text.begin(), text.end());
  const auto source = asm_::assemble_source(text, path, {});
  if (!source.ok) return Error{path + " does not assemble"};
  return asm_::link_shared(source.object);
}

double cpu_seconds() {
  timespec t = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

/// Runs one dispatch and keeps its time; the fault's text if it fails.
Result<void> run_once(emu::Dispatcher& dispatcher, const Launch& launch, Times& times) {
  const double begin = cpu_seconds();
  const emu::DispatchResult result = dispatcher.run(launch.request);
  const double seconds = cpu_seconds() - begin;
  if (!result.ok) return Error{result.fault.describe()};
  times.best = std::min(times.best, seconds);
  if (times.first == 0) times.first = seconds;
  times.instructions = result.stats.wave_instructions;
  return {};
}

}  // namespace

Result<void> prepare(Launch& l, const KernelCase& c) {
  const auto bytes = read_object(c.path);
  if (!bytes) return Error{bytes.error()};
  auto object = loader::parse_code_object(*bytes);
  if (!object) return Error{object.error()};
  auto loaded = cli::load_object(std::move(*object), l.arena);
  if (!loaded) return Error{loaded.error()};
  l.loaded = std::move(*loaded);
  const loader::Kernel* kernel = l.loaded.object.find_kernel(c.kernel);
  if (!kernel) return Error{c.path + " has no kernel " + c.kernel};
  // Pointers have 8 bytes and lie at multiples of 8, numbers have 4.
  std::vector<uint8_t> values;
  const auto append = [&](const auto& value) {
    values.resize((values.size() + sizeof value - 1) / sizeof value * sizeof value);
    const auto* raw = reinterpret_cast<const uint8_t*>(&value);
    values.insert(values.end(), raw, raw + sizeof value);
  };
  for (const Argument& argument : c.arguments) {
    if (const auto* number = std::get_if<uint32_t>(&argument)) {
      append(*number);
      continue;
    }
    const Buffer& wanted = std::get<Buffer>(argument);
    const auto buffer = l.arena.allocate(wanted.bytes, "buffer", true);
    if (!buffer) return Error{buffer.error()};
    fill(*buffer, wanted.element);
    l.buffers.push_back(*buffer);
    append(cli::address_of(*buffer));
  }
  const uint64_t size = std::max<uint64_t>({8, values.size(), cli::kernarg_size(*kernel)});
  const auto kernarg = l.arena.allocate(size, "kernarg", false);
  if (!kernarg) return Error{kernarg.error()};
  std::memcpy(kernarg->data(), values.data(), values.size());
  const auto shape = cli::shape_of_groups(c.groups, c.block);
  if (!shape) return Error{shape.error()};
  cli::fill_hidden_arguments(*kernel, *shape, 0, 0, *kernarg);
  cli::LaunchContext context{*shape, cli::address_of(*kernarg), 0, &l.memory};
  auto request = cli::make_request(l.loaded, *kernel, context, l.arena);
  if (!request) return Error{request.error()};
  l.request = std::move(*request);
  return {};
}

bool measure(benchmark::State& state, const KernelCase& c, Launch& launch, Times& times) {
  Result<void> done = prepare(launch, c);
  emu::DispatcherOptions options;
  options.threads = 1;
  emu::Dispatcher dispatcher(options);
  if (done)
    for (auto _ : state)
      if (done = run_once(dispatcher, launch, times); !done) break;
  if (!done) {
    state.SkipWithError(done.error().c_str());
    return false;
  }
  state.counters["wave_instructions/s"] = static_cast<double>(times.instructions) / times.best;
  return true;
}

double best_seconds(const std::function<void()>& work) {
  constexpr int kRuns = 20;
  double best = 1e9;
  for (int i = 0; i < kRuns; ++i) {
    const double begin = cpu_seconds();
    work();
    benchmark::ClobberMemory();
    best = std::min(best, cpu_seconds() - begin);
  }
  return best;
}

}  // namespace lockstep::bench
