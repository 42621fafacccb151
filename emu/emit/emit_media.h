// SPDX-License-Identifier: MIT
// EmitMedia: cube maps, sums of absolute differences of quads, 8-, 6- and 4-bit floats. What is
// exact in lane/media.h and lane/small.h is put together from exact nodes here.
#pragma once
#include "emu/emit/emit.h"

namespace lockstep::emu {

class EmitMedia : public Emit {
 public:
  /// A format of small floats.
  struct Small {
    SmallKind kind;
    int bits;
  };
#define PRIMITIVE(name) using Emit::name;
#include "emu/emit/primitives.def"
#undef PRIMITIVE

  // ---- cube maps ----
  F32 cube_id(const F32& x, const F32& y, const F32& z) {
    const Axis axis = major_axis(x, y, z);
    const U32 number = select_bits(axis.z, constant<U32>(0x40800000),
                                   select_bits(axis.y, constant<U32>(0x40000000), word(0)));
    const U32 negative = and_(below_zero(on_axis(axis, x, y, z)), 0x3f800000u);
    return make<F32>(NodeOp::kAddF, number, negative);
  }
  F32 cube_sc(const F32& x, const F32& y, const F32& z) {
    const Axis axis = major_axis(x, y, z);
    const U32 by_z = negated(x, below_zero(z)), by_x = negated(z, invert(below_zero(x)));
    return as<F32>(select_bits(axis.z, by_z, select_bits(axis.y, as<U32>(x), by_x)));
  }
  F32 cube_tc(const F32& x, const F32& y, const F32& z) {
    const Axis axis = major_axis(x, y, z);
    const U32 by_y = negated(z, below_zero(y)), other = negated(y, word(-1));
    return as<F32>(select_bits(and_(axis.y, invert(axis.z)), by_y, other));
  }
  F32 cube_ma(const F32& x, const F32& y, const F32& z) {
    return mul(as<F32>(on_axis(major_axis(x, y, z), x, y, z)), float_of(0x40000000));
  }
  F32 mullit(const F32& a, const F32& b, const F32& c) {
    constexpr uint32_t kLowest = 0xff7fffff;
    const Pred above = make<Pred>(NodeOp::kGtF, in(b), float_of(kLowest));
    const Pred positive = make<Pred>(NodeOp::kGtF, in(c), float_of(0));
    return select(and_pred(above, positive), mul(a, b), float_of(kLowest));
  }

  // ---- sums of absolute differences ----
  U64 qsad_pk_u16_u8(const U64& a, const U32& b, const U64& c) {
    return quad_sad(NodeOp::kSadBytes, a, b, c);
  }
  U64 mqsad_pk_u16_u8(const U64& a, const U32& b, const U64& c) {
    return quad_sad(NodeOp::kSadMaskedBytes, a, b, c);
  }

  // ---- dot products ----
  F32 dot2(const Pk<BF16>& a, const Pk<BF16>& b, const F32& c) {
    return fma(to_f32(a.hi), to_f32(b.hi), fma(to_f32(a.lo), to_f32(b.lo), c));
  }
  F32 dot4_small(const Small& fa, const Small& fb, const U32& a, const U32& b, F32 sum) {
    for (int i = 0; i < 4; ++i)
      sum = fma(small_to_f32(fa, byte(a, i)), small_to_f32(fb, byte(b, i)), sum);
    return sum;
  }

  // ---- where small floats lie in a register ----
  U32 source_byte(const U32& a) { return and_(shr(a, part(PartShift::kSourceByte)), 0xffu); }
  U32 source_half(const U32& a) { return and_(shr(a, part(PartShift::kSourceHalf)), 0xffffu); }
  U32 result_byte(const U32& value, const U32& old) {
    return merged(value, old, PartShift::kResultByte, 0xff);
  }
  U32 result_half(const U32& value, const U32& old) {
    return merged(value, old, PartShift::kResultHalf, 0xffff);
  }

