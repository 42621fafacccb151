// SPDX-License-Identifier: MIT
// Packed rows (VOP3P): the same evaluation as vector rows, but each half of a source is chosen and
// negated on its own.
#pragma once
#include <algorithm>
#include <limits>

#include "emu/valu.h"

namespace lockstep::emu {

/// Lifts the scalar primitives to pairs of 16-bit and of 32-bit values, half by half, and adds the
/// dot products.
class PackedLane : public Lane {
 public:
  using Lane::add;
  using Lane::finish;
  using Lane::fma;
  using Lane::Lane;
  using Lane::max;
  using Lane::maximum;
  using Lane::min;
  using Lane::minimum;
  using Lane::mul;
  using Lane::sub;

  // ---- half-wise ----
  template <class T>
  Pair16<T> add(Pair16<T> a, Pair16<T> b) const {
    return {add_one(a.lo, b.lo), add_one(a.hi, b.hi)};
  }
  template <class T>
  Pair16<T> sub(Pair16<T> a, Pair16<T> b) const {
    return {sub_one(a.lo, b.lo), sub_one(a.hi, b.hi)};
  }
  template <class T>
  Pair16<T> mul(Pair16<T> a, Pair16<T> b) const {
    return {mul(a.lo, b.lo), mul(a.hi, b.hi)};
  }
  template <class T>
  Pair16<T> fma(Pair16<T> a, Pair16<T> b, Pair16<T> c3) const {
    return {fma(a.lo, b.lo, c3.lo), fma(a.hi, b.hi, c3.hi)};
  }
  /// Integer multiply-add; saturates when the instruction clamps.
  template <class T>
  Pair16<T> mad(Pair16<T> a, Pair16<T> b, Pair16<T> c3) const {
    return {mad_one(a.lo, b.lo, c3.lo), mad_one(a.hi, b.hi, c3.hi)};
  }
  template <class T>
  Pair16<T> min(Pair16<T> a, Pair16<T> b) const {
    return {min(a.lo, b.lo), min(a.hi, b.hi)};
  }
  template <class T>
  Pair16<T> max(Pair16<T> a, Pair16<T> b) const {
    return {max(a.lo, b.lo), max(a.hi, b.hi)};
  }
  template <class T>
  Pair16<T> minimum(Pair16<T> a, Pair16<T> b) const {
    return {minimum(a.lo, b.lo), minimum(a.hi, b.hi)};
  }
  template <class T>
  Pair16<T> maximum(Pair16<T> a, Pair16<T> b) const {
    return {maximum(a.lo, b.lo), maximum(a.hi, b.hi)};
  }
  /// b shifted by the low 4 bits of a.
  PkU16 shl_rev(PkU16 a, PkU16 b) const {
    return {static_cast<uint16_t>(b.lo << (a.lo & 15)), static_cast<uint16_t>(b.hi << (a.hi & 15))};
  }
  PkU16 shr_rev(PkU16 a, PkU16 b) const {
    return {static_cast<uint16_t>(b.lo >> (a.lo & 15)), static_cast<uint16_t>(b.hi >> (a.hi & 15))};
  }
  PkI16 sar_rev(PkU16 a, PkI16 b) const {
    return {static_cast<int16_t>(b.lo >> (a.lo & 15)), static_cast<int16_t>(b.hi >> (a.hi & 15))};
  }
  PkF32 add(PkF32 a, PkF32 b) const { return {add(a.lo, b.lo), add(a.hi, b.hi)}; }
  PkF32 mul(PkF32 a, PkF32 b) const { return {mul(a.lo, b.lo), mul(a.hi, b.hi)}; }
  PkF32 fma(PkF32 a, PkF32 b, PkF32 c3) const {
    return {fma(a.lo, b.lo, c3.lo), fma(a.hi, b.hi, c3.hi)};
  }
  /// v_pk_mov_b32: the low result from a, the high one from b.
  PkB32 pick(PkB32 a, PkB32 b) const { return {a.lo, b.hi}; }

  // ---- dot products: c + sum of a[i] * b[i], products added in order ----
  /// f32 accumulation, one rounding a product. gfx950 adds c to the sum of bf16 products.
  template <class T>
  float dot2(Pair16<T> a, Pair16<T> b, float c3) const {
    if (std::is_same_v<T, BHalf> && generation() == isa::Generation::kGfx9)
      return add(fma(widen(a.hi), widen(b.hi), mul(widen(a.lo), widen(b.lo))), c3);
    return fma(widen(a.hi), widen(b.hi), fma(widen(a.lo), widen(b.lo), c3));
  }
  /// Four 8-bit floats.
  float dot4_small(SmallFloat fa, SmallFloat fb, uint32_t a, uint32_t b, float c3) const {
    for (unsigned i = 0; i < 4; ++i)
      c3 = fma(decode_small(fa, byte(a, i)), decode_small(fb, byte(b, i)), c3);
    return c3;
  }
  /// neg_lo[0] and neg_lo[1] say which of A and B are signed.
  int32_t dot4_iu(uint32_t a, uint32_t b, int32_t c3) const {
    return dot<8>(a, b, c3, sign_flag(0), sign_flag(1));
  }
  int32_t dot8_iu(uint32_t a, uint32_t b, int32_t c3) const {
    return dot<4>(a, b, c3, sign_flag(0), sign_flag(1));
  }
  // ---- output modifiers, half by half ----
  template <class T>
  Pair16<T> finish(Pair16<T> v) const {
    return {finish(v.lo), finish(v.hi)};
  }
  PkF32 finish(PkF32 v) const { return {finish(v.lo), finish(v.hi)}; }

