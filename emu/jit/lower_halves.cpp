// SPDX-License-Identifier: MIT
// Nodes that take numbers apart, classify and clamp them; halves that order as f32.
#include "emu/jit/lower_vector.h"

namespace lockstep::emu::jit {

using Xbyak::Opmask;
using Xbyak::Ymm;
using Xbyak::Zmm;
using namespace Xbyak::util;

namespace {

// Immediates of vfpclassps.
constexpr int kQuietNan = 1, kPlusZero = 2, kMinusZero = 4, kPlusInfinity = 8, kMinusInfinity = 16,
              kDenormal = 32, kNegative = 64, kSignallingNan = 128;
constexpr int kZero = kPlusZero | kMinusZero, kInfinity = kPlusInfinity | kMinusInfinity,
              kNan = kQuietNan | kSignallingNan;
constexpr int kHalfToOne = 2;            // vgetmant: interval [0.5, 1), sign of the source
constexpr int kAtLeast = 5, kAbove = 6;  // vpcmpud
constexpr int kOrdered = 7;              // vcmpps
constexpr int kAndOr = 0xec;             // vpternlog: (a & c) | b

}  // namespace

/// Predicate: the class of a (bits of v_cmp_class) is in `mask`. `bits` is a temporary.
void VectorLowering::class_of(const Opmask& result, const Zmm& a, const Zmm& mask,
                              const Zmm& bits) {
  const auto put = [&](const Opmask& k, uint32_t bit) {
    h_.vpbroadcastd(bits | k, h_.dword[h_.rip + h_.constant(bit)]);
  };
  const auto of_class = [&](int immediate, uint32_t bit) {
    h_.vfpclassps(result, a, immediate);
    put(result, bit);
  };
  Place other = new_mask();
  const Opmask k(other.reg[0]);
  broadcast(bits, 1u << 8);  // a positive normal number
  of_class(kNegative, 1u << 3);
  of_class(kDenormal, 1u << 7);
  h_.vfpclassps(k, a, kNegative);
  h_.kandw(result, result, k);
  put(result, 1u << 4);
  of_class(kMinusZero, 1u << 5);
  of_class(kPlusZero, 1u << 6);
  of_class(kMinusInfinity, 1u << 2);
  of_class(kPlusInfinity, 1u << 9);
  of_class(kQuietNan, 1u << 1);
  of_class(kSignallingNan, 1u << 0);
  h_.vptestmd(result, bits, mask);
  drop(other);
}

bool VectorLowering::half_node(const Node& node, int n) {
  const auto zero_where = [&](const Zmm& d, int classes) {
    Place k = new_mask();
    h_.vfpclassps(Opmask(k.reg[0]), d, classes);
    h_.vpxord(d | Opmask(k.reg[0]), d, d);
    drop(k);
  };
  switch (node.op) {
    case NodeOp::kScaleF: {
      const Zmm d = word_result(n, nullptr);
      h_.vcvtdq2ps(d, word(node.b));
      h_.vscalefps(d, word(node.a), d);
      break;
    }
    case NodeOp::kFrexpMantF: {
      const Zmm d = word_result(n, nullptr);
      Place k = new_mask();
      h_.vgetmantps(d, word(node.a), kHalfToOne);
      h_.vfpclassps(Opmask(k.reg[0]), word(node.a), kZero | kInfinity);
      h_.vmovaps(d | Opmask(k.reg[0]), word(node.a));
      drop(k);
      break;
    }
    case NodeOp::kFrexpExpF: {
      const Zmm d = word_result(n, nullptr);
      Place k = new_mask();
      h_.vgetexpps(d, word(node.a));
      h_.vcvtps2dq(d, d);
      h_.vpaddd(d, d, all(1));
      h_.vfpclassps(Opmask(k.reg[0]), word(node.a), kZero | kInfinity | kNan);
      h_.vpxord(d | Opmask(k.reg[0]), d, d);
      drop(k);
      break;
    }
    case NodeOp::kFmaOddF: {
      // Products of halves are exact. Of the sums rounded down and up the odd one is taken, which
      // is the exact one if they are equal; NaNs come from the fused operation, in its order.
      const Zmm d = word_result(n, nullptr);
      Place product = new_word(), down = new_word(), k_place = new_mask();
      const Zmm p(product.reg[0]), t(down.reg[0]);
      const Opmask k(k_place.reg[0]);
      h_.vmovaps(d, word(node.c));
      h_.vfmadd231ps(d, word(node.a), word(node.b));
      h_.vmulps(p, word(node.a), word(node.b));
      h_.vaddps(t | T_rd_sae, p, word(node.c));
      h_.vcmpps(k, t, t, kOrdered);
      h_.vaddps(p | T_ru_sae, p, word(node.c));
      h_.vmovaps(d | k, p);
      h_.vptestmd(k | k, t, all(1));
      h_.vmovaps(d | k, t);
      drop(product);
      drop(down);
      drop(k_place);
      break;
    }
    case NodeOp::kClassF: {
      at_[n] = new_mask();
      Place bits = new_word();
      class_of(mask(n), word(node.a), word(node.b), Zmm(bits.reg[0]));
      drop(bits);
      break;
    }
    case NodeOp::kOmodF: {
      const Zmm d = word_result(n, nullptr);
      h_.vmulps(d, word(node.a), all(static_cast<uint32_t>(node.imm)));
      zero_where(d, kZero | kDenormal);
      break;
    }
    case NodeOp::kClampF: {
      const Zmm d = word_result(n, nullptr);
      Place one = new_word();
      h_.vmovaps(d, word(node.a));
      zero_where(d, kMinusZero | kMinusInfinity | kNegative | (mode_.dx10_clamp() ? kNan : 0));
      broadcast(Zmm(one.reg[0]), 0x3f800000);
      h_.vminps(d, Zmm(one.reg[0]), d);  // a NaN stays
      drop(one);
      break;
    }
    case NodeOp::kHOrder: {
      const Zmm d = word_result(n, nullptr);
      Place magnitude = new_word(), k = new_mask();
      const Zmm t(magnitude.reg[0]);
      h_.vpslld(t, word(node.a), 17);
      h_.vpsrld(t, t, 4);
      h_.vpcmpud(Opmask(k.reg[0]), t, all(0x0f800000), kAtLeast);
      h_.vpord(t | Opmask(k.reg[0]), t, all(0x7f800000));
      h_.vpslld(d, word(node.a), 16);
      h_.vpternlogd(d, t, all(0x80000000), kAndOr);
      drop(magnitude);
      drop(k);
      break;
    }
    case NodeOp::kOrderH: {
      const Zmm d = word_result(n, nullptr);
      Place magnitude = new_word();
      const Zmm t(magnitude.reg[0]);
      h_.vpsrld(t, word(node.a), 13);
      h_.vpandd(t, t, all(0x7fff));
      h_.vpsrld(d, word(node.a), 16);
      h_.vpternlogd(d, t, all(0x8000), kAndOr);
      drop(magnitude);
      break;
    }
    case NodeOp::kOmodH: {
      const Zmm d = word_result(n, nullptr);
      const Ymm half(d.getIdx());
      Place k = new_mask();
      h_.vpmovdw(half, word(node.a));
      h_.vcvtph2ps(d, half);
      h_.vmulps(d, d, all(static_cast<uint32_t>(node.imm)));
      h_.vcvtps2ph(half, d, 0);
      h_.vpmovzxwd(d, half);
      h_.vptestnmd(Opmask(k.reg[0]), d, all(0x7c00));
      h_.vpxord(d | Opmask(k.reg[0]), d, d);
      drop(k);
      break;
    }
    case NodeOp::kClampH:
    case NodeOp::kClampPk: {
      const Zmm d = word_result(n, nullptr);
      const auto clamp = [&](const Zmm& out, const Zmm& from) {
        Place t = new_word(), k = new_mask();
        const Zmm magnitude(t.reg[0]);
        const Opmask m(k.reg[0]);
        h_.vpandd(magnitude, from, all(0x7fff));
        h_.vpminud(out, from, all(0x3c00));
        h_.vptestmd(m, from, all(0x8000));
        h_.vpxord(out | m, out, out);
        h_.vpcmpud(m, magnitude, all(0x7c00), kAbove);
        if (mode_.dx10_clamp())
          h_.vpxord(out | m, out, out);
        else
          h_.vmovdqa32(out | m, from);
        drop(t);
        drop(k);
      };
      if (node.op == NodeOp::kClampH) {
        clamp(d, word(node.a));
        break;
      }
      Place part = new_word(), low = new_word();
      const Zmm t(part.reg[0]), lo(low.reg[0]);
      h_.vpandd(t, word(node.a), all(0xffff));
      clamp(lo, t);
      h_.vpsrld(t, word(node.a), 16);
      clamp(d, t);
      h_.vpslld(d, d, 16);
      h_.vpord(d, d, lo);
      drop(part);
      drop(low);
      break;
    }
    default:
      return false;
  }
  return true;
}

}  // namespace lockstep::emu::jit
