// SPDX-License-Identifier: MIT
// Emit, the second machine: the same row expressions that Lane executes are recorded as recipes.
// Values are handles of nodes, typed as the row types its operands. What a primitive does not
// record comes out as NotRecorded, and a row that meets one keeps its Lane handler.
#pragma once
#include <cstdint>
#include <type_traits>

#include "emu/emit/recipe.h"
#include "emu/lane/values.h"

namespace lockstep::emu {

struct Handle {
  uint8_t node = 0;
};
namespace emitted {
struct U32 : Handle {};
struct I32 : Handle {};
struct U16 : Handle {};
struct I16 : Handle {};
struct F16 : Handle {};
struct F32 : Handle {};
struct U64 : Handle {};
struct I64 : Handle {};
struct F64 : Handle {};
struct Pred : Handle {};
/// Two halves in one word, both f16.
struct PkF16 : Handle {};
/// A value with a predicate beside it.
template <class T>
struct WithPred {
  T value;
  Pred bit;
};
/// An operand of a type that no recorded primitive takes.
struct Opaque : Handle {};
struct NotRecorded {};
struct Recorded {};  ///< of a primitive without a value
}  // namespace emitted

/// Declines every primitive. Emit's own overloads are better matches where they fit.
class EmitDeclines {
 public:
#define PRIMITIVE(name)                          \
  template <class... A>                          \
  emitted::NotRecorded name(const A&...) const { \
    return {};                                   \
  }
#include "emu/emit/primitives.def"
#undef PRIMITIVE
};

template <class T>
concept Word32 = std::is_same_v<T, emitted::U32> || std::is_same_v<T, emitted::I32>;
template <class T>
concept Word16 = std::is_same_v<T, emitted::U16> || std::is_same_v<T, emitted::I16>;
template <class T>
concept Quad = std::is_same_v<T, emitted::U64> || std::is_same_v<T, emitted::I64>;
template <class T>
concept Count = Word32<T> || Word16<T> || std::is_integral_v<T>;
template <class T>
constexpr bool kSignedHandle = std::is_same_v<T, emitted::I32> || std::is_same_v<T, emitted::I16> ||
                               std::is_same_v<T, emitted::I64>;

/// Primitives of vector and scalar rows.
class Emit : public EmitDeclines {
 public:
#define PRIMITIVE(name) using EmitDeclines::name;
#include "emu/emit/primitives.def"
#undef PRIMITIVE
  using U32 = emitted::U32;
  using I32 = emitted::I32;
  using U16 = emitted::U16;
  using I16 = emitted::I16;
  using F16 = emitted::F16;
  using F32 = emitted::F32;
  using U64 = emitted::U64;
  using I64 = emitted::I64;
  using F64 = emitted::F64;
  using Pred = emitted::Pred;

