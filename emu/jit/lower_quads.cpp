// SPDX-License-Identifier: MIT
// Nodes of 64-bit values, and conversions between widths.
#include "emu/jit/lower_vector.h"

namespace lockstep::emu::jit {

using Xbyak::Opmask;
using Xbyak::Ymm;
using Xbyak::Zmm;

namespace {

// Immediates of vrndscalepd (no exception) and vfpclasspd.
constexpr int kRoundTrunc = 11, kRoundFloor = 9, kRoundCeil = 10, kRoundEven = 8;
constexpr int kClassDenormal = 0x20;

}  // namespace

void VectorLowering::round_quads(const Node& node, int n, int control) {
  at_[n] = new_quad();
  for (int i = 0; i < 2; ++i) h_.vrndscalepd(quad(n, i), quad(node.a, i), control);
}

bool VectorLowering::quad_node(const Node& node, int n) {
  switch (node.op) {
    case NodeOp::kAdd64:
      quads(node, n, &Host::vpaddq);
      break;
    case NodeOp::kSub64:
      quads(node, n, &Host::vpsubq);
      break;
    case NodeOp::kMul64:
      quads(node, n, &Host::vpmullq);
      break;
    case NodeOp::kAnd64:
      quads(node, n, &Host::vpandq);
      break;
    case NodeOp::kOr64:
      quads(node, n, &Host::vporq);
      break;
    case NodeOp::kXor64:
      quads(node, n, &Host::vpxorq);
      break;
    case NodeOp::kAddD:
      quads(node, n, &Host::vaddpd);
      break;
    case NodeOp::kSubD:
      quads(node, n, &Host::vsubpd);
      break;
    case NodeOp::kMulD:
      quads(node, n, &Host::vmulpd);
      break;
    case NodeOp::kTruncD:
      round_quads(node, n, kRoundTrunc);
      break;
    case NodeOp::kFloorD:
      round_quads(node, n, kRoundFloor);
      break;
    case NodeOp::kCeilD:
      round_quads(node, n, kRoundCeil);
      break;
    case NodeOp::kRndneD:
      round_quads(node, n, kRoundEven);
      break;
    case NodeOp::kNot64:
      at_[n] = new_quad();
      for (int i = 0; i < 2; ++i) h_.vpxorq(quad(n, i), quad(node.a, i), all64(~uint64_t{0}));
      break;
    case NodeOp::kFlushInD:
    case NodeOp::kFlushOutD: {
      at_[n] = new_quad();
      Place k = new_mask();
      const Opmask m(k.reg[0]);
      for (int i = 0; i < 2; ++i) {
        h_.vmovapd(quad(n, i), quad(node.a, i));
        h_.vfpclasspd(m, quad(n, i), kClassDenormal);
        h_.vpandq(quad(n, i) | m, quad(n, i), all64(0x8000000000000000));
      }
      drop(k);
      break;
    }
    case NodeOp::kFmaD:
      at_[n] = new_quad();
      for (int i = 0; i < 2; ++i) {
        h_.vmovapd(quad(n, i), quad(node.c, i));
        h_.vfmadd231pd(quad(n, i), quad(node.a, i), quad(node.b, i));
      }
      break;
    case NodeOp::kShl64:
    case NodeOp::kShr64:
    case NodeOp::kSar64: {
      Place counts = new_quad();
      const Zmm c0(counts.reg[0]), c1(counts.reg[1]);
      h_.vpandd(c1, word(node.b), all(63));
      h_.vextracti64x4(Ymm(c0.getIdx()), c1, 1);
      h_.vpmovzxdq(c1, Ymm(c1.getIdx()));
      h_.vpmovzxdq(c0, Ymm(c0.getIdx()));
      at_[n] = new_quad();
      for (int i = 0; i < 2; ++i) {
        const Zmm& count = i == 0 ? c1 : c0;
        if (node.op == NodeOp::kShl64)
          h_.vpsllvq(quad(n, i), quad(node.a, i), count);
        else if (node.op == NodeOp::kShr64)
          h_.vpsrlvq(quad(n, i), quad(node.a, i), count);
        else
          h_.vpsravq(quad(n, i), quad(node.a, i), count);
      }
      drop(counts);
      break;
    }
    case NodeOp::kSelect64: {
      at_[n] = new_quad();
      Place k = new_mask();
      const Opmask high(k.reg[0]);
      h_.kshiftrw(high, mask(node.a), 8);
      h_.vpblendmq(quad(n, 0) | mask(node.a), quad(node.c, 0), quad(node.b, 0));
      h_.vpblendmq(quad(n, 1) | high, quad(node.c, 1), quad(node.b, 1));
      drop(k);
      break;
    }
    case NodeOp::kMulWideU: {
      at_[n] = new_quad();
      Place other = new_quad();
      const auto widen = [&](const Zmm& lo, const Zmm& hi, const Zmm& from) {
        h_.vextracti64x4(Ymm(hi.getIdx()), from, 1);
        h_.vpmovzxdq(lo, Ymm(from.getIdx()));
        h_.vpmovzxdq(hi, Ymm(hi.getIdx()));
      };
      widen(quad(n, 0), quad(n, 1), word(node.a));
      widen(Zmm(other.reg[0]), Zmm(other.reg[1]), word(node.b));
      for (int i = 0; i < 2; ++i) h_.vpmuludq(quad(n, i), quad(n, i), Zmm(other.reg[i]));
      drop(other);
      break;
    }
    default:
      return false;
  }
  return true;
}

bool VectorLowering::convert_node(const Node& node, int n) {
  switch (node.op) {
    case NodeOp::kI32ToD:
    case NodeOp::kU32ToD:
    case NodeOp::kFToD: {
      at_[n] = new_quad();
      const Zmm from = word(node.a), lo = quad(n, 0), hi = quad(n, 1);
      h_.vextracti64x4(Ymm(hi.getIdx()), from, 1);
      for (int i = 0; i < 2; ++i) {
        const Ymm half(i == 0 ? from.getIdx() : hi.getIdx());
        const Zmm& d = i == 0 ? lo : hi;
        if (node.op == NodeOp::kI32ToD)
          h_.vcvtdq2pd(d, half);
        else if (node.op == NodeOp::kU32ToD)
          h_.vcvtudq2pd(d, half);
        else
          h_.vcvtps2pd(d, half);
      }
      return true;
    }
    case NodeOp::kDToF: {
      at_[n] = new_word();
      Place high = new_word();
      h_.vcvtpd2ps(Ymm(word(n).getIdx()), quad(node.a, 0));
      h_.vcvtpd2ps(Ymm(high.reg[0]), quad(node.a, 1));
      h_.vinsertf64x4(word(n), word(n), Ymm(high.reg[0]), 1);
      drop(high);
      return true;
    }
    default:
      return false;
  }
}

}  // namespace lockstep::emu::jit
