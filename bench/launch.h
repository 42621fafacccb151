// SPDX-License-Identifier: MIT
// A kernel in memory with its arguments, ready to be dispatched again and again.
#pragma once
#include <array>
#include <cstdint>
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

/// `path`: a code object, or an assembler file (.s). `groups` counts workgroups.
Result<void> prepare(Launch& launch, const std::string& path, const std::string& kernel,
                     std::array<uint32_t, 3> groups, std::array<uint32_t, 3> block,
                     const std::vector<Argument>& arguments);

/// CPU time of this thread: other programs on the machine count less than with wall time.
double cpu_seconds();

/// The dispatches of one benchmark, in CPU time.
struct Times {
  double best = 1e9, first = 0;
  uint64_t instructions = 0;  ///< of waves, in one dispatch
};
/// Runs one dispatch and keeps its time; the fault's text if it fails.
Result<void> run_once(emu::Dispatcher& dispatcher, const Launch& launch, Times& times);

}  // namespace lockstep::bench
