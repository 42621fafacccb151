// SPDX-License-Identifier: MIT
// Scalar registers of vector instructions, as values and as masks.
#include "emu/jit/lane_run.h"

namespace lockstep::emu::jit {

void LaneRun::collect(const Uop& u, Uses& uses) const {
  if (u.half[0]) {
    collect(*u.half[0], uses);
    collect(*u.half[1], uses);
    return;
  }
  const unsigned mask_words = wave_size_ / 32;
  for (int i = 0; i < u.ops.n_src; ++i) {
    const isa::Operand& o = u.ops.src[i];
    if (o.kind != isa::OperandKind::kScalar) continue;
    // Masks at the places where results are written too are read as they are written.
    const bool mask = o.type == isa::Type::MASK;
    if (mask && o.code % mask_words == 0) continue;
    for (unsigned word = 0; word < (mask ? mask_words : o.dwords); ++word)
      if (o.code + word < uses.values.size()) uses.values.set(o.code + word);
  }
  for (int i = 0; i < u.ops.n_dst; ++i) {
    const isa::Operand& o = u.ops.dst[i];
    if (o.kind != isa::OperandKind::kScalar) continue;
    for (unsigned word = 0; word < mask_words; ++word)
      if (o.code + word < uses.results.size()) uses.results.set(o.code + word);
  }
}

bool LaneRun::take(const Uop& u) {
  Uses uses;
  collect(u, uses);
  const Uses all{run_.values | uses.values, run_.results | uses.results};
  if ((all.values & all.results).any()) return false;
  run_ = all;
  return true;
}

}  // namespace lockstep::emu::jit
