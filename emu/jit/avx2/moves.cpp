// SPDX-License-Identifier: MIT
// AVX2: moves, broadcasts, permutations, gathers and scatters.
#include "emu/jit/vector_code.h"

namespace lockstep::emu::jit {

using namespace Xbyak::util;

void VectorCode::move(const Xmm& d, const Operand& a, unsigned bytes) {
  for (int half = first_half(); half < end_half(d); ++half)
    put(d, half, in_register(a, half, 0, bytes), bytes);
}

/// Masked loads touch no memory of lanes that are off.
void VectorCode::vmovdqu32(const Xmm& d, const Operand& a) {
  if (wide_) return Base::vmovdqu32(d, a);
  if (d.isXMM() && a.isMEM()) {
    needs_both_halves();
    Base::vmovdqu(xmm0, moved(a.getAddress(), 0));
    return put_quarter(d, xmm0);
  }
  for (int half = first_half(); half < end_half(d); ++half) {
    if (a.isMEM() && d.getOpmaskIdx()) {
      spread(ymm3, d.getOpmaskIdx(), half, 4, true);
      Base::vpmaskmovd(ymm0, ymm3, moved(a.getAddress(), 32 * half));
      put(d, half, ymm0, 4);
      continue;
    }
    const Ymm out = direct(d, half);
    Base::vmovdqu(out, operand(a, half, 0, 4));
    put(d, half, out, 4);
  }
}

void VectorCode::vmovdqu32(const Address& d, const Xmm& a) {
  if (wide_) return Base::vmovdqu32(d, a);
  if (a.isXMM()) return Base::vmovdqu(moved(d, 0), quarter(a, 0, 0));
  for (int half = first_half(); half < end_half(a); ++half) {
    const Address to = moved(d, 32 * half);
    const Ymm value = load(a.getIdx(), half, 0);
    if (d.getOpmaskIdx()) {
      spread(ymm3, d.getOpmaskIdx(), half, 4, true);
      Base::vpmaskmovd(to, ymm3, value);
    } else {
      Base::vmovdqu(to, value);
    }
  }
}

void VectorCode::vmovd(const Reg32& d, const Xmm& a) {
  if (wide_) return Base::vmovd(d, a);
  needs_both_halves();
  Base::vmovd(d, quarter(a, 0, 0));
}

// ---- the first element ----

void VectorCode::put_quarter(const Xmm& d, const Xmm& value) {
  needs_both_halves();
  if (is_resident(d.getIdx()))
    Base::vmovdqa(Xmm(resident(d.getIdx(), 0).getIdx()), value);
  else
    Base::vmovdqa(moved(slot(d.getIdx(), 0), 0), value);
}

void VectorCode::vmovd(const Xmm& d, const Reg32& a) {
  if (wide_) return Base::vmovd(d, a);
  Base::vmovd(xmm0, a);
  put_quarter(d, xmm0);
}

void VectorCode::vmovq(const Reg64& d, const Xmm& a) {
  if (wide_) return Base::vmovq(d, a);
  needs_both_halves();
  Base::vmovq(d, quarter(a, 0, 0));
}

void VectorCode::vmovq(const Xmm& d, const Reg64& a) {
  if (wide_) return Base::vmovq(d, a);
  Base::vmovq(xmm0, a);
  put_quarter(d, xmm0);
}

void VectorCode::vaddss(const Xmm& d, const Xmm& a, const Xmm& b) {
  if (wide_) return Base::vaddss(d, a, b);
  Base::vaddss(xmm0, quarter(a, 0, 0), quarter(b, 0, 2));
  put_quarter(d, xmm0);
}

void VectorCode::vaddsd(const Xmm& d, const Xmm& a, const Xmm& b) {
  if (wide_) return Base::vaddsd(d, a, b);
  Base::vaddsd(xmm0, quarter(a, 0, 0), quarter(b, 0, 2));
  put_quarter(d, xmm0);
}

void VectorCode::vucomiss(const Xmm& a, const Operand& b) {
  if (wide_) return Base::vucomiss(a, b);
  needs_both_halves();
  if (b.isMEM())
    Base::vucomiss(quarter(a, 0, 0), b);
  else
    Base::vucomiss(quarter(a, 0, 0), quarter(b, 0, 2));
}

void VectorCode::vucomisd(const Xmm& a, const Operand& b) {
  if (wide_) return Base::vucomisd(a, b);
  needs_both_halves();
  if (b.isMEM())
    Base::vucomisd(quarter(a, 0, 0), b);
  else
    Base::vucomisd(quarter(a, 0, 0), quarter(b, 0, 2));
}

// ---- broadcasts ----

void VectorCode::vpbroadcastd(const Xmm& d, const Operand& a) {
  if (wide_)
    return a.isREG() ? Base::vpbroadcastd(d, static_cast<const Reg32&>(a))
                     : Base::vpbroadcastd(d, a);
  if (a.isREG()) {
    Base::vmovd(xmm2, a);
    Base::vpbroadcastd(ymm2, xmm2);
  } else if (a.isMEM()) {
    Base::vpbroadcastd(ymm2, a);
  } else {
    needs_both_halves();
    Base::vpbroadcastd(ymm2, quarter(a, 0, 2));
  }
  for (int half = first_half(); half < end_half(d); ++half) put(d, half, ymm2, 4);
}

void VectorCode::vpbroadcastq(const Xmm& d, const Operand& a) {
  if (wide_)
    return a.isREG() ? Base::vpbroadcastq(d, static_cast<const Reg64&>(a))
                     : Base::vpbroadcastq(d, a);
  if (a.isREG()) {
    Base::vmovq(xmm2, static_cast<const Reg64&>(a));
    Base::vpbroadcastq(ymm2, xmm2);
  } else {
    Base::vpbroadcastq(ymm2, a);
  }
  for (int half = first_half(); half < end_half(d); ++half) put(d, half, ymm2, 8);
}

// ---- permutations of sixteen words ----

void VectorCode::vpermd(const Xmm& d, const Xmm& index, const Operand& a) {
  if (wide_) return Base::vpermd(static_cast<const Ymm&>(d), static_cast<const Ymm&>(index), a);
  needs_both_halves();
  for (int half = 0; half < 2; ++half) {
    const Ymm out(half == 0 ? 0 : 5), i = in_register(index, half, 1, 4);
    Base::vpermd(ymm2, Ymm(i.getIdx()), operand(a, 0, 2, 4));
    Base::vpermd(ymm3, i, operand(a, 1, 3, 4));
    Base::vpslld(ymm4, i, 28);  // bit 3 says which half
    Base::vblendvps(out, ymm2, ymm3, ymm4);
  }
  put(d, 0, ymm0, 4);
  put(d, 1, ymm5, 4);
}

/// Words of a and b, by five bits of an index.
void VectorCode::two_tables(const Xmm& d, const Xmm& index, const Operand& a, const Operand& b) {
  needs_both_halves();
  for (int half = 0; half < 2; ++half) {
    const Ymm out(half == 0 ? 0 : 5), i = in_register(index, half, 1, 4);
    Base::vpslld(ymm4, i, 28);
    Base::vpermd(ymm2, Ymm(i.getIdx()), operand(a, 0, 2, 4));
    Base::vpermd(ymm3, i, operand(a, 1, 3, 4));
    Base::vblendvps(ymm2, ymm2, ymm3, ymm4);
    Base::vpermd(ymm3, i, operand(b, 0, 3, 4));
    Base::vpermd(out, i, operand(b, 1, out.getIdx(), 4));
    Base::vblendvps(ymm3, ymm3, out, ymm4);
    Base::vpslld(ymm4, i, 27);  // bit 4: the second table
    Base::vblendvps(out, ymm2, ymm3, ymm4);
  }
  put(d, 0, ymm0, 4);
  put(d, 1, ymm5, 4);
}

void VectorCode::vpermi2d(const Xmm& index, const Xmm& a, const Operand& b) {
  wide_ ? Base::vpermi2d(index, a, b) : two_tables(index, index, a, b);
}

void VectorCode::vpermt2d(const Xmm& a, const Xmm& index, const Operand& b) {
  wide_ ? Base::vpermt2d(a, index, b) : two_tables(a, index, a, b);
}

// ---- words of eight lanes to quads and back ----

void VectorCode::half_to_quads(const Zmm& first, const Zmm& second, const Zmm& low,
                               const Zmm& high) {
  const Ymm lo = in_register(low, only_, 1, 4), hi = in_register(high, only_, 2, 4);
  Base::vpunpckldq(ymm3, lo, hi);  // lanes 0, 1, 4, 5
  Base::vpunpckhdq(ymm4, lo, hi);  // lanes 2, 3, 6, 7
  Base::vperm2i128(ymm0, ymm3, ymm4, 0x20);
  put(first, only_, ymm0, 8);
  Base::vperm2i128(ymm0, ymm3, ymm4, 0x31);
  put(second, only_, ymm0, 8);
}

void VectorCode::half_to_words(const Zmm& d, const Zmm& first, const Zmm& second, bool high) {
  const Ymm a = in_register(first, only_, 1, 4), b = in_register(second, only_, 2, 4);
  Base::vshufps(ymm0, a, b, high ? 0xdd : 0x88);
  Base::vpermq(ymm0, ymm0, 0xd8);  // quarters lie a, b, a, b
  put(d, only_, ymm0, 4);
}

// ---- gathers and scatters: [base + lanes' offsets + displacement] ----

void VectorCode::vpgatherdd(const Xmm& d, const Address& from) {
  if (wide_) return Base::vpgatherdd(d, from);
  needs_both_halves();
  const Xbyak::RegExp at = from.getRegExp(false);
  const Zmm plain(d.getIdx());
  for (int half = 0; half < 2; ++half) {
    Base::vmovdqa(ymm2, operand(Zmm(at.getIndex().getIdx()), half, 2, 4));
    Base::vmovdqa(ymm0, operand(plain, half, 0, 4));
    spread(ymm3, d.getOpmaskIdx(), half, 4, true);
    Base::vpgatherdd(
        ymm0, ptr[at.getBase() + ymm2 * at.getScale() + static_cast<int>(at.getDisp())], ymm3);
    // The index may be the destination, whose second half is still wanted.
    put(plain, half, ymm0, 4);
  }
}

void VectorCode::vpgatherdq(const Xmm& d, const Address& from) {
  if (wide_) return Base::vpgatherdq(d, from);
  needs_both_halves();
  const Xbyak::RegExp at = from.getRegExp(false);
  const Zmm plain(d.getIdx()), index(at.getIndex().getIdx());
  for (int half = 0; half < 2; ++half) {
    Base::vmovdqa(xmm2, quarter(index, half, 2));
    Base::vmovdqa(ymm0, operand(plain, half, 0, 8));
    spread(ymm3, d.getOpmaskIdx(), half, 8, true);
    Base::vpgatherdq(
        ymm0, ptr[at.getBase() + xmm2 * at.getScale() + static_cast<int>(at.getDisp())], ymm3);
    put(plain, half, ymm0, 8);
  }
}

/// In order of the lanes: where they meet, the last one stays.
void VectorCode::vpscatterdd(const Address& to, const Xmm& a) {
  if (wide_) return Base::vpscatterdd(to, a);
  needs_both_halves();
  const Xbyak::RegExp at = to.getRegExp(false);
  const Zmm index(at.getIndex().getIdx());
  for (int part = 0; part < 4; ++part) {
    const Xmm values = quarter(a, part, 2), offsets = quarter(index, part, 3);
    for (int lane = 0; lane < 4; ++lane) {
      Label skip;
      Base::bt(dword[rsp + kMaskFile + 8 * to.getOpmaskIdx()],
               static_cast<uint8_t>(4 * part + lane));
      Base::jnc(skip);
      Base::vpextrd(edi, offsets, static_cast<uint8_t>(lane));
      Base::movsxd(rdi, edi);
      Base::vpextrd(dword[at.getBase() + rdi * at.getScale() + static_cast<int>(at.getDisp())],
                    values, static_cast<uint8_t>(lane));
      Base::L(skip);
    }
  }
}

}  // namespace lockstep::emu::jit
