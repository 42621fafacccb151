// SPDX-License-Identifier: MIT
// Words that hardware runs, but LLVM does not take for an instruction.
#pragma once
#include <span>
#include <string>

#include "asm/print.h"
#include "isa/inst.h"

namespace lockstep::asm_ {

/// Buffer loads that LLVM can send to LDS.
bool may_load_to_lds(const isa::Inst& inst);
/// The same for global and scratch memory: a bit that gfx90a alone has.
bool may_load_to_lds_by_address(const isa::Inst& inst);

/// How LLVM's disassembler reads a word.
struct Reading {
  isa::Inst inst;
  bool real_true16 = false;  ///< the spelling of halves: LLVM leaves it where op_sel makes no sense
  std::string refused;       ///< why LLVM takes no such word; empty if it does
};

/// isa::decode() is lenient where hardware is: fields that an operation does not use may hold
/// anything. LLVM refuses many of those words, and has names for registers that a target lacks.
/// Line-for-line disassembly asks this; execution and listings do not. Wave size and spelling of
/// halves are those of `options`.
Reading read_like_llvm(isa::Isa isa, std::span<const uint8_t> bytes, const PrintOptions& options);

}  // namespace lockstep::asm_
