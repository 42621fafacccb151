// SPDX-License-Identifier: MIT
// Turns the fields of an instruction into operands: scalar and vector arithmetic.
#include "isa/operand.h"

#include <bit>

#include "isa/operand_reader.h"

namespace lockstep::isa {

using namespace detail;

namespace {

constexpr Opnd b32s(unsigned n) { return {Type::B32, static_cast<uint8_t>(n), Place::kField}; }

void read_salu(const Inst& inst, const Reader& r, Operands& list) {
  const OpInfo& info = inst.info();
  for (int i = 0; i < info.n_dsts; ++i)
    push_dst(list, r.scalar(inst.get(Field::sdst), info.dsts[i]));
  int position = 0;  // among the sources that have a field
  for (int i = 0; i < info.n_srcs; ++i) {
    const Opnd spec = info.srcs[i];
    if (spec.place == Place::kLiteral) {
      push_src(list, r.literal(spec));
      continue;
    }
    switch (spec.type) {
      case Type::SIMM16:
      case Type::LABEL:
        if (inst.format == Format::SOPC) {  // s_set_gpr_idx_on
          push_src(list, r.immediate(inst.get(Field::ssrc1), spec));
          break;
        }
        push_src(list, r.immediate(static_cast<uint32_t>(inst.get_signed(Field::simm16)), spec));
        break;
      case Type::SIMM32:
        push_src(list, r.literal(spec));
        break;
      case Type::SENDMSG_RTN:
        push_src(list, r.immediate(inst.get(Field::ssrc0), spec));
        break;
      default:
        if (is_immediate(spec.type) || inst.format == Format::SOPP)
          push_src(list, r.immediate(inst.get(Field::simm16), spec));
        else if (inst.format == Format::SOPK)
          push_src(list, r.scalar(inst.get(Field::sdst), spec));
        else
          push_src(list, r.source(inst.get(position++ == 0 ? Field::ssrc0 : Field::ssrc1), spec));
    }
  }
}

/// Code of vector source i in this encoding.
unsigned source_code(const Inst& inst, int i) {
  const bool short_form =
      inst.format == Format::VOP1 || inst.format == Format::VOP2 || inst.format == Format::VOPC;
  if (i == 0) {
    switch (inst.suffix) {
      case Suffix::kDpp16:
      case Suffix::kDpp8:
        return kSrcVgpr0 + inst.get(Field::vsrc0);
      case Suffix::kSdwa:
        return (inst.get(Field::s0) ? 0 : kSrcVgpr0) + inst.get(Field::vsrc0);
      default:
        return inst.get(Field::src0);
    }
  }
  if (!short_form) return inst.get(i == 1 ? Field::src1 : Field::src2);
  if (inst.suffix == Suffix::kSdwa && inst.get(Field::s1)) return inst.get(Field::vsrc1);
  return kSrcVgpr0 + inst.get(Field::vsrc1);
}

/// Sign modifiers act on floating-point sources, and on the values that v_cndmask selects. The ISA
/// guides also promise them for v_mov_b32, whose long form LLVM neither writes nor reads so.
bool takes_sign_modifiers(const Inst& inst, Type type) {
  const OpInfo& info = inst.info();
  return is_float(type) || info.id.starts_with("v_cndmask") ||
         (inst.format == Format::VOP3 && inst.op == Op::v_mov_b32);
}

void apply_modifiers(const Inst& inst, int i, Operand& o) {
  const unsigned bit = 1u << i;
  const bool sign = takes_sign_modifiers(inst, o.type);
  switch (inst.format) {
    case Format::VOP3:
    case Format::VOP3SD:
    case Format::VINTERP:
      o.neg = sign && inst.get(Field::neg) & bit;
      o.abs = sign && inst.get(Field::abs) & bit;
      if ((is_half(o.type) || fills_half(inst.isa, o.type)) &&
          (o.kind == OperandKind::kVgpr || o.kind == OperandKind::kScalar))
        o.high_half = inst.get(Field::opsel) & bit;
      break;
    case Format::VOP1:
    case Format::VOP2:
    case Format::VOPC:
      if (i > 1) break;
      o.neg = sign && inst.get(i == 0 ? Field::src0_neg : Field::src1_neg);
      o.abs = sign && inst.get(i == 0 ? Field::src0_abs : Field::src1_abs);
      o.sext = !sign && inst.get(i == 0 ? Field::src0_sext : Field::src1_sext);
      break;
    default:
      break;  // packed modifiers stay in the fields: neg, neg_hi, opsel, opsel_hi
  }
}

/// Register that receives the lane mask of a compare or a carry.
unsigned mask_result(const Inst& inst) {
  if (inst.format == Format::VOP3SD) return inst.get(Field::sdst);
  if (inst.format == Format::VOP3) return inst.get(Field::vdst);
  if (inst.suffix == Suffix::kSdwa && inst.format == Format::VOPC && inst.get(Field::sd))
    return inst.get(Field::sdst);
  return kVccLo;
}

/// Registers of a matrix fragment. Rows say what wave32 of gfx11 takes (gfx12 for rows that gfx11
/// lacks).
Opnd fragment(const Inst& inst, unsigned wave_size, Opnd spec, bool is_accumulator) {
  const OpInfo& info = inst.info();
  unsigned n = spec.dwords;
  const bool on_gfx11 = info.opcodes.of[static_cast<size_t>(Isa::kGfx11)] >= 0;
  const bool is_16_bit = is_half(spec.type);
  // gfx11 keeps A and B twice, and 16-bit results in whole registers; gfx12 packs both.
  if (inst.isa == Isa::kGfx12 && on_gfx11 && (!is_accumulator || is_16_bit)) n /= 2;
  if (wave_size == 64 && (is_accumulator || inst.isa == Isa::kGfx12)) n /= 2;
  spec.dwords = static_cast<uint8_t>(n ? n : 1);
  return spec;
}

/// True if source `position` of a matrix operation or ACCVGPR move is an ACCVGPR.
bool in_accvgprs(const Inst& inst, int position) {
  if (generation_of(inst.isa) != Generation::kGfx9) return false;
  const std::string_view id = inst.info().id;
  if (id == "v_accvgpr_read_b32" || id == "v_accvgpr_mov_b32") return true;
  if (id == "v_accvgpr_write_b32" || (inst.format != Format::MAI && inst.format != Format::VOP3PX2))
    return false;
  // The index of v_smfmac is always a VGPR.
  if (position == 2) return inst.get(Field::acc_cd) && !id.starts_with("v_smfmac");
  return inst.get(Field::acc) >> position & 1;
}

/// Registers of 32 elements of the 8-, 6- and 4-bit formats that CBSZ and BLGP choose.
uint8_t small_float_dwords(unsigned format) {
  constexpr unsigned kLastByteFormat = 1, kLastSixBitFormat = 3, kFourBitFormat = 4;
  if (format == kFourBitFormat) return 4;
  return format > kLastByteFormat && format <= kLastSixBitFormat ? 6 : 8;
}

void read_valu(const Inst& inst, const Reader& r, Operands& list) {
  const OpInfo& info = inst.info();
  const bool is_wmma = inst.format == Format::VOP3P &&
                       (info.id.starts_with("v_wmma") || info.id.starts_with("v_swmmac"));
  const bool short_form =
      inst.format == Format::VOP1 || inst.format == Format::VOP2 || inst.format == Format::VOPC;
  for (int i = 0; i < info.n_dsts; ++i) {
    const Opnd spec = is_wmma ? fragment(inst, r.wave_size(), info.dsts[i], true) : info.dsts[i];
    if (spec.type == Type::MASK) {
      push_dst(list, r.source(mask_result(inst), spec));
    } else if (spec.type == Type::EXEC_MASK) {
      push_dst(list, r.scalar(kExecLo, spec));
      // On gfx9 v_cmpx also writes a named mask, as v_cmp does.
      if (generation_of(inst.isa) == Generation::kGfx9)
        push_dst(list, r.source(mask_result(inst), kMask));
    } else if (spec.place == Place::kSgpr) {
      push_dst(list, r.source(inst.get(Field::vdst), spec));
    } else {
      const bool to_acc = generation_of(inst.isa) == Generation::kGfx9 &&
                          ((inst.get(Field::acc_cd) && info.id != "v_accvgpr_read_b32") ||
                           info.id == "v_accvgpr_write_b32" || info.id == "v_accvgpr_mov_b32");
      Operand o = r.vgpr(inst.get(Field::vdst), spec, to_acc);
      if ((inst.format == Format::VOP3 || inst.format == Format::VINTERP) &&
          (is_half(spec.type) || fills_half(inst.isa, spec.type)))
        o.high_half = inst.get(Field::opsel) & 8;
      push_dst(list, o);
    }
  }
  int position = 0;  // among the sources that have a field
  for (int i = 0; i < info.n_srcs; ++i) {
    const bool is_fragment = is_wmma && info.srcs[i].type != Type::SET;
    const Opnd spec =
        is_fragment ? fragment(inst, r.wave_size(), info.srcs[i], i == 2) : info.srcs[i];
    if (spec.place == Place::kLiteral) {
      push_src(list, r.literal(spec));
      continue;
    }
    if (spec.type == Type::MASK) {
      push_src(list, short_form ? r.scalar(kVccLo, kMask) : r.source(inst.get(Field::src2), kMask));
      continue;
    }
    Operand o = r.source(source_code(inst, position), spec);
    if (o.kind == OperandKind::kVgpr && in_accvgprs(inst, position)) o.kind = OperandKind::kAgpr;
    const bool matrix = inst.format == Format::MAI || inst.format == Format::VOP3PX2;
    if (matrix && position < 2 && info.id.ends_with("_f8f6f4"))
      o.dwords = small_float_dwords(inst.get(position == 0 ? Field::cbsz : Field::blgp));
    apply_modifiers(inst, position, o);
    push_src(list, o);
    ++position;
  }
  if (inst.format == Format::VOP3PX2) {
    constexpr Opnd kScale{Type::B32, 1, Place::kField};
    push_src(list, r.source(inst.get(Field::scale_src0), kScale));
    push_src(list, r.source(inst.get(Field::scale_src1), kScale));
  }
}

}  // namespace

bool fills_half(Isa isa, Type type) {
  switch (generation_of(isa)) {
    case Generation::kGfx9:
      return false;
    case Generation::kGfx11:
      return is_half(type);
    case Generation::kGfx12:
      return is_half(type) || type == Type::PK_FP8 || type == Type::PK_BF8;
  }
  return false;
}

uint64_t inline_bits(unsigned code, Type type) {
  const bool wide =
      type == Type::F64 || type == Type::B64 || type == Type::I64 || type == Type::U64;
  if (code >= kInlineIntFirst && code <= kInlineIntLast) {
    const int value = code <= 192 ? static_cast<int>(code) - 128 : 192 - static_cast<int>(code);
    const auto sign_extended = static_cast<uint64_t>(static_cast<int64_t>(value));
    return wide ? sign_extended : static_cast<uint32_t>(sign_extended);
  }
  if (code < kInlineFloatFirst || code > kInlineFloatLast) return 0;
  static constexpr double kFloats[] = {0.5, -0.5, 1.0, -1.0, 2.0, -2.0, 4.0, -4.0};
  static constexpr uint16_t kHalves[] = {0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000,
                                         0xc000, 0x4400, 0xc400, 0x3118};
  constexpr uint32_t kInvTwoPi32 = 0x3e22f983;
  constexpr uint64_t kInvTwoPi64 = 0x3fc45f306dc9c882;
  const unsigned i = code - kInlineFloatFirst;
  const bool inv = i == 8;
  const uint32_t f32 = inv ? kInvTwoPi32 : std::bit_cast<uint32_t>(static_cast<float>(kFloats[i]));
  switch (type) {
    case Type::F64:
    case Type::B64:
    case Type::I64:
    case Type::U64:
      return inv ? kInvTwoPi64 : std::bit_cast<uint64_t>(kFloats[i]);
    case Type::F16:
    case Type::PK_F16:
    case Type::B16:
    case Type::I16:
    case Type::U16:
    case Type::PK_B16:
      return kHalves[i];
    case Type::BF16:
    case Type::PK_BF16:
      return f32 >> 16;
    default:
      return f32;
  }
}

Operands operands_of(const Inst& inst, unsigned wave_size) {
  Operands list;
  const Reader r(inst, wave_size);
  switch (inst.format) {
    case Format::SOP1:
    case Format::SOP2:
    case Format::SOPC:
    case Format::SOPK:
    case Format::SOPP:
      read_salu(inst, r, list);
      break;
    case Format::VOP1:
    case Format::VOP2:
    case Format::VOPC:
    case Format::VOP3:
    case Format::VOP3SD:
    case Format::VOP3P:
    case Format::MAI:
    case Format::VOP3PX2:
    case Format::VINTERP:
      read_valu(inst, r, list);
      break;
    case Format::LDSDIR:
      push_dst(list, r.vgpr(inst.get(Field::vdst), b32s(1)));
      break;
    case Format::FLAT:
    case Format::GLOBAL:
    case Format::SCRATCH:
      read_flat(inst, r, list);
      break;
    case Format::DS:
      read_ds(inst, r, list);
      break;
    case Format::MUBUF:
    case Format::MTBUF:
      read_buffer(inst, r, list);
      break;
    case Format::SMEM:
      read_smem(inst, r, list);
      break;
    case Format::MIMG:
    case Format::VIMAGE:
    case Format::VSAMPLE:
      read_image(inst, r, list);
      break;
    case Format::VOPD:
    case Format::EXP:
      break;
  }
  return list;
}

Operands operands_of_half(const Inst& inst, int half, unsigned wave_size) {
  Operands list;
  const Reader r(inst, wave_size);
  const Op base = op_info(half == 0 ? inst.op : inst.op_y).base;
  const OpInfo& info = op_info(base);
  unsigned vdst = inst.get(Field::vdstx);
  if (half == 1) vdst = inst.get(Field::vdsty) * 2 + (~inst.get(Field::vdstx) & 1);
  if (info.n_dsts > 0) push_dst(list, r.vgpr(vdst, info.dsts[0]));
  int position = 0;
  for (int i = 0; i < info.n_srcs; ++i) {
    const Opnd spec = info.srcs[i];
    if (spec.place == Place::kLiteral)
      push_src(list, r.literal(spec));
    else if (spec.type == Type::MASK)
      push_src(list, r.scalar(kVccLo, kMask));
    else if (position++ == 0)
      push_src(list, r.source(inst.get(half == 0 ? Field::srcx0 : Field::srcy0), spec));
    else
      push_src(list, r.vgpr(inst.get(half == 0 ? Field::vsrcx1 : Field::vsrcy1), spec));
  }
  return list;
}

}  // namespace lockstep::isa
