// SPDX-License-Identifier: MIT
// Single nodes to AVX-512 instructions.
#include "emu/jit/lower_vector.h"

namespace lockstep::emu::jit {

using Xbyak::Operand;
using Xbyak::Opmask;
using Xbyak::Ymm;
using Xbyak::Zmm;

namespace {

// Immediates of vcmpps and friends: ordered and quiet.
constexpr int kEqual = 0, kLess = 17, kLessEqual = 18, kOrdered = 7, kUnordered = 3,
              kLessGreater = 12, kGreaterEqual = 29, kGreater = 30;
constexpr int kIntLess = 1;
constexpr int kRoundTrunc = 11, kRoundFloor = 9, kRoundCeil = 10,
              kRoundEven = 8;  // and no exception
constexpr int kClassDenormal = 0x20;
constexpr int kSelectFirst = 0xca;  // vpternlog: a ? b : c

}  // namespace

void VectorLowering::node(const Uop& u, int n, unsigned slice, const Zmm* target) {
  const Node& node = recipe_->nodes[n];
  switch (node.op) {
    case NodeOp::kSource:
      at_[n] = source(u.ops.src[node.imm], slice);
      return;
    case NodeOp::kOld:
      at_[n] = register_words(u.ops.dst[0], slice);
      extend_half(u.ops.dst[0], at_[n]);
      return;
    case NodeOp::kConstant:
      at_[n] = new_word();
      broadcast(word(n), node.imm);
      return;
    case NodeOp::kConstant64:
      at_[n] = new_word();
      h_.vpbroadcastq(word(n), h_.qword[h_.rip + h_.constant64(static_cast<uint64_t>(
                                                     int64_t{static_cast<int32_t>(node.imm)}))]);
      at_[n].kind = Place::Kind::kQuad;
      at_[n].reg[1] = at_[n].reg[0];
      return;
    default:
      break;
  }
  const bool direct = word_node(node, n, target) || float_node(node, n, target);
  if (!direct) {
    quad_node(node, n);
    convert_node(node, n);
    predicate_node(node, n, slice);
  }
}

/// One instruction of three operands; the last may be a constant in memory.
#define LOCKSTEP_BINARY(op, call)                         \
  case NodeOp::op: {                                      \
    const Zmm d = destination();                          \
    if (is_constant(node.b))                              \
      h_.call(d, word(node.a), all(constant_of(node.b))); \
    else                                                  \
      h_.call(d, word(node.a), word(node.b));             \
    break;                                                \
  }
/// Shifts: by an immediate where the count is one.
#define LOCKSTEP_SHIFT(op, by_immediate, by_vector)                                     \
  case NodeOp::op: {                                                                    \
    if (is_constant(node.b)) {                                                          \
      const Zmm d = destination();                                                      \
      h_.by_immediate(d, word(node.a), static_cast<uint8_t>(constant_of(node.b) & 31)); \
    } else {                                                                            \
      Place count = new_word();                                                         \
      h_.vpandd(Zmm(count.reg[0]), word(node.b), all(31));                              \
      const Zmm d = destination();                                                      \
      h_.by_vector(d, word(node.a), Zmm(count.reg[0]));                                 \
      drop(count);                                                                      \
    }                                                                                   \
    break;                                                                              \
  }

bool VectorLowering::word_node(const Node& node, int n, const Zmm* target) {
  // A masked target is written by the last instruction only, so that sources that are the same
  // register are read before.
  const auto destination = [&]() -> Zmm {
    if (target) return *target;
    at_[n] = new_word();
    return word(n);
  };
  const auto temporary = [&]() -> Zmm {
    at_[n] = new_word();
    return word(n);
  };
  switch (node.op) {
    LOCKSTEP_BINARY(kAdd, vpaddd)
    LOCKSTEP_BINARY(kSub, vpsubd)
    LOCKSTEP_BINARY(kMul, vpmulld)
    LOCKSTEP_BINARY(kAnd, vpandd)
    LOCKSTEP_BINARY(kOr, vpord)
    LOCKSTEP_BINARY(kXor, vpxord)
    LOCKSTEP_BINARY(kMinU, vpminud)
    LOCKSTEP_BINARY(kMaxU, vpmaxud)
    LOCKSTEP_BINARY(kMinS, vpminsd)
    LOCKSTEP_BINARY(kMaxS, vpmaxsd)
    LOCKSTEP_SHIFT(kShl, vpslld, vpsllvd)
    LOCKSTEP_SHIFT(kShr, vpsrld, vpsrlvd)
    LOCKSTEP_SHIFT(kSar, vpsrad, vpsravd)
    case NodeOp::kNot: {
      const Zmm d = destination();
      h_.vpxord(d, word(node.a), all(0xffffffff));
      break;
    }
    case NodeOp::kPopcount: {
      const Zmm d = destination();
      h_.vpopcntd(d, word(node.a));
      break;
    }
    case NodeOp::kLeadingZeros: {
      const Zmm d = destination();
      h_.vplzcntd(d, word(node.a));
      break;
    }
    case NodeOp::kMulHiU:
    case NodeOp::kMulHiS:
      multiply_high(temporary(), word(node.a), word(node.b), node.op == NodeOp::kMulHiS);
      target = nullptr;
      break;
    case NodeOp::kSelect: {
      if (target) {
        const Zmm t = temporary();
        h_.vpblendmd(t | mask(node.a), word(node.c), word(node.b));
        target = nullptr;
      } else {
        const Zmm d = destination();
        h_.vpblendmd(d | mask(node.a), word(node.c), word(node.b));
      }
      break;
    }
    case NodeOp::kSelectBits: {
      const Zmm t = temporary();
      h_.vmovdqa32(t, word(node.a));
      h_.vpternlogd(t, word(node.b), word(node.c), kSelectFirst);
      target = nullptr;
      break;
    }
    case NodeOp::kFunnel: {
      // (low >> n) | (high << (32 - n)); a count of 32 gives 0.
      const Zmm d = temporary();
      Place count = new_word(), up = new_word();
      const Zmm c(count.reg[0]), t(up.reg[0]);
      h_.vpandd(c, word(node.c), all(31));
      h_.vpsrlvd(d, word(node.b), c);
      h_.vpbroadcastd(t, h_.dword[h_.rip + h_.constant(32)]);
      h_.vpsubd(t, t, c);
      h_.vpsllvd(t, word(node.a), t);
      h_.vpord(d, d, t);
      drop(count);
      drop(up);
      target = nullptr;
      break;
    }
    case NodeOp::kAddIf:
    case NodeOp::kSubIf: {
      const Zmm d = temporary();
      h_.vmovdqa32(d, word(node.a));
      if (node.op == NodeOp::kAddIf)
        h_.vpsubd(d | mask(node.b), d, all(0xffffffff));
      else
        h_.vpaddd(d | mask(node.b), d, all(0xffffffff));
      target = nullptr;
      break;
    }
    default:
      return false;
  }
  used(node.a);
  switch (node.op) {
    case NodeOp::kNot:
    case NodeOp::kPopcount:
    case NodeOp::kLeadingZeros:
      break;
    case NodeOp::kSelect:
    case NodeOp::kSelectBits:
    case NodeOp::kFunnel:
      used(node.b);
      used(node.c);
      break;
    default:
      used(node.b);
      break;
  }
  return true;
}

void VectorLowering::multiply_high(const Zmm& d, const Zmm& a, const Zmm& b, bool is_signed) {
  // Products of the even lanes, then of the odd ones; their high words side by side.
  Place odd_a = new_word(), odd_b = new_word();
  const Zmm oa(odd_a.reg[0]), ob(odd_b.reg[0]);
  h_.vpsrlq(oa, a, 32);
  h_.vpsrlq(ob, b, 32);
  if (is_signed) {
    h_.vpmuldq(oa, oa, ob);
    h_.vpmuldq(d, a, b);
  } else {
    h_.vpmuludq(oa, oa, ob);
    h_.vpmuludq(d, a, b);
  }
  h_.vpsrlq(d, d, 32);
  h_.vpandq(oa, oa, all64(0xffffffff00000000));
  h_.vporq(d, d, oa);
  drop(odd_a);
  drop(odd_b);
}

void VectorLowering::minmax(const Zmm& d, const Zmm& a, const Zmm& b, bool maximum) {
  // vrange: a number beats a quiet NaN, -0 < +0, a signalling NaN wins and becomes quiet: IEEE mode
  // before gfx12. Otherwise NaNs are made quiet first, so that any number wins.
  const int control = maximum ? 5 : 4;
  if (mode_.ieee() && !mode_.gfx12()) {
    h_.vrangeps(d, a, b, control);
    return;
  }
  Place qa = new_word(), qb = new_word(), ka = new_mask(), kb = new_mask();
  const Zmm x(qa.reg[0]), y(qb.reg[0]);
  const Opmask nan_a(ka.reg[0]), nan_b(kb.reg[0]);
  h_.vcmpps(nan_a, a, a, kUnordered);
  h_.vcmpps(nan_b, b, b, kUnordered);
  h_.vmovaps(x, a);
  h_.vmovaps(y, b);
  h_.vpord(x | nan_a, a, all(0x00400000));
  h_.vpord(y | nan_b, b, all(0x00400000));
  if (!mode_.gfx12()) {
    // Two NaNs: the first as it is.
    Place keep = new_word();
    h_.vmovaps(Zmm(keep.reg[0]), a);
    h_.kandw(nan_a, nan_a, nan_b);
    h_.vrangeps(d, x, y, control);
    h_.vmovaps(d | nan_a, Zmm(keep.reg[0]));
    drop(keep);
  } else {
    h_.vrangeps(d, x, y, control);
  }
  drop(qa);
  drop(qb);
  drop(ka);
  drop(kb);
}

bool VectorLowering::float_node(const Node& node, int n, const Zmm* target) {
  const auto destination = [&]() -> Zmm {
    if (target) return *target;
    at_[n] = new_word();
    return word(n);
  };
  const auto temporary = [&]() -> Zmm {
    at_[n] = new_word();
    return word(n);
  };
  switch (node.op) {
    LOCKSTEP_BINARY(kAddF, vaddps)
    LOCKSTEP_BINARY(kSubF, vsubps)
    LOCKSTEP_BINARY(kMulF, vmulps)
    case NodeOp::kFmaF: {
      // Every form prefers the NaN of its factors in the order a, b when they stand so, then c.
      const Zmm a = word(node.a), b = word(node.b), c = word(node.c);
      const Zmm d = destination();
      if (d.getIdx() == a.getIdx()) {
        h_.vfmadd132ps(d, c, b);
      } else if (d.getIdx() == b.getIdx()) {
        h_.vfmadd213ps(d, a, c);
      } else {
        if (d.getIdx() != c.getIdx()) h_.vmovaps(d, c);
        h_.vfmadd231ps(d, a, b);
      }
      break;
    }
    case NodeOp::kMinF:
    case NodeOp::kMaxF:
      if (mode_.ieee() && !mode_.gfx12())
        minmax(destination(), word(node.a), word(node.b), node.op == NodeOp::kMaxF);
      else
        minmax(temporary(), word(node.a), word(node.b), node.op == NodeOp::kMaxF);
      break;
    case NodeOp::kTruncF:
      h_.vrndscaleps(destination(), word(node.a), kRoundTrunc);
      break;
    case NodeOp::kFloorF:
      h_.vrndscaleps(destination(), word(node.a), kRoundFloor);
      break;
    case NodeOp::kCeilF:
      h_.vrndscaleps(destination(), word(node.a), kRoundCeil);
      break;
    case NodeOp::kRndneF:
      h_.vrndscaleps(destination(), word(node.a), kRoundEven);
      break;
    case NodeOp::kSqrtF:
      h_.vsqrtps(destination(), word(node.a));
      break;
    case NodeOp::kRcpF: {
      const Zmm d = temporary();
      broadcast(d, 0x3f800000);
      h_.vdivps(d, d, word(node.a));
      break;
    }
    case NodeOp::kFlushIn:
    case NodeOp::kFlushOut:
    case NodeOp::kFlushAlways: {
      const Zmm d = temporary();
      Place k = new_mask();
      h_.vmovaps(d, word(node.a));
      h_.vfpclassps(Opmask(k.reg[0]), d, kClassDenormal);
      h_.vpandd(d | Opmask(k.reg[0]), d, all(0x80000000));
      drop(k);
      break;
    }
    case NodeOp::kFlushInH:
    case NodeOp::kFlushOutH: {
      const Zmm d = temporary();
      Place k = new_mask();
      h_.vmovaps(d, word(node.a));
      h_.vptestnmd(Opmask(k.reg[0]), d, all(0x7c00));
      h_.vpandd(d | Opmask(k.reg[0]), d, all(0x8000));
      drop(k);
      break;
    }
    case NodeOp::kI32ToF:
      h_.vcvtdq2ps(destination(), word(node.a));
      break;
    case NodeOp::kU32ToF:
      h_.vcvtudq2ps(destination(), word(node.a));
      break;
    case NodeOp::kFToI32: {
      const Zmm d = temporary();
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
      const Zmm d = temporary();
      h_.vpxord(d, d, d);
      h_.vmaxps(d, word(node.a), d);  // NaN and negative numbers give 0
      h_.vcvttps2udq(d, d);
      break;
    }
    case NodeOp::kHToF: {
      const Zmm d = temporary();
      const Ymm half(d.getIdx());
      h_.vpmovdw(half, word(node.a));
      h_.vcvtph2ps(d, half);
      break;
    }
    case NodeOp::kFToH:
    case NodeOp::kFToHZero: {
      const Zmm d = temporary();
      const Ymm half(d.getIdx());
      h_.vcvtps2ph(half, word(node.a), node.op == NodeOp::kFToH ? 0 : 3);
      h_.vpmovzxwd(d, half);
      break;
    }
    default:
      return false;
  }
  used(node.a);
  switch (node.op) {
    case NodeOp::kFmaF:
      used(node.b);
      used(node.c);
      break;
    case NodeOp::kAddF:
    case NodeOp::kSubF:
    case NodeOp::kMulF:
    case NodeOp::kMinF:
    case NodeOp::kMaxF:
      used(node.b);
      break;
    default:
      break;
  }
  return true;
}

#define LOCKSTEP_QUADS(op, call)                                                       \
  case NodeOp::op:                                                                     \
    at_[n] = new_quad();                                                               \
    for (int i = 0; i < 2; ++i) h_.call(quad(n, i), quad(node.a, i), quad(node.b, i)); \
    break;
#define LOCKSTEP_ROUND(op, control)                                                   \
  case NodeOp::op:                                                                    \
    at_[n] = new_quad();                                                              \
    for (int i = 0; i < 2; ++i) h_.vrndscalepd(quad(n, i), quad(node.a, i), control); \
    used(node.a);                                                                     \
    return;

void VectorLowering::quad_node(const Node& node, int n) {
  switch (node.op) {
    LOCKSTEP_QUADS(kAdd64, vpaddq)
    LOCKSTEP_QUADS(kSub64, vpsubq)
    LOCKSTEP_QUADS(kMul64, vpmullq)
    LOCKSTEP_QUADS(kAnd64, vpandq)
    LOCKSTEP_QUADS(kOr64, vporq)
    LOCKSTEP_QUADS(kXor64, vpxorq)
    LOCKSTEP_QUADS(kMinU64, vpminuq)
    LOCKSTEP_QUADS(kMaxU64, vpmaxuq)
    LOCKSTEP_QUADS(kMinS64, vpminsq)
    LOCKSTEP_QUADS(kMaxS64, vpmaxsq)
    LOCKSTEP_QUADS(kAddD, vaddpd)
    LOCKSTEP_QUADS(kSubD, vsubpd)
    LOCKSTEP_QUADS(kMulD, vmulpd)
    LOCKSTEP_ROUND(kTruncD, kRoundTrunc)
    LOCKSTEP_ROUND(kFloorD, kRoundFloor)
    LOCKSTEP_ROUND(kCeilD, kRoundCeil)
    LOCKSTEP_ROUND(kRndneD, kRoundEven)
    case NodeOp::kNot64:
      at_[n] = new_quad();
      for (int i = 0; i < 2; ++i) h_.vpxorq(quad(n, i), quad(node.a, i), all64(~uint64_t{0}));
      used(node.a);
      return;
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
      used(node.a);
      return;
    }
    case NodeOp::kFmaD:
      at_[n] = new_quad();
      for (int i = 0; i < 2; ++i) {
        h_.vmovapd(quad(n, i), quad(node.c, i));
        h_.vfmadd231pd(quad(n, i), quad(node.a, i), quad(node.b, i));
      }
      used(node.c);
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
      used(node.c);
      break;
    }
    case NodeOp::kMulWideU:
    case NodeOp::kMulWideS: {
      at_[n] = new_quad();
      Place other = new_quad();
      const auto widen = [&](const Zmm& lo, const Zmm& hi, const Zmm& from) {
        h_.vextracti64x4(Ymm(hi.getIdx()), from, 1);
        h_.vpmovzxdq(lo, Ymm(from.getIdx()));
        h_.vpmovzxdq(hi, Ymm(hi.getIdx()));
      };
      widen(quad(n, 0), quad(n, 1), word(node.a));
      widen(Zmm(other.reg[0]), Zmm(other.reg[1]), word(node.b));
      for (int i = 0; i < 2; ++i) {
        if (node.op == NodeOp::kMulWideU)
          h_.vpmuludq(quad(n, i), quad(n, i), Zmm(other.reg[i]));
        else
          h_.vpmuldq(quad(n, i), quad(n, i), Zmm(other.reg[i]));
      }
      drop(other);
      break;
    }
    default:
      return;
  }
  used(node.a);
  used(node.b);
}

