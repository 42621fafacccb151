// SPDX-License-Identifier: MIT
// Lane primitives of the division sequence: div_scale brings numerator and denominator into a range
// where Newton steps neither overflow nor lose bits, div_fmas undoes that with the last step,
// div_fixup puts in the special cases. Sources: the published description, with three corrections
// without which the sequence cannot divide (see below).
#pragma once
#include "emu/div_limits.h"
#include "emu/lane/trans.h"

namespace lockstep::emu {

class LaneDiv : public LaneTrans {
 public:
  using LaneTrans::LaneTrans;

  /// a is the denominator b or the numerator c, whichever is to be scaled. The mask bit asks
  /// div_fmas for a correction.
  template <Float F>
  WithMask<F> div_scale(F a, F b, F c) const {
    using L = DivLimits<F>;
    a = in(a), b = in(b), c = in(c);
    if (b == 0 || c == 0) return {default_nan<F>(), true};  // the description leaves the bit 0
    if (is_nan(b) || is_nan(c) || is_inf(b) || is_inf(c)) return {quiet(a), false};
    const int quotient_exponent = raw_exponent(c) - raw_exponent(b);
    const bool for_denominator = bits_of(a) == bits_of(b), for_numerator = bits_of(a) == bits_of(c);
    const bool tiny_reciprocal = magnitude_bits(b) > magnitude_bits(L::kReciprocalLimit);
    const bool tiny_quotient = quotient_is_denormal(c, b);
    if (quotient_exponent >= L::kHugeQuotient)
      return {for_denominator ? scaled(a, L::kScale) : a, true};
    if (is_denormal(b)) return {scaled(a, L::kScale), false};
    // The description scales the denominator up here, which would overflow it; only down keeps the
    // quotient.
    if (tiny_reciprocal && tiny_quotient)
      return {for_denominator ? scaled(a, -L::kScale) : a, true};
    if (tiny_reciprocal) return {scaled(a, -L::kScale), false};
    // A tiny numerator is scaled alone where the quotient is so small that div_fmas will scale it
    // down again, else together with the denominator (the description: always together).
    const bool tiny_numerator = raw_exponent(c) <= L::kTinyNumerator;
    if (tiny_quotient || (tiny_numerator && quotient_exponent <= -L::kHugeQuotient))
      return {for_numerator ? scaled(a, L::kScale) : a, true};
    return {tiny_numerator ? scaled(a, L::kScale) : a, false};
  }

  /// a * b + c, and if the lane's VCC bit is set that times the power of two which div_scale took
  /// out: c, the quotient before the last step, tells in which direction. (The description names
  /// one fixed factor.)
  template <Float F>
  F div_fmas(uint64_t vcc, F a, F b, F c) const {
    if (!(vcc >> lane & 1)) return fma(a, b, c);
    const F r = std::fma(in(a), in(b), in(c));
    if (r != r) return first_nan(a, b, c);
    const int scale = DivLimits<F>::kScale;
    return out(scaled_once(r, raw_exponent(c) > DivLimits<F>::kBias ? scale : -scale));
  }

  /// The quotient a of numerator c and denominator b, corrected for zeros, infinities, NaNs and
  /// results out of range.
  template <Float F>
  F div_fixup(F a, F b, F c) const {
    b = in(b), c = in(c);
    const F sign = with_sign(F{}, is_negative(b) != is_negative(c));
    if (is_nan(c)) return quiet(c);
    if (is_nan(b)) return quiet(b);
    const bool zero_b = magnitude_bits(b) == 0, zero_c = magnitude_bits(c) == 0;
    if ((zero_b && zero_c) || (is_inf(b) && is_inf(c))) return default_nan<F>();
    if (zero_b || is_inf(c))
      return with_sign(std::bit_cast<F>(kInfinityBits<F>), is_negative(sign));
    if (is_inf(b) || zero_c) return sign;
    if constexpr (!std::is_same_v<F, Half>) {
      const bool negative = is_negative(sign);
      constexpr F kLargest = std::numeric_limits<F>::max();
      constexpr F kLeast = std::numeric_limits<F>::denorm_min();
      if (raw_exponent(c) - raw_exponent(b) < DivLimits<F>::kUnderflow)
        return rounds_away<F>(negative) ? out(with_sign(kLeast, negative)) : sign;
      // The steps overflowed, often to NaN. (The description looks at b here, which is no NaN and
      // no infinity any more.)
      if (is_nan(a) || is_inf(a))
        return with_sign(rounds_away<F>(negative) || rounds_to_nearest<F>()
                             ? std::bit_cast<F>(kInfinityBits<F>)
                             : kLargest,
                         negative);
    }
    return out(with_sign(is_nan(a) ? quiet(a) : a, is_negative(sign)));
  }

 private:
  template <class F>
  struct DivLimits;

  template <class F>
  static int raw_exponent(F a) {
    return static_cast<int>(magnitude_bits(a) >> FloatFormat<F>::kMantissa);
  }
  template <class F>
  static F with_sign(F a, bool negative) {
    return std::bit_cast<F>(
        static_cast<FloatBits<F>>(magnitude_bits(a) | (negative ? kSignBit<F> : 0)));
  }
  template <class F>
  static F scaled(F a, int n) {
    return std::ldexp(a, n);
  }
  static float scaled_once(float a, int n) { return static_cast<float>(std::ldexp(double{a}, n)); }
  static double scaled_once(double a, int n) { return std::ldexp(a, n); }
  /// Would c / b be a denormal, not zero?
  template <class F>
  static bool quotient_is_denormal(F c, F b) {
    int ec, eb;
    const F mc = std::frexp(std::fabs(c), &ec), mb = std::frexp(std::fabs(b), &eb);
    // The quotient is mc / mb * 2^n with mc / mb in (0.5, 2): denormal if below the least normal,
    // 2^(1 - bias).
    const int n = ec - eb, least = 1 - DivLimits<F>::kBias;
    const bool below = n < least || (n == least && mc < mb);
    const bool above_zero = n > least - FloatFormat<F>::kMantissa - 2;
    return below && above_zero;
  }
  template <class F>
  Round rounding() const {
    return std::is_same_v<F, float> ? round32() : round16_64();
  }
  template <class F>
  bool rounds_to_nearest() const {
    return rounding<F>() == Round::kNearestEven;
  }
  /// Does MODE round a number of this sign away from zero?
  template <class F>
  bool rounds_away(bool negative) const {
    return rounding<F>() == (negative ? Round::kDown : Round::kUp);
  }
};

template <>
struct LaneDiv::DivLimits<float> : DivLimits32 {
  static constexpr float kReciprocalLimit = 0x1p126f;
};
template <>
struct LaneDiv::DivLimits<double> : DivLimits64 {
  static constexpr double kReciprocalLimit = 0x1p1022;
};

}  // namespace lockstep::emu
