// SPDX-License-Identifier: MIT
// Programs made from the rows of the instruction tables: one instruction each, with special and
// random values, lane masks and modes.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "diff/backend.h"
#include "isa/op.h"

namespace lockstep::diff {

struct GenerateOptions {
  isa::Target target = isa::Target::kGfx1100;
  uint32_t wave_size = 0;   ///< 0: both that the target has, in turn
  std::string match = "*";  ///< mnemonics, a comma list: * any text, ? any character
  uint64_t seed = 1;
  uint32_t count = 8;     ///< inputs of each instruction, 1 to kMostInputs
  uint32_t per_form = 2;  ///< instructions of each encoding of a row
};

/// A row that is left out, and why.
struct Excluded {
  std::string name;
  std::string_view reason;
};

struct Sweep {
  std::vector<isa::Op> rows;       ///< that will be run
  std::vector<Excluded> excluded;  ///< that match, but cannot be compared
};
/// Rows of the target whose mnemonic matches. Fails if none does, or if the pattern is malformed.
Result<Sweep> plan_sweep(const GenerateOptions& options);

/// Why a row cannot be a program of its own; "" if it can.
std::string_view why_excluded(isa::Op op, isa::Isa isa);

/// Programs of one row: every encoding, per_form instructions of each. The same options give the
/// same programs. Empty if the row has no form that the assembler accepts.
std::vector<Program> generate(isa::Op op, const GenerateOptions& options);

/// "v_add*" against "v_add_f32"; one of the patterns of a comma list must match.
bool matches(std::string_view pattern, std::string_view name);

}  // namespace lockstep::diff
