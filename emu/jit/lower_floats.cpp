// SPDX-License-Identifier: MIT
// Nodes of f32 and f16 to AVX-512 instructions.
#include "emu/jit/lower_vector.h"

namespace lockstep::emu::jit {

using Xbyak::Opmask;
using Xbyak::Ymm;
using Xbyak::Zmm;

namespace {

// Immediates of vcmpps, vrndscaleps (no exception) and vfpclassps.
constexpr int kUnordered = 3, kGreaterEqual = 29;
constexpr int kRoundTrunc = 11, kRoundFloor = 9, kRoundCeil = 10, kRoundEven = 8;
constexpr int kClassDenormal = 0x20, kClassSignalling = 0x80;

}  // namespace

void VectorLowering::minmax(const Zmm& d, const Zmm& a, const Zmm& b, bool maximum, bool doubles) {
  // vrange: a number beats a quiet NaN, -0 < +0, a signalling NaN wins and becomes quiet: IEEE mode
  // before gfx12. Otherwise NaNs are made quiet first, so that any number wins.
  const auto range = [&](const Zmm& x, const Zmm& y) {
    const int control = maximum ? 5 : 4;
    if (doubles)
      h_.vrangepd(d, x, y, control);
    else
      h_.vrangeps(d, x, y, control);
  };
  if (mode_.ieee() && !mode_.gfx12()) return range(a, b);
  if (h_.tier() == Tier::kAvx2)
    return h_.number_minmax(d, a, b, maximum, mode_.gfx12(), doubles ? 8 : 4);
  Place qa = new_word(), qb = new_word(), ka = new_mask(), kb = new_mask();
  const Zmm x(qa.reg[0]), y(qb.reg[0]);
  const Opmask nan_a(ka.reg[0]), nan_b(kb.reg[0]);
  h_.vmovaps(x, a);
  h_.vmovaps(y, b);
  if (doubles) {
    h_.vcmppd(nan_a, a, a, kUnordered);
    h_.vcmppd(nan_b, b, b, kUnordered);
    h_.vporq(x | nan_a, a, all64(0x0008000000000000));
    h_.vporq(y | nan_b, b, all64(0x0008000000000000));
  } else {
    h_.vcmpps(nan_a, a, a, kUnordered);
    h_.vcmpps(nan_b, b, b, kUnordered);
    h_.vpord(x | nan_a, a, all(0x00400000));
    h_.vpord(y | nan_b, b, all(0x00400000));
  }
  if (!mode_.gfx12()) {
    // Two NaNs: the first as it is.
    Place keep = new_word();
    h_.vmovaps(Zmm(keep.reg[0]), a);
    h_.kandw(nan_a, nan_a, nan_b);
    range(x, y);
    if (doubles)
      h_.vmovapd(d | nan_a, Zmm(keep.reg[0]));
    else
      h_.vmovaps(d | nan_a, Zmm(keep.reg[0]));
    drop(keep);
  } else {
    range(x, y);
  }
  drop(qa);
  drop(qb);
  drop(ka);
  drop(kb);
}

/// A NaN beats a number: a signalling one before a quiet one, then the first. d is neither source.
void VectorLowering::ieee_minmax(const Zmm& d, const Zmm& a, const Zmm& b, bool maximum,
                                 bool doubles) {
  Place k1 = new_mask(), k2 = new_mask();
  const Opmask k(k1.reg[0]), second(k2.reg[0]);
  const int control = maximum ? 5 : 4;
  if (doubles) {
    h_.vrangepd(d, a, b, control);
    h_.vcmppd(k, a, b, kUnordered);
    h_.vaddpd(d | k, a, b);
    h_.vfpclasspd(second, b, kClassSignalling);
    h_.vfpclasspd(k, a, kClassSignalling);
    h_.kandnw(second, k, second);
    h_.vaddpd(d | second, b, b);
  } else {
    h_.vrangeps(d, a, b, control);
    h_.vcmpps(k, a, b, kUnordered);
    h_.vaddps(d | k, a, b);
    h_.vfpclassps(second, b, kClassSignalling);
    h_.vfpclassps(k, a, kClassSignalling);
    h_.kandnw(second, k, second);
    h_.vaddps(d | second, b, b);
  }
  drop(k1);
  drop(k2);
}

bool VectorLowering::float_node(const Node& node, int n, const Zmm* target) {
  switch (node.op) {
    case NodeOp::kAddF:
      binary(node, n, target, &Host::vaddps);
      break;
    case NodeOp::kSubF:
      binary(node, n, target, &Host::vsubps);
      break;
    case NodeOp::kMulF:
      binary(node, n, target, &Host::vmulps);
      break;
    case NodeOp::kFmaF: {
      const Zmm a = word(node.a), b = word(node.b), c = word(node.c);
      h_.fuse(word_result(n, target), a, b, c);
      break;
    }
    case NodeOp::kMinF:
    case NodeOp::kMaxF: {
      // The target where it takes one instruction.
      const bool one = (mode_.ieee() && !mode_.gfx12()) || h_.tier() == Tier::kAvx2;
      minmax(word_result(n, one ? target : nullptr), word(node.a), word(node.b),
             node.op == NodeOp::kMaxF, false);
      break;
    }
    case NodeOp::kTruncF:
      h_.vrndscaleps(word_result(n, target), word(node.a), kRoundTrunc);
      break;
    case NodeOp::kFloorF:
      h_.vrndscaleps(word_result(n, target), word(node.a), kRoundFloor);
      break;
    case NodeOp::kCeilF:
      h_.vrndscaleps(word_result(n, target), word(node.a), kRoundCeil);
      break;
    case NodeOp::kRndneF:
      h_.vrndscaleps(word_result(n, target), word(node.a), kRoundEven);
      break;
    case NodeOp::kSqrtF:
      h_.vsqrtps(word_result(n, target), word(node.a));
      break;
    case NodeOp::kRcpF: {
      const Zmm d = word_result(n, nullptr);
      broadcast(d, 0x3f800000);
      h_.vdivps(d, d, word(node.a));
      break;
    }
    case NodeOp::kFlushIn:
    case NodeOp::kFlushOut:
    case NodeOp::kFlushAlways: {
      const Zmm d = word_result(n, nullptr);
      Place k = new_mask();
      h_.vmovaps(d, word(node.a));
      h_.vfpclassps(Opmask(k.reg[0]), d, kClassDenormal);
      h_.vpandd(d | Opmask(k.reg[0]), d, all(0x80000000));
      drop(k);
      break;
    }
    case NodeOp::kMinimumF:
    case NodeOp::kMaximumF:
      ieee_minmax(word_result(n, nullptr), word(node.a), word(node.b), node.op == NodeOp::kMaximumF,
                  false);
      break;
    case NodeOp::kFlushInH:
    case NodeOp::kFlushOutH: {
      const Zmm d = word_result(n, nullptr);
      Place k = new_mask();
      h_.vmovaps(d, word(node.a));
      h_.vptestnmd(Opmask(k.reg[0]), d, all(0x7c00));
      h_.vpandd(d | Opmask(k.reg[0]), d, all(0x8000));
      drop(k);
      break;
    }
    case NodeOp::kI32ToF:
      h_.vcvtdq2ps(word_result(n, target), word(node.a));
      break;
    case NodeOp::kU32ToF:
      h_.vcvtudq2ps(word_result(n, target), word(node.a));
      break;
    case NodeOp::kFToI32: {
      const Zmm d = word_result(n, nullptr);
      Place k = new_mask();
      const Opmask m(k.reg[0]);
      h_.vcvttps2dq(d, word(node.a));
      h_.vcmpps(m, word(node.a), all(0x4f000000), kGreaterEqual);  // 2^31
      h_.vpbroadcastd(d | m, h_.dword[h_.rip + h_.constant(0x7fffffff)]);
      h_.vcmpps(m, word(node.a), word(node.a), kUnordered);
      h_.vpxord(d | m, d, d);
      drop(k);
      break;
    }
    case NodeOp::kFToU32: {
      const Zmm d = word_result(n, nullptr);
      h_.vpxord(d, d, d);
      h_.vmaxps(d, word(node.a), d);  // NaN and negative numbers give 0
      h_.vcvttps2udq(d, d);
      break;
    }
    case NodeOp::kHToF: {
      const Zmm d = word_result(n, nullptr);
      const Ymm half(d.getIdx());
      h_.vpmovdw(half, word(node.a));
      h_.vcvtph2ps(d, half);
      break;
    }
    case NodeOp::kFToH:
    case NodeOp::kFToHZero: {
      const Zmm d = word_result(n, nullptr);
      const Ymm half(d.getIdx());
      constexpr uint8_t kNearest = 0, kZero = 3, kAsHost = 4;
      h_.vcvtps2ph(half, word(node.a),
                   node.op == NodeOp::kFToHZero ? kZero
                   : mode_.nearest_even()       ? kNearest
                                                : kAsHost);
      h_.vpmovzxwd(d, half);
      break;
    }
    default:
      return false;
  }
  return true;
}

}  // namespace lockstep::emu::jit
