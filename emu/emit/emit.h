// SPDX-License-Identifier: MIT
// Emit, the second machine: the same row expressions that Lane executes are recorded as recipes.
// A row that meets a primitive which is not recorded keeps its Lane handler. Here: halves, and what
// all of it is for the recorder.
#pragma once
#include "emu/emit/emit_div.h"

namespace lockstep::emu {

/// Primitives of vector and scalar rows. Halves are computed in f32 and narrowed once: sums,
/// products, quotients and roots are innocuously rounded there (24 >= 2 * 11 + 2 bits), sums of
/// products and functions are rounded to odd on the way.
class Emit : public EmitDiv {
 public:
#define PRIMITIVE(name) using EmitDiv::name;
#include "emu/emit/primitives.def"
#undef PRIMITIVE

  F16 add(const F16& a, const F16& b) { return halved(NodeOp::kAddF, a, b); }
  F16 sub(const F16& a, const F16& b) { return halved(NodeOp::kSubF, a, b); }
  F16 mul(const F16& a, const F16& b) { return halved(NodeOp::kMulF, a, b); }
  F16 fma(const F16& a, const F16& b, const F16& c) {
    return narrow(make<F32>(NodeOp::kFmaOddF, widened(a), widened(b), widened(c)));
  }
#define LOCKSTEP_COMPARE(name, op) \
  Pred name(const F16& a, const F16& b) { return make<Pred>(NodeOp::op, widened(a), widened(b)); }
  LOCKSTEP_COMPARE(eq, kEqF)
  LOCKSTEP_COMPARE(lt, kLtF)
  LOCKSTEP_COMPARE(le, kLeF)
  LOCKSTEP_COMPARE(gt, kGtF)
  LOCKSTEP_COMPARE(ge, kGeF)
  LOCKSTEP_COMPARE(lg, kLgF)
  LOCKSTEP_COMPARE(ordered, kOrderedF)
#undef LOCKSTEP_COMPARE
#define LOCKSTEP_MINMAX(name, op)                                \
  F16 name(const F16& a, const F16& b) {                         \
    return unordered(make<F32>(NodeOp::op, order(a), order(b))); \
  }
  LOCKSTEP_MINMAX(min, kMinF)
  LOCKSTEP_MINMAX(max, kMaxF)
  LOCKSTEP_MINMAX(minimum, kMinimumF)
  LOCKSTEP_MINMAX(maximum, kMaximumF)
#undef LOCKSTEP_MINMAX
  F16 med3(const F16& a, const F16& b, const F16& c) {
    const F16 least = min(min(a, b), c), middle = max(min(a, b), min(max(a, b), c));
    return select(and_pred(ordered(a, b), ordered(c, c)), middle, least);
  }
  Pred fp_class(const F16& a, const U16& mask) {
    return make<Pred>(NodeOp::kClassF, make<F32>(NodeOp::kHOrder, a), mask);
  }
#define LOCKSTEP_PART(name, op) \
  F16 name(const F16& a) { return narrow(make<F32>(NodeOp::op, widened(a))); }
  LOCKSTEP_PART(trunc, kTruncF)
  LOCKSTEP_PART(floor, kFloorF)
  LOCKSTEP_PART(ceil, kCeilF)
  LOCKSTEP_PART(rndne, kRndneF)
  LOCKSTEP_PART(sqrt, kSqrtF)
  LOCKSTEP_PART(rcp, kRcpF)
  LOCKSTEP_PART(frexp_mant, kFrexpMantF)
#undef LOCKSTEP_PART
  I32 frexp_exp(const F16& a) { return make<I32>(NodeOp::kFrexpExpF, widened(a)); }
  F16 fract(const F16& a) {
    const F32 x = widened(a);
    const F16 r = narrow(make<F32>(NodeOp::kSubF, x, make<F32>(NodeOp::kFloorF, x)));
    const Pred one = make<Pred>(NodeOp::kEq, r, constant<U32>(0x3c00));
    return select(one, as<F16>(constant<U32>(0x3bff)), r);
  }
  F16 ldexp(const F16& a, const I16& n) { return narrow(scaled(widened(a), as<I32>(n), 100)); }
  F16 rsq(const F16& a) { return from_double(rsq_of(to_double(a))); }
  F16 exp2(const F16& a) { return from_double(exp2_d(to_double(a))); }
  F16 log2(const F16& a) { return from_double(log2_d(to_double(a))); }
  F16 sin(const F16& a) { return from_double(sine_d(to_double(a), 0)); }
  F16 cos(const F16& a) { return from_double(sine_d(to_double(a), 1)); }