 private:
  template <class T>
  T add_one(T a, T b) const {
    if constexpr (std::is_integral_v<T>)
      return clamp() ? saturate<T>(int64_t{a} + b) : static_cast<T>(a + b);
    else
      return add(a, b);
  }
  template <class T>
  T sub_one(T a, T b) const {
    if constexpr (std::is_integral_v<T>)
      return clamp() ? saturate<T>(int64_t{a} - b) : static_cast<T>(a - b);
    else
      return sub(a, b);
  }
  template <Integer T>
  T mad_one(T a, T b, T c3) const {
    const int64_t wide_result = int64_t{a} * b + c3;
    return clamp() ? saturate<T>(wide_result) : static_cast<T>(wide_result);
  }
  bool sign_flag(int source) const { return u.inst.get(isa::Field::neg) >> source & 1; }
};

/// How one source of a packed instruction is put together from its register words.
struct PackedSource {
  bool low_from_high = false, high_from_high = true;  ///< op_sel, op_sel_hi
  bool negate_low = false, negate_high = false;       ///< neg, neg_hi
};
inline PackedSource packed_source(const isa::Inst& inst, int i) {
  using isa::Field;
  const uint32_t high = inst.get(Field::opsel_hi) | inst.get(Field::opsel_hi2) << 2;
  return {(inst.get(Field::opsel) >> i & 1) != 0, (high >> i & 1) != 0,
          (inst.get(Field::neg) >> i & 1) != 0, (inst.get(Field::neg_hi) >> i & 1) != 0};
}

/// Reads source i of a packed row for one lane.
template <isa::Type T>
Value<T> read_packed(const LaneSource& s, unsigned lane, const PackedSource& p) {
  using isa::Type;
  const uint32_t lo = s.lo[lane * s.stride];
  if constexpr (isa::is_packed16(T)) {
    uint32_t low = lo >> (p.low_from_high ? 16 : 0) & 0xffff,
             high = lo >> (p.high_from_high ? 16 : 0) & 0xffff;
    if constexpr (isa::is_float(T)) {
      low ^= p.negate_low ? 0x8000 : 0;
      high ^= p.negate_high ? 0x8000 : 0;
    }
    return from_bits<Value<T>>(low | high << 16);
  } else if constexpr (T == Type::PK_F32 || T == Type::PK_B32) {
    // Constants and single SGPR pairs give both words; op_sel picks a word for each half.
    // A move has one result of each source: op_sel alone picks its word.
    const uint32_t hi = s.hi[lane * s.stride];
    const bool high_word = T == Type::PK_B32 ? p.low_from_high : p.high_from_high;
    uint32_t low = p.low_from_high ? hi : lo, high = high_word ? hi : lo;
    if constexpr (T == Type::PK_F32) {
      low ^= p.negate_low ? 0x80000000 : 0;
      high ^= p.negate_high ? 0x80000000 : 0;
    }
    return from_bits<Value<T>>(low | static_cast<uint64_t>(high) << 32);
  } else if constexpr (T == Type::MIX) {
    // op_sel_hi: the source is a half, op_sel says which; else f32. neg_hi is the absolute value.
    float value = p.high_from_high
                      ? widen(Half{static_cast<uint16_t>(lo >> (p.low_from_high ? 16 : 0))})
                      : std::bit_cast<float>(lo);
    if (p.negate_high) value = std::bit_cast<float>(std::bit_cast<uint32_t>(value) & 0x7fffffff);
    return p.negate_low ? std::bit_cast<float>(std::bit_cast<uint32_t>(value) ^ 0x80000000) : value;
  } else if constexpr (T == Type::F32) {
    float value =
        std::bit_cast<float>(lo);  // accumulator of dot products: neg_hi is the absolute value
    if (p.negate_high) value = std::bit_cast<float>(std::bit_cast<uint32_t>(value) & 0x7fffffff);
    return p.negate_low ? std::bit_cast<float>(std::bit_cast<uint32_t>(value) ^ 0x80000000) : value;
  } else {
    return from_bits<Value<T>>(lo);
  }
}

/// Handler of one packed row.
template <class Row>
Step exec_packed(Context& c, const Uop& u) {
  using R = RowTraits<Row, PackedLane>;
  ValuSources s;
  if (!prepare_sources(c, u, s)) return Step::kExit;
  const RoundingScope rounding(rounds_as_16_64(R::kDst) && R::kA != isa::Type::MIX
                                   ? static_cast<Round>(c.wave->mode >> ModeBits::kRound16_64 & 3)
                                   : static_cast<Round>(c.wave->mode >> ModeBits::kRound32 & 3));
  PackedLane m(c, u, s);
  const PackedSource pa = packed_source(u.inst, 0), pb = packed_source(u.inst, 1),
                     pc = packed_source(u.inst, 2);
  LaneDest dest = prepare_dest(c, u, u.ops.dst[0]);
  if constexpr ((Row::kFlags & isa::HI16) != 0)
    dest = {dest.lo, dest.hi, 16, 0x0000ffff};
  else if constexpr ((Row::kFlags & isa::ACC) != 0)
    dest.keep = 0xffff0000;
  for (uint64_t left = s.active; left; left &= left - 1) {
    const unsigned lane = static_cast<unsigned>(std::countr_zero(left));
    m.lane = lane;
    typename R::C third{};
    if constexpr (Row::kSrcs.n > 2) third = read_packed<R::kC>(s.src[2], lane, pc);
    const auto result = Row::eval(m, read_packed<R::kA>(s.src[0], lane, pa),
                                  read_packed<R::kB>(s.src[1], lane, pb), third, typename R::D{});
    write_lane(dest, lane, m.finish(result));
  }
  return Step::kNext;
}

}  // namespace lockstep::emu
