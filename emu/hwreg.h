// SPDX-License-Identifier: MIT
// Hardware registers as s_getreg and s_setreg see them.
#pragma once
#include <cstdint>

#include "emu/context.h"

namespace lockstep::emu {

/// False if the target has no such register, or none that a compute wave may read.
bool read_hwreg(const Context& c, unsigned id, uint32_t& value);
/// Writes the bits of `mask` as far as a user wave may change them; others keep their value. False
/// as above.
bool write_hwreg(Context& c, unsigned id, uint32_t value, uint32_t mask);

}  // namespace lockstep::emu
