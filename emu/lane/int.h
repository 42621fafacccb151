// SPDX-License-Identifier: MIT
// Lane primitives: integers, bits, selection. Arithmetic wraps at the width of its type unless the
// name says otherwise.
#pragma once
#include <algorithm>
#include <bit>
#include <limits>
#include <type_traits>

#include "emu/lane/base.h"

namespace lockstep::emu {

template <class T>
concept Integer = std::is_integral_v<T> && !std::is_same_v<T, bool>;

class LaneInt : public LaneBase {
 public:
  using LaneBase::LaneBase;

  bool pred(bool value) const { return value; }
  bool not_(bool a) const { return !a; }
  /// condition ? a : b, bits untouched
  template <class T>
  T select(bool condition, T a, T b) const {
    return condition ? a : b;
  }

  // ---- wrapping arithmetic: results have the operands' type and width ----
  template <Integer T>
  T add(T a, T b) const {
    return static_cast<T>(wide(a) + wide(b));
  }
  template <Integer T>
  T sub(T a, T b) const {
    return static_cast<T>(wide(a) - wide(b));
  }
  template <Integer T>
  T mul(T a, T b) const {
    return static_cast<T>(wide(a) * wide(b));
  }
  template <Integer T>
  T and_(T a, T b) const {
    return static_cast<T>(a & b);
  }
  template <Integer T>
  T or_(T a, T b) const {
    return static_cast<T>(a | b);
  }
  template <Integer T>
  T xor_(T a, T b) const {
    return static_cast<T>(a ^ b);
  }
  template <Integer T>
  T invert(T a) const {
    return static_cast<T>(~a);
  }
  /// Bits 63:32 of the product of two 32-bit values, signed or unsigned as T is.
  template <Integer T>
  T mul_hi(T a, T b) const {
    static_assert(sizeof(T) == 4);
    using W = std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>;
    return static_cast<T>((W{a} * W{b}) >> 32);
  }

  // ---- arithmetic that obeys the clamp bit: with it, saturation to the range of T; without,
  // wrapping ----
  template <Integer T>
  T add_clamp(T a, T b) const {
    return bounded<T>(Exact{a} + Exact{b});
  }
  template <Integer T>
  T sub_clamp(T a, T b) const {
    return bounded<T>(Exact{a} - Exact{b});
  }
  /// a * b + c, exact before the clamp or wrap to C. Factors may be narrower than the sum.
  template <Integer T, Integer C>
  C mad_clamp(T a, T b, C c) const {
    return bounded<C>(Exact{a} * Exact{b} + Exact{c});
  }

  // ---- carry ----
  /// a + b + carry, with carry out.
  WithMask<uint32_t> add_carry(uint32_t a, uint32_t b, bool carry) const {
    const uint64_t sum = uint64_t{a} + b + carry;
    const bool out = (sum >> 32) != 0;
    return {out && clamp() ? ~uint32_t{0} : static_cast<uint32_t>(sum), out};
  }
  /// a - b - borrow, with borrow out.
  WithMask<uint32_t> sub_borrow(uint32_t a, uint32_t b, bool borrow) const {
    const bool out = uint64_t{b} + borrow > a;
    return {out && clamp() ? 0 : a - b - borrow, out};
  }
  /// a * b + c in 65 bits (two's complement for signed types): low 64 bits and bit 64.
  template <Integer T, Integer W>
  WithMask<W> mad_wide(T a, T b, W c) const {
    const Exact sum = Exact{a} * b + c;
    return {bounded<W>(sum), static_cast<bool>(sum >> 64 & 1)};
  }

  // ---- compares, minimum, maximum ----
  template <Integer T>
  bool lt(T a, T b) const {
    return a < b;
  }
  template <Integer T>
  bool le(T a, T b) const {
    return a <= b;
  }
  template <Integer T>
  bool gt(T a, T b) const {
    return a > b;
  }
  template <Integer T>
  bool ge(T a, T b) const {
    return a >= b;
  }
  template <Integer T>
  bool eq(T a, T b) const {
    return a == b;
  }
  template <Integer T>
  T min(T a, T b) const {
    return a < b ? a : b;
  }
  template <Integer T>
  T max(T a, T b) const {
    return a > b ? a : b;
  }
  template <Integer T>
  T med3(T a, T b, T c) const {
    return max(min(a, b), min(max(a, b), c));
  }

