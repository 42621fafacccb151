// SPDX-License-Identifier: MIT
// Lane primitives: bytes, sums of absolute differences, cube maps, argument reduction. All exact.
#pragma once
#include "emu/lane/div.h"

namespace lockstep::emu {

class LaneMedia : public LaneDiv {
 public:
  using LaneDiv::LaneDiv;

  // ---- bytes ----
  /// Each selector byte of c picks: 0..7 a byte of high:low, 8..11 the sign of byte 1, 3, 5, 7, 12
  /// zero, 13.. ones.
  uint32_t perm(uint32_t high, uint32_t low, uint32_t c) const {
    const uint64_t data = uint64_t{high} << 32 | low;
    uint32_t result = 0;
    for (unsigned i = 0; i < 4; ++i) {
      const uint32_t sel = byte(c, i);
      uint32_t value = 0xff;
      if (sel < 8)
        value = static_cast<uint32_t>(data >> (sel * 8) & 0xff);
      else if (sel < 12)
        value = data >> ((sel - 8) * 16 + 15) & 1 ? 0xff : 0;
      else if (sel == 12)
        value = 0;
      result |= value << (8 * i);
    }
    return result;
  }
  /// Per byte (a + b + low bit of c) / 2.
  uint32_t lerp_u8(uint32_t a, uint32_t b, uint32_t c) const {
    uint32_t result = 0;
    for (unsigned i = 0; i < 4; ++i)
      result |= (byte(a, i) + byte(b, i) + (byte(c, i) & 1)) >> 1 << (8 * i);
    return result;
  }

  // ---- sums of absolute differences; the sum obeys the clamp bit ----
  uint32_t sad_u8(uint32_t a, uint32_t b, uint32_t c) const {
    return add_clamp(sad(a, b, false), c);
  }
  uint32_t sad_hi_u8(uint32_t a, uint32_t b, uint32_t c) const {
    return add_clamp(sad(a, b, false) << 16, c);
  }
  uint32_t sad_u16(PkU16 a, PkU16 b, uint32_t c) const {
    return bounded<uint32_t>(Exact{distance(a.lo, b.lo)} + distance(a.hi, b.hi) + c);
  }
  uint32_t sad_u32(uint32_t a, uint32_t b, uint32_t c) const {
    return add_clamp(distance(a, b), c);
  }
  /// Bytes where b is 0 do not count.
  uint32_t msad_u8(uint32_t a, uint32_t b, uint32_t c) const {
    return add_clamp(sad(a, b, true), c);
  }
  /// Four sums of 16 bits: bytes n..n+3 of a against b, added to half n of c.
  uint64_t qsad_pk_u16_u8(uint64_t a, uint32_t b, uint64_t c) const {
    return quad_sad(a, b, c, false);
  }
  uint64_t mqsad_pk_u16_u8(uint64_t a, uint32_t b, uint64_t c) const {
    return quad_sad(a, b, c, true);
  }
  /// The same with sums of 32 bits.
  Words4 mqsad_u32_u8(uint64_t a, uint32_t b, Words4 c) const {
    Words4 r;
    for (unsigned i = 0; i < 4; ++i)
      r.word[i] = msad_u8(static_cast<uint32_t>(a >> (8 * i)), b, c.word[i]);
    return r;
  }

  // ---- cube maps: (x, y, z) to face number, face coordinates, and twice the major axis ----
  float cube_id(float x, float y, float z) const {
    const int axis = major_axis(x, y, z);
    return static_cast<float>(2 * axis + (pick(axis, x, y, z) < 0));
  }
  float cube_sc(float x, float y, float z) const {
    switch (major_axis(x, y, z)) {
      case 2:
        return in(z) < 0 ? neg(x) : x;
      case 1:
        return x;
      default:
        return in(x) < 0 ? z : neg(z);
    }
  }
  float cube_tc(float x, float y, float z) const {
    if (major_axis(x, y, z) != 1) return neg(y);
    return in(y) < 0 ? neg(z) : z;
  }
  float cube_ma(float x, float y, float z) const {
    return mul(pick(major_axis(x, y, z), x, y, z), 2.0f);
  }

  // ---- dot products: c plus the low, then plus the high product, each step fused and rounded to
  // c's type ----
  float dot2(PkF16 a, PkF16 b, float c) const {
    return fma(to_f32(a.hi), to_f32(b.hi), fma(to_f32(a.lo), to_f32(b.lo), c));
  }
  Half dot2(PkF16 a, PkF16 b, Half c) const { return fma(a.hi, b.hi, fma(a.lo, b.lo, c)); }
  float dot2(PkBF16 a, PkBF16 b, float c) const {
    return fma(to_f32(a.hi), to_f32(b.hi), fma(to_f32(a.lo), to_f32(b.lo), c));
  }
  /// bf16 steps round to f32 first.
  BHalf dot2(PkBF16 a, PkBF16 b, BHalf c) const {
    const BHalf first = to_bf16(fma(to_f32(a.lo), to_f32(b.lo), to_f32(c)));
    return to_bf16(fma(to_f32(a.hi), to_f32(b.hi), to_f32(first)));
  }

