// SPDX-License-Identifier: MIT
// Floating-point references that share nothing with the emulator: exact sums and products as long
// fixed-point numbers, and rounding found by comparing with the neighbours of a candidate.
#pragma once
#include <array>
#include <cstdint>
#include <string>

namespace lockstep::emu::testing {

/// Two's complement fixed point wide enough for any product of two doubles plus a double.
class Exact {
 public:
  static constexpr int kWords = 70, kPoint = 2200;  ///< bits right of the point

  Exact() = default;
  /// m * 2^e for any integer m.
  Exact(__int128 m, int e) {
    const bool negative = m < 0;
    auto u = static_cast<unsigned __int128>(negative ? -m : m);
    const int shift = e + kPoint;
    const auto word = static_cast<size_t>(shift / 64);
    const int bit = shift % 64;
    const auto low = static_cast<uint64_t>(u), high = static_cast<uint64_t>(u >> 64);
    words_[word] = low << bit;
    words_[word + 1] = high << bit | (bit ? low >> (64 - bit) : 0);
    words_[word + 2] = bit ? high >> (64 - bit) : 0;
    if (negative) *this = -*this;
  }
  Exact operator-() const {
    Exact r;
    uint64_t carry = 1;
    for (int i = 0; i < kWords; ++i) {
      r.words_[i] = ~words_[i] + carry;
      carry = carry && r.words_[i] == 0;
    }
    return r;
  }
  Exact operator+(const Exact& o) const {
    Exact r;
    uint64_t carry = 0;
    for (int i = 0; i < kWords; ++i) {
      const auto sum = static_cast<unsigned __int128>(words_[i]) + o.words_[i] + carry;
      r.words_[i] = static_cast<uint64_t>(sum);
      carry = static_cast<uint64_t>(sum >> 64);
    }
    return r;
  }
  Exact operator-(const Exact& o) const { return *this + -o; }
  /// Compares two non-negative values.
  bool at_least(const Exact& o) const {
    for (size_t i = kWords; i-- > 0;)
      if (words_[i] != o.words_[i]) return words_[i] > o.words_[i];
    return true;
  }
  int sign() const {
    if (words_[kWords - 1] >> 63) return -1;
    for (uint64_t w : words_)
      if (w) return 1;
    return 0;
  }

 private:
  std::array<uint64_t, kWords> words_{};
};

/// A binary format by its widths: f16 is {10, 5}.
struct BinaryFormat {
  int mantissa, exponent;
  int bias() const { return (1 << (exponent - 1)) - 1; }
  uint64_t sign_bit() const { return uint64_t{1} << (mantissa + exponent); }
  uint64_t infinity() const { return ((uint64_t{1} << exponent) - 1) << mantissa; }
  uint64_t largest() const { return infinity() - 1; }
  uint64_t quiet_bit() const { return uint64_t{1} << (mantissa - 1); }
  uint64_t default_nan() const { return sign_bit() | infinity() | quiet_bit(); }
  bool nan(uint64_t x) const { return (x & ~sign_bit() & ((sign_bit() << 1) - 1)) > infinity(); }
  bool inf(uint64_t x) const { return (x & ~sign_bit()) == infinity(); }
  bool zero(uint64_t x) const { return (x & ~sign_bit()) == 0; }
  bool negative(uint64_t x) const { return x & sign_bit(); }
  bool denormal(uint64_t x) const {
    return !zero(x) && (x & ~sign_bit()) < (uint64_t{1} << mantissa);
  }
  /// Significand and exponent of a finite value: value = m * 2^e.
  void split(uint64_t x, __int128& m, int& e) const {
    const int field = static_cast<int>((x & ~sign_bit()) >> mantissa);
    m = static_cast<__int128>(x & ((uint64_t{1} << mantissa) - 1));
    if (field) m += static_cast<__int128>(1) << mantissa;
    e = (field ? field : 1) - bias() - mantissa;
    if (negative(x)) m = -m;
  }
  Exact value(uint64_t x) const {
    __int128 m;
    int e;
    split(x, m, e);
    return Exact(m, e);
  }
  Exact product(uint64_t x, uint64_t y) const {
    __int128 mx, my;
    int ex, ey;
    split(x, mx, ex), split(y, my, ey);
    return Exact(mx * my, ex + ey);
  }
};
inline constexpr BinaryFormat kF16{10, 5}, kF32{23, 8}, kF64{52, 11};

/// The result of rounding a non-zero exact value: 0 nearest even, 1 up, 2 down, 3 toward zero.
/// Found by bisection over the magnitudes of the format.
inline uint64_t rounded(const BinaryFormat& f, const Exact& exact, int mode) {
  const bool negative = exact.sign() < 0;
  const Exact magnitude = negative ? -exact : exact;
  uint64_t low = 0, high = f.infinity();  // value(low) <= magnitude < value(high); infinity counts
                                          // as 2^(emax + 1)
  const auto value = [&](uint64_t x) {
    return x == f.infinity() ? Exact(1, f.bias() + 1) : f.value(x);
  };
  if (magnitude.at_least(value(high))) low = high;
  while (low + 1 < high) {
    const uint64_t middle = (low + high) / 2;
    (magnitude.at_least(value(middle)) ? low : high) = middle;
  }
  const uint64_t sign = negative ? f.sign_bit() : 0;
  const bool toward_infinity = mode == 0 || (mode == 1 && !negative) || (mode == 2 && negative);
  if (low == f.infinity()) return sign | (toward_infinity ? f.infinity() : f.largest());
  const Exact below = magnitude - value(low), above = value(high) - magnitude;
  if (below.sign() == 0) return sign | low;
  bool up = false;
  if (mode == 0) {
    const int side = (below - above).sign();
    up = side > 0 || (side == 0 && (low & 1));
  } else {
    up = toward_infinity;
  }
  return sign | (up ? high : low);
}

}  // namespace lockstep::emu::testing
