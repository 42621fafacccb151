// SPDX-License-Identifier: MIT
// Values of the special source codes (src_scc, apertures, ...), shared by vector and scalar operand
// resolution.
#pragma once
#include <cstdint>

#include "emu/context.h"

namespace lockstep::emu {

/// False if the code means nothing on this target: an illegal-instruction fault is raised in `c`.
bool read_special(Context& c, unsigned code, uint64_t& value);

/// Bits of a literal dword as an operand of `type` sees them.
uint64_t literal_bits(uint32_t literal, isa::Type type);

}  // namespace lockstep::emu
