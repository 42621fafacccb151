// SPDX-License-Identifier: MIT
// Options that several subcommands share, and number lists.
#pragma once
#include <CLI/CLI.hpp>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "emu/dispatch.h"
#include "isa/names.h"
#include "isa/result.h"
#include "isa/target.h"

namespace lockstep::cli {

/// "4", "4,2" or "4,2,1"; what is not written is 1. `option` names it in the error.
Result<std::array<uint32_t, 3>> parse_triple(std::string_view option, std::string_view text);

/// How kernels run: --engine, --threads, --max-instructions, --schedule-seed.
struct EngineFlags {
  std::string engine;  ///< empty: the default of this host
  int threads = 0;
  uint64_t max_instructions = 0;
  uint64_t schedule_seed = 0;

  void declare(CLI::App& app);
  emu::DispatcherOptions options() const;
};
using isa::target_list;
/// The target of a --mcpu value, or an error that lists what there is.
Result<isa::Target> parse_target(std::string_view name);

}  // namespace lockstep::cli
