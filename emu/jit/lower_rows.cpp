// SPDX-License-Identifier: MIT
// Elements of 64 and 128 bits at scattered addresses: whole elements are moved and transposed,
// which costs a third of a gather for each of their words.
#include "emu/jit/lower_memory.h"

namespace lockstep::emu::jit {

using Xbyak::Label;
using Xbyak::Reg32;
using Xbyak::Reg64;
using Xbyak::Xmm;
using namespace Xbyak::util;

namespace {

constexpr int kOffsets = -64;  ///< from rsp: 16 words below the stack, which nobody else touches

/// Registers that hold an element's offset in turn, so that the loads do not wait for each other.
Reg64 offset_register(unsigned lane) { return lane % 2 == 0 ? rax : rcx; }

}  // namespace

void MemoryLowering::spill_offsets(const Zmm& offsets) {
  h_.vmovdqu32(ptr[rsp + kOffsets], offsets);
}

Xbyak::Address MemoryLowering::element_of(unsigned lane) {
  const Reg64 offset = offset_register(lane);
  h_.mov(Reg32(offset.getIdx()), dword[rsp + kOffsets + static_cast<int>(4 * lane)]);
  return ptr[r10 + offset];
}

void MemoryLowering::load_rows(unsigned slice, const Zmm* d) {
  const Opmask k = v_.exec(slice);
  const Zmm* m = spare_;
  // Lanes that are switched off read the start of the allocation, which is there.
  h_.vmovdqa32(m[0] | k | T_z, offset_[slice]);
  spill_offsets(m[0]);
  for (unsigned block = 0; block < 4; ++block)
    for (unsigned j = 0; j < 4; ++j) {
      const Xbyak::Address from = element_of(4 * block + j);
      if (block == 0)
        h_.vmovdqu32(Xmm(m[j].getIdx()), from);
      else
        h_.vinserti32x4(m[j], m[j], from, static_cast<uint8_t>(block));
    }
  const Zmm &low01 = spare_[4], &high01 = spare_[5], &low23 = spare_[6], &high23 = spare_[7];
  h_.vpunpckldq(low01, m[0], m[1]);
  h_.vpunpckhdq(high01, m[0], m[1]);
  h_.vpunpckldq(low23, m[2], m[3]);
  h_.vpunpckhdq(high23, m[2], m[3]);
  // Two words of each: vpunpcklqdq would take the mask for quads.
  constexpr int kLow = 0x44, kHigh = 0xee;
  h_.vshufps(d[0] | k, low01, low23, kLow);
  h_.vshufps(d[1] | k, low01, low23, kHigh);
  h_.vshufps(d[2] | k, high01, high23, kLow);
  h_.vshufps(d[3] | k, high01, high23, kHigh);
}

void MemoryLowering::store_rows(unsigned slice, const Zmm* d) {
  const Zmm &low01 = spare_[4], &high01 = spare_[5], &low23 = spare_[6], &high23 = spare_[7];
  const Zmm* m = spare_;
  spill_offsets(offset_[slice]);
  h_.vpunpckldq(low01, d[0], d[1]);
  h_.vpunpckhdq(high01, d[0], d[1]);
  h_.vpunpckldq(low23, d[2], d[3]);
  h_.vpunpckhdq(high23, d[2], d[3]);
  h_.vpunpcklqdq(m[0], low01, low23);
  h_.vpunpckhqdq(m[1], low01, low23);
  h_.vpunpcklqdq(m[2], high01, high23);
  h_.vpunpckhqdq(m[3], high01, high23);
  // In order of the lanes: where elements overlap, the last one stays.
  for (unsigned block = 0; block < 4; ++block)
    for (unsigned j = 0; j < 4; ++j) {
      const Xbyak::Address to = element_of(4 * block + j);
      if (block == 0)
        h_.vmovdqu32(to, Xmm(m[j].getIdx()));
      else
        h_.vextracti32x4(to, m[j], static_cast<uint8_t>(block));
    }
}

void MemoryLowering::gather_quads(const Access& a, unsigned slice, const Zmm* d) {
  const Opmask k = v_.exec(slice);
  const Zmm &low = spare_[0], &high = spare_[1], &upper = spare_[2];
  h_.vextracti64x4(Ymm(upper.getIdx()), offset_[slice], 1);
  h_.kmovw(k6, k);
  h_.vpgatherdq(low | k6, ptr[r10 + Ymm(offset_[slice].getIdx())]);
  h_.kshiftrw(k6, k, 8);
  h_.vpgatherdq(high | k6, ptr[r10 + Ymm(upper.getIdx())]);
  transpose_load(a, spare_, d, k);
}

void MemoryLowering::all_lanes_or(Label& otherwise) {
  for (unsigned s = 0; s < v_.slices(); ++s) {
    h_.kortestw(v_.exec(s), v_.exec(s));
    h_.jnc(otherwise, Xbyak::CodeGenerator::T_NEAR);
  }
}

}  // namespace lockstep::emu::jit