  /// Integer dot product of elements `Bits` wide; the accumulator type says signedness and what
  /// clamping means.
  template <unsigned Bits, Integer T>
  T dot(uint32_t a, uint32_t b, T c3, bool a_signed, bool b_signed) const {
    int64_t sum = c3;
    for (unsigned i = 0; i < 32; i += Bits)
      sum += int64_t{element<Bits>(a, i, a_signed)} * element<Bits>(b, i, b_signed);
    return clamp() ? saturate<T>(sum) : static_cast<T>(sum);
  }
  template <Integer T>
  T dot4(uint32_t a, uint32_t b, T c3) const {
    return dot<8>(a, b, c3, std::is_signed_v<T>, std::is_signed_v<T>);
  }
  template <Integer T>
  T dot8(uint32_t a, uint32_t b, T c3) const {
    return dot<4>(a, b, c3, std::is_signed_v<T>, std::is_signed_v<T>);
  }
  template <Integer E, Integer T>
  T dot2_int(Pair16<E> a, Pair16<E> b, T c3) const {
    const int64_t sum = int64_t{c3} + int64_t{a.lo} * b.lo + int64_t{a.hi} * b.hi;
    return clamp() ? saturate<T>(sum) : static_cast<T>(sum);
  }

  // ---- argument reduction ----
  /// Segment n (mod 32) of 53 bits of 2/pi, scaled for an argument of a's exponent.
  double trig_preop(double a, uint32_t n) const {
    const int exponent = static_cast<int>(magnitude_bits(a) >> 52);
    int shift = static_cast<int>(n & 31) * 53;
    if (exponent > 1077) shift += exponent - 1077;
    uint64_t segment = 0;
    for (int i = 0; i < 53; ++i) segment = segment << 1 | two_over_pi_bit(shift + i);
    return std::ldexp(static_cast<double>(segment), -53 - shift + (exponent >= 1968 ? 128 : 0));
  }

 protected:
  template <Integer T>
  static T saturate(int64_t v) {
    return static_cast<T>(
        std::clamp<int64_t>(v, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
  }
  template <unsigned Bits>
  static int32_t element(uint32_t word, unsigned shift, bool is_signed) {
    const uint32_t up = word << (32 - Bits - shift);
    return is_signed ? static_cast<int32_t>(up) >> (32 - Bits)
                     : static_cast<int32_t>(up >> (32 - Bits));
  }

 private:
  template <Integer T>
  static uint32_t distance(T a, T b) {
    return a > b ? a - b : b - a;
  }
  uint32_t sad(uint32_t a, uint32_t b, bool masked) const {
    uint32_t sum = 0;
    for (unsigned i = 0; i < 4; ++i)
      if (!masked || byte(b, i) != 0) sum += distance(byte(a, i), byte(b, i));
    return sum;
  }
  uint64_t quad_sad(uint64_t a, uint32_t b, uint64_t c, bool masked) const {
    uint64_t result = 0;
    for (unsigned i = 0; i < 4; ++i) {
      const uint32_t sum = sad(static_cast<uint32_t>(a >> (8 * i)), b, masked);
      result |=
          uint64_t{add_clamp(static_cast<uint16_t>(sum), static_cast<uint16_t>(c >> (16 * i)))}
          << (16 * i);
    }
    return result;
  }
  /// 0, 1, 2 for x, y, z. Ties go to z, then y.
  int major_axis(float x, float y, float z) const {
    const float ax = std::fabs(in(x)), ay = std::fabs(in(y)), az = std::fabs(in(z));
    return az >= ax && az >= ay ? 2 : ay >= ax ? 1 : 0;
  }
  float pick(int axis, float x, float y, float z) const {
    return in(axis == 2 ? z : axis == 1 ? y : x);
  }
  /// Bit i after the point of 2/pi; the table ends after 1201 bits, zeros follow.
  static uint64_t two_over_pi_bit(int i) {
    return i < 1201 ? kTwoOverPi[i / 64] >> (63 - i % 64) & 1 : 0;
  }
  static constexpr uint64_t kTwoOverPi[] = {
      0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
      0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
      0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
      0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d, 0x7527bac7ebe5f17b,
      0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b0000};
};

}  // namespace lockstep::emu
