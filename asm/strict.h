// SPDX-License-Identifier: MIT
// Words that hardware runs, but LLVM does not take for an instruction.
#pragma once
#include <string>

#include "isa/inst.h"

namespace lockstep::asm_ {

/// isa::decode() is lenient where hardware is: fields that an operation does not use may hold
/// anything. LLVM's disassembler refuses many of those words, and forms that no assembler makes.
/// Returns why, or an empty string if LLVM takes the word. Line-for-line disassembly asks this;
/// execution and listings do not.
/// Loads that LLVM can send to LDS.
bool may_load_to_lds(const isa::Inst& inst);
std::string refused_by_llvm(const isa::Inst& inst, bool real_true16);

}  // namespace lockstep::asm_
