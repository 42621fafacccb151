// SPDX-License-Identifier: MIT
// AVX2: where the vector registers are, masks before results, and instructions of one host
// instruction a half.
#include "emu/jit/vector_code.h"

namespace lockstep::emu::jit {

using namespace Xbyak::util;
using Xbyak::RegExp;
using Xbyak::RegRip;

Xbyak::Address VectorCode::moved(const Address& a, int bytes) {
  if (a.getMode() == Address::M_rip || a.getMode() == Address::M_ripAddr)
    return ptr[RegRip(static_cast<int64_t>(a.getDisp()) + bytes, a.getLabel(),
                      a.getMode() == Address::M_ripAddr)];
  return ptr[a.getRegExp(false) + bytes];
}

Xbyak::Ymm VectorCode::load(int v, int half, int scratch) {
  if (is_resident(v)) return resident(v, half);
  Base::vmovdqa(Ymm(scratch), slot(v, half));
  return Ymm(scratch);
}

VectorCode::Half VectorCode::operand(const Operand& o, int half, int scratch, unsigned bytes) {
  Half h;
  if (!o.isMEM()) {
    if (is_resident(o.getIdx())) {
      h.reg = resident(o.getIdx(), half);
    } else {
      h.in_memory = true;
      h.mem = slot(o.getIdx(), half);
    }
    return h;
  }
  const Address& a = o.getAddress();
  if (a.isBroadcast()) {
    h.reg = Ymm(scratch);
    if (bytes == 8)
      Base::vbroadcastsd(h.reg, moved(a, 0));
    else
      Base::vbroadcastss(h.reg, moved(a, 0));
    return h;
  }
  h.in_memory = true;
  h.mem = moved(a, 32 * half);
  return h;
}

Xbyak::Ymm VectorCode::in_register(const Operand& o, int half, int scratch, unsigned bytes) {
  const Half h = operand(o, half, scratch, bytes);
  if (!h.in_memory) return h.reg;
  Base::vmovdqu(Ymm(scratch), h.mem);
  return Ymm(scratch);
}

Xbyak::Xmm VectorCode::quarter(const Operand& o, int part, int scratch) {
  const Xmm s(scratch);
  if (o.isMEM()) {
    Base::vmovdqu(s, moved(o.getAddress(), 16 * part));
  } else if (!is_resident(o.getIdx())) {
    Base::vmovdqa(s, moved(slot(o.getIdx(), 0), 16 * part));
  } else {
    const Ymm from = resident(o.getIdx(), part / 2);
    if (part % 2 == 0) return Xmm(from.getIdx());
    Base::vextracti128(s, from, 1);
  }
  return s;
}

Xbyak::Ymm VectorCode::direct(const Xmm& d, int half) const {
  return is_resident(d.getIdx()) && !d.getOpmaskIdx() ? resident(d.getIdx(), half) : Ymm(0);
}

void VectorCode::blend(const Ymm& d, const Ymm& a, const Operand& b, const Ymm& b_where,
                       unsigned bytes) {
  if (bytes < 4)
    Base::vpblendvb(d, a, b, b_where);
  else if (bytes == 4)
    Base::vblendvps(d, a, b, b_where);
  else
    Base::vblendvpd(d, a, b, b_where);
}

void VectorCode::put(const Xmm& d, int half, const Ymm& value, unsigned bytes) {
  const int v = d.getIdx(), k = d.getOpmaskIdx();
  Ymm result = value;
  if (k) {
    result = is_resident(v) ? resident(v, half) : Ymm(0);
    const bool on = only_ != kBoth && !is_exec(k) && (d.hasZero() || is_resident(v));
    const Ymm lanes_off = on ? half_mask_in_register(k, bytes, 1) : off(k, half, bytes, 1);
    if (on && d.hasZero())
      Base::vpand(result, lanes_off, value);
    else if (on)
      blend(result, result, value, lanes_off, bytes);
    else if (d.hasZero())
      Base::vpandn(result, lanes_off, value);
    else if (is_resident(v))
      blend(result, value, result, lanes_off, bytes);
    else
      blend(result, value, slot(v, half), lanes_off, bytes);
  }
  if (!is_resident(v))
    Base::vmovdqa(slot(v, half), result);
  else if (result.getIdx() != resident(v, half).getIdx())
    Base::vmovdqa(resident(v, half), result);
}

// ---- masks in front of results ----

Xbyak::Address VectorCode::words(const std::array<uint32_t, 16>& w, int half) {
  return ptr[rip + vector_constant(w) + 32 * half];
}

Xbyak::Address VectorCode::every(uint32_t bits) {
  std::array<uint32_t, 16> w;
  w.fill(bits);
  return words(w, 0);
}

Xbyak::Address VectorCode::every64(uint64_t bits) {
  std::array<uint32_t, 16> w;
  for (unsigned i = 0; i < 16; ++i) w[i] = static_cast<uint32_t>(bits >> (i % 2 * 32));
  return words(w, 0);
}

/// A mask of bits, from the integer that it is kept as.
void VectorCode::spread(const Ymm& d, int k, int half, unsigned bytes, bool on) {
  needs_both_halves();
  std::array<uint32_t, 16> bits{};
  if (bytes == 1) {
    std::array<uint32_t, 16> source{};
    for (unsigned i = 0; i < 64; ++i) {
      bits[i / 4] |= 1u << (i % 4 * 8 + i % 8);
      source[i / 4] |= (i % 32 / 8) << (i % 4 * 8);
    }
    Base::vpbroadcastd(d, dword[rsp + kMaskFile + 8 * k + 4 * half]);
    Base::vpshufb(d, d, words(source, half));
  } else {
    for (unsigned i = 0; i < 64 / bytes; ++i) bits[i * bytes / 4] = 1u << i;
    Base::vpbroadcastd(d, dword[rsp + kMaskFile + 8 * k]);
  }
  const Address wanted = words(bits, half);
  if (on)
    Base::vpand(d, d, wanted);
  else
    Base::vpandn(d, d, wanted);
  if (bytes == 1)
    Base::vpcmpeqb(d, d, wanted);
  else if (bytes == 4)
    Base::vpcmpeqd(d, d, wanted);
  else
    Base::vpcmpeqq(d, d, wanted);
}

Xbyak::Ymm VectorCode::off(int k, int half, unsigned bytes, int scratch) {
  const Ymm d(scratch);
  if (bytes == 4 && is_exec(k)) {
    Base::vmovdqa(d, ptr[rsp + kSpreadExec + 64 * (k - 1) + 32 * half]);
    return d;
  }
  if (only_ != kBoth) {
    Base::vpxor(d, half_mask_in_register(k, bytes, scratch), every(0xffffffff));
    return d;
  }
  spread(d, k, half, bytes, false);
  return d;
}

void VectorCode::mask_changed(const Opmask& k) {
  if (k.getIdx() == 0 || !is_exec(k.getIdx())) return;
  needs_both_halves();
  for (int half = 0; half < 2; ++half) {
    spread(ymm0, k.getIdx(), half, 4, false);
    Base::vmovdqa(ptr[rsp + kSpreadExec + 64 * (k.getIdx() - 1) + 32 * half], ymm0);
  }
}

// ---- one host instruction a half ----

void VectorCode::binary(const Xmm& d, const Xmm& a, const Operand& b, unsigned bytes, BinaryFn f) {
  for (int half = first_half(); half < end_half(d); ++half) {
    const Ymm out = direct(d, half), x = load(a.getIdx(), half, 1);
    (this->*f)(out, x, operand(b, half, 2, bytes));
    put(d, half, out, bytes);
  }
}

void VectorCode::unary(const Xmm& d, const Operand& a, unsigned bytes, UnaryFn f) {
  for (int half = first_half(); half < end_half(d); ++half) {
    const Ymm out = direct(d, half);
    (this->*f)(out, operand(a, half, 1, bytes));
    put(d, half, out, bytes);
  }
}

void VectorCode::shift(const Xmm& d, const Xmm& a, uint8_t by, unsigned bytes, ShiftFn f) {
  for (int half = first_half(); half < end_half(d); ++half) {
    const Ymm out = direct(d, half);
    (this->*f)(out, load(a.getIdx(), half, 1), by);
    put(d, half, out, bytes);
  }
}

void VectorCode::fused(const Xmm& d, const Xmm& a, const Operand& b, unsigned bytes, BinaryFn f) {
  for (int half = first_half(); half < end_half(d); ++half) {
    const Ymm out = direct(d, half);
    if (out.getIdx() == 0) Base::vmovdqa(out, operand(d, half, 0, bytes));
    const Ymm x = load(a.getIdx(), half, 1);
    (this->*f)(out, x, operand(b, half, 2, bytes));
    put(d, half, out, bytes);
  }
}

void VectorCode::begin_rounding(int rounding) {
  // EvexModifierRounding counts 1 nearest, 2 down, 3 up, 4 to zero: as MXCSR does, from 1.
  Base::vstmxcsr(dword[rsp + kSpill]);
  Base::vldmxcsr(dword[rip + constant(0x1f80u | static_cast<uint32_t>(rounding - 1) << 13)]);
}

void VectorCode::end_rounding() { Base::vldmxcsr(dword[rsp + kSpill]); }

void VectorCode::emit_constants() {
  align(64);
  for (auto& [vector, label] : vectors_) {
    L(label);
    for (const uint32_t w : vector) dd(w);
  }
  for (auto& [bits, label] : constants64_) {
    L(label);
    dq(bits);
  }
  for (auto& [bits, label] : constants_) {
    L(label);
    dd(bits);
  }
}

}  // namespace lockstep::emu::jit
