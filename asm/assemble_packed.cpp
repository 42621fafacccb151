// SPDX-License-Identifier: MIT
// Modifiers of packed operations and of matrix products.
#include <fmt/format.h>

#include "asm/assembler.h"

namespace lockstep::asm_ {
namespace {

using isa::Field;
using isa::Format;
using isa::OpInfo;

constexpr unsigned kOnlyC = 4, kOnlyAB = 3, kAllSources = 7;

/// Which modifiers a packed operation has: the sources whose sign neg_lo and neg_hi may change
/// (0: none), and whether halves can be chosen.
struct PackedModifiers {
  unsigned neg_lo = kAllSources, neg_hi = kAllSources;
  bool op_sel = true;
};

PackedModifiers packed_modifiers(const Assembler& a) {
  const bool small_floats = a.name_has("_fp8") || a.name_has("_bf8");
  if (a.name_has("_mix")) return {0, 0, true};
  if (a.named("v_mfma_ld_scale_b32")) return {0, 0, true};
  if (a.gfx12() && a.name_has("v_dot4_f32_")) return {kOnlyC, kOnlyC, false};
  // LLVM knows since it knows gfx950 that dot products of bytes have no halves to choose.
  if (a.options.like_llvm_22 && (a.name_has("v_dot4_") || a.name_has("v_dot8_")))
    return {kAllSources, kAllSources, false};
  if (!a.gfx12()) return {};
  if (a.name_has("v_swmmac")) {
    if (small_floats) return {0, 0, false};
    return {kOnlyAB, a.name_has("_iu") ? 0 : kOnlyAB, false};
  }
  if (!a.name_has("v_wmma")) return {};
  if (small_floats) return {kOnlyC, kOnlyC, false};
  if (a.name_has("_iu")) return {kOnlyAB, 0, false};
  return {kAllSources, kAllSources, false};
}

bool negations(Assembler& a, std::string_view name, Field field, unsigned allowed) {
  if (allowed == 0) return true;
  std::optional<unsigned> bits;
  if (!a.bits(name, bits)) return false;
  if (!bits) return true;
  const unsigned all = (1u << a.inst.info().n_srcs) - 1;  // bits of other sources are ignored
  if (*bits & all & ~allowed)
    return a.fail(a.line.at, fmt::format("invalid {} operand: not every source has a sign", name));
  return a.set(field, *bits & all);
}

/// The part of its register that the sparse index of v_swmmac is in.
bool index_key(Assembler& a) {
  const bool wave64 = a.options.wave_size == 64, nibbles = a.name_has("_iu4");
  if (nibbles && a.name_has("x64_") && !wave64) return true;
  return a.number("index_key", Field::opsel, 0, wave64 && !nibbles ? 3 : 1);
}

/// On gfx942 and gfx950 dot products have the fields of op_sel, but only their plain value.
bool dot_halves(Assembler& a, std::optional<unsigned> lo, std::optional<unsigned> hi) {
  const bool strict = a.inst.isa == isa::Isa::kGfx942 || a.inst.isa == isa::Isa::kGfx950;
  if (!strict || !a.name_has("v_dot")) return true;
  if (lo.value_or(0) != 0 || hi) return a.fail(a.line.at, "invalid op_sel operand");
  return true;
}

}  // namespace

bool assemble_packed(Assembler& a) {
  const OpInfo& info = a.inst.info();
  const auto n = static_cast<unsigned>(info.n_srcs);
  const unsigned all = (1u << n) - 1;
  std::optional<unsigned> lo, hi;
  const bool mix = a.name_has("_mix");
  const PackedModifiers has = packed_modifiers(a);
  if (!negations(a, "neg_lo", Field::neg, has.neg_lo & all) ||
      !negations(a, "neg_hi", Field::neg_hi, has.neg_hi & all))
    return false;
  if (a.name_has("v_swmmac")) {
    if (!index_key(a)) return false;
    a.set(Field::opsel_hi, 3);
    return a.set(Field::opsel_hi2, 1);
  }
  if (has.op_sel && (!a.bits("op_sel", lo) || !a.bits("op_sel_hi", hi))) return false;
  if (!dot_halves(a, lo, hi)) return false;
  if (lo) a.set(Field::opsel, *lo & all);
  const unsigned high = hi.value_or(mix ? 0 : all);
  a.set(Field::opsel_hi, high & 3);
  a.set(Field::opsel_hi2, n == 3 ? high >> 2 & 1 : !mix);
  return true;
}

bool assemble_matrix(Assembler& a) {
  if (a.inst.format == Format::VOP3PX2) {
    std::optional<unsigned> lo, hi;
    constexpr unsigned kScales = 3;  // LLVM takes a third bit and drops it
    if (!a.bits("op_sel", lo) || !a.bits("op_sel_hi", hi)) return false;
    if (lo) a.set(Field::opsel, *lo & kScales);
    a.set(Field::opsel_hi, hi.value_or(0) & kScales);
    a.set(Field::abid, 1);
  }
  if (a.name_has("v_accvgpr")) {  // moves are VOP3P to LLVM: op_sel_hi is all ones
    a.set(Field::acc, 3);
    a.set(Field::abid, 8);
    return true;
  }
  const bool negates = a.inst.isa != isa::Isa::kGfx90a && a.name_has("v_mfma_f64");
  if (negates) {
    std::optional<unsigned> neg;
    if (!a.bits("neg", neg)) return false;
    if (neg) a.set(Field::blgp, *neg & kAllSources);
  } else if (!a.name_has("v_smfmac") && !a.name_has("_f8f6f4") &&
             !a.number("blgp", Field::blgp, 0, 7)) {
    return false;
  }
  if (a.name_has("_f8f6f4")) return true;  // its formats were read first, and abid is no modifier
  return a.number("cbsz", Field::cbsz, 0, 7) && a.number("abid", Field::abid, 0, 15);
}

}  // namespace lockstep::asm_
