// SPDX-License-Identifier: MIT
// Lane primitives: floating-point arithmetic of f16, f32 and f64 with MODE's denormal handling and
// NaN rules.
//
// Rounding. The host's rounding mode is set from MODE by the caller (valu.h), so host operations
// round as the guest asks. f16 is computed in double and narrowed once. Sums and products of halves
// are exact in double (at most 42 and 22 significant bits). A fused a*b+c that is inexact in double
// has one term below 2^-31 of the other; the large term alone is a half or overflows, so it is no
// tie, and the host's rounding moves the double to the side that MODE asks for.
//
// NaNs. A NaN result is the first NaN among the sources, made quiet; without one it is the negative
// default NaN.
#pragma once
#include <bit>
#include <cmath>
#include <type_traits>

#include "emu/lane/int.h"

namespace lockstep::emu {

template <class T>
concept Float = std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, Half>;

/// Layout of a floating-point type.
template <class F>
struct FloatFormat;
template <>
struct FloatFormat<Half> {
  using Bits = uint16_t;
  static constexpr int kMantissa = 10, kExponent = 5;
};
template <>
struct FloatFormat<BHalf> {
  using Bits = uint16_t;
  static constexpr int kMantissa = 7, kExponent = 8;
};
template <>
struct FloatFormat<float> {
  using Bits = uint32_t;
  static constexpr int kMantissa = 23, kExponent = 8;
};
template <>
struct FloatFormat<double> {
  using Bits = uint64_t;
  static constexpr int kMantissa = 52, kExponent = 11;
};
template <class F>
using FloatBits = typename FloatFormat<F>::Bits;
template <class F>
inline constexpr FloatBits<F> kSignBit =
    static_cast<FloatBits<F>>(FloatBits<F>{1} << (sizeof(F) * 8 - 1));
template <class F>
inline constexpr FloatBits<F> kQuietBit = FloatBits<F>{1} << (FloatFormat<F>::kMantissa - 1);
template <class F>
inline constexpr FloatBits<F> kInfinityBits = static_cast<FloatBits<F>>(
    ((FloatBits<F>{1} << FloatFormat<F>::kExponent) - 1) << FloatFormat<F>::kMantissa);
template <class F>
FloatBits<F> bits_of(F a) {
  return std::bit_cast<FloatBits<F>>(a);
}
template <class F>
FloatBits<F> magnitude_bits(F a) {
  return static_cast<FloatBits<F>>(bits_of(a) & ~kSignBit<F>);
}
template <class F>
bool is_nan(F a) {
  return magnitude_bits(a) > kInfinityBits<F>;
}
template <class F>
bool is_inf(F a) {
  return magnitude_bits(a) == kInfinityBits<F>;
}
template <class F>
bool is_signalling(F a) {
  return is_nan(a) && !(bits_of(a) & kQuietBit<F>);
}
template <class F>
bool is_denormal(F a) {
  const FloatBits<F> m = magnitude_bits(a);
  return m != 0 && m < (FloatBits<F>{1} << FloatFormat<F>::kMantissa);
}
template <class F>
bool is_negative(F a) {
  return (bits_of(a) & kSignBit<F>) != 0;
}
template <class F>
F quiet(F a) {
  return is_nan(a) ? std::bit_cast<F>(static_cast<FloatBits<F>>(bits_of(a) | kQuietBit<F>)) : a;
}
template <class F>
F default_nan() {
  return std::bit_cast<F>(static_cast<FloatBits<F>>(kSignBit<F> | kInfinityBits<F> | kQuietBit<F>));
}
template <class F>
F signed_zero(F like) {
  return std::bit_cast<F>(static_cast<FloatBits<F>>(bits_of(like) & kSignBit<F>));
}

class LaneFloat : public LaneInt {
 public:
  using LaneInt::add;
  using LaneInt::eq;
  using LaneInt::ge;
  using LaneInt::gt;
  using LaneInt::LaneInt;
  using LaneInt::le;
  using LaneInt::lt;
  using LaneInt::max;
  using LaneInt::med3;
  using LaneInt::min;
  using LaneInt::mul;
  using LaneInt::sub;

