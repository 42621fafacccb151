// SPDX-License-Identifier: MIT
// Fields that an instruction has in its encoding but does not use.
#pragma once
#include <string>

#include "isa/inst.h"

namespace lockstep::asm_ {

/// LLVM wants the default in fields that an operation does not use, and zero in bits that no field
/// names. Returns which of them holds something else, or an empty string.
std::string unused_bits(const isa::Inst& inst);

}  // namespace lockstep::asm_
