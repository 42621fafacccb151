// SPDX-License-Identifier: MIT
// Atomics: one lane after the other in a loop, with the host's locked instructions in device memory.
#include <algorithm>

#include "emu/global_memory.h"
#include "emu/jit/lower_memory.h"
#include "emu/mem_element.h"

namespace lockstep::emu::jit {

using isa::OperandKind;
using Xbyak::Label;
using Xbyak::Reg;
using Xbyak::Reg64;
using namespace Xbyak::util;

namespace {

constexpr auto kNear = Xbyak::CodeGenerator::T_NEAR;
constexpr unsigned kMostValues = 23;

}  // namespace

bool MemoryLowering::describe_atomic(const Uop& u, Access& a) const {
  const isa::MemParams& m = u.inst.info().mem;
  if (m.kind != isa::MemKind::kAtomic || m.address != isa::MemAddress::kPlain) return false;
  a.atomic = atomic_kind(u.inst.op);
  if (a.atomic == AtomicKind::kNone) return false;
  a.store = true;
  a.bytes = element_bytes(m.type);
  a.dwords = a.bytes / 4;
  const isa::Operand &address = u.ops.src[isa::kMemAddr], &data = u.ops.src[isa::kMemData];
  if (address.kind != OperandKind::kVgpr || data.kind != OperandKind::kVgpr) return false;
  if (u.ops.n_dst && u.ops.dst[0].kind != OperandKind::kVgpr) return false;
  a.returns = u.ops.n_dst > 0;
  a.result = u.ops.dst[0].code;
  a.address = address.code;
  const bool two = has_second_value(a.atomic);
  unsigned second = data.code + a.dwords;
  if (a.is(Space::kLds)) {
    if (u.inst.get(isa::Field::gds)) return false;
    a.offset[0] =
        static_cast<int>(u.inst.get(isa::Field::offset0) | u.inst.get(isa::Field::offset1) << 8);
    if (a.offset[0] % static_cast<int>(a.bytes)) return false;
    if (two && u.ops.src[isa::kDsData1].kind != OperandKind::kVgpr) return false;
    second = u.ops.src[isa::kDsData1].code;
  } else if (a.is(Space::kBuffer)) {
    if (!describe_buffer(u, a) || (two && data.dwords != 2 * a.dwords)) return false;
  } else {
    const isa::Operand& scalar = u.ops.src[isa::kMemScalar];
    a.wide_address = address.dwords == 2;
    a.scalar = scalar.kind == OperandKind::kScalar && scalar.code != isa::kNull ? scalar.code : -1;
    a.immediate = flat_offset(u.inst);
    if (a.wide_address == (a.scalar >= 0)) return false;
    if (two && data.dwords != 2 * a.dwords) return false;
  }
  a.elements = two ? 2 : 1;  // the second one is the second value
  // More registers of values than the host leaves room for.
  if (v_.slices() * a.dwords * (a.elements + (a.returns ? 1 : 0)) > kMostValues) return false;
  for (unsigned i = 0; i < a.dwords; ++i) {
    a.data[0][i] = data.code + i;
    a.data[1][i] = second + i;
  }
  if (a.atomic == AtomicKind::kSwapIfData || a.atomic == AtomicKind::kSwapIfDataFloat) {
    std::swap(a.data[0], a.data[1]);
    a.atomic = a.atomic == AtomicKind::kSwapIfData ? AtomicKind::kCompareSwap
                                                   : AtomicKind::kCompareSwapFloat;
  }
  return true;
}

/// The lane's access to r9: rsi = its data, afterwards rax = what memory was.
void MemoryLowering::update_memory(const Access& a, const Places& p) {
  const Reg old = sized_register(rax, a.bytes), data = sized_register(rsi, a.bytes),
            out = sized_register(rdi, a.bytes);
  if (a.is(Space::kLds)) {  // waves of a workgroup run one after the other
    h_.mov(old, ptr[r9]);
    next_value(a, p);
    h_.mov(ptr[r9], out);
    return;
  }
  if (a.atomic == AtomicKind::kAdd || a.atomic == AtomicKind::kSwap) {
    h_.mov(old, data);
    if (a.atomic == AtomicKind::kAdd) {
      h_.lock();
      h_.xadd(ptr[r9], old);
    } else {
      h_.xchg(ptr[r9], old);
    }
    return;
  }
  Label again;
  h_.mov(old, ptr[r9]);
  h_.L(again);
  next_value(a, p);
  h_.lock();
  h_.cmpxchg(ptr[r9], out);
  h_.jne(again);
}

void MemoryLowering::atomic_slice(const Access& a, const Places& p, unsigned slice) {
  Label again, none;
  h_.kmovw(ecx, v_.exec(slice));
  h_.test(ecx, ecx);
  h_.jz(none, kNear);
  for (unsigned e = 0; e < a.elements; ++e) {
    Zmm d[4];
    for (unsigned i = 0; i < a.dwords; ++i) d[i] = p.data[e][i][slice];
    store_full(a, d, p.spare, rsp + (kRows + static_cast<int>(e) * kSecondValues));
  }
  const auto lane_data = ptr[rsp + rdx * static_cast<int>(a.bytes) + kRows];
  h_.L(again);
  h_.tzcnt(edx, ecx);
  h_.mov(r9d, dword[offsets(slice) + rdx * 4]);
  h_.lea(r9, ptr[r10 + r9 + a.offset[0]]);
  h_.mov(sized_register(rsi, a.bytes), lane_data);
  update_memory(a, p);
  if (a.returns) h_.mov(lane_data, sized_register(rax, a.bytes));
  h_.blsr(ecx, ecx);
  h_.jnz(again, kNear);
  if (a.returns) {
    const Zmm* t = p.spare;
    load_full(a, t, t + 4, rsp + kRows);
    for (unsigned i = 0; i < a.dwords; ++i) h_.vmovdqa32(p.result[i][slice] | v_.exec(slice), t[i]);
  }
  h_.L(none);
}

/// Addresses must be multiples of the size: of the guest, so the host's must be alike.
void MemoryLowering::require_aligned(const Access& a, const Places& p, Label& otherwise) {
  const auto mask = static_cast<uint32_t>(a.bytes - 1);
  if (!a.is(Space::kLds)) {
    h_.mov(rax, ptr[rdx + static_cast<int>(offsetof(Allocation, base))]);
    h_.xor_(rax, ptr[rdx + static_cast<int>(offsetof(Allocation, host))]);
    h_.or_(rax, r10);
    h_.test(al, mask);
    h_.jnz(otherwise, kNear);
  }
  h_.kxorw(k7, k7, k7);
  for (unsigned s = 0; s < v_.slices(); ++s) {
    h_.vmovdqu32(p.spare[0], ptr[offsets(s)]);
    h_.vptestmd(k6 | v_.exec(s), p.spare[0], h_.ptr_b[h_.rip + h_.constant(mask)]);
    h_.korw(k7, k7, k6);
  }
  h_.kortestw(k7, k7);
  h_.jnz(otherwise, kNear);
}

}  // namespace lockstep::emu::jit
