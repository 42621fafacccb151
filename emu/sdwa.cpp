// SPDX-License-Identifier: MIT
// SDWA selection. Encoding: ISA guides of gfx9, "SDWA".
#include "emu/sdwa.h"

#include <algorithm>

namespace lockstep::emu {
namespace {

using isa::Field;

using Part = SdwaPart;

uint32_t ones(unsigned width) { return width == 32 ? ~0u : (1u << width) - 1; }

uint32_t sign_extended(uint32_t value, unsigned width) {
  const unsigned up = 32 - width;
  return static_cast<uint32_t>(static_cast<int32_t>(value << up) >> up);
}

uint32_t merged(uint32_t old, uint32_t result, Part part, uint32_t unused) {
  const uint32_t mask = ones(part.width) << part.shift;
  const uint32_t placed = (result << part.shift) & mask;
  if (unused == kSdwaPreserve) return (old & ~mask) | placed;
  if (unused == kSdwaSignExtend)
    return sign_extended(result & ones(part.width), part.width) << part.shift;
  return placed;
}

}  // namespace

SdwaPart part_of(uint32_t select) {
  if (select < 4) return {select * 8, 8};
  if (select < 6) return {(select - 4) * 16, 16};
  return {};
}

void apply_sdwa(Context& c, const Uop& u, ValuSources& s) {
  for (int i = 0; i < std::min<int>(u.ops.n_src, 2); ++i) {
    const isa::Operand& o = u.ops.src[i];
    if (o.type == isa::Type::MASK) continue;
    const Part part = part_of(u.inst.get(i == 0 ? Field::src0_sel : Field::src1_sel));
    if (part.width == 32) continue;
    LaneSource& src = s.src[i];
    const unsigned lanes = src.stride ? c.wave->wave_size : 1;
    for (unsigned lane = 0; lane < lanes; ++lane) {
      const uint32_t value = src.lo[lane] >> part.shift & ones(part.width);
      s.buffer[i][0][lane] = o.sext ? sign_extended(value, part.width) : value;
    }
    src.lo = s.buffer[i][0];
  }
}

Step exec_sdwa(Context& c, const Uop& u, ExecFn row) {
  const bool vector_result =
      u.ops.n_dst > 0 && u.ops.dst[0].kind == isa::OperandKind::kVgpr && u.ops.dst[0].dwords == 1;
  const Part part = part_of(u.inst.get(Field::dst_sel));
  if (!vector_result || part.width == 32) return row(c, u);
  uint32_t old[64];
  uint32_t* dest = c.wave->vgpr(u.ops.dst[0].code);
  std::copy_n(dest, c.wave->wave_size, old);
  const Step step = row(c, u);
  const uint64_t exec = c.wave->exec();
  const uint32_t unused = u.inst.get(Field::dst_unused);
  for (unsigned lane = 0; lane < c.wave->wave_size; ++lane)
    if (exec >> lane & 1) dest[lane] = merged(old[lane], dest[lane], part, unused);
  return step;
}

}  // namespace lockstep::emu
