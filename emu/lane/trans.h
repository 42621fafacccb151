// SPDX-License-Identifier: MIT
// Lane primitives: transcendental functions, computed in double and rounded once by MODE. rcp and
// sqrt are correctly rounded, the others within 0.5001 units of the last place (hardware: 1 unit).
// f64 rcp, rsq and sqrt are accurate to one unit (hardware: about 2^-28).
//
// f32 exp2, log2, rcp, rsq and sqrt flush denormal sources and results whatever MODE says, as
// hardware does (compilers scale around it); sin and cos, f16 and f64 follow MODE.
#pragma once
#include "emu/lane/convert.h"

namespace lockstep::emu {

class LaneTrans : public LaneConvert {
 public:
  using LaneConvert::LaneConvert;

  template <Float F>
  F exp2(F a) const {
    return trans(a, [](double x) { return std::exp2(x); });
  }
  template <Float F>
  F log2(F a) const {
    return trans(a, [](double x) { return std::log2(x); });
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
  /// sin(2 pi (x + quarter / 4)). The argument is reduced to an eighth of a turn exactly. Zeros are
  /// +0, also at negative whole turns; only the sine of -0 is -0.
  static double circular(double x, int quarter) {
    if (!std::isfinite(x)) return NAN;
    const double turn = x - std::trunc(x);
    const double quarters = nearest_even(turn * 4);  // -4..4
    const double angle = (turn - quarters * 0.25) * kTwoPi;
    if (angle == 0 && !((static_cast<int>(quarters) + quarter) & 1))
      return x == 0 && quarter == 0 ? x : 0.0;
    switch ((static_cast<int>(quarters) + quarter) & 3) {
      case 0:
        return std::sin(angle);
      case 1:
        return std::cos(angle);
      case 2:
        return -std::sin(angle);
      default:
        return -std::cos(angle);
    }
  }
  static constexpr double kTwoPi = 6.283185307179586476925286766559;
};

}  // namespace lockstep::emu
