// SPDX-License-Identifier: MIT
// Emit primitives: integers, bits, compares and selection.
#pragma once
#include "emu/emit/emit_base.h"

namespace lockstep::emu {

class EmitInt : public EmitBase {
 public:
#define PRIMITIVE(name) using EmitBase::name;
#include "emu/emit/primitives.def"
#undef PRIMITIVE

  // ---- integers ----
  template <Word32 T>
  T add(const T& a, const T& b) {
    return make<T>(NodeOp::kAdd, a, b);
  }
  template <Word32 T>
  T sub(const T& a, const T& b) {
    return make<T>(NodeOp::kSub, a, b);
  }
  I32 sub(int a, const I32& b) { return sub(constant<I32>(a), b); }
  template <Word32 T>
  T mul(const T& a, const T& b) {
    return make<T>(NodeOp::kMul, a, b);
  }
  template <Word32 T>
  T mul_hi(const T& a, const T& b) {
    return make<T>(kSignedHandle<T> ? NodeOp::kMulHiS : NodeOp::kMulHiU, a, b);
  }
  template <Word16 T>
  T add(const T& a, const T& b) {
    return narrowed<T>(NodeOp::kAdd, a, b);
  }
  template <Word16 T>
  T sub(const T& a, const T& b) {
    return narrowed<T>(NodeOp::kSub, a, b);
  }
  template <Word16 T>
  T mul(const T& a, const T& b) {
    return narrowed<T>(NodeOp::kMul, a, b);
  }
  template <Quad T>
  T add(const T& a, const T& b) {
    return make<T>(NodeOp::kAdd64, a, b);
  }
  template <Quad T>
  T sub(const T& a, const T& b) {
    return make<T>(NodeOp::kSub64, a, b);
  }
  template <Quad T>
  T mul(const T& a, const T& b) {
    return make<T>(NodeOp::kMul64, a, b);
  }
  // ---- arithmetic that obeys the clamp bit ----
  U32 add_clamp(const U32& a, const U32& b) {
    const U32 sum = add(a, b);
    return clamps() ? select(lt(sum, a), constant<U32>(0xffffffff), sum) : sum;
  }
  U32 sub_clamp(const U32& a, const U32& b) {
    const U32 difference = sub(a, b);
    return clamps() ? select(lt(a, b), constant<U32>(0), difference) : difference;
  }
  I32 add_clamp(const I32& a, const I32& b) {
    const I32 sum = add(a, b);
    return clamps() ? bounded(sum, and_(xor_(a, sum), xor_(b, sum)), a) : sum;
  }
  I32 sub_clamp(const I32& a, const I32& b) {
    const I32 difference = sub(a, b);
    return clamps() ? bounded(difference, and_(xor_(a, b), xor_(a, difference)), a) : difference;
  }
  template <Word16 T>
  T add_clamp(const T& a, const T& b) {
    return clamps() ? bounded16<T>(make<I32>(NodeOp::kAdd, a, b)) : add(a, b);
  }
  template <Word16 T>
  T sub_clamp(const T& a, const T& b) {
    return clamps() ? bounded16<T>(make<I32>(NodeOp::kSub, a, b)) : sub(a, b);
  }
  template <Word32 T>
  T mad_clamp(const T& a, const T& b, const T& c) {
    if (clamps()) decline();
    return add(mul(a, b), c);
  }
  template <Word16 T>
  T mad_clamp(const T& a, const T& b, const T& c) {
    if (!clamps()) return add(mul(a, b), c);
    const U32 exact = make<U32>(NodeOp::kAdd, make<U32>(NodeOp::kMul, a, b), c);
    if constexpr (kSignedHandle<T>)
      return bounded16<T>(as<I32>(exact));
    else
      return as<T>(min(exact, constant<U32>(0xffff)));
  }
  U32 mad_clamp(const U16& a, const U16& b, const U32& c) {
    return add_clamp(mul(as<U32>(a), as<U32>(b)), c);
  }
  I32 mad_clamp(const I16& a, const I16& b, const I32& c) {
    return add_clamp(mul(as<I32>(a), as<I32>(b)), c);
  }

#define LOCKSTEP_BITWISE(name, op32, op64)                       \
  template <class T>                                             \
    requires Word32<T> || Word16<T> || Quad<T>                   \
  T name(const T& a, const T& b) {                               \
    return make<T>(Quad<T> ? NodeOp::op64 : NodeOp::op32, a, b); \
  }
  LOCKSTEP_BITWISE(and_, kAnd, kAnd64)
  LOCKSTEP_BITWISE(or_, kOr, kOr64)
  LOCKSTEP_BITWISE(xor_, kXor, kXor64)
#undef LOCKSTEP_BITWISE
  U32 and_(const U32& a, unsigned b) { return and_(a, constant<U32>(b)); }
  template <class T>
    requires Word32<T> || Quad<T>
  T invert(const T& a) {
    return make<T>(Quad<T> ? NodeOp::kNot64 : NodeOp::kNot, a);
  }
  U16 invert(const U16& a) { return xor_(a, constant<U16>(0xffff)); }

