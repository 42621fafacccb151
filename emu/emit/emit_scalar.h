// SPDX-License-Identifier: MIT
// EmitScalar: what scalar rows use beside the common primitives: SCC, EXEC, branches.
#pragma once
#include "emu/emit/emit.h"

namespace lockstep::emu {

class EmitScalar : public Emit {
 public:
#define PRIMITIVE(name) using Emit::name;
#include "emu/emit/primitives.def"
#undef PRIMITIVE

  emitted::Recorded nothing() { return {}; }
  Pred scc() { return leaf<Pred>(NodeOp::kScc, 0); }
  emitted::Recorded set_scc(const Pred& p) {
    recipe.scc = static_cast<int8_t>(p.node);
    return {};
  }
  template <Word32 T>
  T scc_nz(const T& value) {
    set_scc(not_(eq(value, constant<T>(0))));
    return value;
  }
  template <Quad T>
  T scc_nz(const T& value) {
    set_scc(not_(eq(value, leaf<T>(NodeOp::kConstant64, 0))));
    return value;
  }
  U32 add_scc(const U32& a, const U32& b) {
    const U32 sum = add(a, b);
    set_scc(lt(sum, a));
    return sum;
  }
  I32 add_scc(const I32& a, const I32& b) {
    set_scc(make<Pred>(NodeOp::kAddOverflows, a, b));
    return add(a, b);
  }
  U32 sub_scc(const U32& a, const U32& b) {
    set_scc(lt(a, b));
    return sub(a, b);
  }
  I32 sub_scc(const I32& a, const I32& b) {
    set_scc(make<Pred>(NodeOp::kSubOverflows, a, b));
    return sub(a, b);
  }
  U32 addc_scc(const U32& a, const U32& b) { return with_carry(add_carry(a, b, scc())); }
  U32 subb_scc(const U32& a, const U32& b) { return with_carry(sub_borrow(a, b, scc())); }
  template <Word32 T>
  T min_scc(const T& a, const T& b) {
    set_scc(lt(a, b));
    return min(a, b);
  }
  template <Word32 T>
  T max_scc(const T& a, const T& b) {
    set_scc(ge(a, b));
    return max(a, b);
  }
  /// The carry of the sum: bits that the shift drops, or those of the addition.
  U32 lshl_add_scc(const U32& a, const U32& b, int n) {
    const U32 sum = add(shl(a, n), b);
    set_scc(or_pred(not_(eq(shr(a, 32 - n), constant<U32>(0))), lt(sum, b)));
    return sum;
  }

