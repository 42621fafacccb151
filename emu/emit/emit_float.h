// SPDX-License-Identifier: MIT
// Emit primitives: f32 and f64.
#pragma once
#include <bit>

#include "emu/emit/emit_int.h"
#include "emu/functions.h"

namespace lockstep::emu {

class EmitFloat : public EmitInt {
 public:
#define PRIMITIVE(name) using EmitInt::name;
#include "emu/emit/primitives.def"
#undef PRIMITIVE

  // ---- floating point ----
  F32 add(const F32& a, const F32& b) { return out(make<F32>(NodeOp::kAddF, in(a), in(b))); }
  F32 sub(const F32& a, const F32& b) { return out(make<F32>(NodeOp::kSubF, in(a), in(b))); }
  F32 mul(const F32& a, const F32& b) { return out(make<F32>(NodeOp::kMulF, in(a), in(b))); }
  F32 fma(const F32& a, const F32& b, const F32& c) {
    return out(make<F32>(NodeOp::kFmaF, in(a), in(b), in(c)));
  }
  F64 add(const F64& a, const F64& b) { return out(make<F64>(NodeOp::kAddD, in(a), in(b))); }
  F64 sub(const F64& a, const F64& b) { return out(make<F64>(NodeOp::kSubD, in(a), in(b))); }
  F64 mul(const F64& a, const F64& b) { return out(make<F64>(NodeOp::kMulD, in(a), in(b))); }
  F64 fma(const F64& a, const F64& b, const F64& c) {
    return out(make<F64>(NodeOp::kFmaD, in(a), in(b), in(c)));
  }
#define LOCKSTEP_MINMAX(name, opf, opd)                                                      \
  F32 name(const F32& a, const F32& b) { return out(make<F32>(NodeOp::opf, in(a), in(b))); } \
  F64 name(const F64& a, const F64& b) { return out(make<F64>(NodeOp::opd, in(a), in(b))); }
  LOCKSTEP_MINMAX(min, kMinF, kMinD)
  LOCKSTEP_MINMAX(max, kMaxF, kMaxD)
  LOCKSTEP_MINMAX(minimum, kMinimumF, kMinimumD)
  LOCKSTEP_MINMAX(maximum, kMaximumF, kMaximumD)
#undef LOCKSTEP_MINMAX
  F32 med3(const F32& a, const F32& b, const F32& c) {
    const F32 least = min(min(a, b), c), middle = max(min(a, b), min(max(a, b), c));
    return select(and_pred(ordered(a, b), ordered(c, c)), middle, least);
  }
  F32 mul_legacy(const F32& a, const F32& b) {
    const F32 product = mul(a, b);
    return select(either_zero(a, b), as<F32>(constant<U32>(0)), product);
  }
  F32 fma_legacy(const F32& a, const F32& b, const F32& c) {
    const F32 sum = fma(a, b, c), alone = out(quiet(in(c)));
    return select(either_zero(a, b), alone, sum);
  }
  F32 trunc(const F32& a) { return out(make<F32>(NodeOp::kTruncF, in(a))); }
  F32 floor(const F32& a) { return out(make<F32>(NodeOp::kFloorF, in(a))); }
  F32 ceil(const F32& a) { return out(make<F32>(NodeOp::kCeilF, in(a))); }
  F32 rndne(const F32& a) { return out(make<F32>(NodeOp::kRndneF, in(a))); }
  F64 trunc(const F64& a) { return out(make<F64>(NodeOp::kTruncD, in(a))); }
  F64 floor(const F64& a) { return out(make<F64>(NodeOp::kFloorD, in(a))); }
  F64 ceil(const F64& a) { return out(make<F64>(NodeOp::kCeilD, in(a))); }
  F64 rndne(const F64& a) { return out(make<F64>(NodeOp::kRndneD, in(a))); }
  F32 fract(const F32& a) {
    const F32 x = in(a);
    const F32 r = out(make<F32>(NodeOp::kSubF, x, make<F32>(NodeOp::kFloorF, x)));
    const Pred one = make<Pred>(NodeOp::kEq, r, constant<U32>(0x3f800000));
    return select(one, as<F32>(constant<U32>(0x3f7fffff)), r);
  }
  F64 fract(const F64& a) {
    const F64 x = in(a);
    const F64 r = out(make<F64>(NodeOp::kSubD, x, make<F64>(NodeOp::kFloorD, x)));
    const Pred one = make<Pred>(NodeOp::kEq64, r, double_of(1));
    return select(one, as<F64>(double_of(0x1.fffffffffffffp-1)), r);
  }
  F32 ldexp(const F32& a, const I32& n) { return out(scaled(in(a), n, 400)); }
  F64 ldexp(const F64& a, const I32& n) {
    return out(make<F64>(NodeOp::kLdexpD, in(a), within(n, 5000)));
  }
  F32 frexp_mant(const F32& a) { return make<F32>(NodeOp::kFrexpMantF, in(a)); }
  F64 frexp_mant(const F64& a) { return make<F64>(NodeOp::kFrexpMantD, in(a)); }
  I32 frexp_exp(const F32& a) { return make<I32>(NodeOp::kFrexpExpF, in(a)); }
  I32 frexp_exp(const F64& a) { return make<I32>(NodeOp::kFrexpExpD, in(a)); }
  Pred fp_class(const F32& a, const U32& mask) { return make<Pred>(NodeOp::kClassF, a, mask); }
  Pred fp_class(const F64& a, const U32& mask) { return make<Pred>(NodeOp::kClassD, a, mask); }

