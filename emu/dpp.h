// SPDX-License-Identifier: MIT
// Data-parallel primitives: source 0 of a vector instruction comes from another lane of the row.
#pragma once
#include "emu/context.h"
#include "emu/lane/sources.h"

namespace lockstep::emu {

/// Permutes source 0 as the instruction's DPP suffix says and removes from `active` the lanes that
/// are switched off (row_mask, bank_mask, and lanes without a source unless bound_ctrl gives 0).
void apply_dpp(Context& c, const Uop& u, ValuSources& s);

}  // namespace lockstep::emu
