// SPDX-License-Identifier: MIT
// Vector arithmetic: the inverse of read_valu in isa/operand.cpp.
#include <algorithm>
#include <cmath>
#include <optional>

#include "asm/assembler.h"
#include "asm/valu_rules.h"

namespace lockstep::asm_ {
namespace {

using isa::Field;
using isa::Format;
using isa::Operand;
using isa::OperandKind;
using isa::Operands;
using isa::Opnd;
using isa::Place;
using isa::Suffix;
using isa::Type;

bool is_vop3(Format f) { return f == Format::VOP3 || f == Format::VOP3SD || f == Format::VINTERP; }
bool is_matrix(const Assembler& a) {
  return a.inst.format == Format::MAI || a.inst.format == Format::VOP3PX2;
}

/// The register that receives the lane mask of a compare or a carry.
bool mask_result(Assembler& a, const ParsedOperand& o, const Operand& want) {
  if (a.inst.format == Format::VOP3SD) return a.mask(Field::sdst, o, want.dwords);
  if (a.inst.format == Format::VOP3) return a.mask(Field::vdst, o, want.dwords);
  const bool vcc = o.is_register(OperandKind::kScalar) && o.code == isa::kVccLo &&
                   o.dwords == want.dwords && a.no_operand_modifiers(o);
  if (vcc) return true;
  if (a.inst.suffix == Suffix::kSdwa && a.inst.format == Format::VOPC)
    return a.set(Field::sd, 1) && a.mask(Field::sdst, o, want.dwords);
  return a.fail(o.at, want.dwords == 1 ? "vcc_lo is needed here" : "vcc is needed here");
}

bool result(Assembler& a, const ParsedOperand& o, const Operand& want, const Opnd& spec) {
  if (!a.no_operand_modifiers(o)) return false;
  if (want.type == Type::MASK) return mask_result(a, o, want);
  if (spec.place == Place::kSgpr) {
    const bool exec =
        o.is_register(OperandKind::kScalar) && (o.code == isa::kExecLo || o.code == isa::kExecHi);
    if (exec && a.name_has("v_s_")) return a.fail(o.at, "exec cannot be a result here");
    return a.scalar(Field::vdst, o, want.dwords);
  }
  Operand w = want;
  if (is_matrix(a) && o.is_register(OperandKind::kAgpr) && a.inst.has(Field::acc_cd) &&
      !a.name_has("v_accvgpr")) {
    w.kind = OperandKind::kAgpr;
    a.set(Field::acc_cd, 1);
  }
  constexpr int kResultBit = 3;
  return a.vgpr(Field::vdst, o, w, is_vop3(a.inst.format) ? kResultBit : -1);
}

bool takes_signs(const Assembler& a, Type type) {
  // LLVM lets the class mask have signs where it is half a register.
  const bool class_mask = a.options.real_true16 && a.name_has("_class_f16");
  if (is_matrix(a) || converts_block(a.inst.info())) return false;
  return is_float(type) || a.name_has("v_cndmask") || class_mask;
}

/// Encodings without sign modifiers apply them to constants.
bool folds_signs(const Assembler& a, const ParsedOperand& o, Type type) {
  if (!a.gfx9() && (type == Type::PK_F16 || type == Type::PK_BF16)) return false;
  return a.is_short() && (a.inst.suffix == Suffix::kNone || a.inst.suffix == Suffix::kLiteral) &&
         o.is_number() && takes_signs(a, type) && !o.sext;
}

ParsedOperand with_signs(const ParsedOperand& o, Type type) {
  ParsedOperand out = o;
  out.neg = out.abs = false;
  if (o.kind == ParsedKind::kReal) {
    if (o.abs) out.real = std::fabs(out.real);
    if (o.neg) out.real = -out.real;
    return out;
  }
  const bool half = isa::is_half(type) || type == Type::PK_F16 || type == Type::PK_BF16;
  const unsigned width = half ? 16 : 32;
  const uint64_t sign = uint64_t{1} << (width - 1), all = sign | (sign - 1);
  const auto least = -static_cast<int64_t>(sign), most = static_cast<int64_t>(all);
  if (o.integer < least || o.integer > most) return out;  // refused later
  uint64_t bits = static_cast<uint64_t>(o.integer) & all;
  if (o.abs) bits &= ~sign;
  if (o.neg) bits ^= sign;
  out.integer = static_cast<int64_t>(bits);
  return out;
}

bool has_pairs(const isa::OpInfo& info) {
  const auto pair = [](const Opnd& o) { return o.dwords > 1; };
  return std::any_of(info.dsts, info.dsts + info.n_dsts, pair) ||
         std::any_of(info.srcs, info.srcs + info.n_srcs, pair);
}

/// Puts neg, abs and sext of source `position` into the fields of this encoding.
bool signs(Assembler& a, const ParsedOperand& o, Type type, int position) {
  if (!o.neg && !o.abs && !o.sext) return true;
  const unsigned bit = 1u << position;
  const auto add = [&](Field field) { return a.set(field, a.inst.get(field) | bit); };
  const bool sign = takes_signs(a, type);
  if (a.inst.format == Format::VOP3P && type == Type::MIX) {
    if (o.sext) return a.fail(o.at, "sext does not exist here");
    return (!o.neg || add(Field::neg)) && (!o.abs || add(Field::neg_hi));
  }
  // Constants of the plain forms that also have an SDWA form: LLVM ignores sext.
  const bool plain = a.inst.suffix == Suffix::kNone || a.inst.suffix == Suffix::kLiteral;
  const Format native = a.inst.info().format;
  const bool has_sdwa =
      a.gfx9() && (native == Format::VOP1 || native == Format::VOP2 || native == Format::VOPC) &&
      !has_pairs(a.inst.info()) && !a.name_has("c_i32_i");
  if (o.sext && plain && has_sdwa && (!sign || a.named("v_pk_fmac_f16")) && o.is_number())
    return true;
  if (is_vop3(a.inst.format)) {
    if (!sign || o.sext) return a.fail(o.at, "this operand takes no sign modifiers");
    // LLVM takes abs() in v_div_scale, which has no bits for it; until gfx11 in the second source.
    if (o.abs && !a.inst.has(Field::abs) && a.gfx9() && position != 1)
      return a.fail(o.at, "abs does not exist here");
    if (o.abs && !a.inst.has(Field::abs)) return !o.neg || add(Field::neg);
    return (!o.neg || add(Field::neg)) && (!o.abs || add(Field::abs));
  }
  // LLVM 22 takes the word and drops it.
  if (o.sext && a.inst.isa == isa::Isa::kGfx950 && a.inst.suffix == Suffix::kDpp16 &&
      a.named("v_ldexp_f16") && position == 1)
    return true;
  if (folds_signs(a, o, type)) {
    // What the sign of a whole number means to a double is only clear in the long form.
    if (type == Type::F64 && o.kind == ParsedKind::kInteger)
      return a.fail(o.at, "this encoding has no sign modifiers");
    return true;
  }
  if (!a.is_short() || a.inst.suffix == Suffix::kNone || a.inst.suffix == Suffix::kLiteral ||
      a.inst.suffix == Suffix::kDpp8 || position > 1)
    return a.fail(o.at, "this encoding has no sign modifiers");
  const Field neg = position == 0 ? Field::src0_neg : Field::src1_neg,
              abs = position == 0 ? Field::src0_abs : Field::src1_abs,
              sext = position == 0 ? Field::src0_sext : Field::src1_sext;
  const bool takes_sext = !sign && !a.name_has("_f32_fp8") && !a.name_has("_f32_bf8");
  if (o.sext ? !takes_sext : !sign) return a.fail(o.at, "this operand takes no such modifier");
  const bool ok =
      (!o.neg || a.set(neg, 1)) && (!o.abs || a.set(abs, 1)) && (!o.sext || a.set(sext, 1));
  return ok || a.fail(o.at, "this modifier does not exist here");
}

Field source_field(const Assembler& a, int position) {
  if (position == 0)
    return a.inst.suffix == Suffix::kNone || a.inst.suffix == Suffix::kLiteral ? Field::src0
                                                                               : Field::vsrc0;
  if (!a.is_short()) return position == 1 ? Field::src1 : Field::src2;
  return Field::vsrc1;
}

/// SDWA reads scalars and inline constants too.
bool sdwa_scalar(Assembler& a, const ParsedOperand& o, const Operand& want, int position) {
  ParsedOperand plain = o;
  plain.neg = plain.abs = plain.sext = false;
  const Field field = position == 0 ? Field::vsrc0 : Field::vsrc1;
  a.set(position == 0 ? Field::s0 : Field::s1, 1);
  if (o.is_register(OperandKind::kScalar)) return a.scalar(field, plain, want.dwords);
  if (o.is_register(OperandKind::kSpecial)) return a.special(field, o);
  const auto constant = encode_constant(plain, want.type);
  constexpr unsigned kInverseOfTwoPi = 248;
  const bool word = want.type == Type::I16 || want.type == Type::U16 || want.type == Type::B16;
  if (!constant || constant->code == isa::kSrcLiteral ||
      (word && constant->code == kInverseOfTwoPi))
    return a.fail(o.at, "only inline constants can stand here");
  return a.set(field, constant->code);
}

bool accumulator_bank(Assembler& a, const ParsedOperand& o, int position) {
  const bool acc = o.is_register(OperandKind::kAgpr);
  if (a.named("v_accvgpr_read_b32") || a.named("v_accvgpr_mov_b32"))
    return acc || a.fail(o.at, "an accumulation register is needed here");
  if (!is_matrix(a)) return true;
  if (a.named("v_accvgpr_write_b32"))
    return !acc || a.fail(o.at, "a vector register is needed here");
  if (position == 2) {
    if (a.name_has("v_smfmac"))
      return o.is_register(OperandKind::kVgpr) || a.fail(o.at, "a vector register is needed here");
    if (o.kind != ParsedKind::kRegister || o.bank == OperandKind::kSpecial) return true;
    return acc == (a.inst.get(Field::acc_cd) != 0) ||
           a.fail(o.at, "source C and the result must be in the same kind of registers");
  }
  if (acc) a.set(Field::acc, a.inst.get(Field::acc) | 1u << position);
  if (a.name_has("_f8f6f4") && !acc && !o.is_register(OperandKind::kVgpr))
    return a.fail(o.at, "a vector register is needed here");
  return true;
}

/// Indexed moves read relative to their source, interpolation reads from VGPRs.
bool needs_vgpr(const Assembler& a) {
  return a.inst.format == Format::VINTERP || a.name_has("v_movrels");
}

bool source(Assembler& a, const ParsedOperand& o, const Operand& want, const Opnd& spec,
            int position) {
  if (want.type == Type::MASK) {
    if (!a.is_short())
      return a.no_operand_modifiers(o) && a.source(Field::src2, o, want, Place::kSgpr, 2);
    const bool vcc = o.is_register(OperandKind::kScalar) && o.code == isa::kVccLo &&
                     o.dwords == want.dwords && a.no_operand_modifiers(o);
    return vcc || a.fail(o.at, want.dwords == 1 ? "vcc_lo is needed here" : "vcc is needed here");
  }
  if (o.like_signs && takes_signs(a, want.type))
    return a.fail(o.at, "two minus signs; write neg(..)");
  if (!accumulator_bank(a, o, position) || !signs(a, o, want.type, position)) return false;
  if (a.inst.suffix == Suffix::kSdwa && (o.is_number() || o.is_register(OperandKind::kScalar) ||
                                         o.is_register(OperandKind::kSpecial)))
    return sdwa_scalar(a, o, want, position);
  if (a.named("v_accvgpr_mov_b32") || a.named("v_accvgpr_read_b32")) {
    if (o.dwords != 1) return a.fail(o.at, "one register is needed here");
    return a.set(Field::src0, isa::kSrcVgpr0 + o.code);
  }
  const Field field = source_field(a, position);
  if ((o.neg || o.abs) && folds_signs(a, o, want.type))
    return a.source(field, with_signs(o, want.type), want, spec.place, position);
  // Before RDNA3.5 the second source of a long DPP form is a VGPR.
  if (field == Field::src1 && a.inst.has(Field::vsrc0) && a.inst.isa == isa::Isa::kGfx11 &&
      !o.is_register(OperandKind::kVgpr))
    return a.fail(o.at, "a vector register is needed here");
  const bool dpp = a.inst.suffix == Suffix::kDpp16 || a.inst.suffix == Suffix::kDpp8;
  if (dpp && !o.is_register(OperandKind::kVgpr) &&
      ((position == 1 && a.name_has("_mix")) || (position > 0 && a.name_has("v_dot4_f32_"))))
    return a.fail(o.at, "a vector register is needed here");
  // LLVM takes constants there too, and writes the number in place of its code.
  if (position == 0 && a.named("v_cvt_scalef32_sr_pk_fp4_f32") &&
      !o.is_register(OperandKind::kVgpr) && !o.is_register(OperandKind::kSpecial))
    return a.fail(o.at, "a vector register is needed here");
  if (position == 2 && a.named("v_mqsad_u32_u8") && !o.is_register(OperandKind::kVgpr))
    return a.fail(o.at, "a vector register is needed here");
  // Constants may be added to matrix products.
  if (needs_vgpr(a) && !o.is_register(OperandKind::kVgpr))
    return a.fail(o.at, "a vector register is needed here");
  const bool lane = position == 1 && (a.named("v_readlane_b32") || a.named("v_writelane_b32"));
  if (lane && o.kind != ParsedKind::kRegister) {
    const auto constant = o.is_number() ? encode_constant(o, want.type) : std::nullopt;
    if (!constant || constant->code == isa::kSrcLiteral)
      return a.fail(o.at, "a lane is a scalar register or an inline constant");
  }
  const bool accumulator =
      position == 2 && ((is_matrix(a) && !a.name_has("v_smfmac")) || a.name_has("v_wmma"));
  const bool constant_like = o.is_number() || o.is_register(OperandKind::kSpecial);
  if (accumulator && o.is_number()) {
    const auto constant = encode_constant(o, want.type);
    if (constant && constant->code == isa::kSrcLiteral)
      return a.fail(o.at, "only inline constants can stand here");
  }
  const Place place = accumulator && constant_like ? Place::kField : spec.place;
  return a.source(field, o, want, place, position);
}

/// Marks of the DPP and SDWA forms in src0.
void mark_suffix(Assembler& a) {
  if (a.inst.suffix == Suffix::kDpp16) a.set(Field::src0, isa::kSrcDpp16);
  if (a.inst.suffix == Suffix::kDpp8) a.set(Field::src0, isa::kSrcDpp8);
  if (a.inst.suffix == Suffix::kSdwa) a.set(Field::src0, isa::kSrcSdwa);
}

/// CBSZ and BLGP choose the registers of the f8f6f4 operations, so they come first.
bool formats_first(Assembler& a) {
  if (!a.name_has("_f8f6f4")) return true;
  return a.number("cbsz", Field::cbsz, 0, 7) && a.number("blgp", Field::blgp, 0, 7);
}

/// Short forms may leave out VCC where nothing else can stand.
bool leaves_out_vcc(const Assembler& a, size_t expected, size_t vcc_operands) {
  const size_t given = a.line.operands.size();
  if (!a.is_short() || given + vcc_operands != expected) return false;
  const bool plain = a.inst.suffix == Suffix::kNone || a.inst.suffix == Suffix::kLiteral;
  return a.gfx9() ? plain && vcc_operands == 1 : vcc_operands > 0;
}

}  // namespace

bool assemble_valu(Assembler& a) {
  const isa::OpInfo& info = a.inst.info();
  mark_suffix(a);
  if (!formats_first(a)) return false;
  const Operands want = isa::operands_of(a.inst, a.options.wave_size);
  size_t expected = 0;
  for (int i = 0; i < want.n_dst; ++i) expected += want.dst[i].type != Type::EXEC_MASK;
  expected += want.n_src;
  size_t vcc_operands = 0;
  for (int i = 0; i < want.n_dst; ++i) vcc_operands += want.dst[i].type == Type::MASK;
  for (int i = 0; i < want.n_src; ++i) vcc_operands += want.src[i].type == Type::MASK;
  const bool no_vcc = leaves_out_vcc(a, expected, vcc_operands);
  if (!no_vcc && !a.operand_count(expected)) return false;
  size_t next = 0;
  for (int i = 0; i < want.n_dst; ++i) {
    if (no_vcc && want.dst[i].type == Type::MASK) continue;
    if (want.dst[i].type == Type::EXEC_MASK) {
      if (!a.gfx9() && !a.is_short()) a.set(Field::vdst, isa::kExecLo);
      continue;
    }
    const Opnd spec = i < info.n_dsts ? info.dsts[i] : Opnd{};
    if (!result(a, a.line.operands[next++], want.dst[i], spec)) return false;
  }
  int position = 0;
  for (int i = 0; i < info.n_srcs; ++i) {
    if (no_vcc && want.src[i].type == Type::MASK) continue;
    const ParsedOperand& o = a.line.operands[next++];
    if (info.srcs[i].place == Place::kLiteral) {
      if (!a.literal(o, info.srcs[i].type)) return false;
      continue;
    }
    // Where a compare leaves out VCC, LLVM reads its first source as it would read a mask.
    if (no_vcc && i == 0 && a.inst.format == Format::VOPC && a.gfx9()) {
      ParsedOperand plain = o;
      plain.like_signs = false;
      if (!a.no_operand_modifiers(o) || !source(a, plain, want.src[i], info.srcs[i], position++))
        return false;
      continue;
    }
    if (!source(a, o, want.src[i], info.srcs[i], position)) return false;
    if (want.src[i].type != Type::MASK) ++position;
  }
  if (a.inst.format == Format::VOP3PX2) {
    for (const size_t i : {next, next + 1})
      if (!a.no_operand_modifiers(a.line.operands[i]) ||
          !a.line.operands[i].is_register(OperandKind::kVgpr))
        return a.fail(a.line.operands[i].at, "a vector register is needed here");
    if (!a.source(Field::scale_src0, a.line.operands[next], want.src[info.n_srcs], Place::kField,
                  0))
      return false;
    if (!a.source(Field::scale_src1, a.line.operands[next + 1], want.src[info.n_srcs + 1],
                  Place::kField, 1))
      return false;
  }
  return assemble_valu_modifiers(a) && a.all_modifiers_used() && check_matrix(a) && check_valu(a);
}

namespace {

/// One half of a pair; `inst` collects both.
bool half_of_pair(Assembler& a, int half) {
  const isa::OpInfo& info = isa::op_info(isa::op_info(half == 0 ? a.inst.op : a.inst.op_y).base);
  Operands want = isa::operands_of_half(a.inst, half, a.options.wave_size);
  size_t expected = static_cast<size_t>(want.n_dst) + want.n_src;
  for (int i = 0; i < want.n_src; ++i) expected -= want.src[i].type == Type::MASK;
  if (!a.operand_count(expected)) return false;
  const ParsedOperand& to = a.line.operands[0];
  if (!a.no_operand_modifiers(to)) return false;
  if (half == 0) {
    if (!a.vgpr(Field::vdstx, to, want.dst[0], -1)) return false;
  } else {
    if (!to.is_register(OperandKind::kVgpr) || to.dwords != 1 || to.half)
      return a.fail(to.at, "a vector register is needed here");
    if ((to.code & 1) == (a.inst.get(Field::vdstx) & 1))
      return a.fail(to.at, "one dst register must be even and the other odd");
    a.set(Field::vdsty, to.code >> 1);
  }
  size_t next = 1;
  int position = 0;
  for (int i = 0; i < info.n_srcs; ++i) {
    if (want.src[i].type == Type::MASK) continue;
    const ParsedOperand& o = a.line.operands[next++];
    if (!a.no_operand_modifiers(o)) return false;
    if (o.deferred && !is_float(want.src[i].type))
      return a.fail(o.at, "a symbol cannot stand here");
    if (info.srcs[i].place == Place::kLiteral) {
      if (!a.literal(o, info.srcs[i].type)) return false;
      continue;
    }
    Field field = half == 0 ? Field::srcx0 : Field::srcy0;
    if (position++ > 0) {
      field = half == 0 ? Field::vsrcx1 : Field::vsrcy1;
      if (!o.is_register(OperandKind::kVgpr))
        return a.fail(o.at, "a vector register is needed here");
    }
    if (!a.source(field, o, want.src[i], Place::kField, -1)) return false;
  }
  return a.all_modifiers_used();
}

/// The VGPRs that one half reads at the same time as the other: src0, src1, src2.
struct Reads {
  std::optional<unsigned> src[3];
};
Reads reads_of(const Assembler& half, isa::Op op) {
  const isa::OpInfo& info = isa::op_info(isa::op_info(op).base);
  const std::vector<ParsedOperand>& operands = half.line.operands;
  Reads reads;
  const auto note = [&](unsigned slot, size_t i) {
    if (i < operands.size() && operands[i].is_register(OperandKind::kVgpr))
      reads.src[slot] = operands[i].code;
  };
  note(0, 1);
  const bool middle_literal = info.srcs[1].place == Place::kLiteral;  // v_fmamk
  note(middle_literal ? 2 : 1, middle_literal ? 3 : 2);
  if (info.flags & isa::ACC) note(2, 0);
  return reads;
}

/// Vector registers that both halves read at the same time must lie in different banks.
bool check_banks(Assembler& a, const Assembler& y) {
  static constexpr unsigned kBanks[] = {4, 4, 2};
  const bool both_move = a.gfx12() && a.named("v_dual_mov_b32") && a.inst.op == a.inst.op_y;
  const Reads x_reads = reads_of(a, a.inst.op), y_reads = reads_of(y, a.inst.op_y);
  for (size_t i = 0; i < 3 && !both_move; ++i)
    if (x_reads.src[i] && y_reads.src[i] &&
        *x_reads.src[i] % kBanks[i] == *y_reads.src[i] % kBanks[i])
      return a.fail(y.line.at, "src operands must use different VGPR banks");
  return true;
}

}  // namespace

bool assemble_vopd(Assembler& a, Assembler& y) {
  if (!half_of_pair(a, 0)) return false;
  y.share_literal(a);
  y.inst = a.inst;
  if (!half_of_pair(y, 1)) return false;
  a.inst = y.inst;
  return check_banks(a, y) && check_valu(a);
}

bool assemble_lds_direct(Assembler& a) {
  const bool param = a.name_has("param");
  if (!a.operand_count(param ? 2 : 1)) return false;
  const Operands want = isa::operands_of(a.inst, a.options.wave_size);
  if (!a.no_operand_modifiers(a.line.operands[0]) ||
      !a.vgpr(Field::vdst, a.line.operands[0], want.dst[0], -1))
    return false;
  if (param) {
    const ParsedOperand& o = a.line.operands[1];
    const size_t dot = o.text.find('.');
    constexpr std::string_view kChannels = "xyzw";
    if (o.kind != ParsedKind::kText || !o.text.starts_with("attr") || dot + 2 != o.text.size() ||
        kChannels.find(o.text.back()) == std::string_view::npos || dot < 5 || dot > 6)
      return a.fail(o.at, "an attribute such as attr0.x is needed here");
    unsigned number = 0;
    for (const char c : o.text.substr(4, dot - 4)) {
      if (c < '0' || c > '9') return a.fail(o.at, "an attribute such as attr0.x is needed here");
      number = number * 10 + static_cast<unsigned>(c - '0');
    }
    constexpr unsigned kLast = 32;
    if (number > kLast) return a.fail(o.at, "out of bounds interpolation attribute number");
    a.set(Field::attr, number);
    a.set(Field::attr_chan, static_cast<unsigned>(kChannels.find(o.text.back())));
  }
  if (!a.number(a.gfx12() ? "wait_va_vdst" : "wait_vdst", Field::wait_vdst, 0, 15)) return false;
  if (a.gfx12() && !a.number("wait_vm_vsrc", Field::wait_vm_vsrc, 0, 1)) return false;
  return a.all_modifiers_used();
}

}  // namespace lockstep::asm_