  // ---- carry ----
  emitted::WithPred<U32> add_carry(const U32& a, const U32& b, const Pred& carry) {
    const U32 sum = add(a, b);
    const Pred wrapped = lt(sum, a);
    if (clamps()) decline();
    if (is_false(carry)) return {sum, wrapped};
    const Pred again = and_pred(eq(sum, constant<U32>(0xffffffff)), carry);
    return {make<U32>(NodeOp::kAddIf, sum, carry), or_pred(wrapped, again)};
  }
  emitted::WithPred<U32> sub_borrow(const U32& a, const U32& b, const Pred& borrow) {
    const U32 difference = sub(a, b);
    const Pred wrapped = lt(a, b);
    if (clamps()) decline();
    if (is_false(borrow)) return {difference, wrapped};
    const Pred again = and_pred(eq(difference, constant<U32>(0)), borrow);
    return {make<U32>(NodeOp::kSubIf, difference, borrow), or_pred(wrapped, again)};
  }
  emitted::WithPred<U64> mad_wide(const U32& a, const U32& b, const U64& c) {
    if (clamps()) decline();
    const U64 sum = add(make<U64>(NodeOp::kMulWideU, a, b), c);
    return {sum, lt(sum, c)};
  }

  emitted::WithPred<I64> mad_wide(const I32& a, const I32& b, const I64& c) {
    if (clamps()) decline();
    const I64 product = make<I64>(NodeOp::kMulWideS, a, b), sum = add(product, c);
    // The 65th bit is the sign of the exact sum.
    const I64 overflow = and_(xor_(product, sum), xor_(c, sum));
    return {sum, lt(xor_(sum, overflow), leaf<I64>(NodeOp::kConstant64, 0))};
  }

  // ---- compares, minimum, maximum, selection ----
  template <class T>
    requires Word32<T> || Word16<T>
  Pred lt(const T& a, const T& b) {
    return make<Pred>(kSignedHandle<T> ? NodeOp::kLtS : NodeOp::kLtU, a, b);
  }
  template <class T>
    requires Word32<T> || Word16<T>
  Pred eq(const T& a, const T& b) {
    return make<Pred>(NodeOp::kEq, a, b);
  }
  template <Quad T>
  Pred lt(const T& a, const T& b) {
    return make<Pred>(kSignedHandle<T> ? NodeOp::kLtS64 : NodeOp::kLtU64, a, b);
  }
  template <Quad T>
  Pred eq(const T& a, const T& b) {
    return make<Pred>(NodeOp::kEq64, a, b);
  }
  template <class T>
    requires Word32<T> || Word16<T> || Quad<T>
  Pred gt(const T& a, const T& b) {
    return lt(b, a);
  }
  template <class T>
    requires Word32<T> || Word16<T> || Quad<T>
  Pred le(const T& a, const T& b) {
    return not_(lt(b, a));
  }
  template <class T>
    requires Word32<T> || Word16<T> || Quad<T>
  Pred ge(const T& a, const T& b) {
    return not_(lt(a, b));
  }
  template <class T>
    requires Word32<T> || Word16<T>
  T min(const T& a, const T& b) {
    return make<T>(kSignedHandle<T> ? NodeOp::kMinS : NodeOp::kMinU, a, b);
  }
  template <class T>
    requires Word32<T> || Word16<T>
  T max(const T& a, const T& b) {
    return make<T>(kSignedHandle<T> ? NodeOp::kMaxS : NodeOp::kMaxU, a, b);
  }
  template <class T>
    requires Word32<T> || Word16<T>
  T med3(const T& a, const T& b, const T& c) {
    return max(min(a, b), min(max(a, b), c));
  }
  template <class T>
  T select(const Pred& p, const T& a, const T& b)
    requires std::is_base_of_v<Handle, T>
  {
    constexpr bool quad = Quad<T> || std::is_same_v<T, F64>;
    return make<T>(quad ? NodeOp::kSelect64 : NodeOp::kSelect, p, a, b);
  }
  Pred not_(const Pred& p) { return make<Pred>(NodeOp::kPredNot, p); }
  Pred pred(bool value) {
    const Pred no = make<Pred>(NodeOp::kFalse);
    return value ? not_(no) : no;
  }

