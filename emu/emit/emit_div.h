// SPDX-License-Identifier: MIT
// Emit primitives of the division sequence: lane/div.h without branches, for rounding to nearest
// (other modes are not compiled). Conditions are words of all ones or zeros, because the host has
// few mask registers; later choices go before earlier ones.
#pragma once
#include "emu/div_limits.h"
#include "emu/emit/emit_float.h"

namespace lockstep::emu {

class EmitDiv : public EmitFloat {
 public:
#define PRIMITIVE(name) using EmitFloat::name;
#include "emu/emit/primitives.def"
#undef PRIMITIVE

  template <class F>
    requires std::is_same_v<F, F32> || std::is_same_v<F, F64>
  emitted::WithPred<F> div_scale(const F& a0, const F& b0, const F& c0) {
    using L = Limits<F>;
    const F a = in(a0), b = in(b0), c = in(c0);
    const I32 ec = raw_exponent(c), eb = raw_exponent(b), quotient = sub(ec, eb);
    const U32 scale_a = word(L::kScale), down = word(-L::kScale), none = word(0), yes = word(-1);
    const U32 for_b = flag(same_bits(a, b)), for_c = flag(same_bits(a, c));
    const U32 tiny_reciprocal = flag(large(b));
    const U32 tiny_quotient = quotient_is_denormal(c, b);
    const U32 tiny_c = flag(lt(ec, number(L::kTinyNumerator + 1)));
    // From the last case to the first.
    U32 scale = and_(tiny_c, scale_a), bit = none;
    const U32 alone =
        or_(tiny_quotient, and_(tiny_c, flag(lt(quotient, number(1 - L::kHugeQuotient)))));
    scale = select_bits(alone, and_(for_c, scale_a), scale);
    bit = or_(bit, alone);
    scale =
        select_bits(tiny_reciprocal, select_bits(tiny_quotient, and_(for_b, down), down), scale);
    bit = select_bits(tiny_reciprocal, tiny_quotient, bit);
    const U32 denormal_b = flag(eq(eb, number(0)));
    scale = select_bits(denormal_b, scale_a, scale);
    bit = and_(bit, invert(denormal_b));
    const U32 huge = flag(lt(number(L::kHugeQuotient - 1), quotient));
    scale = select_bits(huge, and_(for_b, scale_a), scale);
    bit = or_(bit, huge);
    F value = select(eq(scale, none), a, by_power(a, as<I32>(scale)));
    const U32 special = or_(flag(eq(ec, number(L::kSpecial))), flag(eq(eb, number(L::kSpecial))));
    value = select(set(special), quiet(a), value);
    bit = and_(bit, invert(special));
    const U32 zero = or_(flag(is_zero(b)), flag(is_zero(c)));
    value = select(set(zero), default_nan(a), value);
    bit = select_bits(zero, yes, bit);
    return {value, set(bit)};
  }

  template <class F>
    requires std::is_same_v<F, F32> || std::is_same_v<F, F64>
  F div_fmas(const Pred& corrected, const F& a, const F& b, const F& c) {
    using L = Limits<F>;
    const F r = fused(in(a), in(b), in(c));
    const I32 n =
        select(lt(number(L::kBias), raw_exponent(c)), number(L::kScale), number(-L::kScale));
    const F scaled = out(by_power(r, n)), plain = out(r);
    return select(corrected, scaled, plain);
  }

  template <class F>
    requires std::is_same_v<F, F32> || std::is_same_v<F, F64>
  F div_fixup(const F& a, const F& b0, const F& c0) {
    using L = Limits<F>;
    const F b = in(b0), c = in(c0);
    const I32 ec = raw_exponent(c), eb = raw_exponent(b);
    const F sign = sign_of(b, c), infinity = with_sign(infinity_of(a), sign);
    const U32 zero_b = flag(is_zero(b)), zero_c = flag(is_zero(c));
    const U32 infinite_b = flag(is_infinite(b)), infinite_c = flag(is_infinite(c));
    F r = out(with_sign(absolute(a), sign));
    r = select(eq(raw_exponent(a), number(L::kSpecial)), infinity, r);  // the steps overflowed
    r = select(lt(sub(ec, eb), number(L::kUnderflow)), sign, r);
    r = select(set(or_(infinite_b, zero_c)), sign, r);
    r = select(set(or_(zero_b, infinite_c)), infinity, r);
    r = select(set(or_(and_(zero_b, zero_c), and_(infinite_b, infinite_c))), default_nan(a), r);
    r = select(ordered(b, b), r, quiet(b));
    return select(ordered(c, c), r, quiet(c));
  }

 protected:
  /// A word of ones where the predicate holds, and back.
  U32 flag(const Pred& p) { return select(p, word(-1), word(0)); }
  Pred set(const U32& f) { return lt(as<I32>(f), number(0)); }
  U32 word(int value) { return constant<U32>(static_cast<uint32_t>(value)); }
  I32 number(int value) { return constant<I32>(static_cast<uint32_t>(value)); }

 private:
  template <class F>
  struct Limits;

