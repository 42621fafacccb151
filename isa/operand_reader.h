// SPDX-License-Identifier: MIT
// Internal to isa/: turns register numbers and source codes into operands.
#pragma once
#include "isa/operand.h"

namespace lockstep::isa::detail {

inline constexpr unsigned kInlineIntFirst = 128, kInlineIntLast = 208, kInlineFloatFirst = 240,
                          kInlineFloatLast = 248;

/// gfx9 has M0 at 124 and nothing at 125, where later generations have NULL and M0.
inline uint16_t canonical_scalar(Isa isa, unsigned code) {
  const bool swapped = generation_of(isa) == Generation::kGfx9 && (code == kNull || code == kM0);
  return static_cast<uint16_t>(swapped ? code ^ 1u : code);
}

inline bool is_inline(unsigned code) {
  return (code >= kInlineIntFirst && code <= kInlineIntLast) ||
         (code >= kInlineFloatFirst && code <= kInlineFloatLast);
}

/// VOP1, VOP2, VOPC and DPP forms of gfx11 and later place 16-bit values in halves: bit 7 of the
/// VGPR number.
inline bool short_true16(const Inst& inst, Type type) {
  return fills_half(inst.isa, type) && (inst.format == Format::VOP1 ||
                                        inst.format == Format::VOP2 || inst.format == Format::VOPC);
}

class Reader {
 public:
  Reader(const Inst& inst, unsigned wave_size) : inst_(inst), wave_size_(wave_size) {}

  unsigned wave_size() const { return wave_size_; }
  Operand typed(Opnd spec) const {
    Operand o;
    o.type = spec.type;
    o.dwords = spec.type == Type::MASK || spec.type == Type::EXEC_MASK
                   ? static_cast<uint8_t>(wave_size_ / 32)
                   : spec.dwords;
    return o;
  }
  Operand scalar(unsigned code, Opnd spec) const {
    Operand o = typed(spec);
    o.kind = OperandKind::kScalar;
    o.code = canonical_scalar(inst_.isa, code);
    // Pairs and larger groups start at an aligned register: the low bits of the number are ignored.
    // gfx9 has two pairs with names at the end, whose upper halves start none.
    const unsigned named = generation_of(inst_.isa) == Generation::kGfx9 ? 102 : kVccLo;
    const bool grouped = o.code < named || (o.code >= kTtmp0 && o.code < kNull);
    if (o.dwords > 1 && grouped) o.code &= static_cast<uint16_t>(o.dwords > 2 ? ~3 : ~1);
    return o;
  }
  Operand vgpr(unsigned number, Opnd spec, bool acc = false) const {
    Operand o = typed(spec);
    o.kind = acc ? OperandKind::kAgpr : OperandKind::kVgpr;
    o.code = static_cast<uint16_t>(number);
    if (short_true16(inst_, spec.type) && (number & 128)) {
      o.code &= 127;
      o.high_half = true;
    }
    return o;
  }
  /// A 7-, 8- or 9-bit source code.
  Operand source(unsigned code, Opnd spec) const {
    if (code >= kSrcVgpr0) return vgpr(code - kSrcVgpr0, spec);
    if (code < 128) return scalar(code, spec);
    Operand o = typed(spec);
    o.code = static_cast<uint16_t>(code);
    if (code == kSrcLiteral) {
      o.kind = OperandKind::kLiteral;
      o.value = inst_.literal();
    } else if (is_inline(code)) {
      o.kind = OperandKind::kInline;
      o.value = static_cast<uint32_t>(inline_bits(code, constant_type(spec.type)));
    } else {
      o.kind = OperandKind::kSpecial;
    }
    return o;
  }
  Operand immediate(uint32_t value, Opnd spec) const {
    Operand o = typed(spec);
    o.kind = OperandKind::kImmediate;
    o.value = value;
    return o;
  }
  Operand literal(Opnd spec) const { return source(kSrcLiteral, spec); }

 private:
  /// Scalar operations read integer constants as 32 bits, whatever part of them they use.
  Type constant_type(Type type) const {
    const bool scalar_alu = inst_.format == Format::SOP1 || inst_.format == Format::SOP2 ||
                            inst_.format == Format::SOPC;
    return scalar_alu && is_half(type) && type != Type::F16 ? Type::B32 : type;
  }

  const Inst& inst_;
  unsigned wave_size_;
};

inline constexpr Opnd kMask{Type::MASK, 1, Place::kField};

inline void push_dst(Operands& list, Operand o) { list.dst[list.n_dst++] = o; }
inline void push_src(Operands& list, Operand o) { list.src[list.n_src++] = o; }

void read_flat(const Inst& inst, const Reader& r, Operands& list);
void read_ds(const Inst& inst, const Reader& r, Operands& list);
void read_buffer(const Inst& inst, const Reader& r, Operands& list);
void read_smem(const Inst& inst, const Reader& r, Operands& list);
void read_image(const Inst& inst, const Reader& r, Operands& list);

}  // namespace lockstep::isa::detail
