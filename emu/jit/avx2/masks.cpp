// SPDX-License-Identifier: MIT
// AVX2: masks, which are integers in the frame, a bit a lane. rdi is free inside an instruction.
#include "emu/jit/vector_code.h"

namespace lockstep::emu::jit {

using namespace Xbyak::util;

namespace {

constexpr unsigned kEqual = 0, kLess = 1, kLessEqual = 2, kNotEqual = 4, kAtLeast = 5;  // vpcmp

}  // namespace

void VectorCode::signs_to_rdi(unsigned bytes) {
  if (bytes == 1)
    Base::vpmovmskb(edi, ymm0);
  else if (bytes == 4)
    Base::vmovmskps(edi, ymm0);
  else
    Base::vmovmskpd(edi, ymm0);
}

void VectorCode::second_half_of_mask(unsigned bytes) {
  Base::shl(rdi, static_cast<int>(32 / bytes));
  Base::mov(spill(), rdi);
}

void VectorCode::finish_mask(const Opmask& k, unsigned bytes, bool inverse) {
  Base::or_(rdi, spill());
  if (inverse && bytes == 1)
    Base::not_(rdi);
  else if (inverse)
    Base::xor_(edi, bytes == 4 ? 0xffff : 0xff);
  if (k.getOpmaskIdx()) Base::and_(rdi, mask_slot(k.getOpmaskIdx()));
  Base::mov(mask_slot(k.getIdx()), rdi);
  mask_changed(k);
}

void VectorCode::vcmpps(const Opmask& k, const Xmm& a, const Operand& b, uint8_t relation) {
  if (wide_) return Base::vcmpps(k, a, b, relation);
  compare(k, 4, false, [&](int half) {
    const Ymm x = load(a.getIdx(), half, 1);
    Base::vcmpps(ymm0, x, operand(b, half, 2, 4), relation);
  });
}

void VectorCode::vcmppd(const Opmask& k, const Xmm& a, const Operand& b, uint8_t relation) {
  if (wide_) return Base::vcmppd(k, a, b, relation);
  compare(k, 8, false, [&](int half) {
    const Ymm x = load(a.getIdx(), half, 1);
    Base::vcmppd(ymm0, x, operand(b, half, 2, 8), relation);
  });
}

void VectorCode::vpcmpeqd(const Opmask& k, const Xmm& a, const Operand& b) {
  if (wide_) return Base::vpcmpeqd(k, a, b);
  compare_unsigned(k, a, b, kEqual, 4);
}

void VectorCode::vpcmpeqq(const Opmask& k, const Xmm& a, const Operand& b) {
  if (wide_) return Base::vpcmpeqq(k, a, b);
  compare(k, 8, false, [&](int half) {
    const Ymm x = load(a.getIdx(), half, 1);
    Base::vpcmpeqq(ymm0, x, operand(b, half, 2, 8));
  });
}

/// Signed: less is the only relation that is asked for.
void VectorCode::vpcmpd(const Opmask& k, const Xmm& a, const Operand& b, uint8_t relation) {
  if (wide_) return Base::vpcmpd(k, a, b, relation);
  if (relation != kLess) throw Xbyak::Error(Xbyak::ERR_INTERNAL);
  compare(k, 4, false, [&](int half) {
    const Ymm y = in_register(b, half, 2, 4);
    Base::vpcmpgtd(ymm0, y, operand(a, half, 1, 4));
  });
}

void VectorCode::vpcmpq(const Opmask& k, const Xmm& a, const Operand& b, uint8_t relation) {
  if (wide_) return Base::vpcmpq(k, a, b, relation);
  if (relation != kLess) throw Xbyak::Error(Xbyak::ERR_INTERNAL);
  compare(k, 8, false, [&](int half) {
    const Ymm y = in_register(b, half, 2, 8);
    Base::vpcmpgtq(ymm0, y, operand(a, half, 1, 8));
  });
}

void VectorCode::vpcmpuq(const Opmask& k, const Xmm& a, const Operand& b, uint8_t relation) {
  if (wide_) return Base::vpcmpuq(k, a, b, relation);
  if (relation != kLess) throw Xbyak::Error(Xbyak::ERR_INTERNAL);
  compare(k, 8, false, [&](int half) {
    const Ymm x = in_register(a, half, 1, 8), y = in_register(b, half, 2, 8);
    Base::vpxor(ymm3, x, every64(uint64_t{1} << 63));
    Base::vpxor(ymm4, y, every64(uint64_t{1} << 63));
    Base::vpcmpgtq(ymm0, ymm4, ymm3);
  });
}

/// Words and bytes: a <= b where the smaller one is a, the others follow.
void VectorCode::compare_unsigned(const Opmask& k, const Xmm& a, const Operand& b,
                                  unsigned relation, unsigned bytes) {
  const bool inverse = relation == kLess || relation == kNotEqual || relation > kAtLeast;
  const bool equal = relation == kEqual || relation == kNotEqual;
  const bool at_least = relation == kLess || relation == kAtLeast;
  compare(k, bytes, inverse, [&](int half) {
    const Ymm x = load(a.getIdx(), half, 1);
    const Half y = operand(b, half, 2, bytes);
    if (equal) {
      Base::vpcmpeqd(ymm0, x, y);
    } else if (bytes == 1) {
      at_least ? Base::vpmaxub(ymm0, x, y) : Base::vpminub(ymm0, x, y);
      Base::vpcmpeqb(ymm0, ymm0, x);
    } else {
      at_least ? Base::vpmaxud(ymm0, x, y) : Base::vpminud(ymm0, x, y);
      Base::vpcmpeqd(ymm0, ymm0, x);
    }
  });
}

void VectorCode::vpcmpud(const Opmask& k, const Xmm& a, const Operand& b, uint8_t relation) {
  if (wide_) return Base::vpcmpud(k, a, b, relation);
  compare_unsigned(k, a, b, relation, 4);
}

void VectorCode::vpcmpub(const Opmask& k, const Xmm& a, const Operand& b, uint8_t relation) {
  if (wide_) return Base::vpcmpub(k, a, b, relation);
  if (relation == kEqual || relation == kNotEqual) throw Xbyak::Error(Xbyak::ERR_INTERNAL);
  compare_unsigned(k, a, b, relation, 1);
}

/// Where bits of a are in b, or where none is.
void VectorCode::test_bits(const Opmask& k, const Xmm& a, const Operand& b, unsigned bytes,
                           bool none) {
  compare(k, bytes, !none, [&](int half) {
    const Ymm x = load(a.getIdx(), half, 1);
    Base::vpand(ymm0, x, operand(b, half, 2, bytes));
    Base::vpxor(ymm3, ymm3, ymm3);
    if (bytes == 1)
      Base::vpcmpeqb(ymm0, ymm0, ymm3);
    else if (bytes == 4)
      Base::vpcmpeqd(ymm0, ymm0, ymm3);
    else
      Base::vpcmpeqq(ymm0, ymm0, ymm3);
  });
}

void VectorCode::vptestmd(const Opmask& k, const Xmm& a, const Operand& b) {
  wide_ ? Base::vptestmd(k, a, b) : test_bits(k, a, b, 4, false);
}
void VectorCode::vptestmq(const Opmask& k, const Xmm& a, const Operand& b) {
  wide_ ? Base::vptestmq(k, a, b) : test_bits(k, a, b, 8, false);
}
void VectorCode::vptestmb(const Opmask& k, const Xmm& a, const Operand& b) {
  wide_ ? Base::vptestmb(k, a, b) : test_bits(k, a, b, 1, false);
}
void VectorCode::vptestnmd(const Opmask& k, const Xmm& a, const Operand& b) {
  wide_ ? Base::vptestnmd(k, a, b) : test_bits(k, a, b, 4, true);
}

void VectorCode::vpmovm2d(const Xmm& d, const Opmask& k) {
  if (wide_) return Base::vpmovm2d(d, k);
  if (only_ != kBoth) return put(d, only_, half_mask_in_register(k.getIdx(), 4, 0), 4);
  for (int half = 0; half < 2; ++half) {
    spread(ymm0, k.getIdx(), half, 4, true);
    put(d, half, ymm0, 4);
  }
}

void VectorCode::vpmovd2m(const Opmask& k, const Xmm& a) {
  if (wide_) return Base::vpmovd2m(k, a);
  needs_both_halves();  // signs alone
  compare(k, 4, false, [&](int half) { Base::vmovdqa(ymm0, operand(a, half, 0, 4)); });
}

// ---- masks among themselves ----

void VectorCode::kmovw(const Opmask& k, const Operand& a) {
  if (wide_) return a.isREG() ? Base::kmovw(k, static_cast<const Reg32&>(a)) : Base::kmovw(k, a);
  if (only_ != kBoth) {
    if (a.isMEM()) return half_mask_from_memory(k, a.getAddress());
    if (a.isREG()) needs_both_halves();
    return copy_half_mask(k, static_cast<const Opmask&>(a), false);
  }
  if (a.isREG())
    Base::movzx(edi, Xbyak::Reg16(a.getIdx()));
  else if (a.isMEM())
    Base::movzx(edi, a);
  else
    Base::movzx(edi, word[rsp + kMaskFile + 8 * a.getIdx()]);
  Base::mov(mask_slot(k.getIdx()), rdi);
  mask_changed(k);
}

void VectorCode::kmovw(const Reg32& d, const Opmask& k) {
  if (wide_) return Base::kmovw(d, k);
  if (only_ != kBoth) return half_mask_to_register(d, k);
  Base::movzx(d, word[rsp + kMaskFile + 8 * k.getIdx()]);
}

void VectorCode::kandw(const Opmask& d, const Opmask& a, const Opmask& b) {
  if (wide_) return Base::kandw(d, a, b);
  if (only_ != kBoth) return combine_half_masks(d, a, b, &VectorCode::half_vpandd);
  Base::movzx(edi, word[rsp + kMaskFile + 8 * a.getIdx()]);
  Base::and_(rdi, mask_slot(b.getIdx()));
  Base::mov(mask_slot(d.getIdx()), rdi);
  mask_changed(d);
}

void VectorCode::kandnw(const Opmask& d, const Opmask& a, const Opmask& b) {
  if (wide_) return Base::kandnw(d, a, b);
  if (only_ != kBoth) return combine_half_masks(d, a, b, &VectorCode::half_vpandnd);
  Base::movzx(edi, word[rsp + kMaskFile + 8 * a.getIdx()]);
  Base::xor_(edi, 0xffff);
  Base::and_(rdi, mask_slot(b.getIdx()));
  Base::mov(mask_slot(d.getIdx()), rdi);
  mask_changed(d);
}

void VectorCode::korw(const Opmask& d, const Opmask& a, const Opmask& b) {
  if (wide_) return Base::korw(d, a, b);
  if (only_ != kBoth) return combine_half_masks(d, a, b, &VectorCode::half_vpord);
  Base::mov(rdi, mask_slot(a.getIdx()));
  Base::or_(rdi, mask_slot(b.getIdx()));
  Base::movzx(edi, di);
  Base::mov(mask_slot(d.getIdx()), rdi);
  mask_changed(d);
}

void VectorCode::kxorw(const Opmask& d, const Opmask& a, const Opmask& b) {
  if (wide_) return Base::kxorw(d, a, b);
  if (only_ != kBoth) return combine_half_masks(d, a, b, &VectorCode::half_vpxord);
  Base::mov(rdi, mask_slot(a.getIdx()));
  Base::xor_(rdi, mask_slot(b.getIdx()));
  Base::movzx(edi, di);
  Base::mov(mask_slot(d.getIdx()), rdi);
  mask_changed(d);
}

void VectorCode::knotw(const Opmask& d, const Opmask& a) {
  if (wide_) return Base::knotw(d, a);
  if (only_ != kBoth) return copy_half_mask(d, a, true);
  Base::movzx(edi, word[rsp + kMaskFile + 8 * a.getIdx()]);
  Base::xor_(edi, 0xffff);
  Base::mov(mask_slot(d.getIdx()), rdi);
  mask_changed(d);
}

void VectorCode::knotq(const Opmask& d, const Opmask& a) {
  if (wide_) return Base::knotq(d, a);
  if (only_ != kBoth) return copy_half_mask(d, a, true);
  Base::mov(rdi, mask_slot(a.getIdx()));
  Base::not_(rdi);
  Base::mov(mask_slot(d.getIdx()), rdi);
  mask_changed(d);
}

void VectorCode::kunpckbw(const Opmask& d, const Opmask& high, const Opmask& low) {
  if (wide_) return Base::kunpckbw(d, high, low);
  if (only_ != kBoth) return join_half_masks(d, high, low);
  Base::movzx(edi, byte[rsp + kMaskFile + 8 * high.getIdx()]);
  Base::shl(edi, 8);
  Base::mov(dil, byte[rsp + kMaskFile + 8 * low.getIdx()]);
  Base::mov(mask_slot(d.getIdx()), rdi);
  mask_changed(d);
}

void VectorCode::kshiftrw(const Opmask& d, const Opmask& a, uint8_t by) {
  if (wide_) return Base::kshiftrw(d, a, by);
  if (only_ != kBoth) {
    if (by != 8) needs_both_halves();
    return second_quads_of_half_mask(d, a);
  }
  Base::movzx(edi, word[rsp + kMaskFile + 8 * a.getIdx()]);
  Base::shr(edi, by);
  Base::mov(mask_slot(d.getIdx()), rdi);
  mask_changed(d);
}

void VectorCode::kortestw(const Opmask& a, const Opmask& b) {
  if (wide_) return Base::kortestw(a, b);
  needs_both_halves();
  Base::mov(rdi, mask_slot(a.getIdx()));
  Base::or_(rdi, mask_slot(b.getIdx()));
  Base::movzx(edi, di);
  // ZF from the value; then CF alone: the sum has bit 16 if all others were set.
  Base::test(edi, edi);
  Base::lea(edi, ptr[rdi + 1]);
  Base::bt(edi, 16);
}

}  // namespace lockstep::emu::jit
