// SPDX-License-Identifier: MIT
// Values that instructions are likely to treat differently.
#pragma once
#include <cstdint>

#include "diff/random.h"
#include "isa/types.h"

namespace lockstep::diff {

/// One dword of an operand of this type: `dword` counts inside the operand, since doubles and
/// 64-bit integers span two; `wide` keeps both halves between the calls.
uint32_t interesting_dword(Random& random, isa::Type type, unsigned dword, uint64_t& wide);

/// Lane masks: all, none, one lane, the first or last half, every second one, or anything.
uint64_t interesting_mask(Random& random, uint32_t wave_size);

/// MODE values: roundings and denormal treatments.
uint32_t interesting_mode(Random& random, isa::Generation generation);

}  // namespace lockstep::diff