  // ---- transcendental: f32 forms but sine and cosine flush denormals whatever MODE says, see
  // lane/trans.h ----
  F32 sqrt(const F32& a) { return flushed(NodeOp::kSqrtF, a); }
  F32 rcp(const F32& a) { return flushed(NodeOp::kRcpF, a); }
  F32 rsq(const F32& a) { return by_double(a, &EmitFloat::rsq_of); }
  F32 exp2(const F32& a) { return by_double(a, &EmitFloat::exp2_d); }
  F32 log2(const F32& a) { return by_double(a, &EmitFloat::log2_d); }
  F32 sin(const F32& a) { return turned(a, 0); }
  F32 cos(const F32& a) { return turned(a, 1); }
  F64 sqrt(const F64& a) { return out(make<F64>(NodeOp::kSqrtD, in(a))); }
  F64 rcp(const F64& a) { return out(make<F64>(NodeOp::kDivD, double_of(1), in(a))); }
  F64 rsq(const F64& a) { return out(rsq_of(in(a))); }

#define LOCKSTEP_COMPARE(name, opf, opd)                                                  \
  Pred name(const F32& a, const F32& b) { return make<Pred>(NodeOp::opf, in(a), in(b)); } \
  Pred name(const F64& a, const F64& b) { return make<Pred>(NodeOp::opd, in(a), in(b)); }
  LOCKSTEP_COMPARE(eq, kEqF, kEqD)
  LOCKSTEP_COMPARE(lt, kLtF, kLtD)
  LOCKSTEP_COMPARE(le, kLeF, kLeD)
  LOCKSTEP_COMPARE(gt, kGtF, kGtD)
  LOCKSTEP_COMPARE(ge, kGeF, kGeD)
  LOCKSTEP_COMPARE(lg, kLgF, kLgD)
  LOCKSTEP_COMPARE(ordered, kOrderedF, kOrderedD)
#undef LOCKSTEP_COMPARE

  // ---- conversions ----
  F32 to_f32(const I32& a) { return make<F32>(NodeOp::kI32ToF, a); }
  F32 to_f32(const U32& a) { return make<F32>(NodeOp::kU32ToF, a); }
  I32 to_i32(const F32& a) { return make<I32>(NodeOp::kFToI32, in(a)); }
  U32 to_u32(const F32& a) { return make<U32>(NodeOp::kFToU32, in(a)); }
  F64 to_f64(const I32& a) { return make<F64>(NodeOp::kI32ToD, a); }
  F64 to_f64(const U32& a) { return make<F64>(NodeOp::kU32ToD, a); }
  F64 to_f64(const F32& a) { return out(make<F64>(NodeOp::kFToD, in(a))); }
  F32 to_f32(const F64& a) { return out(make<F32>(NodeOp::kDToF, in(a))); }
  I32 to_i32(const F64& a) { return make<I32>(NodeOp::kDToI32, in(a)); }
  U32 to_u32(const F64& a) { return make<U32>(NodeOp::kDToU32, in(a)); }
  I16 to_i16(const F32& a) { return sat_i16(to_i32(a)); }
  U16 to_u16(const F32& a) { return sat_u16(to_u32(a)); }
  U32 to_u8(const F32& a) { return min(to_u32(a), constant<U32>(0xff)); }
  I32 floor_i32(const F32& a) { return to_i32(make<F32>(NodeOp::kFloorF, in(a))); }
  I32 nearest_i32(const F32& a) {
    // The difference rounds, but not across one half.
    const F32 x = in(a), floor = make<F32>(NodeOp::kFloorF, x);
    const F32 up = make<F32>(NodeOp::kAddF, floor, float_of(0x3f800000));
    const F32 part = make<F32>(NodeOp::kSubF, x, floor);
    return to_i32(select(make<Pred>(NodeOp::kGeF, part, float_of(0x3f000000)), up, floor));
  }
  I16 to_snorm16(const F32& a) { return sat_i16(norm(in(a), 32767)); }
  U16 to_unorm16(const F32& a) { return as<U16>(positive(norm(in(a), 65535))); }
  F32 off_i4(const I32& a) {
    return make<F32>(NodeOp::kMulF, make<F32>(NodeOp::kI32ToF, ashr(shl(a, 28), 28)),
                     float_of(0x3d800000));
  }

