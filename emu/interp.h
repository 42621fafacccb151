// SPDX-License-Identifier: MIT
// The Lane interpreter: runs one wave until something happens.
#pragma once
#include <cstdint>
#include <optional>

#include "emu/code_cache.h"
#include "emu/context.h"

namespace lockstep::emu {

/// Runs c.wave for at most `budget` instructions. `executed` grows by what ran. kYield: the budget
/// is used up. On kFault the pc is that of the faulting instruction and c.fault says what happened.
ExitReason interpret(Context& c, CodeCache& code, uint64_t budget, uint64_t& executed);
/// The same, but nothing when the budget is used up: a sleeping wave yields too.
std::optional<ExitReason> interpret_until_exit(Context& c, CodeCache& code, uint64_t budget,
                                               uint64_t& executed);

}  // namespace lockstep::emu
