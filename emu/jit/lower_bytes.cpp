// SPDX-License-Identifier: MIT
// Nodes that work on the bits, bytes and halves of words.
#include "emu/jit/lower_vector.h"

namespace lockstep::emu::jit {

using Xbyak::Opmask;
using Xbyak::Zmm;
using namespace Xbyak::util;

namespace {

constexpr int kOrAnd = 0xf8;                            // vpternlog: a | (b & c)
constexpr int kLess = 1, kLessEqual = 2, kAtLeast = 5;  // vpcmpub

/// Sixteen bytes, four times over.
std::array<uint32_t, 16> four_times(const std::array<uint8_t, 16>& bytes) {
  std::array<uint32_t, 16> words{};
  for (unsigned i = 0; i < 64; ++i) words[i / 4] |= uint32_t{bytes[i % 16]} << (i % 4 * 8);
  return words;
}

}  // namespace

bool VectorLowering::byte_node(const Node& node, int n) {
  const auto pool = [&](const std::array<uint32_t, 16>& words) {
    return h_.ptr[h_.rip + h_.vector_constant(words)];
  };
  const auto every = [&](uint32_t word) {
    std::array<uint32_t, 16> words;
    words.fill(word);
    return pool(words);
  };
  switch (node.op) {
    case NodeOp::kPack: {
      const Zmm d = word_result(n, nullptr);
      h_.vpslld(d, word(node.b), 16);
      h_.vpternlogd(d, word(node.a), all(0xffff), kOrAnd);
      break;
    }
    case NodeOp::kReverseBits: {
      static const auto kSwapBytes =
          four_times({3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12});
      static const auto kLow = four_times({0x00, 0x08, 0x04, 0x0c, 0x02, 0x0a, 0x06, 0x0e, 0x01,
                                           0x09, 0x05, 0x0d, 0x03, 0x0b, 0x07, 0x0f});
      static const auto kHigh = four_times({0x00, 0x80, 0x40, 0xc0, 0x20, 0xa0, 0x60, 0xe0, 0x10,
                                            0x90, 0x50, 0xd0, 0x30, 0xb0, 0x70, 0xf0});
      const Zmm d = word_result(n, nullptr);
      Place nibbles = new_word(), table = new_word();
      const Zmm t(nibbles.reg[0]), lut(table.reg[0]);
      h_.vmovdqa32(lut, pool(kSwapBytes));
      h_.vpshufb(d, word(node.a), lut);
      h_.vpsrld(t, d, 4);
      h_.vpandd(t, t, all(0x0f0f0f0f));
      h_.vpandd(d, d, all(0x0f0f0f0f));
      h_.vmovdqa32(lut, pool(kHigh));
      h_.vpshufb(d, lut, d);
      h_.vmovdqa32(lut, pool(kLow));
      h_.vpshufb(t, lut, t);
      h_.vpord(d, d, t);
      drop(nibbles);
      drop(table);
      break;
    }
    case NodeOp::kPerm: {
      // A byte shuffle of the host stays in 16 bytes: selectors get the place of their word.
      static const auto kWords = four_times({0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8, 12, 12, 12, 12});
      const Zmm d = word_result(n, nullptr);
      Place indices = new_word(), shuffled = new_word(), mask_place = new_mask(),
            other = new_mask();
      const Zmm index(indices.reg[0]), t(shuffled.reg[0]), selector = word(node.c);
      const Opmask k(mask_place.reg[0]), m(other.reg[0]);
      const auto between = [&](unsigned low, unsigned high) {
        h_.vpcmpub(k, selector, every(low * 0x01010101u), kAtLeast);
        h_.vpcmpub(k | k, selector, every(high * 0x01010101u), kLess);
      };
      h_.vpandd(index, selector, all(0x03030303));
      h_.vpord(index, index, pool(kWords));
      h_.vpcmpub(k, selector, every(0x04040404), kLess);
      h_.vpshufb(d | k | T_z, word(node.b), index);
      between(4, 8);
      h_.vpshufb(d | k, word(node.a), index);
      // 8..11: signs of the halves.
      h_.vpandd(index, selector, all(0x01010101));
      h_.vpslld(index, index, 1);
      h_.vpord(index, index, pool(kWords));
      h_.vpsraw(t, word(node.b), 15);
      between(8, 10);
      h_.vpshufb(d | k, t, index);
      h_.vpsraw(t, word(node.a), 15);
      between(10, 12);
      h_.vpshufb(d | k, t, index);
      h_.vpcmpub(m, selector, every(0x0c0c0c0c), kLessEqual);
      h_.knotq(m, m);
      h_.vpternlogd(t, t, t, 0xff);
      h_.vmovdqu8(d | m, t);
      for (Place* p : {&indices, &shuffled, &mask_place, &other}) drop(*p);
      break;
    }
    case NodeOp::kAverageBytes:
      h_.vpavgb(word_result(n, nullptr), word(node.a), word(node.b));
      break;
    case NodeOp::kSadBytes:
    case NodeOp::kSadMaskedBytes: {
      const Zmm d = word_result(n, nullptr);
      Place larger = new_word();
      const Zmm t(larger.reg[0]);
      h_.vpmaxub(t, word(node.a), word(node.b));
      h_.vpminub(d, word(node.a), word(node.b));
      h_.vpsubb(d, t, d);
      if (node.op == NodeOp::kSadMaskedBytes) {
        Place k = new_mask();
        h_.vptestmb(Opmask(k.reg[0]), word(node.b), word(node.b));
        h_.vmovdqu8(d | Opmask(k.reg[0]) | T_z, d);
        drop(k);
      }
      h_.vpmaddubsw(d, d, every(0x01010101));
      h_.vpmaddwd(d, d, every(0x00010001));
      drop(larger);
      break;
    }
    case NodeOp::kShlHalves:
      h_.vpsllw(word_result(n, nullptr), word(node.a), static_cast<uint8_t>(node.imm));
      break;
    case NodeOp::kSarHalves:
      h_.vpsraw(word_result(n, nullptr), word(node.a), static_cast<uint8_t>(node.imm));
      break;
    case NodeOp::kDotHalves:
      h_.vpmaddwd(word_result(n, nullptr), word(node.a), word(node.b));
      break;
    default:
      return false;
  }
  return true;
}

}  // namespace lockstep::emu::jit
