// SPDX-License-Identifier: MIT
// CDNA matrix operations.
#include "asm/printer.h"

namespace lockstep::asm_ {

using isa::Field;

void print_mai(Printer& p) {
  p.mnemonic();
  const isa::Operands list = isa::operands_of(p.inst, p.options.wave_size);
  for (int i = 0; i < list.n_dst; ++i) p.operand(p.plain(list.dst[i]));
  for (int i = 0; i < list.n_src; ++i) p.operand(p.plain(list.src[i]));
  if (p.inst.format == isa::Format::VOP3PX2) {
    constexpr unsigned kScales = 3;
    if (const unsigned op_sel = p.get(Field::opsel) & kScales)
      p.modifier(bits_text("op_sel", op_sel, 3));
    p.modifier(bits_text("op_sel_hi", p.get(Field::opsel_hi), 3));
  }
  if (p.name_has("v_accvgpr")) return;
  const bool small_floats =
      p.name_has("_f8f6f4");  // CBSZ and BLGP are formats there, ABID is fixed
  if (const unsigned cbsz = p.get(Field::cbsz)) p.modifier(fmt::format("cbsz:{}", cbsz));
  if (const unsigned abid = p.get(Field::abid); abid && !small_floats)
    p.modifier(fmt::format("abid:{}", abid));
  const unsigned blgp = p.get(Field::blgp);
  if (!blgp) return;
  // On gfx942 and later the same bits negate the operands of the f64 operations.
  const bool negates = p.inst.isa != isa::Isa::kGfx90a && p.name_has("v_mfma_f64");
  p.modifier(negates ? bits_text("neg", blgp, 3) : fmt::format("blgp:{}", blgp));
}

}  // namespace lockstep::asm_
