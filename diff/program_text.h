// SPDX-License-Identifier: MIT
// Programs as assembler files with declared inputs: lines that begin with ";@" say from what state
// the instructions start. See docs/differential.md for the declarations.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diff/backend.h"
#include "isa/result.h"

namespace lockstep::diff {

struct TextOptions {
  std::optional<isa::Target> target = {};  ///< where the file names none
  uint64_t seed = 1;                       ///< of `random`
  uint32_t count = 1;                      ///< inputs; more than one only differ in `random` values
};

/// `name` stands in messages, which give line numbers.
Result<Program> parse_program(std::string_view text, const std::string& name,
                              const TextOptions& options);

/// The program with one of its inputs as such a file: parse_program() gives the same again.
std::string program_text(const Program& program, const State& input,
                         const std::vector<std::string>& comments = {});

/// Fits the layout to the registers that the instructions name. Fails for instructions that cannot
/// stand in the capture kernel, and for registers above kMostVgprs.
Result<void> fit_layout(Program& program);

/// All registers and memory zero, EXEC all lanes, the usual MODE.
State plain_state(const Layout& layout);

}  // namespace lockstep::diff