  // ---- f32 ----
  static constexpr uint32_t kSign32 = 0x80000000, kInfinity32 = 0x7f800000;
  I32 raw_exponent(const F32& a) { return as<I32>(and_(shr(as<U32>(a), 23), 0xffu)); }
  Pred same_bits(const F32& a, const F32& b) { return eq(as<U32>(a), as<U32>(b)); }
  F32 absolute(const F32& a) { return as<F32>(and_(as<U32>(a), ~kSign32)); }
  F32 sign_of(const F32& b, const F32& c) {
    return as<F32>(and_(xor_(as<U32>(b), as<U32>(c)), kSign32));
  }
  F32 with_sign(const F32& a, const F32& sign) { return as<F32>(or_(as<U32>(a), as<U32>(sign))); }
  Pred is_zero(const F32& a) { return make<Pred>(NodeOp::kEqF, a, float_of(0)); }
  Pred is_infinite(const F32& a) { return eq(as<U32>(absolute(a)), constant<U32>(kInfinity32)); }
  Pred large(const F32& a) { return lt(constant<U32>(0x7e800000), as<U32>(absolute(a))); }
  Pred less(const F32& a, const F32& b) { return make<Pred>(NodeOp::kLtF, a, b); }
  F32 infinity_of(const F32&) { return float_of(kInfinity32); }
  F32 default_nan(const F32&) { return float_of(0xffc00000); }
  F32 by_power(const F32& a, const I32& n) { return make<F32>(NodeOp::kScaleF, a, n); }
  F32 fused(const F32& a, const F32& b, const F32& c) { return make<F32>(NodeOp::kFmaF, a, b, c); }
  F32 significand_of(const F32& a) { return make<F32>(NodeOp::kFrexpMantF, absolute(a)); }
  I32 exponent_of(const F32& a) { return make<I32>(NodeOp::kFrexpExpF, a); }

  // ---- f64 ----
  U64 bits(uint64_t value) { return leaf<U64>(NodeOp::kConstant64, value); }
  static constexpr uint64_t kSign64 = uint64_t{1} << 63, kInfinity64 = 0x7ff0000000000000;
  I32 raw_exponent(const F64& a) {
    return as<I32>(and_(shr(make<U32>(NodeOp::kHighWordD, a), 20), 0x7ffu));
  }
  Pred same_bits(const F64& a, const F64& b) { return eq(as<U64>(a), as<U64>(b)); }
  F64 absolute(const F64& a) { return as<F64>(and_(as<U64>(a), bits(~kSign64))); }
  F64 sign_of(const F64& b, const F64& c) {
    return as<F64>(and_(xor_(as<U64>(b), as<U64>(c)), bits(kSign64)));
  }
  F64 with_sign(const F64& a, const F64& sign) { return as<F64>(or_(as<U64>(a), as<U64>(sign))); }
  Pred is_zero(const F64& a) { return make<Pred>(NodeOp::kEqD, a, double_of(0)); }
  Pred is_infinite(const F64& a) { return eq(as<U64>(absolute(a)), bits(kInfinity64)); }
  Pred large(const F64& a) { return lt(bits(uint64_t{0x7fd} << 52), as<U64>(absolute(a))); }
  Pred less(const F64& a, const F64& b) { return make<Pred>(NodeOp::kLtD, a, b); }
  F64 infinity_of(const F64&) { return as<F64>(bits(kInfinity64)); }
  F64 default_nan(const F64&) { return as<F64>(bits(0xfff8000000000000)); }
  F64 by_power(const F64& a, const I32& n) { return make<F64>(NodeOp::kLdexpD, a, n); }
  F64 fused(const F64& a, const F64& b, const F64& c) { return make<F64>(NodeOp::kFmaD, a, b, c); }
  F64 significand_of(const F64& a) { return make<F64>(NodeOp::kFrexpMantD, absolute(a)); }
  I32 exponent_of(const F64& a) { return make<I32>(NodeOp::kFrexpExpD, a); }
  using EmitFloat::quiet;
  F64 quiet(const F64& a) { return make<F64>(NodeOp::kMulD, a, double_of(1)); }

  /// Would c / b be a denormal, not zero? See lane/div.h.
  template <class F>
  U32 quotient_is_denormal(const F& c, const F& b) {
    using L = Limits<F>;
    const I32 n = sub(exponent_of(c), exponent_of(b)), least = number(1 - L::kBias);
    const U32 smaller = flag(less(significand_of(c), significand_of(b)));
    const U32 below = or_(flag(lt(n, least)), and_(flag(eq(n, least)), smaller));
    return and_(below, flag(lt(number(1 - L::kBias - L::kMantissa - 2), n)));
  }
};

template <>
struct EmitDiv::Limits<emitted::F32> : DivLimits32 {
  static constexpr int kSpecial = 0xff;  ///< raw exponent of infinities and NaNs
};
template <>
struct EmitDiv::Limits<emitted::F64> : DivLimits64 {
  static constexpr int kSpecial = 0x7ff;
};

}  // namespace lockstep::emu