  // ---- bits; 64-bit forms of what vector rows have for 32 ----
  U64 bitrev(const U64& a) { return make<U64>(NodeOp::kReverseBits64, a); }
  U32 popcount(const U64& a) { return make<U32>(NodeOp::kPopcount64, a); }
  I32 clz(const U64& a) {
    return select(eq(a, quad<U64>(0)), constant<I32>(0xffffffff),
                  make<I32>(NodeOp::kLeadingZeros64, a));
  }
  I32 ctz(const U64& a) {
    const U64 below = and_(invert(a), sub(a, quad<U64>(1)));
    return select(eq(a, quad<U64>(0)), constant<I32>(0xffffffff), as<I32>(popcount(below)));
  }
  I32 cls(const I64& a) { return clz(as<U64>(xor_(a, ashr(a, 63)))); }
  template <class T>
    requires Word32<T> || Quad<T>
  Pred bit(const T& a, const U32& n) {
    return not_(eq(and_(shr(a, n), one<T>()), one<T>(0)));
  }
  template <class T>
    requires Word32<T> || Quad<T>
  T with_bit(const T& a, const U32& n, bool value) {
    const T bit = shl(one<T>(), n);
    return value ? or_(a, bit) : and_(a, invert(bit));
  }
  template <class T>
    requires Word32<T> || Quad<T>
  T field(const T& a, const U32& spec) {
    constexpr unsigned kBits = Quad<T> ? 64 : 32;
    const U32 width = and_(shr(spec, 16), 127u);
    const U32 top = sub(constant<U32>(kBits), min(width, constant<U32>(kBits)));
    const auto down = [&](const T& x, const U32& n) {
      if constexpr (kSignedHandle<T>)
        return ashr(x, n);
      else
        return shr(x, n);
    };
    const T bits = down(shl(down(a, spec), top), top);
    return select(eq(width, constant<U32>(0)), one<T>(0), bits);
  }
  U64 bfm64(const U32& width, const U32& offset) {
    return shl(sub(shl(quad<U64>(1), width), quad<U64>(1)), offset);
  }
  I32 magnitude(const I32& a) { return max(a, sub(0, a)); }
  U64 double_bits(const U32& a) {
    const U64 even = make<U64>(NodeOp::kSpreadBits, a, {}, {}, 0x5555555555555555);
    return or_(even, shl(even, 1));
  }
  template <class T>
    requires std::is_same_v<T, U32> || std::is_same_v<T, U64>
  T quads(const T& a) {
    return make<T>(NodeOp::kCollectBits, any_of_four(a), {}, {}, 0x1111111111111111);
  }
  U32 whole_quads(const U32& a) {
    return mul(and_(any_of_four(a), 0x11111111u), constant<U32>(15));
  }
  U64 whole_quads(const U64& a) {
    const U64 quads = make<U64>(NodeOp::kCollectBits, any_of_four(a), {}, {}, 0x1111111111111111);
    return mul(make<U64>(NodeOp::kSpreadBits, quads, {}, {}, 0x1111111111111111), quad<U64>(15));
  }
  F16 high_source(const F16&) { return leaf<F16>(NodeOp::kSourceHigh, 0); }
  I32 extend8(const I16& a) { return ashr(shl(as<I32>(a), 24), 24); }
  U32 zero_extend16(const I32& a) { return and_(as<U32>(a), 0xffffu); }
  template <class A, class B>
    requires std::is_base_of_v<U32, A> || std::is_base_of_v<U16, A>
  U32 pack(const A& low, const B& high) {
    return or_(and_(as<U32>(low), 0xffffu), shl(as<U32>(high), 16));
  }
  U32 high16(const U32& a) { return shr(a, 16); }

  U32 exec_as(const U32&) { return leaf<U32>(NodeOp::kExec, 0); }
  U64 exec_as(const U64&) { return leaf<U64>(NodeOp::kExec, 1); }
  template <class T>
    requires std::is_same_v<T, U32> || std::is_same_v<T, U64>
  T wrexec_scc(const T& value) {
    recipe.exec = static_cast<int8_t>(value.node);
    return scc_nz(value);
  }
  template <class T>
    requires std::is_same_v<T, U32> || std::is_same_v<T, U64>
  T saveexec_scc(const T& value) {
    const T old = exec_as(value);
    wrexec_scc(value);
    return old;
  }

  U64 next_pc() { return leaf<U64>(NodeOp::kNextPc, 0); }
  Pred vccz() { return leaf<Pred>(NodeOp::kVccz, 0); }
  Pred execz() { return leaf<Pred>(NodeOp::kExecz, 0); }
  /// Goes to the label; the value is where a call comes back to.
  U64 branch(const I32&) {
    recipe.branches = true;
    return next_pc();
  }
  U64 set_pc(const U64& target) {
    recipe.jump = static_cast<int8_t>(target.node);
    return next_pc();
  }
  emitted::Recorded branch_if(const Pred& taken, const I32&) {
    recipe.branches = true;
    recipe.condition = static_cast<int8_t>(taken.node);
    return {};
  }

 private:
  template <class T>
  T quad(uint64_t bits) {
    return leaf<T>(NodeOp::kConstant64, bits);
  }
  template <class T>
  T one(uint32_t value = 1) {
    if constexpr (Quad<T>)
      return quad<T>(value);
    else
      return constant<T>(value);
  }
  /// Bit 0 of each group of four: any of them is set. The other bits are anything.
  template <class T>
  T any_of_four(const T& a) {
    const T two = or_(a, shr(a, 1));
    return or_(two, shr(two, 2));
  }
  U32 with_carry(const emitted::WithPred<U32>& sum) {
    set_scc(sum.bit);
    return sum.value;
  }
};

}  // namespace lockstep::emu