  Recipe recipe;
  bool overflowed() const { return overflowed_; }

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
  // Instructions whose clamp bit is set do not come here: see
  // VectorLowering::covers.
  template <class T>
    requires Word32<T> || Word16<T>
  T add_clamp(const T& a, const T& b) {
    return add(a, b);
  }
  template <class T>
    requires Word32<T> || Word16<T>
  T sub_clamp(const T& a, const T& b) {
    return sub(a, b);
  }
  template <Word32 T>
  T mad_clamp(const T& a, const T& b, const T& c) {
    return add(mul(a, b), c);
  }
  template <Word16 T>
  T mad_clamp(const T& a, const T& b, const T& c) {
    return add(mul(a, b), c);
  }
  U32 mad_clamp(const U16& a, const U16& b, const U32& c) {
    return add(mul(as<U32>(a), as<U32>(b)), c);
  }
  I32 mad_clamp(const I16& a, const I16& b, const I32& c) {
    return add(mul(as<I32>(a), as<I32>(b)), c);
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
    if (is_false(carry)) return {sum, wrapped};
    const Pred again = and_pred(eq(sum, constant<U32>(0xffffffff)), carry);
    return {make<U32>(NodeOp::kAddIf, sum, carry), or_pred(wrapped, again)};
  }
  emitted::WithPred<U32> sub_borrow(const U32& a, const U32& b, const Pred& borrow) {
    const U32 difference = sub(a, b);
    const Pred wrapped = lt(a, b);
    if (is_false(borrow)) return {difference, wrapped};
    const Pred again = and_pred(eq(difference, constant<U32>(0)), borrow);
    return {make<U32>(NodeOp::kSubIf, difference, borrow), or_pred(wrapped, again)};
  }
  emitted::WithPred<U64> mad_wide(const U32& a, const U32& b, const U64& c) {
    const U64 sum = add(make<U64>(NodeOp::kMulWideU, a, b), c);
    return {sum, lt(sum, c)};
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

  // ---- width changes ----
  I32 i24(const I32& a) { return ashr(shl(a, 8), 8); }
  U32 u24(const U32& a) { return and_(a, 0xffffffu); }
  I32 to_i32(const I16& a) { return as<I32>(a); }
  U32 to_u32(const U16& a) { return as<U32>(a); }

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
  F32 min(const F32& a, const F32& b) { return out(make<F32>(NodeOp::kMinF, in(a), in(b))); }
  F32 max(const F32& a, const F32& b) { return out(make<F32>(NodeOp::kMaxF, in(a), in(b))); }
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
  /// sqrt and rcp flush denormals whatever MODE says: see lane/trans.h.
  F32 sqrt(const F32& a) { return flushed(NodeOp::kSqrtF, a); }
  F32 rcp(const F32& a) { return flushed(NodeOp::kRcpF, a); }

#define LOCKSTEP_COMPARE(name, opf, opd)                                                  \
  Pred name(const F32& a, const F32& b) { return make<Pred>(NodeOp::opf, in(a), in(b)); } \
  Pred name(const F64& a, const F64& b) { return make<Pred>(NodeOp::opd, in(a), in(b)); } \
  Pred name(const F16& a, const F16& b) { return make<Pred>(NodeOp::opf, widened(a), widened(b)); }
  LOCKSTEP_COMPARE(eq, kEqF, kEqD)
  LOCKSTEP_COMPARE(lt, kLtF, kLtD)
  LOCKSTEP_COMPARE(le, kLeF, kLeD)
  LOCKSTEP_COMPARE(gt, kGtF, kGtD)
  LOCKSTEP_COMPARE(ge, kGeF, kGeD)
  LOCKSTEP_COMPARE(lg, kLgF, kLgD)
  LOCKSTEP_COMPARE(ordered, kOrderedF, kOrderedD)
#undef LOCKSTEP_COMPARE

  // Sums and products of halves are exact or innocuously rounded in f32 (24 >= 2 * 11 + 2 bits).
  F16 add(const F16& a, const F16& b) { return halved(NodeOp::kAddF, a, b); }
  F16 sub(const F16& a, const F16& b) { return halved(NodeOp::kSubF, a, b); }
  F16 mul(const F16& a, const F16& b) { return halved(NodeOp::kMulF, a, b); }

  // ---- conversions ----
  F32 to_f32(const I32& a) { return make<F32>(NodeOp::kI32ToF, a); }
  F32 to_f32(const U32& a) { return make<F32>(NodeOp::kU32ToF, a); }
  I32 to_i32(const F32& a) { return make<I32>(NodeOp::kFToI32, in(a)); }
  U32 to_u32(const F32& a) { return make<U32>(NodeOp::kFToU32, in(a)); }
  F64 to_f64(const I32& a) { return make<F64>(NodeOp::kI32ToD, a); }
  F64 to_f64(const U32& a) { return make<F64>(NodeOp::kU32ToD, a); }
  F64 to_f64(const F32& a) { return out(make<F64>(NodeOp::kFToD, in(a))); }
  F32 to_f32(const F64& a) { return out(make<F32>(NodeOp::kDToF, in(a))); }
  F32 to_f32(const F16& a) { return widened(a); }
  F16 to_f16(const F32& a) {
    return make<F16>(NodeOp::kFlushOutH, make<F16>(NodeOp::kFToH, in(a)));
  }
  F16 to_f16_rtz(const F32& a) {
    return make<F16>(NodeOp::kFlushOutH, make<F16>(NodeOp::kFToHZero, in(a)));
  }
  emitted::PkF16 pair(const F16& lo, const F16& hi) {
    return make<emitted::PkF16>(NodeOp::kOr, lo, make<U32>(NodeOp::kShl, hi, constant<U32>(16)));
  }
  U32 pack(const F16& lo, const F16& hi) {
    return make<U32>(NodeOp::kOr, lo, make<U32>(NodeOp::kShl, hi, constant<U32>(16)));
  }

  // ---- for the recorder ----
  template <class T>
  T leaf(NodeOp op, uint32_t imm) {
    T h;
    h.node = node({op, 0, 0, 0, imm});
    return h;
  }

 protected:
  template <class T>
  T constant(uint32_t bits) {
    return leaf<T>(NodeOp::kConstant, bits);
  }
  template <class T>
  T make(NodeOp op, Handle a = {}, Handle b = {}, Handle c = {}) {
    T h;
    h.node = node({op, a.node, b.node, c.node, 0});
    return h;
  }
  template <class T>
  T as(const Handle& h) {
    T t;
    t.node = h.node;
    return t;
  }
  Pred and_pred(const Pred& a, const Pred& b) { return make<Pred>(NodeOp::kPredAnd, a, b); }
  Pred or_pred(const Pred& a, const Pred& b) { return make<Pred>(NodeOp::kPredOr, a, b); }

 private:
  bool is_false(const Pred& p) const { return recipe.nodes[p.node].op == NodeOp::kFalse; }
  template <class T>
  T narrowed(NodeOp op, Handle a, Handle b) {
    const U32 wide = make<U32>(op, a, b);
    if constexpr (kSignedHandle<T>)
      return as<T>(ashr(as<I32>(shl(wide, 16)), 16));
    else
      return as<T>(and_(wide, 0xffffu));
  }
  template <Count N>
  U32 count(const N& n) {
    if constexpr (std::is_integral_v<N>)
      return constant<U32>(static_cast<uint32_t>(n));
    else
      return as<U32>(n);
  }
  U32 low_ones(const U32& width) { return sub(shl(constant<U32>(1), width), constant<U32>(1)); }
  F32 in(const F32& a) { return make<F32>(NodeOp::kFlushIn, a); }
  F32 out(const F32& a) { return make<F32>(NodeOp::kFlushOut, a); }
  F64 in(const F64& a) { return make<F64>(NodeOp::kFlushInD, a); }
  F64 out(const F64& a) { return make<F64>(NodeOp::kFlushOutD, a); }
  F32 widened(const F16& a) { return make<F32>(NodeOp::kHToF, make<F16>(NodeOp::kFlushInH, a)); }
  F16 halved(NodeOp op, const F16& a, const F16& b) {
    return make<F16>(NodeOp::kFlushOutH,
                     make<F16>(NodeOp::kFToH, make<F32>(op, widened(a), widened(b))));
  }
  F32 flushed(NodeOp op, const F32& a) {
    const F32 r = make<F32>(op, make<F32>(NodeOp::kFlushAlways, a));
    return make<F32>(NodeOp::kFlushAlways, r);
  }
  uint8_t node(const Node& n) {
    if (recipe.count == Recipe::kMaxNodes) {
      overflowed_ = true;
      return 0;
    }
    recipe.nodes[recipe.count] = n;
    return recipe.count++;
  }
  bool overflowed_ = false;
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
LOCKSTEP_HANDLE(PK_F16, PkF16) LOCKSTEP_HANDLE(EXEC_MASK, Pred)
// Types with packed or tiny elements: no primitive takes them yet.
LOCKSTEP_HANDLE(B8, Opaque) LOCKSTEP_HANDLE(U8, Opaque) LOCKSTEP_HANDLE(I8, Opaque)
// clang-format on
#undef LOCKSTEP_HANDLE

}  // namespace lockstep::emu