  // ---- conversions ----
  F32 to_f32(const F16& a) { return widened(a); }
  F16 to_f16(const F32& a) { return narrow(in(a)); }
  F16 to_f16_nearest(const F32& a) { return to_f16(a); }  // compiled only where MODE says so
  F16 to_f16(const I16& a) { return make<F16>(NodeOp::kFToH, make<F32>(NodeOp::kI32ToF, a)); }
  F16 to_f16(const U16& a) { return make<F16>(NodeOp::kFToH, make<F32>(NodeOp::kI32ToF, a)); }
  F16 to_f16_rtz(const F32& a) {
    return make<F16>(NodeOp::kFlushOutH, make<F16>(NodeOp::kFToHZero, in(a)));
  }
  I16 to_i16(const F16& a) { return sat_i16(make<I32>(NodeOp::kFToI32, widened(a))); }
  U16 to_u16(const F16& a) { return sat_u16(make<U32>(NodeOp::kFToU32, widened(a))); }

  I16 to_snorm16(const F16& a) { return sat_i16(norm(widened(a), 32767)); }
  U16 to_unorm16(const F16& a) { return as<U16>(positive(norm(widened(a), 65535))); }
  F32 to_f32(const BF16& a) { return as<F32>(shl(as<U32>(a), 16)); }
  BF16 to_bf16(const F32& a) { return narrowed_to_bf16(in(a)); }
  F16 div_fixup(const F16& a, const F16& b0, const F16& c0) {
    const auto magnitude = [&](const F16& x) { return and_(as<U32>(x), 0x7fffu); };
    const auto is = [&](const U32& x, uint32_t bits) { return flag(eq(x, constant<U32>(bits))); };
    const auto with_quiet = [&](const F16& x) { return or_(as<U32>(x), constant<U32>(0x200)); };
    const F16 b = in(b0), c = in(c0);
    const U32 sign = and_(xor_(as<U32>(b), as<U32>(c)), 0x8000u);
    const U32 mb = magnitude(b), mc = magnitude(c), infinity = constant<U32>(0x7c00);
    const U32 zero_b = is(mb, 0), zero_c = is(mc, 0);
    const U32 infinite_b = is(mb, 0x7c00), infinite_c = is(mc, 0x7c00);
    const U32 quotient = magnitude(a);
    const U32 quiet_bit = and_(flag(lt(infinity, quotient)), 0x200u);
    U32 r = as<U32>(out(as<F16>(or_(or_(quotient, quiet_bit), sign))));
    r = select_bits(or_(infinite_b, zero_c), sign, r);
    r = select_bits(or_(zero_b, infinite_c), or_(infinity, sign), r);
    r = select_bits(or_(and_(zero_b, zero_c), and_(infinite_b, infinite_c)), constant<U32>(0xfe00),
                    r);
    r = select_bits(flag(lt(infinity, mb)), with_quiet(b), r);
    return as<F16>(select_bits(flag(lt(infinity, mc)), with_quiet(c), r));
  }
  Pred vcc() { return leaf<Pred>(NodeOp::kVccMask, 0); }

  // ---- pairs ----
  template <class T>
    requires std::is_base_of_v<Handle, T>
  Pk<T> pair(const T& lo, const T& hi) {
    return {lo, hi};
  }
  template <class T>
  T lo(const Pk<T>& a) {
    return a.lo;
  }
  template <class T>
  T hi(const Pk<T>& a) {
    return a.hi;
  }
  U32 pack(const F16& lo, const F16& hi) { return make<U32>(NodeOp::kPack, lo, hi); }
  F32 dot2(const Pk<F16>& a, const Pk<F16>& b, const F32& c) {
    return fma(widened(a.hi), widened(b.hi), fma(widened(a.lo), widened(b.lo), c));
  }
  F16 dot2(const Pk<F16>& a, const Pk<F16>& b, const F16& c) {
    return fma(a.hi, b.hi, fma(a.lo, b.lo, c));
  }

  BF16 dot2(const Pk<BF16>& a, const Pk<BF16>& b, const BF16& c) {
    const BF16 first = to_bf16(fma(to_f32(a.lo), to_f32(b.lo), to_f32(c)));
    return to_bf16(fma(to_f32(a.hi), to_f32(b.hi), to_f32(first)));
  }

  // ---- dot products of integers: without the clamp bit, where the sum would have to be exact ----
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

