// SPDX-License-Identifier: MIT
// AVX2: floating-point instructions that only AVX-512 has, bit by bit the same.
#include <bit>

#include "emu/jit/vector_code.h"

namespace lockstep::emu::jit {

using namespace Xbyak::util;

namespace {

constexpr uint32_t kSign = 0x80000000, kMagnitude = 0x7fffffff, kInfinity = 0x7f800000,
                   kQuietBit = 0x00400000, kLargestDenormal = 0x007fffff, kOne = 0x3f800000;
constexpr uint64_t kSignD = uint64_t{1} << 63, kMagnitudeD = kSignD - 1,
                   kInfinityD = 0x7ff0000000000000, kQuietBitD = uint64_t{1} << 51,
                   kLargestDenormalD = (uint64_t{1} << 52) - 1, kOneD = 0x3ff0000000000000;
// Classes of vfpclass.
constexpr unsigned kQuiet = 1, kPlusZero = 2, kMinusZero = 4, kPlusInfinity = 8,
                   kMinusInfinity = 16, kDenormal = 32, kNegative = 64, kSignalling = 128;
constexpr int kUnordered = 3, kLess = 17, kGreater = 30;

uint64_t bits_of(double d) { return std::bit_cast<uint64_t>(d); }

}  // namespace

void VectorCode::vrndscaleps(const Xmm& d, const Operand& a, uint8_t control) {
  if (wide_) return Base::vrndscaleps(d, a, control);
  each_half(d, a, 4, [&](const Ymm& x) { Base::vroundps(ymm0, x, control); });
}

void VectorCode::vrndscalepd(const Xmm& d, const Operand& a, uint8_t control) {
  if (wide_) return Base::vrndscalepd(d, a, control);
  each_half(d, a, 8, [&](const Ymm& x) { Base::vroundpd(ymm0, x, control); });
}

/// A number beats a quiet NaN, of two the first stays; a signalling NaN, first of all the first one,
/// wins and becomes quiet; -0 < +0.
void VectorCode::range(const Xmm& d, const Xmm& a, const Operand& b, bool maximum, unsigned bytes) {
  const bool words = bytes == 4;
  each_half(d, a, b, bytes, [&](const Ymm& x, const Ymm& y) {
    extreme(x, y, maximum, bytes);
    const auto nan = [&](const Ymm& out, const Ymm& of) {
      words ? Base::vcmpps(out, of, of, kUnordered) : Base::vcmppd(out, of, of, kUnordered);
    };
    nan(ymm3, x);
    nan(ymm4, y);
    blend(ymm0, ymm0, y, ymm3, bytes);
    blend(ymm0, ymm0, x, ymm4, bytes);
    const auto signalling = [&](const Ymm& value, const Ymm& is_nan) {
      // Blends look at the sign: the inverse of the quiet bit goes there.
      words ? Base::vpslld(ymm5, value, 9) : Base::vpsllq(ymm5, value, 12);
      Base::vpandn(is_nan, ymm5, is_nan);
      Base::vpor(ymm5, value, every_of(bytes, kQuietBit, kQuietBitD));
      blend(ymm0, ymm0, ymm5, is_nan, bytes);
    };
    signalling(y, ymm4);
    signalling(x, ymm3);
  });
}

void VectorCode::number_minmax(const Xmm& d, const Xmm& a, const Xmm& b, bool maximum, bool quiet,
                               unsigned bytes) {
  const bool words = bytes == 4;
  each_half(d, a, b, bytes, [&](const Ymm& x, const Ymm& y) {
    const auto unordered = [&](const Ymm& out, const Ymm& of) {
      words ? Base::vcmpps(out, of, of, kUnordered) : Base::vcmppd(out, of, of, kUnordered);
    };
    extreme(x, y, maximum, bytes);
    unordered(ymm3, x);
    unordered(ymm4, y);
    blend(ymm0, ymm0, y, ymm3, bytes);
    blend(ymm0, ymm0, x, ymm4, bytes);
    if (!quiet) return;
    unordered(ymm3, ymm0);
    Base::vpand(ymm3, ymm3, every_of(bytes, kQuietBit, kQuietBitD));
    Base::vpor(ymm0, ymm0, ymm3);
  });
}

/// ymm0 = the smaller or greater one of numbers. The host gives its second operand where both are
/// zeros: either order, joined.
void VectorCode::extreme(const Ymm& x, const Ymm& y, bool maximum, unsigned bytes) {
  const auto one_order = [&](const Ymm& out, const Ymm& first, const Ymm& second) {
    if (bytes == 4)
      maximum ? Base::vmaxps(out, first, second) : Base::vminps(out, first, second);
    else
      maximum ? Base::vmaxpd(out, first, second) : Base::vminpd(out, first, second);
  };
  one_order(ymm0, x, y);
  one_order(ymm3, y, x);
  maximum ? Base::vpand(ymm0, ymm0, ymm3) : Base::vpor(ymm0, ymm0, ymm3);
}

void VectorCode::fuse(const Xmm& d, const Xmm& a, const Xmm& b, const Xmm& c) {
  // Every form prefers the NaN of its factors in the order a, b when they stand so, then c.
  if (!wide_) {
    for (int half = first_half(); half < end_half(d); ++half) {
      Base::vmovdqa(ymm0, operand(c, half, 0, 4));
      const Ymm x = load(a.getIdx(), half, 1);
      Base::vfmadd231ps(ymm0, x, operand(b, half, 2, 4));
      put(d, half, ymm0, 4);
    }
  } else if (d.getIdx() == a.getIdx()) {
    Base::vfmadd132ps(d, c, b);
  } else if (d.getIdx() == b.getIdx()) {
    Base::vfmadd213ps(d, a, c);
  } else {
    if (d.getIdx() != c.getIdx()) Base::vmovaps(d, c);
    Base::vfmadd231ps(d, a, b);
  }
}

void VectorCode::vrangeps(const Xmm& d, const Xmm& a, const Operand& b, uint8_t control) {
  wide_ ? Base::vrangeps(d, a, b, control) : range(d, a, b, control & 1, 4);
}
void VectorCode::vrangepd(const Xmm& d, const Xmm& a, const Operand& b, uint8_t control) {
  wide_ ? Base::vrangepd(d, a, b, control) : range(d, a, b, control & 1, 8);
}

/// In double, where products with powers of two are exact; rounded once.
void VectorCode::vscalefps(const Xmm& d, const Xmm& a, const Operand& b) {
  if (wide_) return Base::vscalefps(d, a, b);
  constexpr double kLimit = 400;  // beyond it everything is zero or infinite
  each_half(d, a, b, 4, [&](const Ymm& x, const Ymm& y) {
    for (int part = 0; part < 2; ++part) {
      if (part) Base::vextracti128(xmm3, x, 1);
      Base::vcvtps2pd(ymm3, part ? xmm3 : Xmm(x.getIdx()));
      if (part) Base::vextracti128(xmm4, y, 1);
      Base::vcvtps2pd(ymm4, part ? xmm4 : Xmm(y.getIdx()));
      Base::vminpd(ymm4, ymm4, every64(bits_of(kLimit)));
      Base::vmaxpd(ymm4, ymm4, every64(bits_of(-kLimit)));
      Base::vaddpd(ymm4, ymm4, every64(bits_of(0x1.8p52 + 1023)));
      Base::vpsllq(ymm4, ymm4, 52);
      Base::vmulpd(ymm3, ymm3, ymm4);
      Base::vcvtpd2ps(part ? xmm3 : xmm5, ymm3);
    }
    Base::vinserti128(ymm0, ymm5, xmm3, 1);
  });
}

/// By three powers of two. Small ones leave 53 bits, so that only the last product rounds.
void VectorCode::vscalefpd(const Xmm& d, const Xmm& a, const Operand& b) {
  if (wide_) return Base::vscalefpd(d, a, b);
  each_half(d, a, b, 8, [&](const Ymm& x, const Ymm& y) {
    const auto multiply = [&](const Ymm& exponent) {
      Base::vaddpd(ymm3, exponent, every64(bits_of(0x1.8p52 + 1023)));
      Base::vpsllq(ymm3, ymm3, 52);
      Base::vmulpd(ymm0, ymm0, ymm3);
    };
    Base::vmovapd(ymm0, x);
    Base::vmovapd(ymm5, y);
    for (int step = 0; step < 2; ++step) {
      Base::vcmppd(ymm3, ymm5, every64(bits_of(1023)), kGreater);
      Base::vpand(ymm3, ymm3, every64(bits_of(1023)));
      Base::vcmppd(ymm4, ymm5, every64(bits_of(-1022)), kLess);
      Base::vpand(ymm4, ymm4, every64(bits_of(-1022 + 53)));
      Base::vpor(ymm4, ymm4, ymm3);
      Base::vsubpd(ymm5, ymm5, ymm4);
      multiply(ymm4);
    }
    Base::vminpd(ymm5, ymm5, every64(bits_of(1023)));
    Base::vmaxpd(ymm5, ymm5, every64(bits_of(-1022)));
    multiply(ymm5);
    Base::vcmppd(ymm3, x, y, kUnordered);
    Base::vaddpd(ymm4, x, y);
    Base::vblendvpd(ymm0, ymm0, ymm4, ymm3);
  });
}

/// ymm3 = magnitude, ymm4 = where it is denormal or zero, ymm5 = ymm3 with denormals scaled up.
void VectorCode::normalise(const Ymm& a, unsigned bytes) {
  Base::vpand(ymm3, a, every_of(bytes, kMagnitude, kMagnitudeD));
  Base::vmovdqa(ymm4, every_of(bytes, kLargestDenormal + 1, kLargestDenormalD + 1));
  if (bytes == 4) {
    Base::vpcmpgtd(ymm4, ymm4, ymm3);
    Base::vmulps(ymm5, ymm3, every(std::bit_cast<uint32_t>(0x1p25f)));
  } else {
    Base::vpcmpgtq(ymm4, ymm4, ymm3);
    Base::vmulpd(ymm5, ymm3, every64(bits_of(0x1p54)));
  }
  blend(ymm5, ymm3, ymm5, ymm4, bytes);
}

void VectorCode::exponent(const Xmm& d, const Operand& a, unsigned bytes) {
  const bool words = bytes == 4;
  each_half(d, a, bytes, [&](const Ymm& x) {
    normalise(x, bytes);
    if (words) {
      Base::vpsrld(ymm5, ymm5, 23);
      Base::vcvtdq2ps(ymm0, ymm5);
      Base::vpand(ymm4, ymm4, every(std::bit_cast<uint32_t>(25.0f)));
      Base::vaddps(ymm4, ymm4, every(std::bit_cast<uint32_t>(127.0f)));
      Base::vsubps(ymm0, ymm0, ymm4);
      Base::vpcmpgtd(ymm4, ymm3, every(kInfinity - 1));
      Base::vmulps(ymm5, x, x);  // +infinity, or the NaN
    } else {
      Base::vpsrlq(ymm5, ymm5, 52);
      Base::vpor(ymm5, ymm5, every64(bits_of(0x1p52)));
      Base::vsubpd(ymm0, ymm5, every64(bits_of(0x1p52 + 1023)));
      Base::vpand(ymm4, ymm4, every64(bits_of(54)));
      Base::vsubpd(ymm0, ymm0, ymm4);
      Base::vpcmpgtq(ymm4, ymm3, every64(kInfinityD - 1));
      Base::vmulpd(ymm5, x, x);
    }
    blend(ymm0, ymm0, ymm5, ymm4, bytes);
    Base::vpxor(ymm4, ymm4, ymm4);
    words ? Base::vpcmpeqd(ymm4, ymm4, ymm3) : Base::vpcmpeqq(ymm4, ymm4, ymm3);
    blend(ymm0, ymm0, every_of(bytes, kSign | kInfinity, kSignD | kInfinityD), ymm4, bytes);
  });
}

void VectorCode::vgetexpps(const Xmm& d, const Operand& a) {
  wide_ ? Base::vgetexpps(d, a) : exponent(d, a, 4);
}
void VectorCode::vgetexppd(const Xmm& d, const Operand& a) {
  wide_ ? Base::vgetexppd(d, a) : exponent(d, a, 8);
}

void VectorCode::significand(const Xmm& d, const Operand& a, unsigned control, unsigned bytes) {
  const bool words = bytes == 4, near_one = control == 11;
  if (!near_one && control != 2) throw Xbyak::Error(Xbyak::ERR_INTERNAL);
  each_half(d, a, bytes, [&](const Ymm& x) {
    normalise(x, bytes);
    Base::vpand(ymm0, ymm5, every_of(bytes, kLargestDenormal, kLargestDenormalD));
    if (near_one) {  // from 3/2 on: the exponent below
      Base::vpand(ymm4, ymm5, every_of(bytes, kQuietBit, kQuietBitD));
      words ? Base::vpslld(ymm4, ymm4, 1) : Base::vpsllq(ymm4, ymm4, 1);
      Base::vpor(ymm0, ymm0, every_of(bytes, kOne, kOneD));
      words ? Base::vpsubd(ymm0, ymm0, ymm4) : Base::vpsubq(ymm0, ymm0, ymm4);
    } else {
      Base::vpor(ymm0, ymm0, every_of(bytes, 0x3f000000, 0x3fe0000000000000));
    }
    // Zeros and infinities: 1.
    Base::vpxor(ymm4, ymm4, ymm4);
    words ? Base::vpcmpeqd(ymm4, ymm4, ymm3) : Base::vpcmpeqq(ymm4, ymm4, ymm3);
    const Address infinity = every_of(bytes, kInfinity, kInfinityD);
    words ? Base::vpcmpeqd(ymm5, ymm3, infinity) : Base::vpcmpeqq(ymm5, ymm3, infinity);
    Base::vpor(ymm4, ymm4, ymm5);
    blend(ymm0, ymm0, every_of(bytes, kOne, kOneD), ymm4, bytes);
    Base::vpand(ymm5, x, every_of(bytes, kSign, kSignD));
    Base::vpor(ymm0, ymm0, ymm5);
    if (near_one) {  // negative ones but zero: the default NaN
      Base::vpxor(ymm4, ymm4, ymm4);
      words ? Base::vpcmpeqd(ymm4, ymm4, ymm3) : Base::vpcmpeqq(ymm4, ymm4, ymm3);
      Base::vpandn(ymm4, ymm4, ymm5);
      blend(ymm0, ymm0,
            every_of(bytes, kSign | kInfinity | kQuietBit, kSignD | kInfinityD | kQuietBitD), ymm4,
            bytes);
    }
    if (words) {
      Base::vcmpps(ymm4, x, x, kUnordered);
      Base::vaddps(ymm5, x, x);
    } else {
      Base::vcmppd(ymm4, x, x, kUnordered);
      Base::vaddpd(ymm5, x, x);
    }
    blend(ymm0, ymm0, ymm5, ymm4, bytes);
  });
}

void VectorCode::vgetmantps(const Xmm& d, const Operand& a, uint8_t control) {
  wide_ ? Base::vgetmantps(d, a, control) : significand(d, a, control, 4);
}
void VectorCode::vgetmantpd(const Xmm& d, const Operand& a, uint8_t control) {
  wide_ ? Base::vgetmantpd(d, a, control) : significand(d, a, control, 8);
}

/// ymm0 = where a is of one of the classes.
void VectorCode::classify(const Ymm& a, unsigned classes, unsigned bytes) {
  const bool words = bytes == 4;
  const auto above = [&](const Ymm& out, const Ymm& x, uint32_t limit, uint64_t limit64) {
    words ? Base::vpcmpgtd(out, x, every(limit)) : Base::vpcmpgtq(out, x, every64(limit64));
  };
  const auto is = [&](uint32_t value, uint64_t value64) {
    words ? Base::vpcmpeqd(ymm4, a, every(value)) : Base::vpcmpeqq(ymm4, a, every64(value64));
    Base::vpor(ymm0, ymm0, ymm4);
  };
  Base::vpxor(ymm0, ymm0, ymm0);
  Base::vpand(ymm3, a, every_of(bytes, kMagnitude, kMagnitudeD));
  if (classes & kPlusZero) is(0, 0);
  if (classes & kMinusZero) is(kSign, kSignD);
  if (classes & kPlusInfinity) is(kInfinity, kInfinityD);
  if (classes & kMinusInfinity) is(kSign | kInfinity, kSignD | kInfinityD);
  if (classes & (kQuiet | kSignalling)) {
    above(ymm4, ymm3, kInfinity, kInfinityD);
    above(ymm5, ymm3, (kInfinity | kQuietBit) - 1, (kInfinityD | kQuietBitD) - 1);
    if (!(classes & kQuiet))
      Base::vpandn(ymm4, ymm5, ymm4);
    else if (!(classes & kSignalling))
      Base::vmovdqa(ymm4, ymm5);
    Base::vpor(ymm0, ymm0, ymm4);
  }
  if (classes & kDenormal) {
    above(ymm4, ymm3, 0, 0);
    above(ymm5, ymm3, kLargestDenormal, kLargestDenormalD);
    Base::vpandn(ymm4, ymm5, ymm4);
    Base::vpor(ymm0, ymm0, ymm4);
  }
  if (classes & kNegative) {  // finite, not zero: as signed numbers between two bounds
    above(ymm4, a, kSign, kSignD);
    above(ymm5, a, (kSign | kInfinity) - 1, (kSignD | kInfinityD) - 1);
    Base::vpandn(ymm4, ymm5, ymm4);
    Base::vpor(ymm0, ymm0, ymm4);
  }
}

void VectorCode::vfpclassps(const Opmask& k, const Xmm& a, uint8_t classes) {
  if (wide_) return Base::vfpclassps(k, a, classes);
  compare(k, 4, false, [&](int half) { classify(load(a.getIdx(), half, 1), classes, 4); });
}
void VectorCode::vfpclasspd(const Opmask& k, const Xmm& a, uint8_t classes) {
  if (wide_) return Base::vfpclasspd(k, a, classes);
  compare(k, 8, false, [&](int half) { classify(load(a.getIdx(), half, 1), classes, 8); });
}

}  // namespace lockstep::emu::jit