void VectorLowering::convert_node(const Node& node, int n) {
  switch (node.op) {
    case NodeOp::kWidenU:
    case NodeOp::kWidenS:
    case NodeOp::kI32ToD:
    case NodeOp::kU32ToD:
    case NodeOp::kFToD: {
      at_[n] = new_quad();
      const Zmm from = word(node.a), lo = quad(n, 0), hi = quad(n, 1);
      h_.vextracti64x4(Ymm(hi.getIdx()), from, 1);
      for (int i = 0; i < 2; ++i) {
        const Ymm half(i == 0 ? from.getIdx() : hi.getIdx());
        const Zmm& d = i == 0 ? lo : hi;
        switch (node.op) {
          case NodeOp::kWidenU:
            h_.vpmovzxdq(d, half);
            break;
          case NodeOp::kWidenS:
            h_.vpmovsxdq(d, half);
            break;
          case NodeOp::kI32ToD:
            h_.vcvtdq2pd(d, half);
            break;
          case NodeOp::kU32ToD:
            h_.vcvtudq2pd(d, half);
            break;
          default:
            h_.vcvtps2pd(d, half);
            break;
        }
      }
      used(node.a);
      return;
    }
    case NodeOp::kDToF: {
      at_[n] = new_word();
      Place high = new_word();
      h_.vcvtpd2ps(Ymm(word(n).getIdx()), quad(node.a, 0));
      h_.vcvtpd2ps(Ymm(high.reg[0]), quad(node.a, 1));
      h_.vinsertf64x4(word(n), word(n), Ymm(high.reg[0]), 1);
      drop(high);
      used(node.a);
      return;
    }
    default:
      return;
  }
}

