// SPDX-License-Identifier: MIT
// EmitPacked: the primitives on pairs, half by half, and the dot products of packed rows.
#pragma once
#include "emu/emit/emit.h"

namespace lockstep::emu {

class EmitPacked : public Emit {
 public:
#define PRIMITIVE(name) using Emit::name;
#include "emu/emit/primitives.def"
#undef PRIMITIVE

  template <class T>
  Pk<T> add(const Pk<T>& a, const Pk<T>& b) {
    if constexpr (Word16<T>)
      return {add_clamp(a.lo, b.lo), add_clamp(a.hi, b.hi)};
    else
      return {add(a.lo, b.lo), add(a.hi, b.hi)};
  }
  template <class T>
  Pk<T> sub(const Pk<T>& a, const Pk<T>& b) {
    if constexpr (Word16<T>)
      return {sub_clamp(a.lo, b.lo), sub_clamp(a.hi, b.hi)};
    else
      return {sub(a.lo, b.lo), sub(a.hi, b.hi)};
  }
#define LOCKSTEP_HALFWISE(name)                  \
  template <class T>                             \
  Pk<T> name(const Pk<T>& a, const Pk<T>& b) {   \
    return {name(a.lo, b.lo), name(a.hi, b.hi)}; \
  }
  LOCKSTEP_HALFWISE(mul)
  LOCKSTEP_HALFWISE(min)
  LOCKSTEP_HALFWISE(max)
  LOCKSTEP_HALFWISE(minimum)
  LOCKSTEP_HALFWISE(maximum)
#undef LOCKSTEP_HALFWISE
  template <class T>
  Pk<T> fma(const Pk<T>& a, const Pk<T>& b, const Pk<T>& c) {
    return {fma(a.lo, b.lo, c.lo), fma(a.hi, b.hi, c.hi)};
  }
  template <class T>
  Pk<T> mad(const Pk<T>& a, const Pk<T>& b, const Pk<T>& c) {
    return {mad_clamp(a.lo, b.lo, c.lo), mad_clamp(a.hi, b.hi, c.hi)};
  }
  Pk<U16> shl_rev(const Pk<U16>& a, const Pk<U16>& b) { return {shl(b.lo, a.lo), shl(b.hi, a.hi)}; }
  Pk<U16> shr_rev(const Pk<U16>& a, const Pk<U16>& b) { return {shr(b.lo, a.lo), shr(b.hi, a.hi)}; }
  Pk<I16> sar_rev(const Pk<U16>& a, const Pk<I16>& b) {
    return {ashr(b.lo, a.lo), ashr(b.hi, a.hi)};
  }
  Pk<U32> pick(const Pk<U32>& a, const Pk<U32>& b) { return {a.lo, b.hi}; }

  // ---- dot products: without the clamp bit, where the sum would have to be exact ----
  /// Halves are not flushed here.
  F32 dot2(const Pk<F16>& a, const Pk<F16>& b, const F32& c) {
    return fma(wide(a.hi), wide(b.hi), fma(wide(a.lo), wide(b.lo), c));
  }
  template <Word32 T>
  T dot4(const U32& a, const U32& b, const T& c) {
    if (clamps()) decline();
    const auto part = [&](const U32& x, bool odd) {
      if constexpr (kSignedHandle<T>)
        return odd ? halves(NodeOp::kSarHalves, x, 8)
                   : halves(NodeOp::kSarHalves, halves(NodeOp::kShlHalves, x, 8), 8);
      else
        return and_(odd ? shr(x, 8) : x, 0x00ff00ffu);
    };
    return add(add(dot<T>(part(a, false), part(b, false)), dot<T>(part(a, true), part(b, true))),
               c);
  }
  template <Word32 T>
  T dot8(const U32& a, const U32& b, const T& c) {
    if (clamps()) decline();
    const auto part = [&](const U32& x, unsigned i) {
      if constexpr (kSignedHandle<T>)
        return halves(NodeOp::kSarHalves, i < 3 ? halves(NodeOp::kShlHalves, x, 12 - 4 * i) : x,
                      12);
      else
        return and_(i ? shr(x, 4 * i) : x, 0x000f000fu);
    };
    T sum = c;
    for (unsigned i = 0; i < 4; ++i) sum = add(sum, dot<T>(part(a, i), part(b, i)));
    return sum;
  }
  I32 dot2_int(const Pk<I16>& a, const Pk<I16>& b, const I32& c) {
    return sum_of_products(a, b, c);
  }
  U32 dot2_int(const Pk<U16>& a, const Pk<U16>& b, const U32& c) {
    return sum_of_products(a, b, c);
  }

 private:
  F32 wide(const F16& a) { return make<F32>(NodeOp::kHToF, a); }
  U32 halves(NodeOp op, const U32& a, unsigned n) { return make<U32>(op, a, {}, {}, n); }
  template <class T>
  T dot(const U32& a, const U32& b) {
    return make<T>(NodeOp::kDotHalves, a, b);
  }
  template <class T, class E>
  T sum_of_products(const Pk<E>& a, const Pk<E>& b, const T& c) {
    if (clamps()) decline();
    return add(add(mul(as<T>(a.lo), as<T>(b.lo)), mul(as<T>(a.hi), as<T>(b.hi))), c);
  }
};

}  // namespace lockstep::emu
