// SPDX-License-Identifier: MIT
// Modes of gfx9 that change what vector instructions do: relative VGPR numbers and skipping.
#pragma once
#include "emu/context.h"

namespace lockstep::emu {

inline constexpr uint32_t kSpecialModes = ModeBits::kGprIndex | ModeBits::kSkipVector;

/// Runs `u` while one of kSpecialModes is on.
Step execute_in_special_mode(Context& c, const Uop& u);

}  // namespace lockstep::emu
