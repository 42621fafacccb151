// SPDX-License-Identifier: MIT
// Compares and their combinations, in mask registers.
#include "emu/jit/lower_vector.h"

namespace lockstep::emu::jit {

using Xbyak::Opmask;

namespace {

// Immediates of vcmpps: ordered and quiet; of vpcmpd.
constexpr int kEqual = 0, kLess = 17, kLessEqual = 18, kOrdered = 7, kLessGreater = 12,
              kGreaterEqual = 29, kGreater = 30;
constexpr int kIntLess = 1;

}  // namespace

bool VectorLowering::predicate_node(const Node& node, int n) {
  const auto compare_words = [&](auto emit) {
    at_[n] = new_mask();
    emit(mask(n));
    return true;
  };
  const auto compare_quads = [&](auto emit) {
    at_[n] = new_mask();
    Place high = new_mask();
    emit(mask(n), 0);
    emit(Opmask(high.reg[0]), 1);
    h_.kunpckbw(mask(n), Opmask(high.reg[0]), mask(n));
    drop(high);
    return true;
  };
  const auto floats = [&](int relation) {
    return compare_words(
        [&](const Opmask& k) { h_.vcmpps(k, word(node.a), word(node.b), relation); });
  };
  const auto doubles = [&](int relation) {
    return compare_quads(
        [&](const Opmask& k, int i) { h_.vcmppd(k, quad(node.a, i), quad(node.b, i), relation); });
  };
  switch (node.op) {
    case NodeOp::kFalse:
      at_[n] = new_mask();
      h_.kxorw(mask(n), mask(n), mask(n));
      return true;
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
      if (in_place) at_[node.a] = Place{};  // it is ours now
      return true;
    }
    default:
      return false;
  }
}

}  // namespace lockstep::emu::jit
