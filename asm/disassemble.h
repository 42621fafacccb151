// SPDX-License-Identifier: MIT
// A range of code as lines: address, bytes, text, and where branches go.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "asm/print.h"

namespace lockstep::asm_ {

struct DisassembleOptions {
  PrintOptions print = {};  ///< its `address` is set for each line
  bool fold_padding =
      true;  ///< one line for a run of s_code_end or of equal words that are no instruction
};

struct Line {
  uint64_t address = 0;
  std::span<const uint8_t> bytes;  ///< of one repetition, in memory order
  std::string text;     ///< an instruction; or `.long 0x..` or `.byte 0x..` for what is none
  std::string problem;  ///< why the bytes are no instruction; empty if they are
  std::optional<uint64_t> target;  ///< of a direct branch or call
  uint64_t repeat = 1;             ///< how often the bytes follow one another
};

/// Where a direct branch or call at `address` goes; nothing for other instructions.
std::optional<uint64_t> branch_target(const isa::Inst& inst, uint64_t address);

/// Calls `sink` for each line in order. Every byte of `code` is in exactly one line (repetitions
/// counted).
void disassemble(isa::Isa isa, std::span<const uint8_t> code, uint64_t address,
                 const DisassembleOptions& options, const std::function<void(const Line&)>& sink);
std::vector<Line> disassemble(isa::Isa isa, std::span<const uint8_t> code, uint64_t address,
                              const DisassembleOptions& options = {});

}  // namespace lockstep::asm_