  // ---- shifts and fields ----
  template <Word32 T, Count N>
  T shl(const T& a, const N& n) {
    return make<T>(NodeOp::kShl, a, count(n));
  }
  template <Word32 T, Count N>
  T shr(const T& a, const N& n) {
    return make<T>(NodeOp::kShr, a, count(n));
  }
  template <Word32 T, Count N>
  T ashr(const T& a, const N& n) {
    return make<T>(NodeOp::kSar, a, count(n));
  }
  template <Word16 T, Count N>
  T shl(const T& a, const N& n) {
    return narrowed<T>(NodeOp::kShl, a, and_(count(n), 15u));
  }
  template <Count N>
  U16 shr(const U16& a, const N& n) {
    return make<U16>(NodeOp::kShr, a, and_(count(n), 15u));
  }
  template <Count N>
  I16 ashr(const I16& a, const N& n) {
    return make<I16>(NodeOp::kSar, a, and_(count(n), 15u));
  }
  template <Quad T, Count N>
  T shl(const T& a, const N& n) {
    return make<T>(NodeOp::kShl64, a, count(n));
  }
  template <Quad T, Count N>
  T shr(const T& a, const N& n) {
    return make<T>(NodeOp::kShr64, a, count(n));
  }
  template <Quad T, Count N>
  T ashr(const T& a, const N& n) {
    return make<T>(NodeOp::kSar64, a, count(n));
  }
  U32 funnel_shr(const U32& high, const U32& low, const U32& n) {
    return make<U32>(NodeOp::kFunnel, high, low, n);
  }
  U32 select_bits(const U32& mask, const U32& a, const U32& b) {
    return make<U32>(NodeOp::kSelectBits, mask, a, b);
  }
  U32 bfe(const U32& a, const U32& offset, const U32& width) {
    return and_(shr(a, offset), low_ones(width));
  }
  I32 bfe(const I32& a, const U32& offset, const U32& width) {
    // The field goes to the top and comes back with its sign; width 0 gives 0.
    const U32 up = sub(constant<U32>(32), and_(width, 31u));
    const U32 field = and_(as<U32>(ashr(a, offset)), low_ones(width));
    return ashr(as<I32>(shl(field, up)), up);
  }
  U32 bfm(const U32& width, const U32& offset) { return shl(low_ones(width), offset); }
  U32 byte(const U32& a, int n) { return and_(n ? shr(a, 8 * n) : a, 0xffu); }
  U32 popcount(const U32& a) { return make<U32>(NodeOp::kPopcount, a); }
  I32 clz(const U32& a) {
    return select(eq(a, constant<U32>(0)), constant<I32>(0xffffffff),
                  make<I32>(NodeOp::kLeadingZeros, a));
  }
  I32 ctz(const U32& a) {
    // The ones below the lowest one, counted.
    const U32 below = and_(invert(a), sub(a, constant<U32>(1)));
    return select(eq(a, constant<U32>(0)), constant<I32>(0xffffffff), as<I32>(popcount(below)));
  }
  I32 cls(const I32& a) { return clz(as<U32>(xor_(a, ashr(a, 31)))); }
  U32 bitrev(const U32& a) { return make<U32>(NodeOp::kReverseBits, a); }
  /// How many lanes below this one have their bit set in a.
  U32 count_below(const U32& a, const Pred& high) {
    return popcount(and_(a, leaf<U32>(NodeOp::kLanesBelow, is_false(high) ? 0 : 1)));
  }

