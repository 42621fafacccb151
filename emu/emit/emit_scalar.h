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
  Pred bit(const U32& a, const U32& n) { return not_(eq(and_(shr(a, n), 1u), constant<U32>(0))); }
  I32 extend8(const I16& a) { return ashr(shl(as<I32>(a), 24), 24); }
  U32 zero_extend16(const I32& a) { return and_(as<U32>(a), 0xffffu); }
  U32 pack(const U32& low, const U32& high) { return or_(and_(low, 0xffffu), shl(high, 16)); }
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
  emitted::Recorded branch(const I32&) {
    recipe.branches = true;
    return {};
  }
  emitted::Recorded branch_if(const Pred& taken, const I32&) {
    recipe.branches = true;
    recipe.condition = static_cast<int8_t>(taken.node);
    return {};
  }

 private:
  U32 with_carry(const emitted::WithPred<U32>& sum) {
    set_scc(sum.bit);
    return sum.value;
  }
};

}  // namespace lockstep::emu
