// SPDX-License-Identifier: MIT
// Source and destination resolution of vector instructions: the one place where a vector operand
// becomes values.
#include "emu/valu.h"

#include <algorithm>

#include "emu/dpp.h"
#include "emu/special.h"

namespace lockstep::emu {
namespace {

using isa::Operand;
using isa::OperandKind;
using isa::Type;

unsigned width_of(Type t) {
  if (isa::is_half(t)) return 16;
  switch (t) {
    case Type::B8:
    case Type::U8:
    case Type::I8:
      return 8;
    default:
      return isa::dwords_of(t) == 2 ? 64 : 32;
  }
}

void set_modifiers(const Operand& o, LaneSource& src) {
  const unsigned width = width_of(o.type);
  const uint64_t all = width == 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
  // Of a pair of halves both change their sign.
  const uint64_t sign = isa::is_packed16(o.type) ? 0x80008000 : uint64_t{1} << (width - 1);
  src.shift = o.high_half ? 16 : 0;
  src.and_mask = o.abs ? all & ~sign : all;
  src.xor_mask = o.neg ? sign : 0;
}

void set_constant(ValuSources& s, int i, uint64_t value) {
  s.buffer[i][0][0] = static_cast<uint32_t>(value);
  s.buffer[i][1][0] = static_cast<uint32_t>(value >> 32);
  s.src[i].lo = s.buffer[i][0];
  s.src[i].hi = s.buffer[i][1];
  s.src[i].stride = 0;
}

}  // namespace

/// gfx9 clears bits 31:16 of 16-bit results, but for the operations that were new in it: those
/// that can choose the half of their result with op_sel.
bool keeps_other_half(const isa::Inst& inst) {
  if (isa::generation_of(inst.isa) != isa::Generation::kGfx9) return true;
  switch (inst.op) {
    case isa::Op::v_mad_f16:
    case isa::Op::v_mad_u16:
    case isa::Op::v_mad_i16:
    case isa::Op::v_fma_f16:
    case isa::Op::v_min3_f16:
    case isa::Op::v_min3_i16:
    case isa::Op::v_min3_u16:
    case isa::Op::v_max3_f16:
    case isa::Op::v_max3_i16:
    case isa::Op::v_max3_u16:
    case isa::Op::v_med3_f16:
    case isa::Op::v_med3_i16:
    case isa::Op::v_med3_u16:
    case isa::Op::v_add_nc_i16:
    case isa::Op::v_sub_nc_i16:
    case isa::Op::v_div_fixup_f16:
    case isa::Op::v_bitop3_b16:
    case isa::Op::v_cvt_sr_f16_f32:
    case isa::Op::v_cvt_sr_bf16_f32:
    case isa::Op::v_cvt_scalef32_f16_fp8:
    case isa::Op::v_cvt_scalef32_f16_bf8:
      return true;
    default:
      return false;
  }
}

uint64_t literal_bits(uint32_t literal, Type type) {
  switch (type) {
    case Type::F64:
      return static_cast<uint64_t>(literal) << 32;  // a literal is the high half of a double
    case Type::I64:
      return static_cast<uint64_t>(static_cast<int64_t>(static_cast<int32_t>(literal)));
    default:
      return literal;
  }
}

bool prepare_sources(Context& c, const Uop& u, ValuSources& s) {
  WaveState& w = *c.wave;
  s.active = w.exec();
  for (int i = 0; i < std::min<int>(u.ops.n_src, 3); ++i) {
    const Operand& o = u.ops.src[i];
    LaneSource& src = s.src[i];
    set_modifiers(o, src);
    switch (o.kind) {
      case OperandKind::kVgpr:
      case OperandKind::kAgpr: {
        uint32_t* base = o.kind == OperandKind::kVgpr ? w.vgpr(o.code) : w.agpr(o.code);
        src.lo = base;
        src.hi = base + w.wave_size;
        src.stride = 1;
        break;
      }
      case OperandKind::kScalar:
        if (o.type == Type::MASK)
          src.mask_bits = w.read_mask(o.code);
        else
          set_constant(s, i,
                       o.code == isa::kNull ? 0
                       : o.dwords == 2      ? w.read64(o.code)
                                            : w.scalar[o.code]);
        break;
      case OperandKind::kInline:
        set_constant(s, i, isa::inline_bits(o.code, o.type));
        break;
      case OperandKind::kLiteral:
        set_constant(s, i, literal_bits(o.value, o.type));
        break;
      case OperandKind::kSpecial: {
        uint64_t value = 0;
        if (!read_special(c, o.code, value)) return false;
        set_constant(s, i, value);
        break;
      }
      default:
        break;
    }
  }
  if (u.inst.suffix == isa::Suffix::kSdwa) apply_sdwa(c, u, s);
  if (u.inst.suffix == isa::Suffix::kDpp16 || u.inst.suffix == isa::Suffix::kDpp8)
    apply_dpp(c, u, s);
  return true;
}

void take_snapshots(Context& c, const Uop& u, ValuSources& s) {
  const uint32_t lanes = c.wave->wave_size;
  for (int i = 0; i < std::min<int>(u.ops.n_src, 3); ++i) {
    if (s.src[i].stride == 0 || s.src[i].lo == s.buffer[i][0]) continue;
    std::copy_n(s.src[i].lo, lanes, s.buffer[i][0]);
    s.src[i].lo = s.buffer[i][0];
    if (u.ops.src[i].dwords == 2) {
      std::copy_n(s.src[i].hi, lanes, s.buffer[i][1]);
      s.src[i].hi = s.buffer[i][1];
    }
  }
}

LaneDest prepare_dest(Context& c, const Uop& u, const Operand& dst) {
  WaveState& w = *c.wave;
  LaneDest d;
  d.lo = dst.kind == OperandKind::kAgpr ? w.agpr(dst.code) : w.vgpr(dst.code);
  d.hi = d.lo + w.wave_size;
  if (isa::is_half(dst.type) && keeps_other_half(u.inst)) {
    d.shift = dst.high_half ? 16 : 0;
    d.keep = dst.high_half ? 0x0000ffff : 0xffff0000;
  }
  return d;
}

}  // namespace lockstep::emu
