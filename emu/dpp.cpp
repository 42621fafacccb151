// SPDX-License-Identifier: MIT
// DPP16 and DPP8. Controls: ISA guides, "DPP"; gfx9 has wave shifts and row broadcasts where gfx10+
// has row_share, row_xmask.
#include "emu/dpp.h"

namespace lockstep::emu {

using isa::Field;

namespace {

constexpr unsigned kRow = 16;

/// Source lane of `lane` for a DPP16 control, or kNoLane where it falls outside. Rows are 16 lanes.
int dpp16_source(unsigned control, unsigned lane, unsigned wave_size, bool gfx9) {
  const unsigned row = lane / kRow * kRow, in_row = lane % kRow;
  if (control <= 0xff)
    return static_cast<int>((lane & ~3u) + (control >> (lane % 4 * 2) & 3));  // quad_perm
  const unsigned n = control & 15;
  switch (control >> 4) {
    case 0x10:
      return in_row + n < kRow ? static_cast<int>(lane + n) : kNoLane;  // row_shl
    case 0x11:
      return in_row >= n ? static_cast<int>(lane - n) : kNoLane;  // row_shr
    case 0x12:
      return static_cast<int>(row + (in_row + kRow - n) % kRow);  // row_ror
    case 0x13:
      if (!gfx9) break;
      if (n == 0) return lane + 1 < wave_size ? static_cast<int>(lane + 1) : kNoLane;  // wave_shl
      if (n == 4) return static_cast<int>((lane + 1) % wave_size);                     // wave_rol
      if (n == 8) return lane > 0 ? static_cast<int>(lane - 1) : kNoLane;              // wave_shr
      if (n == 12) return static_cast<int>((lane + wave_size - 1) % wave_size);        // wave_ror
      break;
    case 0x14:
      if (n == 0) return static_cast<int>(row + (kRow - 1 - in_row));      // row_mirror
      if (n == 1) return static_cast<int>((lane & ~7u) + (7 - lane % 8));  // row_half_mirror
      if (gfx9 && n == 2) return lane >= kRow ? static_cast<int>(row - 1) : kNoLane;  // row_bcast15
      if (gfx9 && n == 3) return lane >= 32 ? 31 : kNoLane;                           // row_bcast31
      break;
    case 0x15:
      return static_cast<int>(row + n);  // row_share (gfx90a: row_newbcast)
    case 0x16:
      if (!gfx9) return static_cast<int>(row + (in_row ^ n));  // row_xmask
      break;
    default:
      break;
  }
  return kNoLane;
}

}  // namespace

DppLanes dpp_lanes(const isa::Inst& inst) {
  const bool dpp8 = inst.suffix == isa::Suffix::kDpp8;
  DppLanes d;
  d.fetch_inactive = dpp8 ? inst.get(Field::src0) == isa::kSrcDpp8Fi : inst.get(Field::fi);
  d.bound_zero = dpp8 || inst.get(Field::bc);
  d.dpp8 = dpp8;
  d.gfx9 = isa::generation_of(inst.isa) == isa::Generation::kGfx9;
  d.control = dpp8 ? inst.get(Field::lane_sel) : inst.get(Field::dpp_ctrl);
  d.row_mask = dpp8 ? 0xf : inst.get(Field::row_mask);
  d.bank_mask = dpp8 ? 0xf : inst.get(Field::bank_mask);
  return d;
}

bool DppLanes::enabled(unsigned lane) const {
  return (row_mask >> (lane / kRow) & 1) && (bank_mask >> (lane % kRow / 4) & 1);
}

int DppLanes::source(unsigned lane, unsigned wave_size) const {
  return dpp8 ? static_cast<int>((lane & ~7u) + (control >> (lane % 8 * 3) & 7))
              : dpp16_source(control, lane, wave_size, gfx9);
}

void apply_dpp(Context& c, const Uop& u, ValuSources& s) {
  const DppLanes dpp = dpp_lanes(u.inst);
  const unsigned lanes = c.wave->wave_size;
  const uint64_t exec = s.active;
  LaneSource& src = s.src[0];
  const uint32_t* lo = src.lo;
  const uint32_t* hi = src.hi;
  const bool wide = u.ops.src[0].dwords == 2;
  // buffer[0] is free: a DPP source is a VGPR.
  for (unsigned lane = 0; lane < lanes; ++lane) {
    const uint64_t bit = uint64_t{1} << lane;
    if (!dpp.enabled(lane)) {
      s.active &= ~bit;
      continue;
    }
    const int from = dpp.source(lane, lanes);
    uint32_t value_lo = 0, value_hi = 0;
    const bool out_of_row = from == kNoLane;
    const bool source_inactive = !out_of_row && !(exec >> from & 1) && !dpp.fetch_inactive;
    if (!out_of_row && !source_inactive) {
      value_lo = lo[from];
      if (wide) value_hi = hi[from];
    } else if (!dpp.bound_zero) {
      s.active &= ~bit;  // no source: the lane keeps its old result
    }
    s.buffer[0][0][lane] = value_lo;
    s.buffer[0][1][lane] = value_hi;
  }
  src.lo = s.buffer[0][0];
  src.hi = s.buffer[0][1];
  src.stride = 1;
}

}  // namespace lockstep::emu
