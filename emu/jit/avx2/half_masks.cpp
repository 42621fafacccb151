// SPDX-License-Identifier: MIT
// AVX2, half a slice at a time: masks are vectors in the frame, all ones where a lane is on, of words,
// quads or bytes.
#include "emu/jit/vector_code.h"

namespace lockstep::emu::jit {

using namespace Xbyak::util;

/// ymm0 becomes a mask, under k's own mask.
void VectorCode::put_half_mask(const Opmask& k, unsigned bytes, bool inverse) {
  if (is_exec(k.getIdx())) needs_both_halves();
  if (inverse) Base::vpxor(ymm0, ymm0, every(0xffffffff));
  if (const int under = k.getOpmaskIdx())
    Base::vpand(ymm0, ymm0, half_mask_in_register(under, bytes, 1));
  Base::vmovdqa(half_mask(k.getIdx()), ymm0);
  half_mask_bytes_[k.getIdx()] = static_cast<uint8_t>(bytes);
}

/// A mask of elements of so many bytes. That of words is one of quads, too: of the first four lanes;
/// that of quads one of the words that they become, which lie in the low half.
Xbyak::Ymm VectorCode::half_mask_in_register(int k, unsigned bytes, int scratch) {
  const Ymm d(scratch);
  if (is_exec(k)) {
    if (bytes != 4) needs_both_halves();
    Base::vmovdqa(d, every(0xffffffff));
    Base::vpxor(d, d, ptr[rsp + kSpreadExec + 64 * (k - 1) + 32 * only_]);
  } else if (half_mask_bytes_[k] == bytes) {
    Base::vmovdqa(d, half_mask(k));
  } else if (half_mask_bytes_[k] == 4 && bytes == 8) {
    Base::vpmovsxdq(d, half_mask(k));
  } else {
    if (half_mask_bytes_[k] != 8 || bytes != 4) needs_both_halves();
    Base::vmovdqa(d, half_mask(k));
    Base::vshufps(d, d, d, 0x88);
    Base::vpermq(d, d, 0xd8);
  }
  return d;
}

/// From a byte of those that the address of the slice's mask names.
void VectorCode::half_mask_from_memory(const Opmask& k, const Address& a) {
  std::array<uint32_t, 16> bits{};
  for (unsigned i = 0; i < 8; ++i) bits[i] = 1u << i;
  Base::vpbroadcastb(ymm0, byte[a.getRegExp(false) + only_]);
  Base::vpand(ymm0, ymm0, words(bits, 0));
  Base::vpcmpeqd(ymm0, ymm0, words(bits, 0));
  put_half_mask(Opmask(k.getIdx()), 4, false);
}

/// A bit a lane.
void VectorCode::half_mask_to_register(const Reg32& d, const Opmask& k) {
  Base::vmovmskps(d, half_mask_in_register(k.getIdx(), 4, 0));
}

void VectorCode::copy_half_mask(const Opmask& d, const Opmask& a, bool inverse) {
  const unsigned bytes = is_exec(a.getIdx()) ? 4 : half_mask_bytes_[a.getIdx()];
  half_mask_in_register(a.getIdx(), bytes, 0);
  put_half_mask(Opmask(d.getIdx()), bytes, inverse);
}

void VectorCode::combine_half_masks(const Opmask& d, const Opmask& a, const Opmask& b, BinaryFn f) {
  // A mask with itself: it may be one that nothing was written to.
  unsigned bytes = 4;
  if (a.getIdx() == b.getIdx()) {
    half_mask_bytes_[a.getIdx()] = 4;
  } else if (!is_exec(a.getIdx())) {
    bytes = half_mask_bytes_[a.getIdx()];
  }
  const Ymm x = half_mask_in_register(a.getIdx(), bytes, 1),
            y = half_mask_in_register(b.getIdx(), bytes, 2);
  (this->*f)(ymm0, x, y);
  put_half_mask(Opmask(d.getIdx()), bytes, false);
}

/// Masks of four quads to one of eight words.
void VectorCode::join_half_masks(const Opmask& d, const Opmask& high, const Opmask& low) {
  const Ymm x = half_mask_in_register(low.getIdx(), 8, 1),
            y = half_mask_in_register(high.getIdx(), 8, 2);
  Base::vshufps(ymm0, x, y, 0x88);
  Base::vpermq(ymm0, ymm0, 0xd8);  // quarters lie x, y, x, y
  put_half_mask(Opmask(d.getIdx()), 4, false);
}

/// The mask of the quads of lanes 4 to 7, from one of words.
void VectorCode::second_quads_of_half_mask(const Opmask& d, const Opmask& a) {
  if (is_exec(a.getIdx()) || half_mask_bytes_[a.getIdx()] != 4) needs_both_halves();
  Base::vpmovsxdq(ymm0, moved(half_mask(a.getIdx()), 16));
  put_half_mask(Opmask(d.getIdx()), 8, false);
}

}  // namespace lockstep::emu::jit
