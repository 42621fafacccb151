// SPDX-License-Identifier: MIT
// Nodes of words to AVX-512 instructions.
#include "emu/jit/lower_vector.h"

namespace lockstep::emu::jit {

using Xbyak::Zmm;

namespace {

constexpr int kSelectFirst = 0xca;  // vpternlog: a ? b : c

}  // namespace

void VectorLowering::node(const Uop& u, int n, unsigned slice, const Zmm* target) {
  const Node& node = recipe_->nodes[n];
  switch (node.op) {
    case NodeOp::kSource:
      at_[n] = source(u, static_cast<int>(node.imm), slice);
      return;
    case NodeOp::kSourceLow:
    case NodeOp::kSourceHigh:
      at_[n] = element(u, static_cast<int>(node.imm), node.op == NodeOp::kSourceHigh, false, slice);
      return;
    case NodeOp::kOld:
      at_[n] = u.ops.dst[0].kind == isa::OperandKind::kScalar ? broadcast_operand(u.ops.dst[0])
                                                              : register_words(u, -1, slice);
      extend_half(u.ops.dst[0], at_[n]);
      return;
    case NodeOp::kOldLow:
    case NodeOp::kOldHigh:
      at_[n] = element(u, -1, node.op == NodeOp::kOldHigh, true, slice);
      return;
    case NodeOp::kConstant:
      // word() broadcasts it where an instruction cannot take it from memory.
      if (n == recipe_->value) word(n);
      return;
    case NodeOp::kConstant64:
      at_[n] = new_word();
      h_.vpbroadcastq(word(n), h_.qword[h_.rip + h_.constant64(node.imm)]);
      at_[n].kind = Place::Kind::kQuad;
      at_[n].reg[1] = at_[n].reg[0];
      return;
    case NodeOp::kVccMask: {
      at_[n] = new_mask();
      h_.kmovw(mask(n),
               h_.word[h_.wave + Host::scalar_offset(isa::kVccLo) + static_cast<int>(2 * slice)]);
      return;
    }
    default:
      break;
  }
  if (!instruction_node(u, node, n) && !word_node(node, n, slice, target) && !byte_node(node, n) &&
      !half_node(node, n) && !double_node(node, n) && !float_node(node, n, target) &&
      !quad_node(node, n) && !convert_node(node, n) && !predicate_node(node, n) &&
      !small_node(node, n))
    throw Xbyak::Error(Xbyak::ERR_INTERNAL);  // the compiler gives the unit up
  const int inputs = inputs_of(node.op);
  if (inputs > 0) used(node.a);
  if (inputs > 1) used(node.b);
  if (inputs > 2) used(node.c);
}

Xbyak::Zmm VectorLowering::word(int n) {
  if (at_[n].kind == Place::Kind::kNone && is_constant(n)) {
    at_[n] = new_word();
    broadcast(Zmm(at_[n].reg[0]), constant_of(n));
  }
  return Zmm(at_[n].reg[0]);
}

/// How far a part of a register that op_sel names is shifted.
uint32_t VectorLowering::part_shift(const Uop& u, PartShift which) const {
  const uint32_t op_sel = u.inst.get(isa::Field::opsel);
  switch (which) {
    case PartShift::kSourceByte:  // gfx12 gives the two bits of the number in reversed order
      return 8 * (mode_.gfx12() ? (op_sel & 1) << 1 | (op_sel >> 1 & 1) : op_sel & 3);
    case PartShift::kSourceHalf:  // gfx12's operands name the half
      return mode_.gfx12() ? 16 * u.ops.src[0].high_half : 16 * (op_sel & 1);
    case PartShift::kResultByte:
      return 8 * (op_sel >> 2 & 3);
    default:
      return 16 * (op_sel >> 3 & 1);
  }
}

/// Nodes that ask the instruction.
bool VectorLowering::instruction_node(const Uop& u, const Node& node, int n) {
  switch (node.op) {
    case NodeOp::kTruthTable: {
      using isa::Field;
      const Zmm d = word_result(n, nullptr);
      h_.vmovdqa32(d, word(node.a));
      h_.vpternlogd(d, word(node.b), word(node.c),
                    static_cast<uint8_t>(u.inst.get(Field::omod) << 6 |
                                         u.inst.get(Field::abs) << 3 | u.inst.get(Field::neg)));
      return true;
    }
    case NodeOp::kPartShift:
      broadcast(word_result(n, nullptr), part_shift(u, static_cast<PartShift>(node.imm)));
      return true;
    case NodeOp::kExtendHalves: {
      const auto by = static_cast<uint8_t>(node.imm & 0xff);
      if (u.inst.get(isa::Field::neg) >> (node.imm >> 8) & 1)
        h_.vpsraw(word_result(n, nullptr), word(node.a), by);
      else
        h_.vpsrlw(word_result(n, nullptr), word(node.a), by);
      return true;
    }
    default:
      return false;
  }
}

bool VectorLowering::word_node(const Node& node, int n, unsigned slice, const Zmm* target) {
  switch (node.op) {
    case NodeOp::kLanesBelow: {
      std::array<uint32_t, kLanes> below;
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        const uint64_t ones = (uint64_t{1} << (slice * kLanes + lane)) - 1;
        below[lane] = static_cast<uint32_t>(node.imm ? ones >> 32 : ones);
      }
      h_.vmovdqa32(word_result(n, nullptr), h_.ptr[h_.rip + h_.vector_constant(below)]);
      break;
    }
    case NodeOp::kAdd:
      binary(node, n, target, &Host::vpaddd);
      break;
    case NodeOp::kSub:
      binary(node, n, target, &Host::vpsubd);
      break;
    case NodeOp::kMul:
      binary(node, n, target, &Host::vpmulld);
      break;
    case NodeOp::kAnd:
      binary(node, n, target, &Host::vpandd);
      break;
    case NodeOp::kOr:
      binary(node, n, target, &Host::vpord);
      break;
    case NodeOp::kXor:
      binary(node, n, target, &Host::vpxord);
      break;
    case NodeOp::kMinU:
      binary(node, n, target, &Host::vpminud);
      break;
    case NodeOp::kMaxU:
      binary(node, n, target, &Host::vpmaxud);
      break;
    case NodeOp::kMinS:
      binary(node, n, target, &Host::vpminsd);
      break;
    case NodeOp::kMaxS:
      binary(node, n, target, &Host::vpmaxsd);
      break;
    case NodeOp::kShl:
      shift(
          node, n, target, [&](const Zmm& d, const Zmm& a, uint8_t by) { h_.vpslld(d, a, by); },
          [&](const Zmm& d, const Zmm& a, const Zmm& by) { h_.vpsllvd(d, a, by); });
      break;
    case NodeOp::kShr:
      shift(
          node, n, target, [&](const Zmm& d, const Zmm& a, uint8_t by) { h_.vpsrld(d, a, by); },
          [&](const Zmm& d, const Zmm& a, const Zmm& by) { h_.vpsrlvd(d, a, by); });
      break;
    case NodeOp::kSar:
      shift(
          node, n, target, [&](const Zmm& d, const Zmm& a, uint8_t by) { h_.vpsrad(d, a, by); },
          [&](const Zmm& d, const Zmm& a, const Zmm& by) { h_.vpsravd(d, a, by); });
      break;
    case NodeOp::kNot:
      h_.vpxord(word_result(n, target), word(node.a), all(0xffffffff));
      break;
    case NodeOp::kPopcount:
      h_.vpopcntd(word_result(n, target), word(node.a));
      break;
    case NodeOp::kLeadingZeros:
      h_.vplzcntd(word_result(n, target), word(node.a));
      break;
    case NodeOp::kMulHiU:
    case NodeOp::kMulHiS:
      multiply_high(word_result(n, nullptr), word(node.a), word(node.b),
                    node.op == NodeOp::kMulHiS);
      break;
    case NodeOp::kSelect:  // its own mask takes the place of EXEC
      h_.vpblendmd(word_result(n, nullptr) | mask(node.a), word(node.c), word(node.b));
      break;
    case NodeOp::kSelectBits: {
      const Zmm t = word_result(n, nullptr);
      h_.vmovdqa32(t, word(node.a));
      h_.vpternlogd(t, word(node.b), word(node.c), kSelectFirst);
      break;
    }
    case NodeOp::kFunnel: {
      // (low >> n) | (high << (32 - n)); a count of 32 gives 0.
      const Zmm d = word_result(n, nullptr);
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
      break;
    }
    case NodeOp::kAddIf:
    case NodeOp::kSubIf: {
      const Zmm d = word_result(n, nullptr);
      h_.vmovdqa32(d, word(node.a));
      if (node.op == NodeOp::kAddIf)
        h_.vpsubd(d | mask(node.b), d, all(0xffffffff));
      else
        h_.vpaddd(d | mask(node.b), d, all(0xffffffff));
      break;
    }
    default:
      return false;
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

}  // namespace lockstep::emu::jit
