// SPDX-License-Identifier: MIT
// Nodes of scalar recipes to general-register instructions.
#include "emu/jit/lower_scalar.h"

namespace lockstep::emu::jit {

using Xbyak::Reg32;
using Xbyak::Reg64;
using namespace Xbyak::util;

namespace {

constexpr int kCl = 1;

}  // namespace

void ScalarLowering::reverse_bits(int reg, bool quad) {
  const int other = take(), mask = take();
  const Reg64 x(reg), y(other), m(mask);
  for (const auto& [shift, bits] : {std::pair{1, uint64_t{0x5555555555555555}},
                                    {2, uint64_t{0x3333333333333333}},
                                    {4, uint64_t{0x0f0f0f0f0f0f0f0f}}}) {
    h_.mov(m, bits);
    h_.mov(y, x);
    h_.shr(y, shift);
    h_.and_(y, m);
    h_.and_(x, m);
    h_.shl(x, shift);
    h_.or_(x, y);
  }
  h_.bswap(x);
  if (!quad) h_.shr(x, 32);
  free(other);
  free(mask);
}

int ScalarLowering::unary(const Uop& u, const Recipe& r, const Node& n) {
  const int a = value(u, r, n.a);
  const Reg32 x(a);
  const Reg64 x64(a);
  switch (n.op) {
    case NodeOp::kNot:
      h_.not_(x);
      break;
    case NodeOp::kNot64:
      h_.not_(x64);
      break;
    case NodeOp::kPredNot:
      h_.xor_(x, 1);
      break;
    case NodeOp::kPopcount:
      h_.popcnt(x, x);
      break;
    case NodeOp::kPopcount64:
      h_.popcnt(x64, x64);
      break;
    case NodeOp::kLeadingZeros:
      h_.lzcnt(x, x);
      break;
    case NodeOp::kLeadingZeros64:
      h_.lzcnt(x64, x64);
      break;
    case NodeOp::kReverseBits:
    case NodeOp::kReverseBits64:
      reverse_bits(a, n.op == NodeOp::kReverseBits64);
      break;
    case NodeOp::kSpreadBits:
    case NodeOp::kCollectBits: {
      const int mask = take();
      h_.mov(Reg64(mask), n.imm);
      if (n.op == NodeOp::kSpreadBits)
        h_.pdep(x64, x64, Reg64(mask));
      else
        h_.pext(x64, x64, Reg64(mask));
      free(mask);
      break;
    }
    default:
      throw Xbyak::Error(Xbyak::ERR_INTERNAL);
  }
  return a;
}

int ScalarLowering::compare(const Uop& u, const Recipe& r, const Node& n) {
  const int a = value(u, r, n.a), b = value(u, r, n.b);
  const bool quad = n.op == NodeOp::kEq64 || n.op == NodeOp::kLtU64 || n.op == NodeOp::kLtS64;
  switch (n.op) {
    case NodeOp::kAddOverflows:
      h_.add(Reg32(a), Reg32(b));
      h_.seto(low_byte(a));
      break;
    case NodeOp::kSubOverflows:
      h_.cmp(Reg32(a), Reg32(b));
      h_.seto(low_byte(a));
      break;
    default:
      if (quad)
        h_.cmp(Reg64(a), Reg64(b));
      else
        h_.cmp(Reg32(a), Reg32(b));
      if (n.op == NodeOp::kEq || n.op == NodeOp::kEq64)
        h_.sete(low_byte(a));
      else if (n.op == NodeOp::kLtU || n.op == NodeOp::kLtU64)
        h_.setb(low_byte(a));
      else
        h_.setl(low_byte(a));
      break;
  }
  h_.movzx(Reg32(a), low_byte(a));
  free(b);
  return a;
}

int ScalarLowering::shift(const Uop& u, const Recipe& r, const Node& n) {
  const int a = value(u, r, n.a);
  const Node& count = r.nodes[n.b];
  const bool quad = n.op == NodeOp::kShl64 || n.op == NodeOp::kShr64 || n.op == NodeOp::kSar64;
  const auto emit = [&](const auto& reg, const auto& by) {
    if (n.op == NodeOp::kShl || n.op == NodeOp::kShl64)
      h_.shl(reg, by);
    else if (n.op == NodeOp::kShr || n.op == NodeOp::kShr64)
      h_.shr(reg, by);
    else
      h_.sar(reg, by);
  };
  if (count.op == NodeOp::kConstant) {
    const int by = static_cast<int>(count.imm & (quad ? 63 : 31));
    if (quad)
      emit(Reg64(a), by);
    else
      emit(Reg32(a), by);
    return a;
  }
  const int b = value(u, r, n.b);
  h_.mov(Reg32(kCl), Reg32(b));  // the host also takes counts modulo the width
  if (quad)
    emit(Reg64(a), cl);
  else
    emit(Reg32(a), cl);
  free(b);
  return a;
}

int ScalarLowering::binary(const Uop& u, const Recipe& r, const Node& n) {
  const int a = value(u, r, n.a), b = value(u, r, n.b);
  const Reg32 x(a), y(b);
  const Reg64 x64(a), y64(b);
  switch (n.op) {
    case NodeOp::kAdd:
      h_.add(x, y);
      break;
    case NodeOp::kSub:
      h_.sub(x, y);
      break;
    case NodeOp::kMul:
      h_.imul(x, y);
      break;
    case NodeOp::kMulHiU:
      h_.mov(x, x);
      h_.mov(y, y);
      h_.imul(x64, y64);
      h_.shr(x64, 32);
      break;
    case NodeOp::kMulHiS:
      h_.movsxd(x64, x);
      h_.movsxd(y64, y);
      h_.imul(x64, y64);
      h_.shr(x64, 32);
      break;
    case NodeOp::kAnd:
    case NodeOp::kPredAnd:
      h_.and_(x, y);
      break;
    case NodeOp::kOr:
    case NodeOp::kPredOr:
      h_.or_(x, y);
      break;
    case NodeOp::kXor:
      h_.xor_(x, y);
      break;
    case NodeOp::kMinU:
      h_.cmp(y, x);
      h_.cmovb(x, y);
      break;
    case NodeOp::kMaxU:
      h_.cmp(y, x);
      h_.cmova(x, y);
      break;
    case NodeOp::kMinS:
      h_.cmp(y, x);
      h_.cmovl(x, y);
      break;
    case NodeOp::kMaxS:
      h_.cmp(y, x);
      h_.cmovg(x, y);
      break;
    case NodeOp::kAddIf:
      h_.add(x, y);
      break;
    case NodeOp::kSubIf:
      h_.sub(x, y);
      break;
    case NodeOp::kAdd64:
      h_.add(x64, y64);
      break;
    case NodeOp::kSub64:
      h_.sub(x64, y64);
      break;
    case NodeOp::kMul64:
      h_.imul(x64, y64);
      break;
    case NodeOp::kAnd64:
      h_.and_(x64, y64);
      break;
    case NodeOp::kOr64:
      h_.or_(x64, y64);
      break;
    case NodeOp::kXor64:
      h_.xor_(x64, y64);
      break;
    default:
      throw Xbyak::Error(Xbyak::ERR_INTERNAL);
  }
  free(b);
  return a;
}

}  // namespace lockstep::emu::jit
