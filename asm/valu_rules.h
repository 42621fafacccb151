// SPDX-License-Identifier: MIT
// Which vector operations have which output modifiers, as LLVM sees it.
#pragma once
#include "isa/inst.h"

namespace lockstep::asm_ {

/// True if the result of this operation, in this encoding, may be clamped.
bool has_clamp(const isa::Inst& inst);
/// True if it may be multiplied by 2, 4 or 0.5.
/// Conversions of blocks of 32 values: their operands have no signs.
bool converts_block(const isa::OpInfo& info);
bool has_omod(const isa::Inst& inst);

}  // namespace lockstep::asm_
