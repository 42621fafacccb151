// SPDX-License-Identifier: MIT
// Atomics: one lane after the other in a loop, with the host's locked instructions in device memory.
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
constexpr int kSecondRows = 128;  ///< of the values to compare with, behind the data

Reg sized(const Reg64& r, unsigned bytes) { return bytes == 8 ? Reg(r) : Reg(r.cvt32()); }

}  // namespace

bool MemoryLowering::describe_atomic(const Uop& u, Access& a) const {
  const isa::Format f = u.inst.format;
  const isa::MemParams& m = u.inst.info().mem;
  if (f != isa::Format::GLOBAL && f != isa::Format::FLAT && f != isa::Format::DS) return false;
  if (m.kind != isa::MemKind::kAtomic || m.address != isa::MemAddress::kPlain) return false;
  a.atomic = atomic_kind(u.inst.op);
  if (a.atomic == AtomicKind::kNone) return false;
  a.space = f == isa::Format::DS ? Space::kLds : Space::kDevice;
  a.store = true;
  a.bytes = element_bytes(m.type);
  a.dwords = a.bytes / 4;
  const isa::Operand &address = u.ops.src[isa::kMemAddr], &data = u.ops.src[isa::kMemData];
  if (address.kind != OperandKind::kVgpr || data.kind != OperandKind::kVgpr) return false;
  if (u.ops.n_dst && u.ops.dst[0].kind != OperandKind::kVgpr) return false;
  a.returns = u.ops.n_dst > 0;
  a.result = u.ops.dst[0].code;
  a.address = address.code;
  const bool compares = a.atomic == AtomicKind::kCompareSwap;
  unsigned second = data.code + a.dwords;
  if (a.is(Space::kLds)) {
    if (u.inst.get(isa::Field::gds)) return false;
    a.offset[0] =
        static_cast<int>(u.inst.get(isa::Field::offset0) | u.inst.get(isa::Field::offset1) << 8);
    if (a.offset[0] % static_cast<int>(a.bytes)) return false;
    if (compares && u.ops.src[isa::kDsData1].kind != OperandKind::kVgpr) return false;
    second = u.ops.src[isa::kDsData1].code;
  } else {
    const isa::Operand& scalar = u.ops.src[isa::kMemScalar];
    a.wide_address = address.dwords == 2;
    a.scalar = scalar.kind == OperandKind::kScalar && scalar.code != isa::kNull ? scalar.code : -1;
    a.immediate = flat_offset(u.inst);
    if (a.wide_address == (a.scalar >= 0)) return false;
    if (compares && data.dwords != 2 * a.dwords) return false;
  }
  a.elements = compares ? 2 : 1;  // the second one is what memory is compared with
  // More registers of values than the host leaves room for.
  if (v_.slices() * a.dwords * (a.elements + (a.returns ? 1 : 0)) > kMostValues) return false;
  for (unsigned i = 0; i < a.dwords; ++i) {
    a.data[0][i] = data.code + i;
    a.data[1][i] = second + i;
  }
  return true;
}

/// rdi = what memory becomes, of rax = what it is and rsi = the lane's data.
void MemoryLowering::next_value(const Access& a, int compare) {
  const Reg old = sized(rax, a.bytes), data = sized(rsi, a.bytes), out = sized(rdi, a.bytes),
            other = sized(r8, a.bytes);
  const auto choose = [&](void (Host::*move)(const Reg&, const Xbyak::Operand&)) {
    h_.mov(out, old);
    h_.cmp(old, data);
    (h_.*move)(out, data);
  };
  switch (a.atomic) {
    case AtomicKind::kAdd:
      h_.lea(out, ptr[rax + rsi]);
      break;
    case AtomicKind::kSub:
      h_.mov(out, old);
      h_.sub(out, data);
      break;
    case AtomicKind::kReverseSub:
      h_.mov(out, data);
      h_.sub(out, old);
      break;
    case AtomicKind::kAnd:
      h_.mov(out, old);
      h_.and_(out, data);
      break;
    case AtomicKind::kOr:
      h_.mov(out, old);
      h_.or_(out, data);
      break;
    case AtomicKind::kXor:
      h_.mov(out, old);
      h_.xor_(out, data);
      break;
    case AtomicKind::kMinSigned:
      choose(&Host::cmovg);
      break;
    case AtomicKind::kMaxSigned:
      choose(&Host::cmovl);
      break;
    case AtomicKind::kMinUnsigned:
      choose(&Host::cmova);
      break;
    case AtomicKind::kMaxUnsigned:
      choose(&Host::cmovb);
      break;
    case AtomicKind::kCountUp:
      h_.lea(out, ptr[rax + 1]);
      h_.xor_(r8d, r8d);
      h_.cmp(old, data);
      h_.cmovae(out, other);
      break;
    case AtomicKind::kCountDown:
      h_.lea(out, ptr[rax - 1]);
      h_.test(old, old);
      h_.cmovz(out, data);
      h_.cmp(old, data);
      h_.cmova(out, data);
      break;
    case AtomicKind::kCompareSwap:
      h_.mov(out, old);
      h_.cmp(old, ptr[rsp + rdx * static_cast<int>(a.bytes) + compare]);
      h_.cmove(out, data);
      break;
    case AtomicKind::kSwap:
    case AtomicKind::kNone:
      h_.mov(out, data);
      break;
  }
}

/// The lane's access to r9: rsi = its data, afterwards rax = what memory was.
void MemoryLowering::update_memory(const Access& a) {
  const Reg old = sized(rax, a.bytes), data = sized(rsi, a.bytes), out = sized(rdi, a.bytes);
  if (a.is(Space::kLds)) {  // waves of a workgroup run one after the other
    h_.mov(old, ptr[r9]);
    next_value(a, kRows + kSecondRows);
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
  next_value(a, kRows + kSecondRows);
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
    store_full(a, d, p.spare, rsp + (kRows + static_cast<int>(e) * kSecondRows));
  }
  const auto lane_data = ptr[rsp + rdx * static_cast<int>(a.bytes) + kRows];
  h_.L(again);
  h_.tzcnt(edx, ecx);
  h_.mov(r9d, dword[offsets(slice) + rdx * 4]);
  h_.lea(r9, ptr[r10 + r9 + a.offset[0]]);
  h_.mov(sized(rsi, a.bytes), lane_data);
  update_memory(a);
  if (a.returns) h_.mov(lane_data, sized(rax, a.bytes));
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
