// SPDX-License-Identifier: MIT
// Lane primitives: 8-, 6- and 4-bit floats, stochastic rounding, truth tables, packed shifts.
//
// Scales are f32 values of which only the exponent counts: conversions from small formats multiply
// by 2^(exponent - 127), conversions to them divide; exponent 255 makes NaN. Results beyond the
// largest value become infinity (NaN without one), with MODE.FP16_OVFL the largest value; 6- and
// 4-bit formats always saturate. Stochastic rounding adds the random number's top bits below the
// last kept bit and truncates.
#pragma once
#include "emu/lane/cross.h"
#include "emu/matrix/elements.h"
#include "emu/small_float.h"

namespace lockstep::emu {

class LaneSmall : public LaneCross {
 public:
  using LaneCross::LaneCross;

  // ---- formats of this target ----
  SmallFloat fp8() const { return fp8_of(c.isa); }
  SmallFloat bf8() const { return bf8_of(c.isa); }
  static constexpr SmallFloat fp4() { return kFp4; }

  // ---- where small values lie in a register: op_sel says ----
  /// The byte of a source. gfx12 gives the two bits of the number in reversed order.
  uint32_t source_byte(uint32_t a) const {
    const uint32_t bits = u.inst.get(isa::Field::opsel);
    const bool reversed = generation() == isa::Generation::kGfx12;
    const unsigned n = reversed ? (bits & 1) << 1 | (bits >> 1 & 1) : bits & 3;
    return a >> 8 * n & 0xff;
  }
  /// The half of a source; gfx12's operands are resolved to the half already.
  uint32_t source_half(uint32_t a) const {
    const bool resolved = generation() == isa::Generation::kGfx12;
    return (resolved || !(u.inst.get(isa::Field::opsel) & 1) ? a : a >> 16) & 0xffff;
  }
  /// `value` in the byte or half of `old` that op_sel names for the result.
  uint32_t result_byte(uint32_t value, uint32_t old) const {
    return insert_byte(static_cast<uint8_t>(value), u.inst.get(isa::Field::opsel) >> 2, old);
  }
  uint32_t result_half(uint32_t value, uint32_t old) const {
    return u.inst.get(isa::Field::opsel) & 8 ? (old & 0xffff) | value << 16
                                             : (old & 0xffff0000) | (value & 0xffff);
  }

  // ---- from small formats ----
  float small_to_f32(SmallFloat f, uint32_t code) const {
    return decode_small(f, code & ((1u << f.bits()) - 1));
  }
  float small_to_f32(SmallFloat f, uint32_t code, float scale) const {
    return static_cast<float>(scaled_up(f, code, scale));
  }
  Half small_to_f16(SmallFloat f, uint32_t code, float scale) const {
    return narrow_to_half(scaled_up(f, code, scale));
  }
  BHalf small_to_bf16(SmallFloat f, uint32_t code, float scale) const {
    return narrow_to_bfloat(static_cast<float>(scaled_up(f, code, scale)));
  }
  /// Two neighbours, low first.
  PkF32 pair_to_f32(SmallFloat f, uint32_t codes) const {
    return {small_to_f32(f, codes), small_to_f32(f, codes >> f.bits())};
  }
  PkF32 pair_to_f32(SmallFloat f, uint32_t codes, float scale) const {
    return {small_to_f32(f, codes, scale), small_to_f32(f, codes >> f.bits(), scale)};
  }
  PkF16 pair_to_f16(SmallFloat f, uint32_t codes, float scale) const {
    return {small_to_f16(f, codes, scale), small_to_f16(f, codes >> f.bits(), scale)};
  }
  PkBF16 pair_to_bf16(SmallFloat f, uint32_t codes, float scale) const {
    return {small_to_bf16(f, codes, scale), small_to_bf16(f, codes >> f.bits(), scale)};
  }

  // ---- to small formats, nearest even; `scale` divides ----
  uint32_t small_of(SmallFloat f, float a) const { return encode_small(f, in(a), {}, overflow()); }
  template <class T>
  uint32_t small_of(SmallFloat f, T a, float scale) const {
    return encode_small(f, scaled_down(wide_float(a), scale), {}, overflow());
  }
  /// Two values, the first in the low bits.
  template <class T, class... Scale>
  uint32_t small_pair(SmallFloat f, T lo, T hi, Scale... scale) const {
    return small_of(f, lo, scale...) | small_of(f, hi, scale...) << f.bits();
  }
  template <class T>
  uint32_t small_pair(SmallFloat f, Pair16<T> a, float scale) const {
    return small_pair(f, a.lo, a.hi, scale);
  }

