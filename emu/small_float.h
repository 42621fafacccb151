// SPDX-License-Identifier: MIT
// 8-, 6- and 4-bit floats: exact decoding, and encoding with one rounding (nearest even or
// stochastic).
#pragma once
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include "isa/target.h"

namespace lockstep::emu {

/// What a format does with its largest codes.
enum class TopCodes : uint8_t {
  kInfinityAndNan,  ///< as IEEE: the top exponent holds infinity and NaNs (e5m2)
  kOneNan,          ///< only the code of all ones is a NaN, there is no infinity (e4m3)
  kNegativeZero,    ///< the code of minus zero is the NaN, nothing else is special ("fnuz")
  kNone,            ///< every code is a number (6 and 4 bits)
};

struct SmallFloat {
  uint8_t exponent_bits, mantissa_bits;
  int8_t bias;
  TopCodes top;

  constexpr unsigned bits() const { return 1u + exponent_bits + mantissa_bits; }
  constexpr uint32_t sign_bit() const { return 1u << (bits() - 1); }
  /// Magnitude code of the largest finite value.
  constexpr uint32_t largest() const {
    const uint32_t all = sign_bit() - 1;
    switch (top) {
      case TopCodes::kInfinityAndNan:
        return all - (1u << mantissa_bits);
      case TopCodes::kOneNan:
        return all - 1;
      default:
        return all;
    }
  }
  constexpr bool has_infinity() const { return top == TopCodes::kInfinityAndNan; }
  constexpr bool has_nan() const { return top != TopCodes::kNone; }
  friend constexpr bool operator==(const SmallFloat&, const SmallFloat&) = default;
};

inline constexpr SmallFloat kFp8{4, 3, 7, TopCodes::kOneNan},
    kBf8{5, 2, 15, TopCodes::kInfinityAndNan}, kFp8Fnuz{4, 3, 8, TopCodes::kNegativeZero},
    kBf8Fnuz{5, 2, 16, TopCodes::kNegativeZero}, kFp6{2, 3, 1, TopCodes::kNone},
    kBf6{3, 2, 3, TopCodes::kNone}, kFp4{2, 1, 1, TopCodes::kNone};

/// gfx942 has the formats without minus zero and infinity, later targets those of the OCP standard.
constexpr SmallFloat fp8_of(isa::Isa isa) { return isa == isa::Isa::kGfx942 ? kFp8Fnuz : kFp8; }
constexpr SmallFloat bf8_of(isa::Isa isa) { return isa == isa::Isa::kGfx942 ? kBf8Fnuz : kBf8; }

/// Exact.
constexpr float decode_small(const SmallFloat& f, uint32_t code) {
  const bool negative = code & f.sign_bit();
  const uint32_t magnitude = code & (f.sign_bit() - 1);
  const uint32_t sign = negative ? 0x80000000u : 0;
  constexpr uint32_t kQuietNan = 0x7fc00000;
  if (f.top == TopCodes::kNegativeZero && negative && magnitude == 0)
    return std::bit_cast<float>(kQuietNan);
  if (f.top == TopCodes::kOneNan && magnitude == f.sign_bit() - 1)
    return std::bit_cast<float>(sign | kQuietNan);
  const uint32_t exponent = magnitude >> f.mantissa_bits,
                 mantissa = magnitude & ((1u << f.mantissa_bits) - 1);
  if (f.top == TopCodes::kInfinityAndNan && exponent == (1u << f.exponent_bits) - 1)
    return std::bit_cast<float>(sign | (mantissa ? kQuietNan : 0x7f800000u));
  const int scale = (exponent ? static_cast<int>(exponent) : 1) - f.bias - f.mantissa_bits;
  const auto significand = static_cast<float>(mantissa | (exponent ? 1u << f.mantissa_bits : 0));
  const float power = std::bit_cast<float>(static_cast<uint32_t>(scale + 127) << 23);
  return std::bit_cast<float>(std::bit_cast<uint32_t>(significand * power) | sign);
}

/// How a value that lies between two codes is rounded: to the nearest, ties to even, or with the
/// top bits of `random` added below the last kept bit (the sum's carry decides).
struct SmallRounding {
  bool stochastic = false;
  uint32_t random = 0;
};
/// What becomes of values beyond the largest finite one.
enum class Overflow : uint8_t { kSaturate, kSpecial };

/// `value` may be any double. kSpecial gives infinity, or NaN in formats without infinity; formats
/// without either saturate. A NaN becomes the format's NaN (largest value if it has none).
inline uint32_t encode_small(const SmallFloat& f, double value, SmallRounding rounding,
                             Overflow overflow) {
  const uint64_t bits = std::bit_cast<uint64_t>(value);
  const bool negative = bits >> 63;
  const uint32_t sign = negative ? f.sign_bit() : 0;
  const uint32_t all = f.sign_bit() - 1;
  const bool fnuz = f.top == TopCodes::kNegativeZero;
  const uint32_t nan = fnuz ? f.sign_bit() : f.has_nan() ? sign | all : sign | f.largest();
  if (std::isnan(value)) return nan;
  const uint32_t beyond = f.has_infinity() ? sign | (f.largest() + 1) : nan;
  if (std::isinf(value)) return overflow == Overflow::kSpecial ? beyond : sign | f.largest();
  if (value == 0) return fnuz ? 0 : sign;
  int exponent = static_cast<int>(bits >> 52 & 0x7ff) - 1023;
  uint64_t significand = (bits & 0xfffffffffffff) | uint64_t{1} << 52;
  if ((bits >> 52 & 0x7ff) == 0) {  // a double denormal: far below every format
    exponent = -1022;
    significand &= ~(uint64_t{1} << 52);
  }
  int field = exponent + f.bias;
  int shift = 52 - f.mantissa_bits;
  if (field <= 0) {
    shift += 1 - field;
    field = 1;
  }
  constexpr int kRandomBits = 32;
  uint64_t kept = 0;
  if (shift < 64) {
    kept = significand >> shift;
    const uint64_t rest = significand & ((uint64_t{1} << shift) - 1);
    if (rounding.stochastic) {
      const uint64_t noise = shift >= kRandomBits
                                 ? uint64_t{rounding.random} << (shift - kRandomBits)
                                 : rounding.random >> (kRandomBits - shift);
      // The carry of rest + noise, without overflow of 64 bits.
      kept += noise >= (uint64_t{1} << shift) - rest;
    } else {
      const uint64_t half = uint64_t{1} << (shift - 1);
      kept += rest > half || (rest == half && (kept & 1));
    }
  }
  // A normal's hidden bit adds one to the exponent field; a carry out of the fraction does so too.
  const uint64_t magnitude = (static_cast<uint64_t>(field - 1) << f.mantissa_bits) + kept;
  if (magnitude > f.largest()) return overflow == Overflow::kSpecial ? beyond : sign | f.largest();
  if (magnitude == 0 && fnuz) return 0;
  return sign | static_cast<uint32_t>(magnitude);
}

/// All values of a format, for engines that decode many elements.
template <SmallFloat F>
inline constexpr auto kSmallValues = [] {
  std::array<float, size_t{1} << F.bits()> values{};
  for (size_t i = 0; i < values.size(); ++i) values[i] = decode_small(F, static_cast<uint32_t>(i));
  return values;
}();

}  // namespace lockstep::emu
