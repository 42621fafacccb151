// SPDX-License-Identifier: MIT
// Private memory: dword d of all lanes of a wave lies together, so that one private address is a
// row of whole vectors, and addresses of the lanes' own are gathers and scatters that never meet.
#include "emu/global_memory.h"
#include "emu/jit/lower_memory.h"

namespace lockstep::emu::jit {

using isa::OperandKind;
using Xbyak::Label;
using Xbyak::Xmm;
using Xbyak::Zmm;
using namespace Xbyak::util;

namespace {

constexpr auto kNear = Xbyak::CodeGenerator::T_NEAR;
constexpr int kGreater = 6;             // vpcmpu
constexpr int kLargestLimit = 1 << 24;  // of a lane: offsets in a wave are signed words

constexpr int at(size_t member) { return static_cast<int>(member); }

}  // namespace

bool MemoryLowering::describe_scratch(const Uop& u, Access& a) const {
  const isa::Operand& scalar = u.ops.src[isa::kMemScalar];
  if (a.has_address && u.ops.src[isa::kMemAddr].dwords != 1) return false;
  if (scalar.kind == OperandKind::kScalar && scalar.code != isa::kNull)
    a.scalar = scalar.code;
  else if (scalar.kind != OperandKind::kOff && scalar.kind != OperandKind::kNone &&
           scalar.kind != OperandKind::kScalar)
    return false;
  a.immediate = flat_offset(u.inst);
  return true;
}

/// r10 = the wave's memory, ecx = the last private address where an element still fits.
void MemoryLowering::scratch_base(const Access& a, const Places& p, Label& slow) {
  const auto wave_size = static_cast<int>(v_.slices() * kLanes);
  h_.mov(rcx, ptr[h_.context + at(offsetof(Context, scratch_limit))]);
  h_.cmp(rcx, kLargestLimit);
  h_.ja(slow, kNear);
  h_.imul(r8d, ecx, wave_size);
  h_.mov(rdx, ptr[h_.sites + p.site]);
  h_.mov(r10, ptr[h_.wave + at(offsetof(WaveState, flat_scratch))]);
  h_.mov(rsi, ptr[rdx + at(offsetof(Allocation, size))]);
  h_.sub(r10, ptr[rdx + at(offsetof(Allocation, base))]);
  h_.cmp(r10, rsi);
  h_.ja(slow, kNear);
  h_.sub(rsi, r10);
  h_.cmp(rsi, r8);
  h_.jb(slow, kNear);
  if (a.store) {
    h_.cmp(h_.byte[rdx + at(offsetof(Allocation, writable))], 0);
    h_.je(slow, kNear);
  }
  h_.add(r10, ptr[rdx + at(offsetof(Allocation, host))]);
  h_.sub(ecx, static_cast<int>(a.bytes));
  h_.jb(slow, kNear);
  // The part of the address that all lanes share.
  h_.mov(eax, static_cast<uint32_t>(a.immediate));
  if (a.scalar >= 0) h_.add(eax, h_.scalar(static_cast<unsigned>(a.scalar)));
}

void MemoryLowering::scratch(const Access& a, const Places& p, Label& slow) {
  scratch_base(a, p, slow);
  if (a.has_address)
    scratch_lanes(a, p, slow);
  else
    scratch_row(a, p, slow);
}

/// `value`, the dword in memory shifted down, becomes its difference to what a store of d writes.
void MemoryLowering::change_part(const Access& a, const Zmm& value, const Zmm& d) {
  const bool high = a.half == isa::MemHalf::kD16Hi;
  if (high) h_.vpslld(value, value, 16);
  h_.vpxord(value, value, d);
  if (high) h_.vpsrld(value, value, 16);
  h_.vpandd(value, value, h_.ptr_b[h_.rip + h_.constant((1u << 8 * a.bytes) - 1)]);
}

/// All lanes at the private address eax. The rows are this wave's alone: a store under EXEC reads
/// what is there and writes whole vectors, which later loads can be forwarded from.
void MemoryLowering::scratch_row(const Access& a, const Places& p, Label& slow) {
  const auto wave_size = static_cast<int>(v_.slices() * kLanes);
  const Zmm &t = p.temporary[0], &value = p.temporary[1];
  const Xmm count(p.temporary[2].getIdx());
  h_.cmp(eax, ecx);
  h_.ja(slow, kNear);
  h_.mov(r9d, eax);
  h_.and_(r9d, 3);
  if (a.bytes >= 4) {
    h_.jnz(slow, kNear);
  } else {
    if (a.bytes == 2) {
      h_.cmp(r9d, 3);
      h_.je(slow, kNear);
    }
    h_.sub(eax, r9d);
    h_.shl(r9d, 3);
    h_.vmovd(count, r9d);
  }
  h_.imul(eax, eax, wave_size);
  h_.add(r10, rax);
  for (unsigned i = 0; i < a.dwords; ++i)
    for (unsigned s = 0; s < v_.slices(); ++s) {
      const auto memory = ptr[r10 + static_cast<int>(i) * wave_size * 4 + static_cast<int>(s * 64)];
      const Zmm& d = p.data[0][i][s];
      h_.vmovdqu32(t, memory);
      if (!a.store) {
        if (a.bytes < 4) h_.vpsrld(t, t, count);
        take_part(a, t, d);
        h_.vmovdqa32(d | v_.exec(s), t);
        continue;
      }
      if (a.bytes >= 4) {
        h_.vmovdqa32(t | v_.exec(s), d);
      } else {
        h_.vpsrld(value, t, count);
        change_part(a, value, d);
        h_.vpslld(value, value, count);
        h_.vpxord(t | v_.exec(s), t, value);
      }
      h_.vmovdqu32(memory, t);
    }
}

/// t = private addresses of a slice.
void MemoryLowering::scratch_addresses(const Places& p, const Zmm& t, unsigned slice) {
  h_.vpbroadcastd(t, eax);
  h_.vpaddd(t, t, p.low[slice]);
}

void MemoryLowering::scratch_lanes(const Access& a, const Places& p, Label& slow) {
  const auto wave_size = static_cast<int>(v_.slices() * kLanes);
  const Zmm &at = p.temporary[0], &shift = p.temporary[1], &t = p.temporary[2],
            &value = p.temporary[3];
  const auto all = [&](uint32_t bits) { return h_.ptr_b[h_.rip + h_.constant(bits)]; };
  h_.vpbroadcastd(t, ecx);
  h_.kxorw(k7, k7, k7);
  for (unsigned s = 0; s < v_.slices(); ++s) {
    scratch_addresses(p, at, s);
    h_.vpcmpud(k6 | v_.exec(s), at, t, kGreater);
    h_.korw(k7, k7, k6);
    if (a.bytes == 1) continue;
    h_.vpandd(at, at, all(3));
    h_.vpcmpud(k6 | v_.exec(s), at, all(a.bytes == 2 ? 2 : 0), kGreater);
    h_.korw(k7, k7, k6);
  }
  h_.kortestw(k7, k7);
  h_.jnz(slow, kNear);
  uint8_t doublings = 0;
  while (1 << doublings < wave_size) ++doublings;
  for (unsigned s = 0; s < v_.slices(); ++s) {
    scratch_addresses(p, at, s);
    if (a.bytes < 4) {
      h_.vpandd(shift, at, all(3));
      h_.vpsubd(at, at, shift);
      h_.vpslld(shift, shift, 3);
    }
    h_.vpslld(at, at, doublings);
    h_.vpaddd(at, at, h_.ptr[lane_times(4, s)]);
    for (unsigned i = 0; i < a.dwords; ++i) {
      const auto memory = ptr[r10 + at + static_cast<int>(i) * wave_size * 4];
      const Zmm& d = p.data[0][i][s];
      h_.kmovw(k6, v_.exec(s));
      if (!a.store) {
        h_.vpxord(t, t, t);
        h_.vpgatherdd(t | k6, memory);
        if (a.bytes < 4) h_.vpsrlvd(t, t, shift);
        take_part(a, t, d);
        h_.vmovdqa32(d | v_.exec(s), t);
        continue;
      }
      if (a.bytes >= 4) {
        h_.vpscatterdd(memory | k6, d);
        continue;
      }
      h_.vpxord(t, t, t);
      h_.vpgatherdd(t | k6, memory);
      h_.kmovw(k6, v_.exec(s));
      h_.vpsrlvd(value, t, shift);
      change_part(a, value, d);
      h_.vpsllvd(value, value, shift);
      h_.vpxord(t, t, value);
      h_.vpscatterdd(memory | k6, t);
    }
  }
}

}  // namespace lockstep::emu::jit