  /// The table stands in the instruction.
  template <class T>
    requires std::is_same_v<T, U32> || std::is_same_v<T, U16>
  T truth_table(const T& a, const T& b, const T& c) {
    return make<T>(NodeOp::kTruthTable, a, b, c);
  }

  // ---- bytes ----
  U32 perm(const U32& high, const U32& low, const U32& selector) {
    return make<U32>(NodeOp::kPerm, high, low, selector);
  }
  U32 lerp_u8(const U32& a, const U32& b, const U32& c) {
    // The host's average rounds up: one less where the sum is odd and c does not say so.
    const U32 odd = and_(and_(xor_(a, b), invert(c)), constant<U32>(0x01010101));
    return sub(make<U32>(NodeOp::kAverageBytes, a, b), odd);
  }
  U32 sad_u8(const U32& a, const U32& b, const U32& c) {
    return add_clamp(make<U32>(NodeOp::kSadBytes, a, b), c);
  }
  U32 sad_hi_u8(const U32& a, const U32& b, const U32& c) {
    return add_clamp(shl(make<U32>(NodeOp::kSadBytes, a, b), 16), c);
  }
  U32 msad_u8(const U32& a, const U32& b, const U32& c) {
    return add_clamp(make<U32>(NodeOp::kSadMaskedBytes, a, b), c);
  }
  U32 sad_u32(const U32& a, const U32& b, const U32& c) {
    return add_clamp(sub(max(a, b), min(a, b)), c);
  }
  U32 sad_u16(const Pk<U16>& a, const Pk<U16>& b, const U32& c) {
    const auto distance = [&](const U16& x, const U16& y) {
      return as<U32>(make<U32>(NodeOp::kSub, max(x, y), min(x, y)));
    };
    return add_clamp(add(distance(a.lo, b.lo), distance(a.hi, b.hi)), c);
  }
  U32 insert_byte(const U32& value, const U32& n, const U32& old) {
    const U32 shift = shl(and_(n, 3u), 3);
    return select_bits(shl(constant<U32>(0xff), shift), shl(value, shift), old);
  }

  // ---- width changes ----
  I32 i24(const I32& a) { return ashr(shl(a, 8), 8); }
  U32 u24(const U32& a) { return and_(a, 0xffffffu); }
  I32 to_i32(const I16& a) { return as<I32>(a); }
  U32 to_u32(const U16& a) { return as<U32>(a); }
  U16 sat_u16(const U32& a) { return as<U16>(min(a, constant<U32>(0xffff))); }
  I16 sat_i16(const I32& a) { return bounded16<I16>(a); }

 protected:
  template <Count N>
  U32 count(const N& n) {
    if constexpr (std::is_integral_v<N>)
      return constant<U32>(static_cast<uint32_t>(n));
    else
      return as<U32>(n);
  }

 private:
  template <class T>
  T narrowed(NodeOp op, Handle a, Handle b) {
    const U32 wide = make<U32>(op, a, b);
    if constexpr (kSignedHandle<T>)
      return as<T>(ashr(as<I32>(shl(wide, 16)), 16));
    else
      return as<T>(and_(wide, 0xffffu));
  }
  U32 low_ones(const U32& width) { return sub(shl(constant<U32>(1), width), constant<U32>(1)); }
  /// The end of the range on the side of `sign` where `overflow` is negative.
  I32 bounded(const I32& value, const I32& overflow, const I32& sign) {
    const I32 end = xor_(ashr(sign, 31), constant<I32>(0x7fffffff));
    return select(lt(overflow, constant<I32>(0)), end, value);
  }
  template <Word16 T>
  T bounded16(const I32& exact) {
    constexpr bool kSigned = kSignedHandle<T>;
    const I32 low = max(exact, constant<I32>(kSigned ? 0xffff8000 : 0));
    return as<T>(min(low, constant<I32>(kSigned ? 0x7fff : 0xffff)));
  }
};

}  // namespace lockstep::emu
