// SPDX-License-Identifier: MIT
// Numbers of the division sequence (lane/div.h), by the width of its type.
#pragma once

namespace lockstep::emu {

struct DivLimits32 {
  static constexpr int kBias = 127, kMantissa = 23;
  static constexpr int kScale = 64;          ///< powers of two that div_scale takes out
  static constexpr int kHugeQuotient = 96;   ///< exponent from which the quotient may overflow
  static constexpr int kTinyNumerator = 23;  ///< raw exponent up to which a numerator is scaled
  static constexpr int kUnderflow = -150;    ///< exponent below which the quotient is zero
};
struct DivLimits64 {
  static constexpr int kBias = 1023, kMantissa = 52;
  static constexpr int kScale = 128;
  static constexpr int kHugeQuotient = 768;
  static constexpr int kTinyNumerator = 53;
  static constexpr int kUnderflow = -1075;
};

}  // namespace lockstep::emu
