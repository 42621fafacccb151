// SPDX-License-Identifier: MIT
// Modifiers of vector arithmetic, and the rules that bind operands together.
#include <fmt/format.h>

#include <algorithm>

#include "asm/assembler.h"
#include "asm/printer.h"

namespace lockstep::asm_ {
namespace {

using isa::Field;
using isa::Format;
using isa::Operand;
using isa::OperandKind;
using isa::Operands;
using isa::OpInfo;
using isa::Suffix;
using isa::Type;

bool is_dpp(Suffix s) { return s == Suffix::kDpp16 || s == Suffix::kDpp8; }

bool omod(Assembler& a) {
  const Modifier* mul = a.take("mul");
  const Modifier* div = a.take("div");
  if (!mul && !div) return true;
  const Modifier& m = mul ? *mul : *div;
  if (mul && div) return a.fail(div->at, "mul and div exclude each other");
  unsigned value = 0;
  if (mul && m.integer && (*m.integer == 1 || *m.integer == 2 || *m.integer == 4))
    value = static_cast<unsigned>(*m.integer) / 2;
  else if (div && m.integer && (*m.integer == 1 || *m.integer == 2))
    value = *m.integer == 2 ? 3 : 0;
  else
    return a.fail(m.at, "the output modifiers are mul:2, mul:4 and div:2");
  const OpInfo& info = a.inst.info();
  // Conversions of floats to integers have the field too.
  const bool has = info.n_dsts > 0 && a.inst.has(Field::omod) &&
                   (is_float(info.dsts[0].type) ||
                    (a.name_has("v_cvt_") && info.n_srcs == 1 && is_float(info.srcs[0].type)));
  if (!has) return a.fail(m.at, "this instruction has no output modifier");
  return a.set(Field::omod, value);
}

/// The op_sel field of VOP3: see print_op_sel.
bool op_sel(Assembler& a) {
  const PrintOptions print_options{.wave_size = a.options.wave_size,
                                   .real_true16 = a.options.real_true16};
  const Printer p(a.inst, print_options);
  const OpInfo& info = a.inst.info();
  if (a.name_has("v_permlane") && a.name_has("_swap_")) {
    for (const auto& [name, bit] : {std::pair{"bound_ctrl", 2u}, {"fi", 1u}})
      if (const Modifier* m = a.take(name)) {
        if (!m->integer || *m->integer < 0 || *m->integer > 1)
          return a.fail(m->at, fmt::format("{} is 0 or 1", name));
        if (*m->integer) a.set(Field::opsel, a.inst.get(Field::opsel) | bit);
      }
    return true;
  }
  if (const Modifier* m = a.take("byte_sel")) {
    const bool as_result = a.name_has("v_cvt_sr_fp8") || a.name_has("v_cvt_sr_bf8"),
               as_source = a.name_has("v_cvt_f32_fp8") || a.name_has("v_cvt_f32_bf8");
    if (!a.gfx12() || (!as_result && !as_source) || !m->integer)
      return a.fail(m->at, "byte_sel does not exist here");
    if (*m->integer < 0 || *m->integer > 3) return a.fail(m->at, "byte_sel must be in 0..3");
    const auto n = static_cast<unsigned>(*m->integer);
    return a.set(Field::opsel, as_result ? n << 2 : n >> 1 | (n & 1) << 1);
  }
  if (const Modifier* m = a.take("bitop3")) {
    if (!a.name_has("v_bitop3") || !m->integer || *m->integer < 0 || *m->integer > 255)
      return a.fail(m->at, "bitop3 is a table of 8 bits");
    const auto table = static_cast<unsigned>(*m->integer);
    a.set(Field::omod, table >> 6);
    a.set(Field::abs, table >> 3 & 7);
    a.set(Field::neg, table & 7);
  }
  std::optional<unsigned> bits;
  const bool permlane = a.name_has("v_permlane");
  const bool has = permlane || has_op_sel(p);
  const bool has_result = !permlane && info.n_dsts > 0 && info.dsts[0].type != Type::EXEC_MASK &&
                          info.dsts[0].type != Type::MASK;
  const unsigned n =
      permlane ? 2u : static_cast<unsigned>(field_sources(info)) + counts_old_result(p);
  const unsigned most = has_result ? n + 1 : n;
  const size_t before = a.line.modifiers.size();
  (void)before;
  if (!has) return true;
  if (!a.bits("op_sel", most, bits)) return false;
  if (!bits) return true;
  const unsigned sources = *bits & ((1u << n) - 1), result = has_result ? *bits >> n & 1 : 0;
  const unsigned value = sources | result << 3;
  if (a.options.real_true16 && (a.inst.get(Field::opsel) & ~value))
    return a.fail(a.line.at, "op_sel operand conflicts with 16-bit operand suffix");
  return a.set(Field::opsel, a.inst.get(Field::opsel) | value);
}

bool packed(Assembler& a) {
  const OpInfo& info = a.inst.info();
  const auto n = static_cast<unsigned>(info.n_srcs);
  const unsigned all = (1u << n) - 1;
  std::optional<unsigned> lo, hi, neg_lo, neg_hi;
  const bool mix = a.name_has("_mix");
  if (a.name_has("v_swmmac")) {
    constexpr int64_t kMostKey = 3;
    if (!a.number("index_key", Field::opsel, 0, kMostKey)) return false;
    if (!a.bits("neg_lo", n, neg_lo) || !a.bits("neg_hi", n, neg_hi)) return false;
    if (neg_lo) a.set(Field::neg, *neg_lo);
    if (neg_hi) a.set(Field::neg_hi, *neg_hi);
    a.set(Field::opsel_hi, 3);
    return a.set(Field::opsel_hi2, 1);
  }
  if (!a.bits("op_sel", n, lo) || !a.bits("op_sel_hi", n, hi)) return false;
  if (!mix && (!a.bits("neg_lo", n, neg_lo) || !a.bits("neg_hi", n, neg_hi))) return false;
  if (lo) a.set(Field::opsel, *lo);
  const unsigned high = hi.value_or(mix ? 0 : all);
  a.set(Field::opsel_hi, high & 3);
  a.set(Field::opsel_hi2, n == 3 ? high >> 2 & 1 : !mix);
  if (neg_lo) a.set(Field::neg, *neg_lo);
  if (neg_hi) a.set(Field::neg_hi, *neg_hi);
  return true;
}

bool matrix(Assembler& a) {
  if (a.inst.format == Format::VOP3PX2) {
    std::optional<unsigned> lo, hi;
    constexpr size_t kBits = 3;
    if (!a.bits("op_sel", kBits, lo) || !a.bits("op_sel_hi", kBits, hi)) return false;
    if (lo) a.set(Field::opsel, *lo);
    a.set(Field::opsel_hi, hi.value_or(3) & 3);
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
    if (!a.bits("neg", 3, neg)) return false;
    if (neg) a.set(Field::blgp, *neg);
  } else if (!a.number("blgp", Field::blgp, 0, 7)) {
    return false;
  }
  return a.number("cbsz", Field::cbsz, 0, 7) && a.number("abid", Field::abid, 0, 15);
}

/// Compares of integers and classes have nothing to clamp, nor have products of floats.
bool has_clamp(const Assembler& a) {
  const OpInfo& info = a.inst.info();
  if (info.format == Format::VOPC) return is_float(info.srcs[0].type) && !a.name_has("_class_");
  return !a.name_has("v_wmma_f") && !a.name_has("v_wmma_bf") && !a.name_has("v_swmmac_f") &&
         !a.name_has("v_swmmac_bf");
}

bool clamp(Assembler& a) {
  if (!has_clamp(a)) return true;
  return !a.inst.has(Field::clamp) || a.flag("clamp", Field::clamp);
}

}  // namespace

bool assemble_valu_modifiers(Assembler& a) {
  switch (a.inst.format) {
    case Format::VOP3:
    case Format::VOP3SD:
      if (!op_sel(a) || !clamp(a) || !omod(a)) return false;
      break;
    case Format::VOP3P:
      if (!packed(a) || !clamp(a)) return false;
      break;
    case Format::MAI:
    case Format::VOP3PX2:
      if (!matrix(a)) return false;
      break;
    case Format::VINTERP: {
      std::optional<unsigned> bits;
      constexpr size_t kBits = 4;
      if (!clamp(a) || !a.bits("op_sel", kBits, bits)) return false;
      if (bits) a.set(Field::opsel, a.inst.get(Field::opsel) | *bits);
      if (!a.number("wait_exp", Field::waitexp, 0, 7)) return false;
      break;
    }
    default:
      break;
  }
  if (is_dpp(a.inst.suffix)) return assemble_dpp(a);
  if (a.inst.suffix == Suffix::kSdwa) return assemble_sdwa(a);
  return true;
}

namespace {

/// Scalar values that one vector operation may read.
unsigned scalar_limit(const Assembler& a) {
  if (a.gfx9()) return 1;
  const bool shift64 =
      a.name_has("v_lshlrev_b64") || a.name_has("v_lshrrev_b64") || a.name_has("v_ashrrev_i64");
  return shift64 ? 1 : 2;
}

class ScalarReads {
 public:
  void add(const Operand& o) {
    unsigned key = 0;
    switch (o.kind) {
      case OperandKind::kScalar:
        if (o.code == isa::kNull) return;
        key = o.code;
        break;
      case OperandKind::kSpecial:
        key = o.code;
        break;
      case OperandKind::kLiteral:
        key = isa::kSrcLiteral;
        break;
      default:
        return;
    }
    if (std::find(keys_.begin(), keys_.end(), key) == keys_.end()) keys_.push_back(key);
  }
  size_t count() const { return keys_.size(); }

