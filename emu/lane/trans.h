// SPDX-License-Identifier: MIT
// Lane primitives: transcendental functions, computed in double and rounded once by MODE. rcp and
// sqrt are correctly rounded, the others within 0.5001 units of the last place (hardware: 1 unit).
// f64 rcp, rsq and sqrt are accurate to one unit (hardware: about 2^-28).
//
// f32 exp2, log2, rcp, rsq and sqrt flush denormal sources and results whatever MODE says, as
// hardware does (compilers scale around it); sin and cos, f16 and f64 follow MODE.
#pragma once
#include "emu/functions.h"
#include "emu/lane/convert.h"

namespace lockstep::emu {

/// What emu/functions.h asks for, on the host's doubles.
struct HostDoubles {
  static double constant(double value) { return value; }
  static double horner(double p, double x, double c) { return std::fma(p, x, c); }
  static double fma(double a, double b, double c) { return std::fma(a, b, c); }
  static double within(double x, double bound) {
    return x > bound ? bound : x < -bound ? -bound : x;
  }
  static double mul(double a, double b) { return a * b; }
  static double add(double a, double b) { return a + b; }
  static double sub(double a, double b) { return a - b; }
  static double div(double a, double b) { return a / b; }
  static double rndne(double x) { return __builtin_roundeven(x); }
  static double trunc(double x) { return std::trunc(x); }
  /// x * 2^n
  static double scale(double x, double n) {
    return x == x ? std::ldexp(x, static_cast<int>(n)) : x;
  }
  /// The exponent of |x| as a number: infinities for zero and infinity.
  static double exponent(double x) { return std::logb(x); }
  /// |x| times a power of two, in [3/4, 3/2); 1 for zero and infinity; NaN for negative numbers.
  static double significand(double x) {
    if (x < 0) return NAN;
    if (x == 0 || std::isinf(x) || x != x) return x != x ? x : 1.0;
    int e;
    const double m = std::frexp(x, &e);
    return m < 0.75 ? m * 2 : m;
  }
  static double where_zero(double x, double then, double other) { return x == 0 ? then : other; }
  /// The value for quarters + quarter quarter turns: odd ones have their own, the upper two are
  /// negative.
  static double by_quarter(double quarters, int quarter, double even, double odd) {
    if (quarters != quarters) return quarters;
    const int q = static_cast<int>(quarters) + quarter;
    const double value = q & 1 ? odd : even;
    return q & 2 ? -value : value;
  }
};

class LaneTrans : public LaneConvert {
 public:
  using LaneConvert::LaneConvert;

  template <Float F>
  F exp2(F a) const {
    return trans(a, [](double x) {
      HostDoubles h;
      return exp2_of(h, x);
    });
  }
  template <Float F>
  F log2(F a) const {
    return trans(a, [](double x) {
      HostDoubles h;
      return log2_of(h, x);
    });
  }
  template <Float F>
  F rcp(F a) const {
    return trans(a, [](double x) { return 1.0 / x; });
  }
  template <Float F>
  F rsq(F a) const {
    return trans(a, [](double x) { return 1.0 / std::sqrt(x); });
  }
  template <Float F>
  F sqrt(F a) const {
    return trans(a, [](double x) { return std::sqrt(x); });
  }
  /// Sine and cosine of a in revolutions: exact at multiples of a quarter.
  template <Float F>
  F sin(F a) const {
    return result_of(circular(host(a), 0), a);
  }
  template <Float F>
  F cos(F a) const {
    return result_of(circular(host(a), 1), a);
  }

 private:
  template <Float F>
  F result_of(double r, F a) const {
    if constexpr (std::is_same_v<F, float>)
      return result(static_cast<float>(r), a);
    else
      return result(r, a);
  }
  template <Float F, class Fn>
  F trans(F a, Fn function) const {
    if constexpr (std::is_same_v<F, float>) {
      const float r = static_cast<float>(function(is_denormal(a) ? signed_zero(a) : a));
      return r == r ? (is_denormal(r) ? signed_zero(r) : r) : first_nan(a);
    } else {
      return result(function(host(a)), a);
    }
  }
  static double circular(double x, int quarter) {
    HostDoubles h;
    return sine_of_turns(h, x, quarter);
  }
};

}  // namespace lockstep::emu