void VectorLowering::predicate_node(const Node& node, int n, unsigned) {
  const auto compare_words = [&](auto emit) {
    at_[n] = new_mask();
    emit(mask(n));
    used(node.a);
    used(node.b);
  };
  const auto compare_quads = [&](auto emit) {
    at_[n] = new_mask();
    Place high = new_mask();
    emit(mask(n), 0);
    emit(Opmask(high.reg[0]), 1);
    h_.kunpckbw(mask(n), Opmask(high.reg[0]), mask(n));
    drop(high);
    used(node.a);
    used(node.b);
  };
  const auto floats = [&](int relation) {
    compare_words([&](const Opmask& k) { h_.vcmpps(k, word(node.a), word(node.b), relation); });
  };
  const auto doubles = [&](int relation) {
    compare_quads(
        [&](const Opmask& k, int i) { h_.vcmppd(k, quad(node.a, i), quad(node.b, i), relation); });
  };
  switch (node.op) {
    case NodeOp::kFalse:
      at_[n] = new_mask();
      h_.kxorw(mask(n), mask(n), mask(n));
      return;
    case NodeOp::kEq:
      return compare_words([&](const Opmask& k) { h_.vpcmpeqd(k, word(node.a), word(node.b)); });
    case NodeOp::kLtU:
      return compare_words(
          [&](const Opmask& k) { h_.vpcmpud(k, word(node.a), word(node.b), kIntLess); });
    case NodeOp::kLtS:
      return compare_words(
          [&](const Opmask& k) { h_.vpcmpd(k, word(node.a), word(node.b), kIntLess); });
    case NodeOp::kEq64:
      return compare_quads(
          [&](const Opmask& k, int i) { h_.vpcmpeqq(k, quad(node.a, i), quad(node.b, i)); });
    case NodeOp::kLtU64:
      return compare_quads([&](const Opmask& k, int i) {
        h_.vpcmpuq(k, quad(node.a, i), quad(node.b, i), kIntLess);
      });
    case NodeOp::kLtS64:
      return compare_quads([&](const Opmask& k, int i) {
        h_.vpcmpq(k, quad(node.a, i), quad(node.b, i), kIntLess);
      });
    case NodeOp::kEqF:
      return floats(kEqual);
    case NodeOp::kLtF:
      return floats(kLess);
    case NodeOp::kLeF:
      return floats(kLessEqual);
    case NodeOp::kGtF:
      return floats(kGreater);
    case NodeOp::kGeF:
      return floats(kGreaterEqual);
    case NodeOp::kLgF:
      return floats(kLessGreater);
    case NodeOp::kOrderedF:
      return floats(kOrdered);
    case NodeOp::kEqD:
      return doubles(kEqual);
    case NodeOp::kLtD:
      return doubles(kLess);
    case NodeOp::kLeD:
      return doubles(kLessEqual);
    case NodeOp::kGtD:
      return doubles(kGreater);
    case NodeOp::kGeD:
      return doubles(kGreaterEqual);
    case NodeOp::kLgD:
      return doubles(kLessGreater);
    case NodeOp::kOrderedD:
      return doubles(kOrdered);
    case NodeOp::kPredNot:
    case NodeOp::kPredAnd:
    case NodeOp::kPredOr: {
      // In place where nothing else needs the first mask: masks are few.
      const bool in_place = uses_[node.a] == 1 && at_[node.a].owned;
      const Opmask a = mask(node.a);
      at_[n] = in_place ? at_[node.a] : new_mask();
      if (node.op == NodeOp::kPredNot)
        h_.knotw(mask(n), a);
      else if (node.op == NodeOp::kPredAnd)
        h_.kandw(mask(n), a, mask(node.b));
      else
        h_.korw(mask(n), a, mask(node.b));
      if (in_place) {
        uses_[node.a] = 0;
        at_[node.a] = Place{};
      } else {
        used(node.a);
      }
      if (node.op != NodeOp::kPredNot) used(node.b);
      return;
    }
    default:
      return;
  }
}

}  // namespace lockstep::emu::jit
