// SPDX-License-Identifier: MIT
// Nodes of f64: minimum and maximum, parts, and the operations of functions that are computed in
// double.
#include "emu/jit/lower_vector.h"

namespace lockstep::emu::jit {

using Xbyak::Opmask;
using Xbyak::Ymm;
using Xbyak::Zmm;
using namespace Xbyak::util;

namespace {

// Immediates of vfpclasspd, vgetmantpd, vcmppd.
constexpr int kQuietNan = 1, kZero = 6, kInfinity = 24, kNan = 129, kMinusZero = 4,
              kMinusInfinity = 16, kDenormal = 32, kNegative = 64, kSignallingNan = 128;
constexpr int kHalfToOne = 2, kThreeQuartersPositive = 11;  // [3/4, 3/2); NaN if negative
constexpr int kOrdered = 7;
constexpr uint64_t kOne = 0x3ff0000000000000;

}  // namespace

bool VectorLowering::double_node(const Node& node, int n) {
  const auto each = [&](auto emit) {
    at_[n] = new_quad();
    for (int i = 0; i < 2; ++i) emit(i, quad(n, i));
    return true;
  };
  const auto with_mask = [&](auto emit) {
    Place k = new_mask();
    emit(Opmask(k.reg[0]));
    drop(k);
  };
  switch (node.op) {
    case NodeOp::kMinD:
    case NodeOp::kMaxD:
      return each([&](int i, const Zmm& d) {
        minmax(d, quad(node.a, i), quad(node.b, i), node.op == NodeOp::kMaxD, true);
      });
    case NodeOp::kMinimumD:
    case NodeOp::kMaximumD:
      return each([&](int i, const Zmm& d) {
        ieee_minmax(d, quad(node.a, i), quad(node.b, i), node.op == NodeOp::kMaximumD, true);
      });
    case NodeOp::kSqrtD:
      return each([&](int i, const Zmm& d) { h_.vsqrtpd(d, quad(node.a, i)); });
    case NodeOp::kDivD:
      return each([&](int i, const Zmm& d) { h_.vdivpd(d, quad(node.a, i), quad(node.b, i)); });
    case NodeOp::kScaleD:
      return each([&](int i, const Zmm& d) { h_.vscalefpd(d, quad(node.a, i), quad(node.b, i)); });
    case NodeOp::kLdexpD:
      return each([&](int i, const Zmm& d) {
        const Ymm half(i == 0 ? word(node.b).getIdx() : d.getIdx());
        if (i == 1) h_.vextracti64x4(half, word(node.b), 1);
        h_.vcvtdq2pd(d, half);
        h_.vscalefpd(d, quad(node.a, i), d);
      });
    case NodeOp::kFrexpMantD:
      return each([&](int i, const Zmm& d) {
        h_.vgetmantpd(d, quad(node.a, i), kHalfToOne);
        with_mask([&](const Opmask& k) {
          h_.vfpclasspd(k, quad(node.a, i), kZero | kInfinity);
          h_.vmovapd(d | k, quad(node.a, i));
        });
      });
    case NodeOp::kFrexpExpD:
    case NodeOp::kDToI32:
    case NodeOp::kDToU32:
    case NodeOp::kDToFOdd: {
      at_[n] = new_word();
      Place high = new_word();
      const auto narrow = [&](int i, const Zmm& d) {
        const Ymm out(d.getIdx());
        const Zmm a = quad(node.a, i);
        Place temporary = new_word();
        const Zmm t(temporary.reg[0]);
        with_mask([&](const Opmask& k) {
          if (node.op == NodeOp::kFrexpExpD) {
            h_.vgetexppd(t, a);
            h_.vaddpd(t, t, all64(kOne));
            h_.vfpclasspd(k, a, kZero | kInfinity | kNan);
            h_.vpxorq(t | k, t, t);
            h_.vcvtpd2dq(out, t);
          } else if (node.op == NodeOp::kDToI32) {
            h_.vcmppd(k, a, a, kOrdered);
            h_.vminpd(t, a, all64(std::bit_cast<uint64_t>(0x1.fffffffcp30)));
            h_.vmaxpd(t, t, all64(std::bit_cast<uint64_t>(-0x1p31)));
            h_.vcvttpd2dq(out | k | T_z, t);
          } else if (node.op == NodeOp::kDToU32) {
            h_.vmaxpd(t, a, all64(0));  // NaN and negative numbers give 0
            h_.vminpd(t, t, all64(std::bit_cast<uint64_t>(0x1.fffffffep31)));
            h_.vcvttpd2udq(out, t);
          } else {
            // Of the results rounded down and up the odd one; both are the same if exact.
            const Ymm down(t.getIdx());
            h_.vcvtpd2ps(out | T_ru_sae, a);
            h_.vcvtpd2ps(down | T_rd_sae, a);
            h_.vptestmd(k, down, all(1));
            h_.vmovaps(out | k, down);
          }
        });
        drop(temporary);
      };
      narrow(0, word(n));
      narrow(1, Zmm(high.reg[0]));
      h_.vinserti64x4(word(n), word(n), Ymm(high.reg[0]), 1);
      drop(high);
      return true;
    }
    case NodeOp::kHighWordD:
      at_[n] = new_word();
      h_.high_words(word(n), quad(node.a, 0), quad(node.a, 1));
      return true;
    case NodeOp::kMulWideS: {
      at_[n] = new_quad();
      Place other = new_word();
      const Zmm t(other.reg[0]);
      for (int i = 1; i >= 0; --i) {
        const auto widen = [&](const Zmm& d, const Zmm& from) {
          if (i == 1) h_.vextracti64x4(Ymm(d.getIdx()), from, 1);
          h_.vpmovzxdq(d, Ymm(i == 1 ? d.getIdx() : from.getIdx()));
        };
        widen(quad(n, i), word(node.a));
        widen(t, word(node.b));
        h_.vpmuldq(quad(n, i), quad(n, i), t);
      }
      drop(other);
      return true;
    }
    case NodeOp::kClassD: {
      at_[n] = new_mask();
      Place high = new_mask(), quads_of_mask = new_quad(), bits = new_word();
      const Zmm m0(quads_of_mask.reg[0]), m1(quads_of_mask.reg[1]), b(bits.reg[0]);
      h_.vextracti64x4(Ymm(m1.getIdx()), word(node.b), 1);
      h_.vpmovzxdq(m0, Ymm(word(node.b).getIdx()));
      h_.vpmovzxdq(m1, Ymm(m1.getIdx()));
      const auto classify = [&](const Opmask& k, const Zmm& a, const Zmm& wanted) {
        const auto put = [&](const Opmask& where, uint64_t bit) {
          h_.vpbroadcastq(b | where, h_.qword[h_.rip + h_.constant64(bit)]);
        };
        const auto of_class = [&](int immediate, uint64_t bit) {
          h_.vfpclasspd(k, a, immediate);
          put(k, bit);
        };
        h_.vpbroadcastq(b, h_.qword[h_.rip + h_.constant64(1u << 8)]);
        of_class(kNegative, 1u << 3);
        of_class(kDenormal, 1u << 7);
        with_mask([&](const Opmask& negative) {
          h_.vfpclasspd(negative, a, kNegative);
          h_.kandw(k, k, negative);
          put(k, 1u << 4);
        });
        of_class(kMinusZero, 1u << 5);
        of_class(kZero & ~kMinusZero, 1u << 6);
        of_class(kMinusInfinity, 1u << 2);
        of_class(kInfinity & ~kMinusInfinity, 1u << 9);
        of_class(kQuietNan, 1u << 1);
        of_class(kSignallingNan, 1u << 0);
        h_.vptestmq(k, b, wanted);
      };
      classify(mask(n), quad(node.a, 0), m0);
      classify(Opmask(high.reg[0]), quad(node.a, 1), m1);
      h_.kunpckbw(mask(n), Opmask(high.reg[0]), mask(n));
      drop(high);
      drop(quads_of_mask);
      drop(bits);
      return true;
    }
    case NodeOp::kClampD:
      return each([&](int i, const Zmm& d) {
        Place one = new_word();
        h_.vmovapd(d, quad(node.a, i));
        with_mask([&](const Opmask& k) {
          h_.vfpclasspd(k, d,
                        kMinusZero | kMinusInfinity | kNegative | (mode_.dx10_clamp() ? kNan : 0));
          h_.vpxorq(d | k, d, d);
        });
        h_.vpbroadcastq(Zmm(one.reg[0]), h_.qword[h_.rip + h_.constant64(kOne)]);
        h_.vminpd(d, Zmm(one.reg[0]), d);  // a NaN stays
        drop(one);
      });
    case NodeOp::kHornerD: {
      Place& p = at_[node.a];
      const bool in_place = p.owned && uses_[node.a] == 1 && p.reg[0] != p.reg[1];
      if (in_place) {
        at_[n] = p;
        p = Place{};  // it is ours now
      } else {
        at_[n] = new_quad();
        for (int i = 0; i < 2; ++i) h_.vmovapd(quad(n, i), quad(node.a, i));
      }
      for (int i = 0; i < 2; ++i) h_.vfmadd213pd(quad(n, i), quad(node.b, i), all64(node.imm));
      return true;
    }
    case NodeOp::kMulConstantD:
      return each([&](int i, const Zmm& d) { h_.vmulpd(d, quad(node.a, i), all64(node.imm)); });
    case NodeOp::kAddConstantD:
      return each([&](int i, const Zmm& d) { h_.vaddpd(d, quad(node.a, i), all64(node.imm)); });
    case NodeOp::kWithinD: {
      // Of a number and a NaN the host gives the second operand.
      Place bound = new_word();
      const Zmm t(bound.reg[0]);
      at_[n] = new_quad();
      h_.vpbroadcastq(t, h_.qword[h_.rip + h_.constant64(node.imm)]);
      for (int i = 0; i < 2; ++i) h_.vminpd(quad(n, i), t, quad(node.a, i));
      h_.vpxorq(t, t, all64(uint64_t{1} << 63));
      for (int i = 0; i < 2; ++i) h_.vmaxpd(quad(n, i), t, quad(n, i));
      drop(bound);
      return true;
    }
    case NodeOp::kExponentD:
      return each([&](int i, const Zmm& d) { h_.vgetexppd(d, quad(node.a, i)); });
    case NodeOp::kSignificandD:
      return each(
          [&](int i, const Zmm& d) { h_.vgetmantpd(d, quad(node.a, i), kThreeQuartersPositive); });
    case NodeOp::kByQuarterD:
      return each([&](int i, const Zmm& d) {
        // The low bits of a sum with 1.5 * 2^52 are those of the integer.
        constexpr double kToInteger = 0x1.8p52;
        Place quarters = new_word();
        const Zmm t(quarters.reg[0]);
        h_.vaddpd(t, quad(node.a, i),
                  all64(std::bit_cast<uint64_t>(kToInteger + static_cast<double>(node.imm))));
        with_mask([&](const Opmask& k) {
          h_.vptestmq(k, t, all64(1));
          h_.vblendmpd(d | k, quad(node.b, i), quad(node.c, i));
        });
        h_.vpandq(t, t, all64(2));
        h_.vpsllq(t, t, 62);
        h_.vpxorq(d, d, t);
        drop(quarters);
      });
    case NodeOp::kWhereZeroD:
      return each([&](int i, const Zmm& d) {
        with_mask([&](const Opmask& k) {
          h_.vfpclasspd(k, quad(node.a, i), kZero);
          h_.vblendmpd(d | k, quad(node.c, i), quad(node.b, i));
        });
      });
    default:
      return false;
  }
}

}  // namespace lockstep::emu::jit
