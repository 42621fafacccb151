// SPDX-License-Identifier: MIT
// Modifiers of vector arithmetic, and the rules that bind operands together.
#include <fmt/format.h>

#include <algorithm>

#include "asm/assembler.h"
#include "asm/printer.h"
#include "asm/valu_rules.h"

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

}  // namespace

bool assemble_omod(Assembler& a) {
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
  if (!has_omod(a.inst)) return a.fail(m.at, "this instruction has no output modifier");
  return a.set(Field::omod, value);
}

namespace {

/// op_sel must say the same as .l and .h, or nothing at all.
bool agrees_with_halves(Assembler& a, unsigned bits, unsigned sources, bool has_result) {
  if (bits == 0) return true;
  const OpInfo& info = a.inst.info();
  const size_t first = info.n_dsts > 0 && info.dsts[0].type != Type::EXEC_MASK ? 1 : 0;
  for (size_t i = 0; i < a.line.operands.size(); ++i) {
    const ParsedOperand& o = a.line.operands[i];
    if (o.half == 0 || (i < first && !has_result)) continue;
    const unsigned bit = i < first ? sources : static_cast<unsigned>(i - first);
    if ((bits >> bit & 1) != (o.half == 'h'))
      return a.fail(o.at, "op_sel operand conflicts with 16-bit operand suffix");
  }
  return true;
}

/// The op_sel field of VOP3: see print_op_sel.
bool op_sel(Assembler& a) {
  const PrintOptions print_options{.wave_size = a.options.wave_size,
                                   .real_true16 = a.options.real_true16};
  const Printer p(a.inst, print_options);
  const OpInfo& info = a.inst.info();
  if (a.name_has("v_permlane") && a.name_has("_swap_")) {
    if (const Modifier* m = a.take("bound_ctrl")) {
      if (!m->integer || *m->integer < 0 || *m->integer > 1)
        return a.fail(m->at, "bound_ctrl is 0 or 1");
      a.set(Field::opsel, 2);  // the old spelling bound_ctrl:0 means the same
    }
    if (const Modifier* m = a.take("fi")) {  // LLVM keeps the last bit of any number
      if (!m->integer) return a.fail(m->at, "fi takes a number");
      a.set(Field::opsel, a.inst.get(Field::opsel) | (*m->integer & 1));
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
    if (!a.name_has("v_bitop3") || !m->integer)  // LLVM drops bits above the eighth
      return a.fail(m->at, "bitop3 is a table of 8 bits");
    const auto table = static_cast<unsigned>(*m->integer) & 255;
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
  if (!has) return true;
  if (!a.bits("op_sel", bits)) return false;
  if (!bits) return true;
  constexpr unsigned kFactors = 3;  // of dot products only the addend and the result are halves
  if ((a.named("v_dot2_f16_f16") || a.named("v_dot2_bf16_bf16")) && *bits & kFactors)
    return a.fail(a.line.at, "invalid op_sel operand");
  if (permlane && *bits >> n != 0) return a.fail(a.line.at, "invalid op_sel operand");
  const unsigned sources = *bits & ((1u << n) - 1), result = has_result ? *bits >> n & 1 : 0;
  if (a.options.real_true16 && !agrees_with_halves(a, *bits, n, has_result)) return false;
  return a.set(Field::opsel, a.inst.get(Field::opsel) | sources | result << 3);
}

bool clamp(Assembler& a) {
  if (!has_clamp(a.inst)) return true;
  return !a.inst.has(Field::clamp) || a.flag("clamp", Field::clamp);
}

}  // namespace

bool assemble_valu_modifiers(Assembler& a) {
  switch (a.inst.format) {
    case Format::VOP3:
    case Format::VOP3SD:
      if (!op_sel(a) || !clamp(a) || !assemble_omod(a)) return false;
      break;
    case Format::VOP3P:
      if (!assemble_packed(a) || !clamp(a)) return false;
      break;
    case Format::MAI:
    case Format::VOP3PX2:
      if (!assemble_matrix(a)) return false;
      break;
    case Format::VINTERP: {
      std::optional<unsigned> bits;
      if (!clamp(a) || !a.bits("op_sel", bits)) return false;
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
        key = o.code | unsigned{o.dwords} << 16;  // s0 and s[0:1] count twice
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
    for (int i = 0; i < list.n_src; ++i) {
      Operand o = list.src[i];
      // The VCC that pairs read without naming it counts apart from vcc_lo.
      if (a.inst.format == Format::VOPD && o.type == Type::MASK) o.dwords = 2;
      reads.add(o);
    }
  };
  if (a.inst.format == Format::VOPD) {
    add_all(isa::operands_of_half(a.inst, 0, a.options.wave_size));
    add_all(isa::operands_of_half(a.inst, 1, a.options.wave_size));
  } else {
    const std::string_view id = a.inst.info().id;
    // Lane selects are read by another path.
    if (id.starts_with("v_readlane") || (id.starts_with("v_writelane") && !a.gfx9()) ||
        id.starts_with("v_permlane"))
      return true;
    add_all(isa::operands_of(a.inst, a.options.wave_size));
    if (a.name_has("v_div_fmas")) {  // reads VCC too
      Operand vcc;
      vcc.kind = OperandKind::kScalar;
      vcc.code = isa::kVccLo;
      vcc.dwords = 2;  // LLVM counts it apart from vcc_lo
      reads.add(vcc);
    }
  }
  if (reads.count() > scalar_limit(a))
    return a.fail(a.line.operands.empty() ? a.line.at : a.line.operands.back().at,
                  "invalid operand (violates constant bus restrictions)");
  return true;
}

}  // namespace lockstep::asm_