  // ---- output modifiers: omod, then clamp. Integers saturate inside their primitives instead.
  // ----
  template <class T>
  T finish(T value) const {
    return value;
  }
  float finish(float value) const { return modified(value, flush_out32()); }
  double finish(double value) const { return modified(value, flush_out16_64()); }
  Half finish(Half value) const { return modified(value, flush_out16_64()); }
  PkF16 finish(PkF16 value) const { return {finish(value.lo), finish(value.hi)}; }

  // ---- denormals: sources and results as MODE says; flushing keeps the sign ----
  float in(float a) const { return flush_in32() && is_denormal(a) ? signed_zero(a) : a; }
  float out(float a) const { return flush_out32() && is_denormal(a) ? signed_zero(a) : a; }
  double in(double a) const { return flush_in16_64() && is_denormal(a) ? signed_zero(a) : a; }
  double out(double a) const { return flush_out16_64() && is_denormal(a) ? signed_zero(a) : a; }
  Half in(Half a) const { return flush_in16_64() && is_denormal(a) ? signed_zero(a) : a; }
  Half out(Half a) const { return flush_out16_64() && is_denormal(a) ? signed_zero(a) : a; }

  // ---- arithmetic: one rounding by MODE ----
  template <Float F>
  F add(F a, F b) const {
    return result(host(a) + host(b), a, b);
  }
  template <Float F>
  F sub(F a, F b) const {
    return result(host(a) - host(b), a, b);
  }
  template <Float F>
  F mul(F a, F b) const {
    return result(host(a) * host(b), a, b);
  }
  template <Float F>
  F fma(F a, F b, F c) const {
    return result(std::fma(host(a), host(b), host(c)), a, b, c);
  }
  /// DX9 multiply: 0 times anything, NaN and infinity included, is +0.
  float mul_legacy(float a, float b) const { return in(a) == 0 || in(b) == 0 ? 0.0f : mul(a, b); }
  /// The same rule inside a fused multiply-add: the sum is then c alone.
  float fma_legacy(float a, float b, float c) const {
    return in(a) == 0 || in(b) == 0 ? quiet(out(in(c))) : fma(a, b, c);
  }
  /// a * b of the lighting pipeline: -largest where b or c say that the light does not reach.
  float mullit(float a, float b, float c) const {
    constexpr float kMax = std::numeric_limits<float>::max();
    return in(b) == -kMax || in(b) == -INFINITY || is_nan(b) || in(c) <= 0 || is_nan(c) ? -kMax
                                                                                        : mul(a, b);
  }
  template <class F>
  F neg(F a) const {
    return std::bit_cast<F>(static_cast<FloatBits<F>>(bits_of(a) ^ kSignBit<F>));
  }

  // ---- minimum and maximum: -0 < +0 ----
  /// A number beats a NaN. With MODE.IEEE on gfx9 to gfx11 a signalling NaN wins and becomes quiet.
  template <Float F>
  F min(F a, F b) const {
    a = in(a), b = in(b);
    if (is_nan(a) || is_nan(b)) return number_of(a, b);
    return below(a, b) ? out(a) : out(b);
  }
  template <Float F>
  F max(F a, F b) const {
    a = in(a), b = in(b);
    if (is_nan(a) || is_nan(b)) return number_of(a, b);
    return below(b, a) ? out(a) : out(b);
  }
  /// IEEE 754-2019 minimum and maximum: a NaN beats a number; signalling before quiet, then the
  /// first.
  template <Float F>
  F minimum(F a, F b) const {
    a = in(a), b = in(b);
    if (is_nan(a) || is_nan(b))
      return is_signalling(b) && !is_signalling(a) ? quiet(b) : first_nan(a, b);
    return below(a, b) ? out(a) : out(b);
  }
  template <Float F>
  F maximum(F a, F b) const {
    a = in(a), b = in(b);
    if (is_nan(a) || is_nan(b))
      return is_signalling(b) && !is_signalling(a) ? quiet(b) : first_nan(a, b);
    return below(b, a) ? out(a) : out(b);
  }
  /// The middle one; with a NaN among the sources the minimum of the others.
  template <Float F>
  F med3(F a, F b, F c) const {
    if (is_nan(a) || is_nan(b) || is_nan(c)) return min(min(a, b), c);
    return max(min(a, b), min(max(a, b), c));
  }