 private:
  std::vector<unsigned> keys_;
};

}  // namespace

bool check_valu(Assembler& a) {
  // Vector registers alone break no rule.
  const auto is_vector = [](const ParsedOperand& o) {
    return o.is_register(isa::OperandKind::kVgpr) || o.is_register(isa::OperandKind::kAgpr);
  };
  if (a.inst.format != Format::VOPD &&
      std::all_of(a.line.operands.begin(), a.line.operands.end(), is_vector))
    return true;
  ScalarReads reads;
  const auto add_all = [&](const Operands& list) {
    for (int i = 0; i < list.n_src; ++i) reads.add(list.src[i]);
  };
  if (a.inst.format == Format::VOPD) {
    add_all(isa::operands_of_half(a.inst, 0, a.options.wave_size));
    add_all(isa::operands_of_half(a.inst, 1, a.options.wave_size));
  } else {
    const std::string_view id = a.inst.info().id;
    // Lane selects are read by another path.
    if (id.starts_with("v_readlane") || id.starts_with("v_writelane") ||
        id.starts_with("v_permlane"))
      return true;
    add_all(isa::operands_of(a.inst, a.options.wave_size));
  }
  if (reads.count() > scalar_limit(a))
    return a.fail(a.line.operands.empty() ? a.line.at : a.line.operands.back().at,
                  "invalid operand (violates constant bus restrictions)");
  return true;
}

}  // namespace lockstep::asm_
