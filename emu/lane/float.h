// SPDX-License-Identifier: MIT
// Lane primitives: floating-point arithmetic with MODE's denormal handling. The host's rounding mode is set by the
// caller (valu.h) from MODE, so plain host operations round as the guest asks.
#pragma once
#include <bit>
#include <cmath>

#include "emu/lane/int.h"

namespace lockstep::emu {

class LaneFloat : public LaneInt {
 public:
  using LaneInt::LaneInt;
  using LaneInt::add;
  using LaneInt::eq;
  using LaneInt::ge;
  using LaneInt::gt;
  using LaneInt::le;
  using LaneInt::lt;
  using LaneInt::mul;
  using LaneInt::sub;

  // ---- output modifiers: omod, then clamp ----
  template <class T> T finish(T value) const { return value; }
  float finish(float value) const {
    if (u.omod) value = out(value * kOmod[u.omod]);
    if (u.clamp) value = value != value ? (dx10_clamp() ? 0.0f : value) : std::fmin(std::fmax(value, 0.0f), 1.0f);
    return value;
  }

  // ---- denormals ----
  float in(float a) const { return flush_in32() && is_denormal(a) ? std::copysign(0.0f, a) : a; }
  float out(float a) const { return flush_out32() && is_denormal(a) ? std::copysign(0.0f, a) : a; }
  double in(double a) const { return flush_in16_64() && is_denormal(a) ? std::copysign(0.0, a) : a; }
  double out(double a) const { return flush_out16_64() && is_denormal(a) ? std::copysign(0.0, a) : a; }

  float add(float a, float b) const { return out(in(a) + in(b)); }
  float sub(float a, float b) const { return out(in(a) - in(b)); }
  float mul(float a, float b) const { return out(in(a) * in(b)); }
  float fma(float a, float b, float c) const { return out(std::fma(in(a), in(b), in(c))); }
  double add(double a, double b) const { return out(in(a) + in(b)); }
  double mul(double a, double b) const { return out(in(a) * in(b)); }
  double fma(double a, double b, double c) const { return out(std::fma(in(a), in(b), in(c))); }

  bool lt(float a, float b) const { return in(a) < in(b); }
  bool le(float a, float b) const { return in(a) <= in(b); }
  bool gt(float a, float b) const { return in(a) > in(b); }
  bool ge(float a, float b) const { return in(a) >= in(b); }
  bool eq(float a, float b) const { return in(a) == in(b); }
  bool lg(float a, float b) const { return in(a) < in(b) || in(a) > in(b); }
  bool ordered(float a, float b) const { return a == a && b == b; }

 protected:
  static constexpr float kOmod[] = {1.0f, 2.0f, 4.0f, 0.5f};
  static bool is_denormal(float a) {
    const uint32_t bits = std::bit_cast<uint32_t>(a) & 0x7fffffff;
    return bits != 0 && bits < 0x00800000;
  }
  static bool is_denormal(double a) {
    const uint64_t bits = std::bit_cast<uint64_t>(a) & 0x7fffffffffffffff;
    return bits != 0 && bits < 0x0010000000000000;
  }
};

}  // namespace lockstep::emu