  // ---- compares: false if a source is NaN; denormals as MODE says ----
  template <Float F>
  bool lt(F a, F b) const {
    return host(a) < host(b);
  }
  template <Float F>
  bool le(F a, F b) const {
    return host(a) <= host(b);
  }
  template <Float F>
  bool gt(F a, F b) const {
    return host(a) > host(b);
  }
  template <Float F>
  bool ge(F a, F b) const {
    return host(a) >= host(b);
  }
  template <Float F>
  bool eq(F a, F b) const {
    return host(a) == host(b);
  }
  template <Float F>
  bool lg(F a, F b) const {
    return host(a) < host(b) || host(a) > host(b);
  }
  template <Float F>
  bool ordered(F a, F b) const {
    return !is_nan(a) && !is_nan(b);
  }
  /// Is a in one of the classes of mask? Bits: 0 sNaN, 1 qNaN, 2 -inf, 3 -normal, 4 -denormal, 5
  /// -0, 6 +0, 7 +denormal, 8 +normal, 9 +inf. Looks at the bits: no denormal is flushed.
  template <Float F>
  bool fp_class(F a, uint32_t mask) const {
    unsigned n = 8;
    if (is_nan(a)) return mask >> (is_signalling(a) ? 0 : 1) & 1;
    if (is_inf(a))
      n = 9;
    else if (magnitude_bits(a) == 0)
      n = 6;
    else if (is_denormal(a))
      n = 7;
    return mask >> (is_negative(a) ? 11 - n : n) & 1;
  }

  // ---- parts of a number ----
  /// To an integral value of the same type. Zeros keep their sign.
  template <Float F>
  F trunc(F a) const {
    return result(std::trunc(host(a)), a);
  }
  template <Float F>
  F floor(F a) const {
    return result(std::floor(host(a)), a);
  }
  template <Float F>
  F ceil(F a) const {
    return result(std::ceil(host(a)), a);
  }
  /// Ties to even whatever MODE's rounding is.
  template <Float F>
  F rndne(F a) const {
    return result(nearest_even(host(a)), a);
  }
  /// a - floor(a), kept below 1 for tiny negative a, where the difference would round to 1.
  template <Float F>
  F fract(F a) const {
    const auto x = host(a);
    const F r = result(x - std::floor(x), a);
    constexpr FloatBits<F> kOne = (FloatBits<F>{1} << (FloatFormat<F>::kExponent - 1)) - 1;
    constexpr auto kBelowOne = static_cast<FloatBits<F>>((kOne << FloatFormat<F>::kMantissa) - 1);
    return !is_nan(r) && bits_of(r) == kBelowOne + 1 ? std::bit_cast<F>(kBelowOne) : r;
  }
  /// a * 2^n with one rounding.
  float ldexp(float a, int32_t n) const {
    return result(static_cast<float>(std::ldexp(double{in(a)}, std::clamp(n, -400, 400))), a);
  }
  double ldexp(double a, int32_t n) const {
    return result(std::ldexp(in(a), std::clamp(n, -5000, 5000)), a);
  }
  Half ldexp(Half a, int16_t n) const {
    return result(std::ldexp(host(a), std::clamp<int>(n, -100, 100)), a);
  }
  /// Significand in [0.5, 1) with a's sign; zeros, infinities and NaNs as they are (NaNs quiet).
  template <Float F>
  F frexp_mant(F a) const {
    int exponent;
    const auto x = host(a);
    return std::isfinite(x) ? result(std::frexp(x, &exponent), a) : quiet(a);
  }
  /// Exponent that belongs to frexp_mant; 0 for zeros, infinities and NaNs.
  template <Float F>
  int32_t frexp_exp(F a) const {
    int exponent = 0;
    const auto x = host(a);
    if (std::isfinite(x)) std::frexp(x, &exponent);
    return exponent;
  }

