// SPDX-License-Identifier: MIT
// Addresses of memory instructions: the pointer of contiguous lanes, or an offset for each lane.
#include "emu/jit/lower_memory.h"

namespace lockstep::emu::jit {

using isa::OperandKind;
using Xbyak::Label;
using Xbyak::Reg64;
using Xbyak::Xmm;
using namespace Xbyak::util;

namespace {

constexpr int kEqual = 0, kLess = 1, kGreater = 6;  // vpcmpu
constexpr auto kNear = Xbyak::CodeGenerator::T_NEAR;
constexpr uint32_t kLargestOffset = 0x7fffffff;  // gathers take signed offsets

constexpr int at(size_t member) { return static_cast<int>(member); }

}  // namespace

Xbyak::RegExp MemoryLowering::lane_times(unsigned bytes, unsigned slice) {
  int row = 0;
  while (kStrideBytes[row] != bytes) ++row;
  return h_.table(&HostTables::lane_times) +
         static_cast<int>((static_cast<unsigned>(row) * 64 + slice * kLanes) * 4);
}

void MemoryLowering::compare_exec_with_full() {
  if (mode_.wave_size == 64)
    h_.cmp(h_.scalar64(isa::kExecLo), -1);
  else
    h_.cmp(h_.scalar(isa::kExecLo), -1);
}

void MemoryLowering::require_full_contiguous(const Access& a, const Places& p, Label& otherwise) {
  const unsigned slices = v_.slices();
  compare_exec_with_full();
  h_.jne(otherwise, kNear);
  const Zmm &first = p.temporary[0], &t = p.temporary[1];
  h_.vpbroadcastd(first, Xmm(p.low[0].getIdx()));
  for (unsigned s = 0; s < slices; ++s) {
    h_.vpaddd(t, first, h_.ptr[lane_times(a.bytes, s)]);
    h_.vpcmpud(s == 0 ? k7 : k7 | k7, t, p.low[s], kEqual);
  }
  if (a.wide_address) {
    h_.vpbroadcastd(t, Xmm(p.high[0].getIdx()));
    for (unsigned s = 0; s < slices; ++s) h_.vpcmpud(k7 | k7, t, p.high[s], kEqual);
  }
  h_.kortestw(k7, k7);
  h_.jnc(otherwise, kNear);
}

void MemoryLowering::scalar_base(const Access& a, const Reg64& to) {
  h_.mov(to, h_.scalar64(static_cast<unsigned>(a.scalar)));
}

/// Only linear buffers that count bytes: no stride, no swizzle, no lane numbers in the address.
void MemoryLowering::check_resource(const Access& a, Label& otherwise) {
  const auto first = static_cast<unsigned>(a.scalar);
  constexpr uint32_t kAddTid = 1u << 23, kCheck = 3u << 28;
  h_.cmp(h_.word[h_.wave + Host::scalar_offset(first + 1) + 2], 0);
  h_.jne(otherwise, kNear);
  h_.mov(ecx, h_.scalar(first + 3));
  if (isa::generation_of(mode_.isa) == isa::Generation::kGfx9) {
    h_.test(ecx, kAddTid);
    h_.jnz(otherwise, kNear);
  } else {
    h_.and_(ecx, kAddTid | kCheck);
    h_.cmp(ecx, kCheck);
    h_.jne(otherwise, kNear);
  }
}

/// r11 = base, without the lane's offset; r9 = what of it counts against the number of records.
void MemoryLowering::buffer_base(const Access& a) {
  const bool counts = isa::generation_of(mode_.isa) == isa::Generation::kGfx9;
  scalar_base(a, r11);
  h_.mov(r9d, static_cast<uint32_t>(a.immediate));
  h_.add(r11, r9);
  if (a.soffset.kind == OperandKind::kScalar && a.soffset.code != isa::kNull)
    h_.mov(ecx, h_.scalar(a.soffset.code));
  else if (a.soffset.kind == OperandKind::kInline)
    h_.mov(ecx, static_cast<uint32_t>(isa::inline_bits(a.soffset.code, a.soffset.type)));
  else
    return;
  h_.add(r11, rcx);
  if (counts) h_.add(r9, rcx);
}

/// r9 = records - what the base takes of them - bytes of an element: how far lanes may go.
void MemoryLowering::buffer_room(const Access& a, Label& otherwise) {
  h_.mov(ecx, h_.scalar(static_cast<unsigned>(a.scalar) + 2));
  h_.sub(rcx, r9);
  h_.sub(rcx, static_cast<int>(a.bytes));
  h_.jl(otherwise, kNear);
  h_.mov(r9, rcx);
}

/// rdx = the allocation that was hit last, rsi = its size without `bytes`.
void MemoryLowering::find_allocation(const Access& a, const Places& p, unsigned bytes,
                                     Label& otherwise) {
  h_.mov(rdx, ptr[h_.sites + p.site]);
  h_.mov(rsi, ptr[rdx + at(offsetof(Allocation, size))]);
  h_.sub(rsi, static_cast<int>(bytes));
  h_.jb(otherwise, kNear);
  if (!a.store) return;
  h_.cmp(h_.byte[rdx + at(offsetof(Allocation, writable))], 0);
  h_.je(otherwise, kNear);
}

/// r11 = host address of the first lane, of contiguous ones.
void MemoryLowering::first_pointer(const Access& a, const Places& p, Label& otherwise) {
  const unsigned bytes = span(a);
  h_.vmovd(eax, Xmm(p.low[0].getIdx()));
  if (a.is(Space::kLds)) {
    h_.mov(esi, h_.dword[h_.context + at(offsetof(Context, lds_size))]);
    h_.sub(esi, static_cast<int>(bytes) + a.last_offset());
    h_.jb(otherwise, kNear);
    h_.cmp(eax, esi);
    h_.ja(otherwise, kNear);
    h_.mov(r11, ptr[h_.context + at(offsetof(Context, lds))]);
    h_.add(r11, rax);
    return;
  }
  h_.cmp(eax, ~bytes);  // the low words of the lanes must not wrap
  h_.ja(otherwise, kNear);
  if (a.is(Space::kBuffer)) {
    check_resource(a, otherwise);
    buffer_base(a);
    buffer_room(a, otherwise);
    h_.sub(r9, static_cast<int>(bytes - a.bytes));
    h_.jl(otherwise, kNear);
    h_.cmp(rax, r9);
    h_.ja(otherwise, kNear);
    h_.add(r11, rax);
  } else {
    if (a.wide_address) {
      h_.vmovd(ecx, Xmm(p.high[0].getIdx()));
      h_.shl(rcx, 32);
    } else {
      scalar_base(a, rcx);
    }
    h_.lea(r11, ptr[rax + rcx + a.immediate]);
  }
  find_allocation(a, p, bytes, otherwise);
  h_.sub(r11, ptr[rdx + at(offsetof(Allocation, base))]);
  h_.cmp(r11, rsi);
  h_.ja(otherwise, kNear);
  h_.add(r11, ptr[rdx + at(offsetof(Allocation, host))]);
}

// ---- an offset for each lane, from r10, in the frame ----

void MemoryLowering::store_offsets(const Access& a, const Places& p, Label& slow) {
  if (a.is(Space::kLds))
    lds_offsets(a, p, slow);
  else if (a.wide_address)
    wide_offsets(a, p, slow);
  else
    narrow_offsets(a, p, slow);
  if (a.bytes < 4) {  // where a whole word is still there
    h_.lea(r9d, ptr[rsi + static_cast<int>(a.bytes) - 4]);
    h_.test(r9d, r9d);
    h_.js(slow, kNear);
  }
}

void MemoryLowering::lds_offsets(const Access& a, const Places& p, Label& slow) {
  h_.mov(r10, ptr[h_.context + at(offsetof(Context, lds))]);
  h_.mov(esi, h_.dword[h_.context + at(offsetof(Context, lds_size))]);
  h_.sub(esi, static_cast<int>(a.bytes) + a.last_offset());
  h_.jb(slow, kNear);
  store_low(p, slow);
}

/// What all lanes add their offsets to: r11 = its place in the allocation of rdx, of which rsi
/// bytes may start an access; of a buffer r9 more.
void MemoryLowering::find_shared_base(const Access& a, const Places& p, Label& slow) {
  if (a.is(Space::kBuffer)) {
    check_resource(a, slow);
    buffer_base(a);
    buffer_room(a, slow);
  } else {
    scalar_base(a, r11);
    if (a.immediate) h_.add(r11, a.immediate);
  }
  find_allocation(a, p, a.bytes, slow);
  h_.sub(r11, ptr[rdx + at(offsetof(Allocation, base))]);
  h_.cmp(r11, rsi);
  h_.ja(slow, kNear);
}

void MemoryLowering::narrow_offsets(const Access& a, const Places& p, Label& slow) {
  find_shared_base(a, p, slow);
  h_.mov(r10, ptr[rdx + at(offsetof(Allocation, host))]);
  h_.add(r10, r11);
  h_.sub(rsi, r11);
  if (a.is(Space::kBuffer)) {
    h_.cmp(rsi, r9);
    h_.cmova(rsi, r9);
  }
  h_.mov(eax, kLargestOffset);
  h_.cmp(rsi, rax);
  h_.cmova(rsi, rax);
  store_low(p, slow);
}

/// Offsets of one word; none of an active lane is above esi.
void MemoryLowering::store_low(const Places& p, Label& slow) {
  const Zmm& limit = p.spare[0];
  h_.vpbroadcastd(limit, esi);
  h_.kxorw(k7, k7, k7);
  for (unsigned s = 0; s < v_.slices(); ++s) {
    h_.vpcmpud(k6 | v_.exec(s), p.low[s], limit, kGreater);
    h_.korw(k7, k7, k6);
    h_.vmovdqu32(ptr[offsets(s)], p.low[s]);
  }
  h_.kortestw(k7, k7);
  h_.jnz(slow, kNear);
}

void MemoryLowering::wide_offsets(const Access& a, const Places& p, Label& slow) {
  find_allocation(a, p, a.bytes, slow);
  h_.mov(r8, ptr[rdx + at(offsetof(Allocation, base))]);
  if (a.immediate) h_.sub(r8, a.immediate);
  h_.mov(r10, ptr[rdx + at(offsetof(Allocation, host))]);
  h_.mov(eax, kLargestOffset);
  h_.cmp(rsi, rax);
  h_.cmova(rsi, rax);
  // The difference in two words: the high one must be 0, with the borrow of the low one.
  const Zmm &limit = p.spare[0], &base_low = p.spare[1], &base_high = p.spare[2],
            &high = p.spare[3], &low = p.spare[4];
  h_.vpbroadcastd(limit, esi);
  h_.vpbroadcastd(base_low, r8d);
  h_.shr(r8, 32);
  h_.vpbroadcastd(base_high, r8d);
  h_.kxorw(k7, k7, k7);
  for (unsigned s = 0; s < v_.slices(); ++s) {
    h_.vpsubd(low, p.low[s], base_low);
    h_.vpcmpud(k6, p.low[s], base_low, kLess);
    h_.vpsubd(high, p.high[s], base_high);
    h_.vpsubd(high | k6, high, h_.ptr_b[h_.rip + h_.constant(1)]);
    h_.vpcmpud(k6 | v_.exec(s), low, limit, kGreater);
    h_.korw(k7, k7, k6);
    h_.vptestmd(k6 | v_.exec(s), high, high);
    h_.korw(k7, k7, k6);
    h_.vmovdqu32(ptr[offsets(s)], low);
  }
  h_.kortestw(k7, k7);
  h_.jnz(slow, kNear);
}

/// One address for all lanes: a load and broadcasts.
void MemoryLowering::uniform(const Access& a, const Places& p, Label& slow) {
  find_shared_base(a, p, slow);
  h_.add(r11, ptr[rdx + at(offsetof(Allocation, host))]);
  for (unsigned i = 0; i < a.dwords; ++i)
    for (unsigned s = 0; s < v_.slices(); ++s)
      h_.vpbroadcastd(p.data[0][i][s] | v_.exec(s), h_.dword[r11 + static_cast<int>(4 * i)]);
}

}  // namespace lockstep::emu::jit
