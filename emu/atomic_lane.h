// SPDX-License-Identifier: MIT
// AtomicLane: primitives of atomic rows. A row computes the new value of memory from (old, data,
// cmp). They round to nearest even and keep denormals, whatever MODE says: memory has no MODE.
#pragma once
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "emu/half.h"
#include "emu/lane/values.h"

namespace lockstep::emu {

class AtomicLane {
 public:
  template <class T>
  T select(bool condition, T a, T b) const {
    return condition ? a : b;
  }
  template <class T>
  bool eq(T a, T b) const {
    return a == b;
  }

  template <class T>
  T add(T a, T b) const {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(unsign(a) + unsign(b));
    else
      return sum(a, b);
  }
  template <class T>
  T sub(T a, T b) const {
    return static_cast<T>(unsign(a) - unsign(b));
  }
  PkF16 add(PkF16 a, PkF16 b) const { return {add(a.lo, b.lo), add(a.hi, b.hi)}; }
  PkBF16 add(PkBF16 a, PkBF16 b) const { return {add(a.lo, b.lo), add(a.hi, b.hi)}; }
  template <class T>
  T and_(T a, T b) const {
    return a & b;
  }
  template <class T>
  T or_(T a, T b) const {
    return a | b;
  }
  template <class T>
  T xor_(T a, T b) const {
    return a ^ b;
  }
  template <class T>
  T invert(T a) const {
    return ~a;
  }

  /// Floats: a number wins over a NaN, -0 is below +0.
  template <class T>
  T min(T a, T b) const {
    if constexpr (std::is_floating_point_v<T>)
      return below(b, a) ? b : a;
    else
      return b < a ? b : a;
  }
  template <class T>
  T max(T a, T b) const {
    if constexpr (std::is_floating_point_v<T>)
      return std::isnan(a) || (!std::isnan(b) && below(a, b)) ? b : a;
    else
      return a < b ? b : a;
  }
  /// Counts up to `limit` and then starts at 0; counts down and starts again at `limit`.
  template <class T>
  T count_up(T old, T limit) const {
    return old >= limit ? 0 : old + 1;
  }
  template <class T>
  T count_down(T old, T limit) const {
    return old == 0 || old > limit ? limit : old - 1;
  }
  /// old - amount, but not below 0; and: only if there is that much.
  template <class T>
  T sub_clamp(T old, T amount) const {
    return old < amount ? 0 : old - amount;
  }
  template <class T>
  T sub_if(T old, T amount) const {
    return old >= amount ? old - amount : old;
  }
  template <class T>
  T ge_sub_or_add(T old, T bound, T step) const {
    return old >= bound ? old - bound : old + step;
  }
  /// Each half whose data has bit 31 set is replaced by the other 31 bits.
  uint64_t exchange_marked(uint64_t old, uint64_t data) const {
    uint64_t out = old;
    for (unsigned shift = 0; shift < 64; shift += 32) {
      if (!(data >> shift & 0x80000000)) continue;
      out = (out & ~(uint64_t{0xffffffff} << shift)) | (data >> shift & 0x7fffffff) << shift;
    }
    return out;
  }

 private:
  template <class T>
  static std::make_unsigned_t<T> unsign(T a) {
    return static_cast<std::make_unsigned_t<T>>(a);
  }
  /// Of two NaNs the first one is the result, whichever way the compiler turns the operands.
  template <class T>
  static T sum(T a, T b) {
    return std::isnan(a) ? a + a : a + b;
  }
  static Half add(Half a, Half b) {
    return narrow_to_half(sum<double>(double{widen(a)}, double{widen(b)}));
  }
  static BHalf add(BHalf a, BHalf b) {
    // The sum of two bf16 values can need more bits than a float has: round to odd first, so that
    // one rounding remains.
    return narrow_to_bfloat(round_to_odd(sum<double>(double{widen(a)}, double{widen(b)})));
  }
  static float round_to_odd(double a) {
    const float near = static_cast<float>(a);
    if (static_cast<double>(near) == a || std::isnan(near) || std::isinf(near)) return near;
    const float toward_zero =
        std::fabs(static_cast<double>(near)) > std::fabs(a) ? std::nextafter(near, 0.0f) : near;
    return std::bit_cast<float>(std::bit_cast<uint32_t>(toward_zero) | 1u);
  }
  template <class T>
  static bool below(T a, T b) {
    if (std::isnan(a)) return false;
    if (std::isnan(b)) return true;
    return a < b || (a == b && std::signbit(a) && !std::signbit(b));
  }
};

}  // namespace lockstep::emu
