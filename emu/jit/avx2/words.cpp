// SPDX-License-Identifier: MIT
// AVX2: integer instructions that take several of the host's.
#include "emu/jit/vector_code.h"

namespace lockstep::emu::jit {

using namespace Xbyak::util;

void VectorCode::vaddps(const Xmm& d, const Xmm& a, const Operand& b) {
  if (wide_) return Base::vaddps(d, a, b);
  with_rounding(d.getRounding(), [&] {
    for (int half = first_half(); half < end_half(d); ++half) {
      const Ymm out = direct(d, half), x = load(a.getIdx(), half, 1);
      Base::vaddps(out, x, operand(b, half, 2, 4));
      put(d, half, out, 4);
    }
  });
}

void VectorCode::vpslld(const Xmm& d, const Xmm& a, const Xmm& by) {
  if (wide_) return Base::vpslld(d, a, by);
  each_half(d, a, 4, [&](const Ymm& x) { Base::vpslld(ymm0, x, quarter(by, 0, 2)); });
}

void VectorCode::vpsrld(const Xmm& d, const Xmm& a, const Xmm& by) {
  if (wide_) return Base::vpsrld(d, a, by);
  each_half(d, a, 4, [&](const Ymm& x) { Base::vpsrld(ymm0, x, quarter(by, 0, 2)); });
}

void VectorCode::vshufps(const Xmm& d, const Xmm& a, const Operand& b, uint8_t control) {
  if (wide_) return Base::vshufps(d, a, b, control);
  each_half(d, a, b, 4, [&](const Ymm& x, const Ymm& y) { Base::vshufps(ymm0, x, y, control); });
}

void VectorCode::vpmullq(const Xmm& d, const Xmm& a, const Operand& b) {
  if (wide_) return Base::vpmullq(d, a, b);
  each_half(d, a, b, 8, [&](const Ymm& x, const Ymm& y) {
    Base::vpsrlq(ymm3, x, 32);
    Base::vpmuludq(ymm3, ymm3, y);
    Base::vpsrlq(ymm4, y, 32);
    Base::vpmuludq(ymm4, ymm4, x);
    Base::vpaddq(ymm3, ymm3, ymm4);
    Base::vpsllq(ymm3, ymm3, 32);
    Base::vpmuludq(ymm0, x, y);
    Base::vpaddq(ymm0, ymm0, ymm3);
  });
}

void VectorCode::vpsravq(const Xmm& d, const Xmm& a, const Operand& b) {
  if (wide_) return Base::vpsravq(d, a, b);
  each_half(d, a, b, 8, [&](const Ymm& x, const Ymm& count) {
    Base::vpxor(ymm3, ymm3, ymm3);
    Base::vpcmpgtq(ymm3, ymm3, x);  // the sign, all over
    Base::vpxor(ymm0, x, ymm3);
    Base::vpsrlvq(ymm0, ymm0, count);
    Base::vpxor(ymm0, ymm0, ymm3);
  });
}

void VectorCode::vpopcntd(const Xmm& d, const Operand& a) {
  if (wide_) return Base::vpopcntd(d, a);
  std::array<uint32_t, 16> counts;  // of the values of four bits
  static constexpr uint32_t kCounts[4] = {0x02010100, 0x03020201, 0x03020201, 0x04030302};
  for (unsigned i = 0; i < 16; ++i) counts[i] = kCounts[i % 4];
  each_half(d, a, 4, [&](const Ymm& x) {
    Base::vmovdqa(ymm3, words(counts, 0));
    Base::vpand(ymm4, x, every(0x0f0f0f0f));
    Base::vpsrld(ymm5, x, 4);
    Base::vpand(ymm5, ymm5, every(0x0f0f0f0f));
    Base::vpshufb(ymm4, ymm3, ymm4);
    Base::vpshufb(ymm5, ymm3, ymm5);
    Base::vpaddb(ymm4, ymm4, ymm5);
    Base::vpmaddubsw(ymm4, ymm4, every(0x01010101));
    Base::vpmaddwd(ymm0, ymm4, every(0x00010001));
  });
}

void VectorCode::vplzcntd(const Xmm& d, const Operand& a) {
  if (wide_) return Base::vplzcntd(d, a);
  each_half(d, a, 4, [&](const Ymm& x) {
    // The exponent of the number as a float; without the bit below the first one it rounds to no
    // other power of two. A first bit of 31 makes it negative: the difference saturates at 0.
    Base::vpsrld(ymm3, x, 1);
    Base::vpandn(ymm3, ymm3, x);
    Base::vcvtdq2ps(ymm3, ymm3);
    Base::vpsrld(ymm3, ymm3, 23);
    Base::vmovdqa(ymm0, every(158));
    Base::vpsubusw(ymm0, ymm0, ymm3);
    Base::vpminud(ymm0, ymm0, every(32));
  });
}

/// d = a function of b and c: bit (2 * b + c) of the table. May use ymm0 besides d.
void VectorCode::boolean_of_two(const Ymm& d, unsigned table, const Ymm& b, const Ymm& c) {
  const bool inverse = table & 1;
  switch (inverse ? 15 - table : table) {
    case 0:
      Base::vpxor(d, d, d);
      break;
    case 2:
      Base::vpandn(d, b, c);
      break;
    case 4:
      Base::vpandn(d, c, b);
      break;
    case 6:
      Base::vpxor(d, b, c);
      break;
    case 8:
      Base::vpand(d, b, c);
      break;
    case 10:
      Base::vmovdqa(d, c);
      break;
    case 12:
      Base::vmovdqa(d, b);
      break;
    default:
      Base::vpor(d, b, c);
      break;
  }
  if (inverse) Base::vpxor(d, d, every(0xffffffff));
}

void VectorCode::vpternlogd(const Xmm& d, const Xmm& b, const Operand& c, uint8_t table) {
  if (wide_) return Base::vpternlogd(d, b, c, table);
  constexpr uint8_t kOrAnd = 0xf8;
  for (int half = first_half(); half < end_half(d); ++half) {
    const Ymm x = in_register(d, half, 1, 4), y = in_register(b, half, 2, 4),
              z = in_register(c, half, 3, 4);
    if (table == kOrAnd) {
      Base::vpand(ymm0, y, z);
      Base::vpor(ymm0, ymm0, x);
    } else {
      boolean_of_two(ymm4, table >> 4, y, z);
      boolean_of_two(ymm5, table & 15, y, z);
      Base::vpand(ymm4, x, ymm4);
      Base::vpandn(ymm5, x, ymm5);
      Base::vpor(ymm0, ymm4, ymm5);
    }
    put(d, half, ymm0, 4);
  }
}

/// Where the mask is on b, else a.
void VectorCode::blend_mask(const Xmm& d, const Xmm& a, const Operand& b, unsigned bytes) {
  const Xmm plain = d.isZMM() ? static_cast<const Xmm&>(Zmm(d.getIdx())) : Xmm(d.getIdx());
  for (int half = first_half(); half < end_half(d); ++half) {
    if (only_ != kBoth && !is_exec(d.getOpmaskIdx())) {
      const Ymm on = half_mask_in_register(d.getOpmaskIdx(), bytes, 1);
      blend(ymm0, in_register(a, half, 2, bytes), operand(b, half, 3, bytes), on, bytes);
    } else {
      const Ymm lanes_off = off(d.getOpmaskIdx(), half, bytes, 1);
      blend(ymm0, in_register(b, half, 2, bytes), operand(a, half, 3, bytes), lanes_off, bytes);
    }
    put(plain, half, ymm0, bytes);
  }
}

void VectorCode::vpblendmd(const Xmm& d, const Xmm& a, const Operand& b) {
  wide_ ? Base::vpblendmd(d, a, b) : blend_mask(d, a, b, 4);
}

void VectorCode::vpblendmq(const Xmm& d, const Xmm& a, const Operand& b) {
  wide_ ? Base::vpblendmq(d, a, b) : blend_mask(d, a, b, 8);
}

}  // namespace lockstep::emu::jit