  // ---- shifts: the count is taken modulo the width of the value ----
  template <Integer T, Integer N>
  T shl(T a, N n) const {
    return static_cast<T>(wide(a) << (n & (kBits<T> - 1)));
  }
  template <Integer T, Integer N>
  T shr(T a, N n) const {
    return static_cast<T>(wide(a) >> (n & (kBits<T> - 1)));
  }
  template <Integer T, Integer N>
  T ashr(T a, N n) const {
    return static_cast<T>(static_cast<std::make_signed_t<T>>(a) >> (n & (kBits<T> - 1)));
  }
  /// Bits [n + 31 : n] of the 64-bit value high:low.
  uint32_t funnel_shr(uint32_t high, uint32_t low, uint32_t n) const {
    return static_cast<uint32_t>((uint64_t{high} << 32 | low) >> (n & 31));
  }

  // ---- fields and bits ----
  /// `width` bits of a from bit `offset`; both modulo 32. Width 0 gives 0.
  uint32_t bfe(uint32_t a, uint32_t offset, uint32_t width) const {
    return a >> (offset & 31) & low_ones(width & 31);
  }
  /// The same, sign-extended from its top bit.
  int32_t bfe(int32_t a, uint32_t offset, uint32_t width) const {
    const uint32_t w = width & 31;
    if (w == 0) return 0;
    const uint32_t field = static_cast<uint32_t>(a >> (offset & 31)) & low_ones(w);
    return static_cast<int32_t>(field << (32 - w)) >> (32 - w);
  }
  /// `width` ones from bit `offset`; both modulo 32.
  uint32_t bfm(uint32_t width, uint32_t offset) const {
    return low_ones(width & 31) << (offset & 31);
  }
  /// Bits of a where mask is 1, of b where it is 0.
  uint32_t select_bits(uint32_t mask, uint32_t a, uint32_t b) const {
    return (mask & a) | (~mask & b);
  }
  uint32_t bitrev(uint32_t a) const {
    a = (a >> 1 & 0x55555555) | (a & 0x55555555) << 1;
    a = (a >> 2 & 0x33333333) | (a & 0x33333333) << 2;
    a = (a >> 4 & 0x0f0f0f0f) | (a & 0x0f0f0f0f) << 4;
    return __builtin_bswap32(a);
  }
  uint32_t popcount(uint32_t a) const { return static_cast<uint32_t>(std::popcount(a)); }
  /// Zeros above the highest one; -1 if there is no one.
  int32_t clz(uint32_t a) const { return a ? std::countl_zero(a) : -1; }
  /// Zeros below the lowest one; -1 if there is no one.
  int32_t ctz(uint32_t a) const { return a ? std::countr_zero(a) : -1; }
  /// Bits at the top that equal the sign bit; -1 if all 32 do.
  int32_t cls(int32_t a) const { return clz(static_cast<uint32_t>(a < 0 ? ~a : a)); }

  // ---- width changes ----
  int32_t i24(int32_t a) const { return static_cast<int32_t>(static_cast<uint32_t>(a) << 8) >> 8; }
  uint32_t u24(uint32_t a) const { return a & 0xffffff; }
  int32_t to_i32(int16_t a) const { return a; }
  uint32_t to_u32(uint16_t a) const { return a; }
  uint32_t byte(uint32_t a, unsigned n) const { return a >> (8 * n) & 0xff; }
  uint16_t sat_u16(uint32_t a) const {
    return static_cast<uint16_t>(std::min<uint32_t>(a, 0xffff));
  }
  int16_t sat_i16(int32_t a) const { return static_cast<int16_t>(std::clamp(a, -0x8000, 0x7fff)); }
  uint8_t sat_u8(int32_t a) const { return static_cast<uint8_t>(std::clamp(a, 0, 0xff)); }
  template <class T>
  Pair16<T> pair(T lo, T hi) const {
    return {lo, hi};
  }
  template <class T>
  T lo(Pair16<T> a) const {
    return a.lo;
  }
  template <class T>
  T hi(Pair16<T> a) const {
    return a.hi;
  }

 protected:
  using Exact = __int128;
  template <Integer T>
  static constexpr unsigned kBits = sizeof(T) * 8;
  static uint32_t low_ones(uint32_t n) { return (1u << n) - 1; }
  /// Unsigned and at least 32 bits wide, so that narrow types neither promote to int nor overflow.
  template <Integer T>
  static auto wide(T a) {
    using U = std::make_unsigned_t<T>;
    if constexpr (sizeof(T) < 4)
      return static_cast<uint32_t>(static_cast<U>(a));
    else
      return static_cast<U>(a);
  }
  template <Integer T>
  T bounded(Exact exact) const {
    if (!clamp()) return static_cast<T>(exact);
    if (exact < std::numeric_limits<T>::min()) return std::numeric_limits<T>::min();
    if (exact > std::numeric_limits<T>::max()) return std::numeric_limits<T>::max();
    return static_cast<T>(exact);
  }
};

}  // namespace lockstep::emu