  // ---- small floats ----
  Small fp8() const { return {SmallKind::kFp8, 8}; }
  Small bf8() const { return {SmallKind::kBf8, 8}; }
  Small fp4() const { return {SmallKind::kFp4, 4}; }
  F32 small_to_f32(const Small& f, const U32& code) {
    return make<F32>(NodeOp::kSmallToF, and_(code, (1u << f.bits) - 1), {}, {}, imm_of(f));
  }
  F32 small_to_f32(const Small& f, const U32& code, const F32& scale) {
    const F32 value = make<F32>(NodeOp::kDToF, scaled_up(f, code, scale));
    return where_valid(scale, value);
  }
  F16 small_to_f16(const Small& f, const U32& code, const F32& scale) {
    const F32 value = make<F32>(NodeOp::kDToFOdd, scaled_up(f, code, scale));
    return make<F16>(NodeOp::kFToH, where_valid(scale, value));
  }
  BF16 small_to_bf16(const Small& f, const U32& code, const F32& scale) {
    return narrowed_to_bf16(small_to_f32(f, code, scale));
  }
  template <class... Scale>
  Pk<F32> pair_to_f32(const Small& f, const U32& codes, const Scale&... scale) {
    return {small_to_f32(f, codes, scale...), small_to_f32(f, shr(codes, f.bits), scale...)};
  }
  Pk<F16> pair_to_f16(const Small& f, const U32& codes, const F32& scale) {
    return {small_to_f16(f, codes, scale), small_to_f16(f, shr(codes, f.bits), scale)};
  }
  Pk<BF16> pair_to_bf16(const Small& f, const U32& codes, const F32& scale) {
    return {small_to_bf16(f, codes, scale), small_to_bf16(f, shr(codes, f.bits), scale)};
  }
  template <class T, class... Scale>
    requires std::is_base_of_v<Handle, T>
  U32 small_pair(const Small& f, const T& lo, const T& hi, const Scale&... scale) {
    return or_(small_of(f, lo, scale...), shl(small_of(f, hi, scale...), f.bits));
  }
  template <class T>
  U32 small_pair(const Small& f, const Pk<T>& a, const F32& scale) {
    return small_pair(f, a.lo, a.hi, scale);
  }
  U32 small_random(const Small& f, const F32& a, const U32& random) {
    return make<U32>(NodeOp::kFToSmallRandom, in(a), random, {}, imm_of(f));
  }
  template <class T>
  U32 small_random(const Small& f, const T& a, const U32& random, const F32& scale) {
    return make<U32>(NodeOp::kFToSmallRandom, scaled_down(a, scale), random, {}, imm_of(f));
  }
  template <class T>
  U32 small_pair_random(const Small& f, const Pk<T>& a, const U32& random, const F32& scale) {
    const U32 next = xor_(shl(random, 1), and_(as<U32>(ashr(as<I32>(random), 31)), 0xc5u));
    return or_(small_random(f, a.lo, random, scale),
               shl(small_random(f, a.hi, next, scale), f.bits));
  }
  F16 to_f16_random(const F32& a, const U32& random) {
    return as<F16>(small_random({SmallKind::kHalf, 16}, a, random));
  }
  BF16 to_bf16_random(const F32& a, const U32& random) {
    return as<BF16>(small_random({SmallKind::kBHalf, 16}, a, random));
  }
  BF16 to_bf16_nearest(const F32& a) { return to_bf16(a); }  // compiled only where MODE says so

  // ---- packed shifts ----
  U32 ashr_pk_i8(const I32& a, const I32& b, const U32& n) { return bytes(a, b, n, -128, 127); }
  U32 ashr_pk_u8(const I32& a, const I32& b, const U32& n) { return bytes(a, b, n, 0, 255); }

