// SPDX-License-Identifier: MIT
// Which rows the JIT makes code of, and which it calls the interpreter's handler for.
#pragma once
#include "emu/jit/tier.h"
#include "isa/op.h"
#include "isa/target.h"

namespace lockstep::emu::jit {

/// True if the plain form of an executed row (VGPRs and SGPRs as operands, no modifiers, the widest
/// wave of the target, MODE as compilers set it) becomes host code of that tier. Other forms may differ.
bool compiles(isa::Op op, isa::Isa isa, Tier tier);

}  // namespace lockstep::emu::jit
