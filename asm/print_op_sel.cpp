// SPDX-License-Identifier: MIT
// The op_sel field of VOP3 and the modifiers of packed operations. One field of four bits means
// many things: halves of sources and result, a byte, the index key of sparse matrix operations, or
// single flags.
#include <algorithm>

#include "asm/printer.h"

namespace lockstep::asm_ {
namespace {

using isa::Field;
using isa::Format;
using isa::OpInfo;
using isa::Type;

bool is_short(Format f) { return f == Format::VOP1 || f == Format::VOP2 || f == Format::VOPC; }

bool any_half(const Printer& p) {
  const OpInfo& info = p.inst.info();
  const auto half = [&](const isa::Opnd& o) {
    return is_half(o.type) || isa::fills_half(p.inst.isa, o.type);
  };
  return std::any_of(info.dsts, info.dsts + info.n_dsts, half) ||
         std::any_of(info.srcs, info.srcs + info.n_srcs, half);
}

/// 16-bit operations without a short form for which LLVM names halves only in the true16 spelling.
constexpr std::string_view kWholeRegister[] = {
    "v_alignbit_b32", "v_alignbyte_b32", "v_maxmin_f16",  "v_minmax_f16", "v_lshlrev_b16",
    "v_lshrrev_b16",  "v_ashrrev_i16",   "v_mul_lo_u16",  "v_max_u16",    "v_max_i16",
    "v_min_u16",      "v_min_i16",       "v_and_b16",     "v_or_b16",     "v_xor_b16",
    "v_cndmask_b16",  "v_minimum_f16",   "v_maximum_f16",
};

/// gfx9 conversions whose op_sel chooses a word or byte of the result or source.
bool selects_part_on_gfx9(const Printer& p) {
  if (p.name_has("v_ashr_pk_")) return true;
  if (p.name_has("v_cvt_scalef32_")) return !p.name_has("pk32_") && !p.name_has("2xpk16");
  return p.name_has("v_cvt_pk_fp8_") || p.name_has("v_cvt_pk_bf8_") || p.name_has("v_cvt_sr_");
}

/// Byte of an 8-bit float, in op_sel on gfx12: as source its two bits are swapped.
unsigned byte_selected(const Printer& p) {
  const unsigned op_sel = p.get(Field::opsel);
  if (p.name_has("v_cvt_sr_fp8") || p.name_has("v_cvt_sr_bf8")) return op_sel >> 2;
  if (p.name_has("v_cvt_f32_fp8") || p.name_has("v_cvt_f32_bf8"))
    return (op_sel & 1) << 1 | (op_sel >> 1 & 1);
  return 0;
}

}  // namespace

bool counts_old_result(const Printer& p) {
  if (p.named("v_fmac_f16")) return true;
  return p.gfx9() &&
         (p.named("v_cvt_sr_fp8_f32") || p.named("v_cvt_sr_bf8_f32") ||
          p.named("v_cvt_scalef32_pk_fp4_f16") || p.named("v_cvt_scalef32_pk_fp4_bf16"));
}

std::string bits_text(std::string_view name, unsigned bits, int count) {
  std::string s = fmt::format("{}:[", name);
  for (int i = 0; i < count; ++i) s += fmt::format("{}{}", i ? "," : "", bits >> i & 1);
  return s + "]";
}

int field_sources(const OpInfo& info) {
  int n = 0;
  for (int i = 0; i < info.n_srcs; ++i)
    n += info.srcs[i].type != Type::MASK && info.srcs[i].place != isa::Place::kLiteral;
  return n;
}

bool has_op_sel(const Printer& p) {
  const OpInfo& info = p.inst.info();
  if (p.named("v_fmac_f16") && !p.gfx9()) return true;
  if (p.named("v_cvt_pk_f32_fp8") || p.named("v_cvt_pk_f32_bf8")) return !p.gfx9();
  if (p.gfx9()) {
    if (p.name_has("_legacy_")) return false;
    if (p.name_has("v_cvt_scalef32_")) return selects_part_on_gfx9(p);
    return (any_half(p) && !is_short(info.format)) || selects_part_on_gfx9(p);
  }
  if (!any_half(p) || p.inst.info().id.starts_with("v_s_")) return false;
  if (p.options.real_true16) return true;
  return !is_short(info.format) && std::find(std::begin(kWholeRegister), std::end(kWholeRegister),
                                             info.id) == std::end(kWholeRegister);
}

void print_op_sel(Printer& p) {
  const OpInfo& info = p.inst.info();
  unsigned op_sel = p.get(Field::opsel);
  if (p.name_has("v_permlane")) {
    if (p.name_has("_swap_")) {
      if (op_sel & 2) p.modifier("bound_ctrl:1");
      if (op_sel & 1) p.modifier("fi:1");
    } else if (op_sel & 3) {
      p.modifier(bits_text("op_sel", op_sel, 2));
    }
    return;
  }
  if (p.gfx12()) {
    if (const unsigned byte = byte_selected(p)) p.modifier(fmt::format("byte_sel:{}", byte));
  }
  if (p.name_has("v_bitop3")) {
    const unsigned table = p.get(Field::omod) << 6 | p.get(Field::abs) << 3 | p.get(Field::neg);
    constexpr unsigned kMostDecimal = 10;
    if (table)
      p.modifier(table <= kMostDecimal ? fmt::format("bitop3:{}", table)
                                       : fmt::format("bitop3:{:#x}", table));
  }
  if (p.name_has("v_dot2_"))
    op_sel &= 12;  // v_dot2_f16_f16 and its kin read whole registers in the first two sources
  if (!op_sel || !has_op_sel(p)) return;
  const bool dpp = p.inst.suffix == isa::Suffix::kDpp16 || p.inst.suffix == isa::Suffix::kDpp8;
  const bool mask = info.format == Format::VOPC && dpp;  // not counted there
  const bool has_result = info.n_dsts > 0 && info.dsts[0].type != Type::EXEC_MASK && !mask;
  const int n = field_sources(info) + counts_old_result(p);
  // The result's bit (3) is written after those of the sources.
  const unsigned sources = op_sel & ((1u << n) - 1);
  p.modifier(bits_text("op_sel", sources | (op_sel >> 3 & 1) << n, has_result ? n + 1 : n));
}

void print_packed_modifiers(Printer& p) {
  const OpInfo& info = p.inst.info();
  const int n = info.n_srcs;
  const unsigned all = (1u << n) - 1;
  const unsigned neg = p.get(Field::neg) & all, neg_hi = p.get(Field::neg_hi) & all,
                 op_sel = p.get(Field::opsel);
  if (p.name_has("v_swmmac")) {
    constexpr unsigned kMatrices = 3;  // the index has no sign
    if (op_sel) p.modifier(fmt::format("index_key:{}", op_sel));
    if (neg & kMatrices) p.modifier(bits_text("neg_lo", neg & kMatrices, n));
    if (neg_hi & kMatrices) p.modifier(bits_text("neg_hi", neg_hi & kMatrices, n));
    return;
  }
  const bool mix = p.name_has("_mix");
  const unsigned hi = (p.get(Field::opsel_hi) | p.get(Field::opsel_hi2) << 2) & all;
  // Of the WMMA operations only those with 16-bit results have halves to choose; dot products of
  // bytes have none, which LLVM knows since it knows gfx950.
  const bool bytes =
      p.inst.isa == isa::Isa::kGfx950 && (p.name_has("v_dot4_") || p.name_has("v_dot8_"));
  if (!bytes && (!p.name_has("v_wmma") || is_half(info.dsts[0].type))) {
    if (op_sel & all) p.modifier(bits_text("op_sel", op_sel, n));
    if (hi != (mix ? 0 : all)) p.modifier(bits_text("op_sel_hi", hi, n));
  }
  if (mix || p.named("v_mfma_ld_scale_b32")) return;  // neg and neg_hi are written at the sources
  if (neg) p.modifier(bits_text("neg_lo", neg, n));
  if (neg_hi) p.modifier(bits_text("neg_hi", neg_hi, n));
}

}  // namespace lockstep::asm_