  U16 sat_pk_u8(const Pk<I16>& a) {
    const auto byte = [&](const I16& x) {
      return as<U32>(min(max(as<I32>(x), number(0)), number(0xff)));
    };
    return as<U16>(or_(byte(a.lo), shl(byte(a.hi), 8)));
  }

  /// The roots of a packed result.
  template <class T>
  void packed_result(const Pk<T>& r) {
    if constexpr (std::is_same_v<T, F32> || std::is_same_v<T, U32>) {
      recipe.value = static_cast<int8_t>(r.lo.node);
      recipe.high = static_cast<int8_t>(r.hi.node);
    } else {
      recipe.value = static_cast<int8_t>(make<U32>(NodeOp::kPack, r.lo, r.hi).node);
    }
  }

 protected:
  BF16 narrowed_to_bf16(const F32& a) {
    const U32 x = as<U32>(a), top = shr(x, 16);
    const U32 rounded = shr(add(x, add(and_(top, 1u), constant<U32>(0x7fff))), 16);
    return as<BF16>(
        select(make<Pred>(NodeOp::kOrderedF, a, a), rounded, or_(top, constant<U32>(0x40))));
  }
  F32 widened(const F16& a) { return make<F32>(NodeOp::kHToF, make<F16>(NodeOp::kFlushInH, a)); }
  F16 narrow(const F32& a) { return out(make<F16>(NodeOp::kFToH, a)); }

  using EmitDiv::in;
  using EmitDiv::out;
  F16 in(const F16& a) { return make<F16>(NodeOp::kFlushInH, a); }
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

 private:
  F16 out(const F16& a) { return make<F16>(NodeOp::kFlushOutH, a); }
  F16 halved(NodeOp op, const F16& a, const F16& b) {
    return narrow(make<F32>(op, widened(a), widened(b)));
  }
  F32 order(const F16& a) { return make<F32>(NodeOp::kHOrder, make<F16>(NodeOp::kFlushInH, a)); }
  F16 unordered(const F32& a) { return out(make<F16>(NodeOp::kOrderH, a)); }
  F64 to_double(const F16& a) { return make<F64>(NodeOp::kFToD, widened(a)); }
  F16 from_double(const F64& a) { return narrow(make<F32>(NodeOp::kDToFOdd, a)); }
};

/// The handle in which a row sees an operand of this type.
template <isa::Type T>
struct HandleOf {
  using type =
      std::conditional_t<std::is_same_v<Value<T>, uint32_t>, emitted::U32, emitted::Opaque>;
};
#define LOCKSTEP_HANDLE(name, handle) \
  template <>                         \
  struct HandleOf<isa::Type::name> {  \
    using type = emitted::handle;     \
  };
// clang-format off
LOCKSTEP_HANDLE(I32, I32) LOCKSTEP_HANDLE(I24, I32) LOCKSTEP_HANDLE(SIMM16, I32)
LOCKSTEP_HANDLE(LABEL, I32) LOCKSTEP_HANDLE(F32, F32) LOCKSTEP_HANDLE(U16, U16)
LOCKSTEP_HANDLE(B16, U16) LOCKSTEP_HANDLE(I16, I16) LOCKSTEP_HANDLE(F16, F16)
LOCKSTEP_HANDLE(B64, U64) LOCKSTEP_HANDLE(U64, U64) LOCKSTEP_HANDLE(I64, I64)
LOCKSTEP_HANDLE(F64, F64) LOCKSTEP_HANDLE(MASK, Pred) LOCKSTEP_HANDLE(kNone, Opaque)
LOCKSTEP_HANDLE(PK_F16, Pk<emitted::F16>) LOCKSTEP_HANDLE(EXEC_MASK, Pred)
LOCKSTEP_HANDLE(PK_U16, Pk<emitted::U16>) LOCKSTEP_HANDLE(PK_B16, Pk<emitted::U16>)
LOCKSTEP_HANDLE(PK_I16, Pk<emitted::I16>) LOCKSTEP_HANDLE(PK_F32, Pk<emitted::F32>)
LOCKSTEP_HANDLE(PK_B32, Pk<emitted::U32>) LOCKSTEP_HANDLE(MIX, F32)
LOCKSTEP_HANDLE(BF16, BF16) LOCKSTEP_HANDLE(PK_BF16, Pk<emitted::BF16>)
// Types that no primitive takes yet.
LOCKSTEP_HANDLE(B8, Opaque) LOCKSTEP_HANDLE(U8, Opaque) LOCKSTEP_HANDLE(I8, Opaque)
// clang-format on
#undef LOCKSTEP_HANDLE

}  // namespace lockstep::emu