  // ---- the same with stochastic rounding ----
  uint32_t small_random(SmallFloat f, float a, uint32_t random) const {
    return encode_small(f, in(a), {true, random}, overflow());
  }
  template <class T>
  uint32_t small_random(SmallFloat f, T a, uint32_t random, float scale) const {
    return encode_small(f, scaled_down(wide_float(a), scale), {true, random}, overflow());
  }
  /// The second value takes the generator's next number.
  template <class P>
  uint32_t small_pair_random(SmallFloat f, P a, uint32_t random, float scale) const {
    return small_random(f, a.lo, random, scale) | small_random(f, a.hi, next_random(random), scale)
                                                      << f.bits();
  }
  /// One step of the generator of v_prng_b32.
  uint32_t next_random(uint32_t a) const { return a << 1 ^ (a >> 31 ? 0xc5u : 0u); }
  Half to_f16_random(float a, uint32_t random) const {
    constexpr SmallFloat kHalf{5, 10, 15, TopCodes::kInfinityAndNan};
    return {static_cast<uint16_t>(random_code(kHalf, a, random))};
  }
  BHalf to_bf16_random(float a, uint32_t random) const {
    constexpr SmallFloat kBHalf{8, 7, 127, TopCodes::kInfinityAndNan};
    return {static_cast<uint16_t>(random_code(kBHalf, a, random))};
  }

  // ---- 32 values at once: registers of the operands are read and written here ----
  /// Source 0 (6-bit values) to the destination's type.
  LaneAction unpack32(SmallFloat f, float scale) const;
  /// Source 0, or sources 0 and 1 interleaved, to 6-bit values.
  LaneAction pack32(SmallFloat f, float scale) const { return pack32_any(f, scale, {}, false); }
  LaneAction pack32_interleaved(SmallFloat f, float scale) const {
    return pack32_any(f, scale, {}, true);
  }
  LaneAction pack32_random(SmallFloat f, uint32_t random, float scale) const {
    return pack32_any(f, scale, {true, random}, false);
  }
  static constexpr SmallFloat fp6() { return kFp6; }
  static constexpr SmallFloat bf6() { return kBf6; }

  // ---- bits ----
  /// Bit (a, b, c) of an 8-entry table that stands in the omod, abs and neg fields.
  template <class T>
  T truth_table(T a, T b, T c3) const {
    const uint32_t table = u.inst.get(isa::Field::omod) << 6 | u.inst.get(isa::Field::abs) << 3 |
                           u.inst.get(isa::Field::neg);
    T out = 0;
    for (unsigned i = 0; i < 8; ++i) {
      if (!(table >> i & 1)) continue;
      const T here =
          static_cast<T>((i & 4 ? a : static_cast<T>(~a)) & (i & 2 ? b : static_cast<T>(~b)) &
                         (i & 1 ? c3 : static_cast<T>(~c3)));
      out = static_cast<T>(out | here);
    }
    return out;
  }
  /// Two values shifted right and saturated to bytes, the first one low.
  uint32_t ashr_pk_i8(int32_t a, int32_t b, uint32_t n) const {
    const auto one = [&](int32_t v) {
      return static_cast<uint32_t>(std::clamp(v >> (n & 31), -128, 127)) & 0xff;
    };
    return one(a) | one(b) << 8;
  }
  uint32_t ashr_pk_u8(int32_t a, int32_t b, uint32_t n) const {
    const auto one = [&](int32_t v) { return uint32_t{sat_u8(v >> (n & 31))}; };
    return one(a) | one(b) << 8;
  }

  // ---- whole wave ----
  /// Clears the exception flags that instructions have raised.
  WaveAction clear_exceptions() const {
    constexpr uint32_t kFlags = 0x1ff;
    c.wave->trapsts &= ~kFlags;
    return {};
  }
  /// Exchanges the lanes of source 0 whose bit `distance` is 0 with the destination's lanes
  /// `distance` above. What an inactive lane would give is 0 with op_sel bit 1 (bound_ctrl), else
  /// nothing moves, unless op_sel bit 0 (fi) is set.
  WaveAction swap_rows(unsigned distance) const;
  /// One dword (or less) of LDS at M0[15:0] to all active lanes; M0[18:16] is its type.
  uint32_t lds_direct() const;

 private:
  Overflow overflow() const { return fp16_ovfl() ? Overflow::kSaturate : Overflow::kSpecial; }
  static double wide_float(float a) { return a; }
  static double wide_float(Half a) { return widen(a); }
  static double wide_float(BHalf a) { return widen(a); }
  static int exponent_of(float scale) {
    return static_cast<int>(std::bit_cast<uint32_t>(scale) >> 23 & 0xff);
  }
  static double scaled_up(const SmallFloat& f, uint32_t code, float scale) {
    const int e = exponent_of(scale);
    if (e == 255) return std::numeric_limits<double>::quiet_NaN();
    return std::ldexp(double{decode_small(f, code & ((1u << f.bits()) - 1))}, e - 127);
  }
  static double scaled_down(double a, float scale) {
    const int e = exponent_of(scale);
    if (e == 255) return std::numeric_limits<double>::quiet_NaN();
    return std::ldexp(a, 127 - e);
  }
  uint32_t random_code(const SmallFloat& f, float a, uint32_t random) const {
    if (is_nan(a)) return std::bit_cast<uint32_t>(quiet(a)) >> 31 << (f.bits() - 1) | 0x7fff;
    return encode_small(f, in(a), {true, random}, overflow());
  }
  LaneAction pack32_any(SmallFloat f, float scale, SmallRounding rounding, bool interleaved) const;
};

}  // namespace lockstep::emu
