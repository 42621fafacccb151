// SPDX-License-Identifier: MIT
// A kernel in memory with its arguments, ready to be dispatched again and again.
#pragma once
#include <benchmark/benchmark.h>

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "cli/launch.h"
#include "emu/dispatch.h"

namespace lockstep::bench {

/// A pointer to a new buffer, filled with numbers between 0.5 and 1: floats (`element` 4), halves
/// (2); or with random words (0).
struct Buffer {
  uint64_t bytes;
  uint32_t element = 4;
};
using Argument = std::variant<Buffer, uint32_t>;

struct Launch {
  emu::MemoryMap memory;
  cli::Arena arena{&memory};
  cli::LoadedObject loaded;
  emu::DispatchRequest request;
  std::vector<std::span<uint8_t>> buffers;
};

struct KernelCase {
  std::string path;  ///< a code object, or an assembler file (.s)
  std::string kernel;
  std::array<uint32_t, 3> groups, block;  ///< `groups` counts workgroups
  std::vector<Argument> arguments;
};

/// Loads the kernel, makes and fills its buffers, and the request; the reason if that fails.
Result<void> prepare(Launch& launch, const KernelCase& c);

/// The dispatches of one benchmark, in CPU time of this thread: other programs on the machine count
/// less than with wall time.
struct Times {
  double best = 1e9, first = 0;
  uint64_t instructions = 0;  ///< of waves, in one dispatch
};
/// Loads the kernel into `launch`, dispatches it on one thread as often as `state` wants and sets the
/// counter of wave-instructions a second. False, and the state has the reason, if that fails.
bool measure(benchmark::State& state, const KernelCase& c, Launch& launch, Times& times);

/// The best of some runs of host code that does the same work, in CPU time.
double best_seconds(const std::function<void()>& work);

}  // namespace lockstep::bench