 protected:
  /// The value for host arithmetic, denormals flushed if MODE says so: float, or double for half
  /// and double.
  float host(float a) const { return in(a); }
  double host(double a) const { return in(a); }
  double host(Half a) const { return widen(in(a)); }

  /// Double to half, MODE's rounding and overflow rule. FP16_OVFL: finite overflow gives the
  /// largest number.
  Half narrow(double a) const {
    Half h = narrow_to_half(a, round16_64());
    if (fp16_ovfl() && is_inf(h) && !std::isinf(a)) h.bits -= 1;
    return h;
  }
  /// Turns the host's result into the guest's: NaN rule, rounding of halves, denormals.
  template <class... S>
  float result(float r, S... sources) const {
    return r == r ? out(r) : first_nan(sources...);
  }
  template <class First, class... S>
  First result(double r, First a, S... more) const {
    if (r != r) return first_nan(a, more...);
    if constexpr (std::is_same_v<First, Half>)
      return out(narrow(r));
    else
      return out(r);
  }
  template <class F>
  [[gnu::noinline, gnu::cold]] static F first_nan(F a) {
    return is_nan(a) ? quiet(a) : default_nan<F>();
  }
  template <class F>
  [[gnu::noinline, gnu::cold]] static F first_nan(F a, F b) {
    return is_nan(a) ? quiet(a) : first_nan(b);
  }
  template <class F>
  [[gnu::noinline, gnu::cold]] static F first_nan(F a, F b, F c) {
    return is_nan(a) ? quiet(a) : first_nan(b, c);
  }

  static float nearest_even(float a) { return __builtin_roundevenf(a); }
  static double nearest_even(double a) { return __builtin_roundeven(a); }

 private:
  template <Float F>
  static bool below(F a, F b) {
    if constexpr (std::is_same_v<F, Half>)
      return below(widen(a), widen(b));
    else
      return a < b || (a == b && is_negative(a));
  }
  /// min and max with a NaN among the sources.
  template <Float F>
  [[gnu::noinline, gnu::cold]] F number_of(F a, F b) const {
    if (generation() == isa::Generation::kGfx12)
      return is_nan(a) && is_nan(b) ? quiet(a) : out(is_nan(a) ? b : a);
    if (ieee() && is_signalling(a)) return quiet(a);
    if (ieee() && is_signalling(b)) return quiet(b);
    return out(is_nan(b) ? a : b);
  }
  /// Output modifiers. omod acts only where denormal results are flushed and IEEE is off; it turns
  /// -0 into +0. It multiplies by a power of two, so that its rounding is exact but for overflow.
  template <class F>
  F modified(F value, bool flush) const {
    if (u.omod && flush && !ieee()) {
      if constexpr (std::is_same_v<F, Half>)
        value = narrow(widen(value) * double{kOmod[u.omod]});
      else
        value = value * static_cast<F>(kOmod[u.omod]);
      if (is_denormal(value) || magnitude_bits(value) == 0) value = F{};
    }
    if (u.clamp) {
      if (is_nan(value)) return dx10_clamp() ? F{} : value;
      if (is_negative(value)) return F{};
      constexpr auto kOne = static_cast<FloatBits<F>>(
          ((FloatBits<F>{1} << (FloatFormat<F>::kExponent - 1)) - 1) << FloatFormat<F>::kMantissa);
      if (bits_of(value) > kOne) return std::bit_cast<F>(kOne);
    }
    return value;
  }
  static constexpr float kOmod[] = {1.0f, 2.0f, 4.0f, 0.5f};
};

}  // namespace lockstep::emu
