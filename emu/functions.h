// SPDX-License-Identifier: MIT
// exp2, log2, sine and cosine as fixed algorithms in double, written once for both machines: Lane
// runs them on host doubles, Emit records them. `H` gives the operations, each exact or rounded
// once. Errors before the final rounding to f32 or f16 are below 2^-40 of the result, so that
// results are within 0.5001 units of the last place. Polynomials: Chebyshev interpolation of the
// relative error, in 60 digits, coefficients rounded to double.
#pragma once
#include <array>
#include <cstddef>

namespace lockstep::emu {

/// Horner's rule; the first coefficient is that of the highest power.
template <class H, class D, std::size_t N>
D polynomial(H& h, const D& x, const std::array<double, N>& c) {
  D p = h.horner(h.constant(c[0]), x, c[1]);
  for (std::size_t i = 2; i < N; ++i) p = h.horner(p, x, c[i]);
  return p;
}

/// 2^x; exact where x is an integer.
template <class H, class D>
D exp2_of(H& h, D x) {
  static constexpr std::array<double, 10> kCoefficients = {
      0x1.b63880a30e9ffp-24, 0x1.63d136366db24p-20,
      0x1.ffcb9515a8016p-17, 0x1.4308ac85aa947p-13,
      0x1.5d87fe86fe88ep-10, 0x1.3b2ab7181b755p-7,
      0x1.c6b08d7047e52p-5,  0x1.ebfbdff823cedp-3,
      0x1.62e42fefa39efp-1,  1};
  constexpr double kBeyondRange = 1100;
  x = h.within(x, kBeyondRange);
  const D whole = h.rndne(x);
  return h.scale(polynomial(h, h.sub(x, whole), kCoefficients), whole);
}

/// Base-2 logarithm; exact where x is a power of two. x = m * 2^e with m in [3/4, 3/2).
template <class H, class D>
D log2_of(H& h, const D& x) {
  static constexpr std::array<double, 7> kCoefficients = {
      0x1.010e4a12e40dap-2, 0x1.0aecdf0312a53p-2, 0x1.4856eee982005p-2, 0x1.a61737e345514p-2,
      0x1.2776c5339ae32p-1, 0x1.ec709dc388c36p-1, 0x1.71547652b8308p+1};
  constexpr double kFourThirds = 0x1.5555555555556p0;
  const D e = h.exponent(h.mul(x, kFourThirds));
  const D m = h.significand(x);
  const D s = h.div(h.add(m, -1), h.add(m, 1));
  return h.fma(s, polynomial(h, h.mul(s, s), kCoefficients), e);
}

/// sin(2 pi (x + quarter / 4)). The argument is reduced to an eighth of a turn exactly. Zeros are
/// +0, also at negative whole turns; only the sine of -0 is -0.
template <class H, class D>
D sine_of_turns(H& h, const D& x, int quarter) {
  static constexpr std::array<double, 6> kSine = {-0x1.dd54805f3de10p+3, 0x1.5071ce4b478ebp+5,
                                                  -0x1.32d2c644adc0ap+6, 0x1.466bc67123fa1p+6,
                                                  -0x1.4abbce6257a2ap+5, 0x1.921fb54442cfap+2};
  static constexpr std::array<double, 7> kCosine = {0x1.f4b536b45672fp+2,
                                                    -0x1.a6cc32d07dc5ap+4,
                                                    0x1.e1f50093e4c8fp+5,
                                                    -0x1.55d3c7e10153fp+6,
                                                    0x1.03c1f081b4b74p+6,
                                                    -0x1.3bd3cc9be45dbp+4,
                                                    1};
  const D turn = h.sub(x, h.trunc(x));
  const D quarters = h.rndne(h.mul(turn, 4));
  const D t = h.fma(quarters, h.constant(-0.25), turn);
  const D z = h.mul(t, t);
  const D odd = polynomial(h, z, kCosine);
  const D even = h.mul(t, polynomial(h, z, kSine));
  const D value = h.by_quarter(quarters, quarter, even, odd);
  const D zero = h.constant(0);
  return h.where_zero(value, quarter == 0 ? h.where_zero(x, x, zero) : zero, value);
}

}  // namespace lockstep::emu
