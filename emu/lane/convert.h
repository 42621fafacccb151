// SPDX-License-Identifier: MIT
// Lane primitives: conversions between number types. Float results round once by MODE's rounding
// for their width; integer results truncate unless the name says otherwise, saturate, and turn NaN
// into 0.
#pragma once
#include "emu/lane/float.h"

namespace lockstep::emu {

class LaneConvert : public LaneFloat {
 public:
  using LaneFloat::LaneFloat;

  // ---- to integer ----
  template <Float F>
  int32_t to_i32(F a) const {
    return saturate<int32_t>(double{host(a)});
  }
  template <Float F>
  uint32_t to_u32(F a) const {
    return saturate<uint32_t>(double{host(a)});
  }
  template <Float F>
  int16_t to_i16(F a) const {
    return saturate<int16_t>(double{host(a)});
  }
  template <Float F>
  uint16_t to_u16(F a) const {
    return saturate<uint16_t>(double{host(a)});
  }
  template <Float F>
  uint8_t to_u8(F a) const {
    return saturate<uint8_t>(double{host(a)});
  }
  using LaneFloat::to_i32;
  using LaneFloat::to_u32;
  /// floor(a + 1/2), the sum exact.
  int32_t nearest_i32(float a) const {
    return saturate<int32_t>(std::floor(double{host(a)} + 0.5));
  }
  int32_t floor_i32(float a) const { return saturate<int32_t>(std::floor(double{host(a)})); }
  /// -1..1 to the whole signed range, 0..1 to the whole unsigned range; beyond saturates. Ties to
  /// even.
  template <Float F>
  int16_t to_snorm16(F a) const {
    return saturate<int16_t>(nearest_even(bound(host(a), -1) * 32767));
  }
  template <Float F>
  uint16_t to_unorm16(F a) const {
    return saturate<uint16_t>(nearest_even(bound(host(a), 0) * 65535));
  }

  // ---- from integer ----
  float to_f32(int32_t a) const { return static_cast<float>(a); }
  float to_f32(uint32_t a) const { return static_cast<float>(a); }
  double to_f64(int32_t a) const { return a; }
  double to_f64(uint32_t a) const { return a; }
  Half to_f16(int16_t a) const { return narrow(a); }
  Half to_f16(uint16_t a) const { return narrow(a); }
  /// The low four bits as a signed number of sixteenths.
  float off_i4(int32_t a) const {
    return static_cast<float>(static_cast<int32_t>(static_cast<uint32_t>(a) << 28) >> 28) * 0.0625f;
  }

  // ---- between floats: denormal sources and results as MODE says for each width ----
  Half to_f16(float a) const { return is_nan(a) ? narrow(quiet(a)) : out(narrow(in(a))); }
  float to_f32(Half a) const { return is_nan(a) ? widen(quiet(a)) : widen(in(a)); }
  float to_f32(BHalf a) const { return widen(a); }
  float to_f32(double a) const {
    return is_nan(a) ? nan_to_f32(a) : out(static_cast<float>(in(a)));
  }
  double to_f64(float a) const { return is_nan(a) ? nan_to_f64(a) : out(double{in(a)}); }
  /// Toward zero whatever MODE says: overflow gives the largest half.
  Half to_f16_rtz(float a) const {
    return is_nan(a) ? narrow(quiet(a)) : out(narrow_to_half(in(a), Round::kZero));
  }
  BHalf to_bf16(float a) const { return narrow_to_bfloat(in(a), round32()); }
  /// To nearest even whatever MODE says.
  Half to_f16_nearest(float a) const {
    return is_nan(a) ? narrow(quiet(a)) : out(narrow_to_half(in(a), Round::kNearestEven));
  }
  BHalf to_bf16_nearest(float a) const { return narrow_to_bfloat(in(a), Round::kNearestEven); }

  // ---- packing ----
  /// Two halves as they are in one dword, low first.
  uint32_t pack(Half lo, Half hi) const { return lo.bits | static_cast<uint32_t>(hi.bits) << 16; }
  /// Byte n (mod 4) of `old` replaced.
  uint32_t insert_byte(uint8_t value, uint32_t n, uint32_t old) const {
    const unsigned shift = (n & 3) * 8;
    return (old & ~(0xffu << shift)) | static_cast<uint32_t>(value) << shift;
  }
  /// Two unsigned bytes, low first, from signed halves with saturation.
  uint16_t sat_pk_u8(PkI16 a) const {
    return static_cast<uint16_t>(sat_u8(a.lo) | sat_u8(a.hi) << 8);
  }

 private:
  /// Truncates toward zero; values beyond the range give its ends, NaN gives 0.
  template <Integer T>
  static T saturate(double a) {
    constexpr double kMin = std::numeric_limits<T>::min(), kMax = std::numeric_limits<T>::max();
    if (a != a) return 0;
    return static_cast<T>(a < kMin ? kMin : a > kMax ? kMax : a);
  }
  static double bound(double a, double low) { return a < low ? low : a > 1 ? 1 : a; }
  // NaN payloads keep their top bits; the host would do so too, but not for signalling ones under
  // every compiler.
  static float nan_to_f32(double a) {
    const uint64_t bits = std::bit_cast<uint64_t>(a);
    return std::bit_cast<float>(static_cast<uint32_t>(bits >> 32 & 0x80000000) | 0x7fc00000 |
                                static_cast<uint32_t>(bits >> 29 & 0x3fffff));
  }
  static double nan_to_f64(float a) {
    const uint32_t bits = std::bit_cast<uint32_t>(a);
    return std::bit_cast<double>(static_cast<uint64_t>(bits & 0x80000000) << 32 |
                                 uint64_t{0x7ff80000} << 32 |
                                 static_cast<uint64_t>(bits & 0x3fffff) << 29);
  }
};

}  // namespace lockstep::emu