 protected:
  F32 in(const F32& a) { return make<F32>(NodeOp::kFlushIn, a); }
  F32 out(const F32& a) { return make<F32>(NodeOp::kFlushOut, a); }
  F64 in(const F64& a) { return make<F64>(NodeOp::kFlushInD, a); }
  F64 out(const F64& a) { return make<F64>(NodeOp::kFlushOutD, a); }
  F32 float_of(uint32_t bits) { return as<F32>(constant<U32>(bits)); }
  F64 double_of(double value) {
    return leaf<F64>(NodeOp::kConstant64, std::bit_cast<uint64_t>(value));
  }
  /// Between -1 and 1, times `factor`, to the nearest integer.
  I32 norm(const F32& a, double factor) {
    Doubles d{*this};
    const F64 x = d.within(make<F64>(NodeOp::kFToD, a), 1);
    return make<I32>(NodeOp::kDToI32, d.rndne(d.mul(x, factor)));
  }
  I32 positive(const I32& a) { return max(a, constant<I32>(0)); }
  I32 within(const I32& n, int bound) {
    return max(min(n, constant<I32>(static_cast<uint32_t>(bound))),
               constant<I32>(static_cast<uint32_t>(-bound)));
  }
  F32 scaled(const F32& a, const I32& n, int bound) {
    return make<F32>(NodeOp::kScaleF, a, within(n, bound));
  }
  // Multiplying by 1 changes signalling NaNs only.
  F32 quiet(const F32& a) { return make<F32>(NodeOp::kMulF, a, float_of(0x3f800000)); }

  /// What emu/functions.h asks for.
  struct Doubles {
    EmitFloat& m;
    F64 constant(double value) { return m.double_of(value); }
    F64 horner(const F64& p, const F64& x, double c) { return with(NodeOp::kHornerD, c, p, x); }
    F64 within(const F64& x, double bound) { return with(NodeOp::kWithinD, bound, x); }
    F64 mul(const F64& x, double c) { return with(NodeOp::kMulConstantD, c, x); }
    F64 add(const F64& x, double c) { return with(NodeOp::kAddConstantD, c, x); }
    F64 mul(const F64& x, const F64& y) { return m.make<F64>(NodeOp::kMulD, x, y); }
    F64 sub(const F64& x, const F64& y) { return m.make<F64>(NodeOp::kSubD, x, y); }
    F64 div(const F64& x, const F64& y) { return m.make<F64>(NodeOp::kDivD, x, y); }
    F64 fma(const F64& x, const F64& y, const F64& z) {
      return m.make<F64>(NodeOp::kFmaD, x, y, z);
    }
    F64 rndne(const F64& x) { return m.make<F64>(NodeOp::kRndneD, x); }
    F64 trunc(const F64& x) { return m.make<F64>(NodeOp::kTruncD, x); }
    F64 scale(const F64& x, const F64& n) { return m.make<F64>(NodeOp::kScaleD, x, n); }
    F64 exponent(const F64& x) { return m.make<F64>(NodeOp::kExponentD, x); }
    F64 significand(const F64& x) { return m.make<F64>(NodeOp::kSignificandD, x); }
    F64 where_zero(const F64& x, const F64& then, const F64& other) {
      return m.make<F64>(NodeOp::kWhereZeroD, x, then, other);
    }
    F64 by_quarter(const F64& q, int quarter, const F64& even, const F64& odd) {
      return m.make<F64>(NodeOp::kByQuarterD, q, even, odd, static_cast<uint64_t>(quarter));
    }

   private:
    F64 with(NodeOp op, double c, Handle a, Handle b = {}) {
      return m.make<F64>(op, a, b, {}, std::bit_cast<uint64_t>(c));
    }
  };
  F64 exp2_d(const F64& x) {
    Doubles d{*this};
    return exp2_of(d, x);
  }
  F64 log2_d(const F64& x) {
    Doubles d{*this};
    return log2_of(d, x);
  }
  F64 rsq_of(const F64& x) {
    return make<F64>(NodeOp::kDivD, double_of(1), make<F64>(NodeOp::kSqrtD, x));
  }
  F64 sine_d(const F64& turns, int quarter) {
    Doubles d{*this};
    return sine_of_turns(d, turns, quarter);
  }

 private:
  Pred either_zero(const F32& a, const F32& b) {
    const F32 zero = float_of(0);
    return or_pred(eq(a, zero), eq(b, zero));
  }
  F32 flushed(NodeOp op, const F32& a) {
    const F32 r = make<F32>(op, make<F32>(NodeOp::kFlushAlways, a));
    return make<F32>(NodeOp::kFlushAlways, r);
  }
  F32 by_double(const F32& a, F64 (EmitFloat::*function)(const F64&)) {
    const F64 x = make<F64>(NodeOp::kFToD, make<F32>(NodeOp::kFlushAlways, a));
    return make<F32>(NodeOp::kFlushAlways, make<F32>(NodeOp::kDToF, (this->*function)(x)));
  }
  F32 turned(const F32& a, int quarter) {
    return out(make<F32>(NodeOp::kDToF, sine_d(make<F64>(NodeOp::kFToD, in(a)), quarter)));
  }
};

}  // namespace lockstep::emu
