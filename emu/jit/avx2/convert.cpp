// SPDX-License-Identifier: MIT
// AVX2: between elements of different widths, and parts of registers.
#include "emu/jit/vector_code.h"

namespace lockstep::emu::jit {

using namespace Xbyak::util;

namespace {

constexpr uint64_t kTwo52 = 0x4330000000000000;  // 2^52; a word in its low half adds to it
constexpr uint64_t kMagnitude = 0x7fffffffffffffff;
constexpr uint32_t kTwo31 = 0x4f000000, kTwo32 = 0x4f800000;
constexpr int kAtLeast = 29, kNotLess = 21, kRoundTrunc = 11;

}  // namespace

/// Both halves are made before d, which may be the source, is written: ymm0 and ymm3, of parts of
/// `part_bytes` bytes, by emit(result, source).
template <class Emit>
void VectorCode::widen(const Xmm& d, const Operand& a, unsigned part_bytes, unsigned bytes,
                       Emit emit) {
  if (only_ != kBoth) {
    if (a.isMEM()) needs_both_halves();
    emit(ymm0, quarter(a, 2 * only_, 2));
    return put(d, only_, ymm0, bytes);
  }
  for (int half = 0; half < 2; ++half) {
    const Ymm out(half == 0 ? 0 : 3);
    if (part_bytes == 8) {
      if (d.getOpmaskIdx())
        load_lanes(a.getAddress(), Opmask(d.getOpmaskIdx()), 1, half);
      else
        Base::vmovq(xmm2, qword[a.getAddress().getRegExp(false) + 8 * half]);
      emit(out, xmm2);
    } else if (a.isMEM() && d.getOpmaskIdx()) {
      load_lanes(a.getAddress(), Opmask(d.getOpmaskIdx()), 2, half);
      emit(out, xmm2);
    } else {
      emit(out, quarter(a, half, 2));
    }
  }
  put(d, 0, ymm0, bytes);
  put(d, 1, ymm3, bytes);
}

void VectorCode::vpmovzxdq(const Xmm& d, const Operand& a) {
  if (wide_) return Base::vpmovzxdq(d, a);
  widen(d, a, 16, 8, [&](const Ymm& out, const Xmm& in) { Base::vpmovzxdq(out, in); });
}
void VectorCode::vpmovzxwd(const Xmm& d, const Operand& a) {
  if (wide_) return Base::vpmovzxwd(d, a);
  widen(d, a, 16, 4, [&](const Ymm& out, const Xmm& in) { Base::vpmovzxwd(out, in); });
}
void VectorCode::vpmovsxwd(const Xmm& d, const Operand& a) {
  if (wide_) return Base::vpmovsxwd(d, a);
  widen(d, a, 16, 4, [&](const Ymm& out, const Xmm& in) { Base::vpmovsxwd(out, in); });
}
void VectorCode::vpmovzxbd(const Xmm& d, const Address& a) {
  if (wide_) return Base::vpmovzxbd(d, a);
  widen(d, a, 8, 4, [&](const Ymm& out, const Xmm& in) { Base::vpmovzxbd(out, in); });
}
void VectorCode::vpmovsxbd(const Xmm& d, const Address& a) {
  if (wide_) return Base::vpmovsxbd(d, a);
  widen(d, a, 8, 4, [&](const Ymm& out, const Xmm& in) { Base::vpmovsxbd(out, in); });
}
void VectorCode::vcvtdq2pd(const Xmm& d, const Operand& a) {
  if (wide_) return Base::vcvtdq2pd(d, a);
  widen(d, a, 16, 8, [&](const Ymm& out, const Xmm& in) { Base::vcvtdq2pd(out, in); });
}
void VectorCode::vcvtudq2pd(const Xmm& d, const Operand& a) {
  if (wide_) return Base::vcvtudq2pd(d, a);
  widen(d, a, 16, 8, [&](const Ymm& out, const Xmm& in) {
    Base::vpmovzxdq(out, in);
    Base::vpor(out, out, every64(kTwo52));
    Base::vsubpd(out, out, every64(kTwo52));
    Base::vandpd(out, out, every64(kMagnitude));  // 0 is -0 where MXCSR rounds down
  });
}
void VectorCode::vcvtps2pd(const Xmm& d, const Operand& a) {
  if (wide_) return Base::vcvtps2pd(d, a);
  widen(d, a, 16, 8, [&](const Ymm& out, const Xmm& in) { Base::vcvtps2pd(out, in); });
}
void VectorCode::vcvtph2ps(const Xmm& d, const Operand& a) {
  if (wide_) return Base::vcvtph2ps(d, a);
  widen(d, a, 16, 4, [&](const Ymm& out, const Xmm& in) { Base::vcvtph2ps(out, in); });
}

/// The halves, each made narrow by emit(result, source), side by side in the low half of d.
template <class Emit>
void VectorCode::narrow(const Xmm& d, const Xmm& a, Emit emit) {
  if (only_ != kBoth) {
    emit(xmm3, in_register(a, only_, 1, 8));
    return put(d, only_, ymm3, 4);
  }
  emit(xmm3, in_register(a, 0, 1, 8));
  emit(xmm4, in_register(a, 1, 1, 8));
  Base::vinserti128(ymm0, ymm3, xmm4, 1);
  put(d, 0, ymm0, 4);
}

void VectorCode::vcvtpd2ps(const Xmm& d, const Xmm& a) {
  if (wide_) return Base::vcvtpd2ps(d, a);
  with_rounding(d.getRounding(), [&] {
    narrow(d, a, [&](const Xmm& out, const Ymm& in) { Base::vcvtpd2ps(out, in); });
  });
}
void VectorCode::vcvtpd2dq(const Xmm& d, const Xmm& a) {
  if (wide_) return Base::vcvtpd2dq(d, a);
  narrow(d, a, [&](const Xmm& out, const Ymm& in) { Base::vcvtpd2dq(out, in); });
}
void VectorCode::vcvttpd2dq(const Xmm& d, const Xmm& a) {
  if (wide_) return Base::vcvttpd2dq(d, a);
  narrow(d, a, [&](const Xmm& out, const Ymm& in) { Base::vcvttpd2dq(out, in); });
}
void VectorCode::vcvttpd2udq(const Xmm& d, const Xmm& a) {
  if (wide_) return Base::vcvttpd2udq(d, a);
  narrow(d, a, [&](const Xmm& out, const Ymm& in) {
    // The low words of the sums with 2^52.
    const Ymm wide(out.getIdx());
    Base::vroundpd(wide, in, kRoundTrunc);
    Base::vaddpd(wide, wide, every64(kTwo52));
    Base::vextracti128(xmm0, wide, 1);
    Base::vshufps(out, out, xmm0, 0x88);
  });
}

void VectorCode::vcvttps2udq(const Xmm& d, const Xmm& a) {
  if (wide_) return Base::vcvttps2udq(d, a);
  each_half(d, a, 4, [&](const Ymm& x) {
    Base::vcmpps(ymm3, x, every(kTwo31), kAtLeast);
    Base::vpand(ymm4, ymm3, every(kTwo31));
    Base::vsubps(ymm4, x, ymm4);
    Base::vcvttps2dq(ymm0, ymm4);
    Base::vpslld(ymm3, ymm3, 31);
    Base::vpxor(ymm0, ymm0, ymm3);
    Base::vcmpps(ymm4, x, every(kTwo32), kNotLess);
    Base::vpor(ymm0, ymm0, ymm4);
  });
}

/// Through double, which holds all of them: rounded once.
void VectorCode::vcvtudq2ps(const Xmm& d, const Xmm& a) {
  if (wide_) return Base::vcvtudq2ps(d, a);
  each_half(d, a, 4, [&](const Ymm& x) {
    Base::vextracti128(xmm4, x, 1);
    Base::vpmovzxdq(ymm3, Xmm(x.getIdx()));
    Base::vpmovzxdq(ymm4, xmm4);
    for (const Ymm& part : {ymm3, ymm4}) {
      Base::vpor(part, part, every64(kTwo52));
      Base::vsubpd(part, part, every64(kTwo52));
      Base::vandpd(part, part, every64(kMagnitude));  // 0 is -0 where MXCSR rounds down
      Base::vcvtpd2ps(Xmm(part.getIdx()), part);
    }
    Base::vinserti128(ymm0, ymm3, xmm4, 1);
  });
}

// ---- words to halves and bytes ----

/// ymm0 = the low halves of the words.
void VectorCode::truncate_to_halves(const Xmm& a) {
  Base::vmovdqa(ymm3, every(0xffff));
  if (only_ != kBoth) {
    Base::vpand(ymm0, ymm3, operand(a, only_, 1, 4));
    Base::vpackusdw(ymm0, ymm0, ymm0);
    Base::vpermq(ymm0, ymm0, 0xd8);
    return;
  }
  Base::vpand(ymm0, ymm3, operand(a, 0, 1, 4));
  Base::vpand(ymm3, ymm3, operand(a, 1, 1, 4));
  Base::vpackusdw(ymm0, ymm0, ymm3);
  Base::vpermq(ymm0, ymm0, 0xd8);
}

void VectorCode::vpmovdw(const Operand& d, const Xmm& a) {
  if (wide_) return Base::vpmovdw(d, a);
  truncate_to_halves(a);
  if (!d.isMEM()) return put(static_cast<const Xmm&>(d), first_half(), ymm0, 4);
  needs_both_halves();
  const Address& to = d.getAddress();
  if (!to.getOpmaskIdx()) return Base::vmovdqu(moved(to, 0), ymm0);
  const Opmask k(to.getOpmaskIdx());
  store_lanes(to, k, 2, 0);
  Base::vextracti128(xmm0, ymm0, 1);
  store_lanes(to, k, 2, 8);
}

void VectorCode::vpmovdb(const Address& to, const Xmm& a) {
  if (wide_) return Base::vpmovdb(to, a);
  needs_both_halves();
  truncate_to_halves(a);
  Base::vpand(ymm0, ymm0, every(0x00ff00ff));
  Base::vextracti128(xmm3, ymm0, 1);
  Base::vpackuswb(xmm0, xmm0, xmm3);
  if (!to.getOpmaskIdx()) return Base::vmovdqu(moved(to, 0), xmm0);
  store_lanes(to, Opmask(to.getOpmaskIdx()), 1, 0);
}

void VectorCode::vcvtps2ph(const Operand& d, const Xmm& a, uint8_t rounding) {
  if (wide_) return Base::vcvtps2ph(d, a, rounding);
  narrow(static_cast<const Xmm&>(d), a,
         [&](const Xmm& out, const Ymm& in) { Base::vcvtps2ph(out, in, rounding); });
}

/// xmm2 = the lanes of a half that are on, from memory; others may lie outside of it.
void VectorCode::load_lanes(const Address& from, const Opmask& k, unsigned bytes, int half) {
  Base::vpxor(xmm2, xmm2, xmm2);
  for (int lane = 0; lane < 8; ++lane) {
    Label skip;
    const int in_slice = half * 8 + lane;
    Base::bt(dword[rsp + kMaskFile + 8 * k.getIdx()], static_cast<uint8_t>(in_slice));
    Base::jnc(skip);
    const Address element = moved(from, in_slice * static_cast<int>(bytes));
    if (bytes == 1)
      Base::vpinsrb(xmm2, xmm2, element, static_cast<uint8_t>(lane));
    else
      Base::vpinsrw(xmm2, xmm2, element, static_cast<uint8_t>(lane));
    Base::L(skip);
  }
}

/// The elements of xmm0, from lane `first` on, where k is on.
void VectorCode::store_lanes(const Address& to, const Opmask& k, unsigned bytes, int first) {
  for (int i = 0; i < static_cast<int>(16 / bytes); ++i) {
    Label skip;
    Base::bt(dword[rsp + kMaskFile + 8 * k.getIdx()], static_cast<uint8_t>(first + i));
    Base::jnc(skip);
    const Address element = moved(to, (first + i) * static_cast<int>(bytes));
    if (bytes == 1)
      Base::vpextrb(element, xmm0, static_cast<uint8_t>(i));
    else
      Base::vpextrw(element, xmm0, static_cast<uint8_t>(i));
    Base::L(skip);
  }
}

// ---- parts of registers ----

void VectorCode::vextracti64x4(const Ymm& d, const Zmm& a, uint8_t half) {
  if (wide_) return Base::vextracti64x4(d, a, half);
  if (only_ == kBoth) return put(d, 0, load(a.getIdx(), half, 0), 8);
  Base::vextracti128(xmm0, in_register(a, only_, 0, 8), half);
  put(d, only_, ymm0, 8);
}

void VectorCode::vinserti64x4(const Zmm& d, const Zmm& a, const Ymm& b, uint8_t half) {
  if (wide_) return Base::vinserti64x4(d, a, b, half);
  if (only_ != kBoth) {
    Base::vinserti128(ymm0, in_register(a, only_, 1, 8), quarter(b, 2 * only_, 2), half);
    return put(d, only_, ymm0, 8);
  }
  Base::vmovdqa(ymm2, operand(b, 0, 2, 8));
  if (d.getIdx() != a.getIdx()) put(d, 1 - half, load(a.getIdx(), 1 - half, 0), 8);
  put(d, half, ymm2, 8);
}

void VectorCode::vinserti32x4(const Zmm& d, const Zmm& a, const Address& b, uint8_t part) {
  if (wide_) return Base::vinserti32x4(d, a, b, part);
  needs_both_halves();
  if (d.getIdx() != a.getIdx()) throw Xbyak::Error(Xbyak::ERR_INTERNAL);
  if (is_resident(d.getIdx())) {
    const Ymm r = resident(d.getIdx(), part / 2);
    Base::vinserti128(r, r, moved(b, 0), part % 2);
    return;
  }
  Base::vmovdqu(xmm0, moved(b, 0));
  Base::vmovdqa(moved(slot(d.getIdx(), 0), 16 * part), xmm0);
}

void VectorCode::vextracti32x4(const Address& d, const Zmm& a, uint8_t part) {
  if (wide_) return Base::vextracti32x4(d, a, part);
  needs_both_halves();
  Base::vmovdqu(moved(d, 0), quarter(a, part, 0));
}

}  // namespace lockstep::emu::jit
