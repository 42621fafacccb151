// SPDX-License-Identifier: MIT
// Lane primitives: integers, bits, selection.
#pragma once
#include <bit>
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

  // Wrapping arithmetic: results have the operands' type and width.
  template <Integer T> T add(T a, T b) const { return static_cast<T>(wide(a) + wide(b)); }
  template <Integer T> T sub(T a, T b) const { return static_cast<T>(wide(a) - wide(b)); }
  template <Integer T> T mul(T a, T b) const { return static_cast<T>(wide(a) * wide(b)); }
  template <Integer T> T and_(T a, T b) const { return static_cast<T>(a & b); }
  template <Integer T> T or_(T a, T b) const { return static_cast<T>(a | b); }
  template <Integer T> T xor_(T a, T b) const { return static_cast<T>(a ^ b); }
  template <Integer T> T invert(T a) const { return static_cast<T>(~a); }

  // Compares.
  template <Integer T> bool lt(T a, T b) const { return a < b; }
  template <Integer T> bool le(T a, T b) const { return a <= b; }
  template <Integer T> bool gt(T a, T b) const { return a > b; }
  template <Integer T> bool ge(T a, T b) const { return a >= b; }
  template <Integer T> bool eq(T a, T b) const { return a == b; }

  /// condition ? a : b
  template <class T> T select(bool condition, T a, T b) const { return condition ? a : b; }

  /// a + b + carry with carry out.
  WithMask<uint32_t> add_carry(uint32_t a, uint32_t b, bool carry) const {
    const uint64_t sum = uint64_t{a} + b + carry;
    return {static_cast<uint32_t>(sum), (sum >> 32) != 0};
  }

 protected:
  /// Unsigned and at least 32 bits wide, so that narrow types neither promote to int nor overflow.
  template <Integer T>
  static auto wide(T a) {
    using U = std::make_unsigned_t<T>;
    if constexpr (sizeof(T) < 4) return static_cast<uint32_t>(static_cast<U>(a));
    else return static_cast<U>(a);
  }
};

}  // namespace lockstep::emu
