// SPDX-License-Identifier: MIT
// Contiguous lanes: whole vectors, transposed where an element has more than one register.
#include "emu/jit/lower_memory.h"

namespace lockstep::emu::jit {

using isa::MemHalf;
using Xbyak::Label;
using Xbyak::RegExp;
using Xbyak::Xmm;
using namespace Xbyak::util;

namespace {

constexpr int kNotEqual = 4;  // vpcmpu
constexpr auto kNear = Xbyak::CodeGenerator::T_NEAR;

}  // namespace

void MemoryLowering::extend(const Access& a, const Zmm& d, const Xbyak::Address& from) {
  if (a.bytes == 1 && a.sign)
    h_.vpmovsxbd(d, from);
  else if (a.bytes == 1)
    h_.vpmovzxbd(d, from);
  else if (a.sign)
    h_.vpmovsxwd(d, from);
  else
    h_.vpmovzxwd(d, from);
}

void MemoryLowering::join_half(const Access& a, const Zmm& t, const Zmm& d) {
  constexpr int kOrAnd = 0xf8;  // a | (b & c)
  const bool high = a.half == MemHalf::kD16Hi;
  if (high)
    h_.vpslld(t, t, 16);
  else if (a.sign)
    h_.vpandd(t, t, h_.ptr_b[h_.rip + h_.constant(0xffff)]);
  h_.vpternlogd(t, d, h_.ptr_b[h_.rip + h_.constant(high ? 0x0000ffff : 0xffff0000)], kOrAnd);
}

void MemoryLowering::take_part(const Access& a, const Zmm& t, const Zmm& d) {
  if (a.bytes >= 4) return;
  const auto unused = static_cast<uint8_t>(32 - 8 * a.bytes);
  h_.vpslld(t, t, unused);
  if (a.sign)
    h_.vpsrad(t, t, unused);
  else
    h_.vpsrld(t, t, unused);
  if (!a.whole()) join_half(a, t, d);
}

void MemoryLowering::load_triples(const Zmm* d, const Zmm& t, const RegExp& from) {
  const RegExp tables = h_.table(&HostTables::part_triples);
  h_.vmovdqu32(d[0], ptr[from]);
  h_.vmovdqa32(d[1], d[0]);
  h_.vmovdqa32(d[2], d[0]);
  for (int part = 0; part < 3; ++part)
    for (int step = 0; step < 2; ++step) {
      h_.vmovdqa32(t, ptr[tables + (part * 2 + step) * 64]);
      h_.vpermt2d(d[part], t, ptr[from + 64 + step * 64]);
    }
}

void MemoryLowering::load_full(const Access& a, const Zmm* d, const Zmm* t, const RegExp& from) {
  if (a.bytes < 4) {
    if (a.whole()) return extend(a, d[0], ptr[from]);
    extend(a, t[0], ptr[from]);
    join_half(a, t[0], d[0]);
    h_.vmovdqa32(d[0], t[0]);
    return;
  }
  if (a.dwords == 1) return h_.vmovdqu32(d[0], ptr[from]);
  if (a.dwords == 3) return load_triples(d, t[0], from);
  const Zmm &low = t[0], &high = t[1], &x = t[2], &y = t[3];
  h_.vmovdqa32(low, ptr[h_.table(&HostTables::low_words)]);
  h_.vmovdqa32(high, ptr[h_.table(&HostTables::high_words)]);
  h_.vmovdqu32(d[0], ptr[from]);
  h_.vmovdqa32(d[1], d[0]);
  h_.vpermt2d(d[0], low, ptr[from + 64]);
  h_.vpermt2d(d[1], high, ptr[from + 64]);
  if (a.dwords == 2) return;
  // Even and odd words of each pair, then again: x z, y w, then each alone.
  h_.vmovdqu32(x, ptr[from + 128]);
  h_.vmovdqa32(y, x);
  h_.vpermt2d(x, low, ptr[from + 192]);
  h_.vpermt2d(y, high, ptr[from + 192]);
  h_.vmovdqa32(d[2], d[0]);
  h_.vmovdqa32(d[3], d[1]);
  h_.vpermt2d(d[0], low, x);
  h_.vpermt2d(d[2], high, x);
  h_.vpermt2d(d[1], low, y);
  h_.vpermt2d(d[3], high, y);
}

void MemoryLowering::store_triples(const Zmm* d, const Zmm* t, const RegExp& to) {
  const RegExp tables = h_.table(&HostTables::join_triples);
  for (int part = 0; part < 3; ++part) {
    h_.vmovdqa32(t[0], ptr[tables + part * 128]);
    h_.vmovdqa32(t[1], ptr[tables + part * 128 + 64]);
    h_.vpermi2d(t[0], d[0], d[1]);
    h_.vpermt2d(t[0], t[1], d[2]);
    h_.vmovdqu32(ptr[to + part * 64], t[0]);
  }
}

void MemoryLowering::store_full(const Access& a, const Zmm* d, const Zmm* t, const RegExp& to) {
  Zmm first = d[0];
  if (a.half == MemHalf::kD16Hi) {
    h_.vpsrld(t[0], d[0], 16);
    first = t[0];
  }
  if (a.bytes == 1) return h_.vpmovdb(ptr[to], first);
  if (a.bytes == 2) return h_.vpmovdw(ptr[to], first);
  if (a.dwords == 1) return h_.vmovdqu32(ptr[to], d[0]);
  if (a.dwords == 3) return store_triples(d, t, to);
  const auto interleave = [&](const Zmm& out, bool upper, const Zmm& x, const Zmm& y) {
    h_.vmovdqa32(out,
                 ptr[upper ? h_.table(&HostTables::high_quads) : h_.table(&HostTables::low_quads)]);
    h_.vpermi2d(out, x, y);
  };
  for (int half = 0; half < 2; ++half) {
    if (a.dwords == 2) {
      interleave(t[0], half, d[0], d[1]);
      h_.vmovdqu32(ptr[to + half * 64], t[0]);
      continue;
    }
    const Zmm &even = t[0], &odd = t[1], &out = t[2];
    interleave(even, half, d[0], d[2]);
    interleave(odd, half, d[1], d[3]);
    for (int part = 0; part < 2; ++part) {
      interleave(out, part, even, odd);
      h_.vmovdqu32(ptr[to + half * 128 + part * 64], out);
    }
  }
}

// ---- some lanes ----

/// The lanes that are on must continue lane 0's offset; r11 = where lane 0's element is.
void MemoryLowering::check_masked(const Access& a, const Places& p, Label& otherwise) {
  const Zmm &first = p.spare[0], &t = p.spare[1];
  h_.vpbroadcastd(first, h_.dword[offsets(0)]);
  h_.kxorw(k7, k7, k7);
  for (unsigned s = 0; s < v_.slices(); ++s) {
    h_.vpaddd(t, first, ptr[lane_times(a.bytes, s)]);
    h_.vpcmpud(k6 | v_.exec(s), t, offset_words(p, s, p.spare[2]), kNotEqual);
    h_.korw(k7, k7, k6);
  }
  h_.kortestw(k7, k7);
  h_.jnz(otherwise, kNear);
  h_.movsxd(rax, h_.dword[offsets(0)]);
  h_.lea(r11, ptr[r10 + rax]);
}

void MemoryLowering::expand_exec(unsigned slice, unsigned dwords) {
  constexpr uint64_t kEvery[] = {0, 0, 0x5555555555555555, 0x1249249249249249, 0x1111111111111111};
  h_.kmovw(eax, v_.exec(slice));
  h_.mov(rcx, kEvery[dwords]);
  h_.pdep(rax, rax, rcx);
  h_.imul(rax, rax, (1 << dwords) - 1);
}

void MemoryLowering::load_masked(const Access& a, unsigned slice, const Zmm* d, const Places& p) {
  const Opmask k = v_.exec(slice);
  const RegExp from = r11 + a.offset[0] + static_cast<int>(slice * kLanes * a.bytes);
  const Zmm* t = p.spare;
  if (a.bytes < 4) {
    extend(a, t[0] | k | T_z, ptr[from]);
    if (!a.whole()) join_half(a, t[0], d[0]);
    h_.vmovdqa32(d[0] | k, t[0]);
    return;
  }
  if (a.dwords == 1) return h_.vmovdqu32(d[0] | k, ptr[from]);
  // Through the frame, where all of it is.
  expand_exec(slice, a.dwords);
  for (unsigned part = 0; part < a.dwords; ++part) {
    if (part) h_.shr(rax, 16);
    h_.kmovw(k6, eax);
    h_.vmovdqu32(t[0] | k6 | T_z, ptr[from + static_cast<int>(part * 64)]);
    h_.vmovdqu32(ptr[rsp + kRows + static_cast<int>(part * 64)], t[0]);
  }
  load_full(a, t, t + 4, rsp + kRows);
  for (unsigned i = 0; i < a.dwords; ++i) h_.vmovdqa32(d[i] | k, t[i]);
}

void MemoryLowering::store_masked(const Access& a, unsigned slice, const Zmm* d, const Places& p) {
  const Opmask k = v_.exec(slice);
  const RegExp to = r11 + a.offset[0] + static_cast<int>(slice * kLanes * a.bytes);
  if (a.dwords == 1) {
    Zmm from = d[0];
    if (a.half == MemHalf::kD16Hi) {
      h_.vpsrld(p.spare[0], d[0], 16);
      from = p.spare[0];
    }
    if (a.bytes == 1)
      h_.vpmovdb(ptr[to] | k, from);
    else if (a.bytes == 2)
      h_.vpmovdw(ptr[to] | k, from);
    else
      h_.vmovdqu32(ptr[to] | k, from);
    return;
  }
  store_full(a, d, p.spare, rsp + kRows);
  expand_exec(slice, a.dwords);
  for (unsigned part = 0; part < a.dwords; ++part) {
    if (part) h_.shr(rax, 16);
    h_.kmovw(k6, eax);
    h_.vmovdqu32(p.spare[0], ptr[rsp + kRows + static_cast<int>(part * 64)]);
    h_.vmovdqu32(ptr[to + static_cast<int>(part * 64)] | k6, p.spare[0]);
  }
}

}  // namespace lockstep::emu::jit
