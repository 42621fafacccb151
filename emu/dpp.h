// SPDX-License-Identifier: MIT
// Data-parallel primitives: source 0 of a vector instruction comes from another lane of the row.
#pragma once
#include "emu/context.h"
#include "emu/lane/sources.h"

namespace lockstep::emu {
inline constexpr int kNoLane = -1;

/// Which lane of source 0 each lane sees.
struct DppLanes {
  /// kNoLane where the control points outside.
  int source(unsigned lane, unsigned wave_size) const;
  /// Not switched off by row_mask and bank_mask.
  bool enabled(unsigned lane) const;
  bool fetch_inactive = false;  ///< lanes that EXEC switches off can be read
  bool bound_zero = false;      ///< a lane without a source sees 0; else it does not execute
  bool dpp8 = false, gfx9 = false;
  uint32_t control = 0, row_mask = 0, bank_mask = 0;
};
DppLanes dpp_lanes(const isa::Inst& inst);

/// Permutes source 0 as the instruction's DPP suffix says and removes from `active` the lanes that
/// are switched off (row_mask, bank_mask, and lanes without a source unless bound_ctrl gives 0).
void apply_dpp(Context& c, const Uop& u, ValuSources& s);

}  // namespace lockstep::emu
