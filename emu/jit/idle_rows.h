// SPDX-License-Identifier: MIT
// Memory rows that have nothing to do here: cache control, prefetches.
#pragma once
#include "isa/inst.h"

namespace lockstep::emu::jit {

/// True if the row's expression is m.nothing().
bool does_nothing(isa::Op op);

}  // namespace lockstep::emu::jit
