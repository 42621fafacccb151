// SPDX-License-Identifier: MIT
// Lanes anywhere: gathers and scatters of words; elements of 128 bits are moved whole and
// transposed, which costs a third of a gather for each of their words; what must be written lane by
// lane is.
#include "emu/jit/lower_memory.h"

namespace lockstep::emu::jit {

using Xbyak::Label;
using Xbyak::Reg32;
using Xbyak::Reg64;
using Xbyak::RegExp;
using Xbyak::Xmm;
using namespace Xbyak::util;

namespace {

constexpr auto kNear = Xbyak::CodeGenerator::T_NEAR;
constexpr int kSecondRows = 128;  ///< of the second elements, behind the first

/// Registers that hold an element's offset in turn, so that the loads do not wait for each other.
Reg64 offset_register(unsigned lane) { return lane % 2 == 0 ? rax : rcx; }

}  // namespace

RegExp MemoryLowering::offsets(unsigned slice) const { return rsp + static_cast<int>(slice * 64); }

Xbyak::Zmm MemoryLowering::offset_words(const Places& p, unsigned slice, const Zmm& t) {
  if (p.low_is_offset) return p.low[slice];
  h_.vmovdqu32(t, ptr[offsets(slice)]);
  return t;
}

void MemoryLowering::general(const Access& a, const Places& p, Label& slow, Label& done) {
  for (const auto& [reg, place] : p.unloaded)
    h_.vmovdqa32(reg, r_.memory(static_cast<unsigned>(place.vgpr), place.slice));
  if (!p.borrowed.empty()) h_.mark_spilled();
  for (const auto& [reg, place] : p.borrowed)
    h_.vmovdqa32(r_.memory(static_cast<unsigned>(place.vgpr), place.slice), reg);
  Label no_room, anywhere, end;
  store_offsets(a, p, no_room);
  const auto slice_data = [&](unsigned s, Zmm* d) {
    for (unsigned i = 0; i < a.dwords; ++i) d[i] = p.data[0][i][s];
  };
  const bool is_atomic = a.atomic != AtomicKind::kNone;
  if (is_atomic) {
    require_aligned(a, p, no_room);
    for (unsigned s = 0; s < v_.slices(); ++s) atomic_slice(a, p, s);
    h_.jmp(end, kNear);
  } else if (a.elements == 1) {
    compare_exec_with_full();
    h_.je(anywhere, kNear);  // were they contiguous, they would not come here
    check_masked(a, p, anywhere);
    for (unsigned s = 0; s < v_.slices(); ++s) {
      Zmm d[4];
      slice_data(s, d);
      if (a.store)
        store_masked(a, s, d, p);
      else
        load_masked(a, s, d, p);
    }
    h_.jmp(end, kNear);
  }
  h_.L(anywhere);
  if (!is_atomic)
    for (unsigned s = 0; s < v_.slices(); ++s) scattered(a, p, s);
  h_.L(end);
  const auto give_back = [&] {
    for (const auto& [reg, place] : p.borrowed)
      h_.vmovdqa32(reg, r_.memory(static_cast<unsigned>(place.vgpr), place.slice));
  };
  give_back();
  h_.jmp(done, kNear);
  h_.L(no_room);
  give_back();
  h_.jmp(slow, kNear);
}

void MemoryLowering::scattered(const Access& a, const Places& p, unsigned slice) {
  if (!a.store) {
    if (a.bytes < 4) return gather_small(a, p, slice);
    if (a.dwords == 4) return load_rows(a, p, slice);
    for (unsigned e = 0; e < a.elements; ++e) gather(a, p, slice, e);
    return;
  }
  if (a.bytes == 4 && a.elements == 1) {
    const Zmm at = offset_words(p, slice, p.spare[0]);
    h_.kmovw(k6, v_.exec(slice));
    h_.vpscatterdd(ptr[r10 + at + a.offset[0]] | k6, p.data[0][0][slice]);
    return;
  }
  Label by_lane, end;
  if (a.dwords == 4) {
    h_.kortestw(v_.exec(slice), v_.exec(slice));
    h_.jnc(by_lane, kNear);
    store_rows(a, p, slice);
    h_.jmp(end, kNear);
  }
  h_.L(by_lane);
  store_by_lane(a, p, slice);
  h_.L(end);
}

void MemoryLowering::gather(const Access& a, const Places& p, unsigned slice, unsigned element) {
  const Opmask k = v_.exec(slice);
  if (a.dwords == 2) return gather_quads(a, p, slice, element);
  const Zmm at = offset_words(p, slice, p.spare[0]);
  for (unsigned i = 0; i < a.dwords; ++i) {
    h_.kmovw(k6, k);
    h_.vpgatherdd(p.data[element][i][slice] | k6,
                  ptr[r10 + at + (a.offset[element] + static_cast<int>(4 * i))]);
  }
}

/// Words that hold the elements: at the end of the memory those before them.
void MemoryLowering::gather_small(const Access& a, const Places& p, unsigned slice) {
  const Opmask k = v_.exec(slice);
  const Zmm &at = p.spare[0], &shift = p.spare[1], &t = p.spare[2], &d = p.data[0][0][slice];
  h_.vmovdqu32(shift, ptr[offsets(slice)]);
  h_.vpbroadcastd(at, r9d);
  h_.vpminud(at, at, shift);
  h_.vpsubd(shift, shift, at);
  h_.vpslld(shift, shift, 3);
  h_.kmovw(k6, k);
  h_.vpxord(t, t, t);
  h_.vpgatherdd(t | k6, ptr[r10 + at + a.offset[0]]);
  h_.vpsrlvd(t, t, shift);
  take_part(a, t, d);
  h_.vmovdqa32(d | k, t);
}

void MemoryLowering::gather_quads(const Access& a, const Places& p, unsigned slice,
                                  unsigned element) {
  const Opmask k = v_.exec(slice);
  const Zmm &low = p.spare[0], &high = p.spare[1], &words = p.spare[2];
  const Ymm index(p.spare[3].getIdx());
  for (int half = 0; half < 2; ++half) {
    h_.vmovdqu32(index, ptr[offsets(slice) + 32 * half]);
    if (half == 0)
      h_.kmovw(k6, k);
    else
      h_.kshiftrw(k6, k, 8);
    h_.vpgatherdq((half == 0 ? low : high) | k6, ptr[r10 + index + a.offset[element]]);
  }
  for (unsigned odd = 0; odd < 2; ++odd) {
    h_.vmovdqa32(words,
                 ptr[odd ? h_.table(&HostTables::high_words) : h_.table(&HostTables::low_words)]);
    h_.vpermi2d(words, low, high);
    h_.vmovdqa32(p.data[element][odd][slice] | k, words);
  }
}

Xbyak::Address MemoryLowering::element_of(const Access& a, unsigned slice, unsigned lane) {
  const Reg64 offset = offset_register(lane);
  h_.mov(Reg32(offset.getIdx()), dword[offsets(slice) + static_cast<int>(4 * lane)]);
  return ptr[r10 + offset + a.offset[0]];
}

void MemoryLowering::load_rows(const Access& a, const Places& p, unsigned slice) {
  const Opmask k = v_.exec(slice);
  const Zmm* m = p.spare;
  // Lanes that are switched off read the start of the allocation, which is there.
  h_.vmovdqu32(m[0] | k | T_z, ptr[offsets(slice)]);
  h_.vmovdqu32(ptr[offsets(slice)], m[0]);
  for (unsigned block = 0; block < 4; ++block)
    for (unsigned j = 0; j < 4; ++j) {
      const Xbyak::Address from = element_of(a, slice, 4 * block + j);
      if (block == 0)
        h_.vmovdqu32(Xmm(m[j].getIdx()), from);
      else
        h_.vinserti32x4(m[j], m[j], from, static_cast<uint8_t>(block));
    }
  const Zmm &low01 = m[4], &high01 = m[5], &low23 = m[6], &high23 = m[7];
  h_.vpunpckldq(low01, m[0], m[1]);
  h_.vpunpckhdq(high01, m[0], m[1]);
  h_.vpunpckldq(low23, m[2], m[3]);
  h_.vpunpckhdq(high23, m[2], m[3]);
  // Two words of each: vpunpcklqdq would take the mask for quads.
  constexpr int kLow = 0x44, kHigh = 0xee;
  h_.vshufps(p.data[0][0][slice] | k, low01, low23, kLow);
  h_.vshufps(p.data[0][1][slice] | k, low01, low23, kHigh);
  h_.vshufps(p.data[0][2][slice] | k, high01, high23, kLow);
  h_.vshufps(p.data[0][3][slice] | k, high01, high23, kHigh);
}

void MemoryLowering::store_rows(const Access& a, const Places& p, unsigned slice) {
  const Zmm* m = p.spare;
  const Zmm &low01 = m[4], &high01 = m[5], &low23 = m[6], &high23 = m[7];
  h_.vpunpckldq(low01, p.data[0][0][slice], p.data[0][1][slice]);
  h_.vpunpckhdq(high01, p.data[0][0][slice], p.data[0][1][slice]);
  h_.vpunpckldq(low23, p.data[0][2][slice], p.data[0][3][slice]);
  h_.vpunpckhdq(high23, p.data[0][2][slice], p.data[0][3][slice]);
  h_.vpunpcklqdq(m[0], low01, low23);
  h_.vpunpckhqdq(m[1], low01, low23);
  h_.vpunpcklqdq(m[2], high01, high23);
  h_.vpunpckhqdq(m[3], high01, high23);
  // In order of the lanes: where elements overlap, the last one stays.
  for (unsigned block = 0; block < 4; ++block)
    for (unsigned j = 0; j < 4; ++j) {
      const Xbyak::Address to = element_of(a, slice, 4 * block + j);
      if (block == 0)
        h_.vmovdqu32(to, Xmm(m[j].getIdx()));
      else
        h_.vextracti32x4(to, m[j], static_cast<uint8_t>(block));
    }
}

/// The element of lane edx, from the frame to r10 + rax.
void MemoryLowering::copy_lane(const Access& a, unsigned element, const Places& p) {
  const int rows = kRows + static_cast<int>(element) * kSecondRows;
  const RegExp to = r10 + rax + a.offset[element];
  switch (a.bytes) {
    case 1:
      h_.movzx(esi, byte[rsp + rdx + rows]);
      h_.mov(byte[to], sil);
      break;
    case 2:
      h_.movzx(esi, word[rsp + rdx * 2 + rows]);
      h_.mov(word[to], si);
      break;
    case 4:
      h_.mov(esi, dword[rsp + rdx * 4 + rows]);
      h_.mov(dword[to], esi);
      break;
    case 8:
      h_.mov(rsi, qword[rsp + rdx * 8 + rows]);
      h_.mov(qword[to], rsi);
      break;
    case 12:
      h_.lea(edx, ptr[rdx + rdx * 2]);
      h_.mov(rsi, qword[rsp + rdx * 4 + rows]);
      h_.mov(qword[to], rsi);
      h_.mov(esi, dword[rsp + rdx * 4 + rows + 8]);
      h_.mov(dword[to + 8], esi);
      break;
    default: {
      const Xmm t(p.spare[0].getIdx());
      h_.add(edx, edx);
      h_.vmovdqu32(t, ptr[rsp + rdx * 8 + rows]);
      h_.vmovdqu32(ptr[to], t);
      break;
    }
  }
}

void MemoryLowering::store_by_lane(const Access& a, const Places& p, unsigned slice) {
  Label again, none;
  h_.kmovw(ecx, v_.exec(slice));
  h_.test(ecx, ecx);
  h_.jz(none, kNear);
  for (unsigned e = 0; e < a.elements; ++e) {
    Zmm d[4];
    for (unsigned i = 0; i < a.dwords; ++i) d[i] = p.data[e][i][slice];
    store_full(a, d, p.spare, rsp + (kRows + static_cast<int>(e) * kSecondRows));
  }
  h_.L(again);
  h_.tzcnt(edx, ecx);
  h_.mov(eax, dword[offsets(slice) + rdx * 4]);
  for (unsigned e = 0; e < a.elements; ++e) copy_lane(a, e, p);
  h_.blsr(ecx, ecx);
  h_.jnz(again, kNear);
  h_.L(none);
}

}  // namespace lockstep::emu::jit
