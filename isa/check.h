// SPDX-License-Identifier: MIT
// Legality of decoded instructions.
#pragma once
#include "isa/inst.h"

namespace lockstep::isa {

/// True if every operand is something the target has: no unassigned source code, no constant as a
/// result, and no group of registers that runs past the end. decode() refuses other words, so that
/// execution never meets them. The size of lane masks depends on the wave size; 0: the less strict
/// one that the target has.
bool operands_exist(const Inst& inst, Names names, unsigned wave_size = 0);

}  // namespace lockstep::isa
