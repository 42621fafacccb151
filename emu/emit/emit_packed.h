// SPDX-License-Identifier: MIT
// EmitPacked: the primitives on pairs, half by half, and the dot products of packed rows.
#pragma once
#include "emu/emit/emit_media.h"

namespace lockstep::emu {

class EmitPacked : public EmitMedia {
 public:
#define PRIMITIVE(name) using EmitMedia::name;
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

  /// neg_lo[0] and neg_lo[1] say which of A and B are signed.
  I32 dot4_iu(const U32& a, const U32& b, const I32& c) { return dot_iu(a, b, c, 8); }
  I32 dot8_iu(const U32& a, const U32& b, const I32& c) { return dot_iu(a, b, c, 4); }
  /// Halves are not flushed here.
  F32 dot2(const Pk<F16>& a, const Pk<F16>& b, const F32& c) {
    return fma(wide(a.hi), wide(b.hi), fma(wide(a.lo), wide(b.lo), c));
  }
  F32 dot2(const Pk<BF16>& a, const Pk<BF16>& b, const F32& c) {
    const F32 ah = to_f32(a.hi), bh = to_f32(b.hi), al = to_f32(a.lo), bl = to_f32(b.lo);
    return make<F32>(NodeOp::kWhereGfx9, add(fma(ah, bh, mul(al, bl)), c),
                     fma(ah, bh, fma(al, bl, c)));
  }

 private:
  I32 dot_iu(const U32& a, const U32& b, I32 sum, unsigned bits) {
    if (clamps()) decline();
    const auto part = [&](const U32& x, unsigned source, unsigned i) {
      const unsigned up = 16 - bits * (i + 1);
      return halves(NodeOp::kExtendHalves, up ? halves(NodeOp::kShlHalves, x, up) : x,
                    (16 - bits) | source << 8);
    };
    for (unsigned i = 0; i < 16 / bits; ++i) sum = add(sum, dot<I32>(part(a, 0, i), part(b, 1, i)));
    return sum;
  }
  F32 wide(const F16& a) { return make<F32>(NodeOp::kHToF, a); }
};

}  // namespace lockstep::emu
