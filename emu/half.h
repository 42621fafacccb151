// SPDX-License-Identifier: MIT
// f16 and bf16 to and from wider types: exact widening, one rounding when narrowing. No host
// support is used.
#pragma once
#include <bit>
#include <cmath>
#include <cstdint>

#include "emu/lane/values.h"

namespace lockstep::emu {

/// Rounding of a result: MODE's encoding.
enum class Round : uint8_t { kNearestEven = 0, kUp = 1, kDown = 2, kZero = 3 };

/// Exact. NaN payloads are kept in the high mantissa bits; a signalling NaN stays signalling.
inline float widen(Half h) {
  const uint32_t sign = static_cast<uint32_t>(h.bits & 0x8000) << 16;
  const uint32_t exponent = h.bits >> 10 & 31, mantissa = h.bits & 0x3ff;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000 | mantissa << 13);
  if (exponent != 0) return std::bit_cast<float>(sign | (exponent + 112) << 23 | mantissa << 13);
  const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;  // exact: at most 10 bits
  return std::bit_cast<float>(std::bit_cast<uint32_t>(magnitude) | sign);
}
inline float widen(BHalf h) { return std::bit_cast<float>(static_cast<uint32_t>(h.bits) << 16); }

/// Rounds |a| scaled to an integer count of units in the last place, given as integer part and
/// discarded remainder.
inline uint64_t round_units(uint64_t kept, uint64_t rest, uint64_t half, bool negative,
                            Round round) {
  switch (round) {
    case Round::kNearestEven:
      return kept + (rest > half || (rest == half && (kept & 1)));
    case Round::kUp:
      return kept + (!negative && rest != 0);
    case Round::kDown:
      return kept + (negative && rest != 0);
    case Round::kZero:
      return kept;
  }
  return kept;
}

/// Narrows with one rounding. Overflow goes to infinity or the largest value, as the rounding mode
/// says. NaNs become quiet with the top payload bits kept.
inline Half narrow_to_half(double a, Round round = Round::kNearestEven) {
  const uint64_t bits = std::bit_cast<uint64_t>(a);
  const bool negative = bits >> 63;
  const uint16_t sign = negative ? 0x8000 : 0;
  const int exponent = static_cast<int>(bits >> 52 & 0x7ff);
  const uint64_t fraction = bits & 0xfffffffffffff;
  if (exponent == 0x7ff)
    return {static_cast<uint16_t>(sign | 0x7c00 | (fraction ? 0x200 | fraction >> 42 : 0))};
  if (exponent == 0) {  // zero, or a double denormal: far below half's range
    const bool up = fraction != 0 &&
                    ((round == Round::kUp && !negative) || (round == Round::kDown && negative));
    return {static_cast<uint16_t>(sign | up)};
  }
  constexpr int kBiasDelta = 1023 - 15;
  const uint64_t significand = fraction | uint64_t{1} << 52;
  int half_exponent = exponent - kBiasDelta;
  int shift = 42;  // double's 52 fraction bits to half's 10
  if (half_exponent <= 0) {
    shift += 1 - half_exponent;
    half_exponent = 0;
  }
  uint64_t kept = 0, rest = significand, middle = ~uint64_t{0};
  if (shift < 64) {
    kept = significand >> shift;
    rest = significand & ((uint64_t{1} << shift) - 1);
    middle = uint64_t{1} << (shift - 1);
  }
  const uint64_t rounded = round_units(kept, rest, middle, negative, round);
  // A normal's hidden bit adds one to the exponent field; a carry out of the fraction does so too.
  const uint64_t value =
      (half_exponent > 0 ? static_cast<uint64_t>(half_exponent - 1) << 10 : 0) + rounded;
  if (value < 0x7c00) return {static_cast<uint16_t>(sign | value)};
  const bool to_infinity = round == Round::kNearestEven || (round == Round::kUp && !negative) ||
                           (round == Round::kDown && negative);
  return {static_cast<uint16_t>(sign | (to_infinity ? 0x7c00 : 0x7bff))};
}

inline BHalf narrow_to_bfloat(float a, Round round = Round::kNearestEven) {
  const uint32_t bits = std::bit_cast<uint32_t>(a);
  if ((bits & 0x7f800000) == 0x7f800000) {
    const bool nan = bits & 0x007fffff;
    return {static_cast<uint16_t>(bits >> 16 | (nan ? 0x40 : 0))};
  }
  const uint64_t magnitude =
      round_units((bits & 0x7fffffff) >> 16, bits & 0xffff, 0x8000, bits >> 31, round);
  if (magnitude < 0x7f80) return {static_cast<uint16_t>((bits >> 16 & 0x8000) | magnitude)};
  const bool negative = bits >> 31;
  const bool to_infinity = round == Round::kNearestEven || (round == Round::kUp && !negative) ||
                           (round == Round::kDown && negative);
  return {static_cast<uint16_t>((bits >> 16 & 0x8000) | (to_infinity ? 0x7f80 : 0x7f7f))};
}

}  // namespace lockstep::emu