 private:
  U32 bytes(const I32& a, const I32& b, const U32& n, int least, int most) {
    const auto one = [&](const I32& v) {
      return and_(as<U32>(min(max(ashr(v, n), number(least)), number(most))), 0xffu);
    };
    return or_(one(a), shl(one(b), 8));
  }
  U32 part(PartShift which) { return leaf<U32>(NodeOp::kPartShift, static_cast<uint64_t>(which)); }
  U32 merged(const U32& value, const U32& old, PartShift which, uint32_t mask) {
    const U32 by = part(which);
    return select_bits(shl(constant<U32>(mask), by), shl(value, by), old);
  }
  static uint64_t imm_of(const Small& f) { return static_cast<uint64_t>(f.kind); }
  U32 small_of(const Small& f, const F32& a) {
    return make<U32>(NodeOp::kFToSmall, in(a), {}, {}, imm_of(f));
  }
  template <class T>
  U32 small_of(const Small& f, const T& a, const F32& scale) {
    return make<U32>(NodeOp::kFToSmall, scaled_down(a, scale), {}, {}, imm_of(f));
  }
  // Only the exponents of scales count; that of NaNs makes NaN.
  U32 exponent_of_scale(const F32& scale) { return and_(shr(as<U32>(scale), 23), 0xffu); }
  F32 where_valid(const F32& scale, const F32& value) {
    const U32 invalid = flag(eq(exponent_of_scale(scale), constant<U32>(0xff)));
    return as<F32>(select_bits(invalid, constant<U32>(0x7fc00000), as<U32>(value)));
  }
  F64 scaled_up(const Small& f, const U32& code, const F32& scale) {
    return make<F64>(NodeOp::kLdexpD, make<F64>(NodeOp::kFToD, small_to_f32(f, code)),
                     sub(as<I32>(exponent_of_scale(scale)), number(127)));
  }
  F32 wide_float(const F32& a) { return a; }
  F32 wide_float(const F16& a) { return make<F32>(NodeOp::kHToF, a); }
  F32 wide_float(const BF16& a) { return to_f32(a); }
  template <class T>
  F32 scaled_down(const T& a, const F32& scale) {
    const F64 value = make<F64>(NodeOp::kLdexpD, make<F64>(NodeOp::kFToD, wide_float(a)),
                                sub(number(127), as<I32>(exponent_of_scale(scale))));
    return where_valid(scale, make<F32>(NodeOp::kDToFOdd, value));
  }

  struct Axis {
    U32 y, z;  ///< all ones where it is the largest; z goes first
  };
  U32 size_of(const F32& a) { return and_(as<U32>(in(a)), 0x7fffffffu); }
  U32 not_less(const U32& a, const U32& b) { return flag(make<Pred>(NodeOp::kGeF, a, b)); }
  Axis major_axis(const F32& x, const F32& y, const F32& z) {
    const U32 ax = size_of(x), ay = size_of(y), az = size_of(z);
    return {not_less(ay, ax), and_(not_less(az, ax), not_less(az, ay))};
  }
  U32 on_axis(const Axis& axis, const F32& x, const F32& y, const F32& z) {
    return as<U32>(
        in(as<F32>(select_bits(axis.z, as<U32>(z), select_bits(axis.y, as<U32>(y), as<U32>(x))))));
  }
  U32 below_zero(const U32& a) { return flag(make<Pred>(NodeOp::kLtF, a, float_of(0))); }
  U32 below_zero(const F32& a) { return below_zero(as<U32>(in(a))); }
  U32 negated(const F32& a, const U32& where) { return xor_(as<U32>(a), and_(where, 0x80000000u)); }

  /// The word of a quad that starts at this bit, of 0 to 32.
  U32 word_at(const U64& a, unsigned bit) {
    return make<U32>(NodeOp::kHighWordD, bit == 32 ? a : shl(a, 32 - bit));
  }
  U64 quad_sad(NodeOp sad, const U64& a, const U32& b, const U64& c) {
    U32 words[2];
    for (unsigned i = 0; i < 2; ++i) {
      const U32 old = word_at(c, 32 * i);
      const auto sum = [&](unsigned n, const U32& half) {
        return as<U32>(add_clamp(as<U16>(make<U32>(sad, word_at(a, 8 * n), b)), as<U16>(half)));
      };
      const U32 low = sum(2 * i, and_(old, 0xffffu)), high = sum(2 * i + 1, shr(old, 16));
      words[i] = or_(low, shl(high, 16));
    }
    const U32 one = word(1);
    return or_(make<U64>(NodeOp::kMulWideU, words[0], one),
               shl(make<U64>(NodeOp::kMulWideU, words[1], one), 32));
  }
};

}  // namespace lockstep::emu
