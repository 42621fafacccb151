// SPDX-License-Identifier: MIT
// Scalar instructions in general registers.
#include "emu/jit/lower_scalar.h"

#include <bit>
#include <bitset>

#include "emu/scalar_operand.h"

namespace lockstep::emu::jit {

using isa::OperandKind;
using isa::Type;
using Xbyak::Reg32;
using Xbyak::Reg64;
using Xbyak::Reg8;
using namespace Xbyak::util;

namespace {

// rax, rcx, rdx, rsi, rdi, r8 to r11; rcx only for shift counts.
constexpr uint32_t kScratch = 1u << 0 | 1u << 2 | 1u << 6 | 1u << 7 | 0xfu << 8;

bool lowered(NodeOp op) {
  switch (op) {
    case NodeOp::kSource:
    case NodeOp::kOld:
    case NodeOp::kConstant:
    case NodeOp::kConstant64:
    case NodeOp::kFalse:
    case NodeOp::kScc:
    case NodeOp::kExec:
    case NodeOp::kVccz:
    case NodeOp::kExecz:
    case NodeOp::kNextPc:
    case NodeOp::kAdd:
    case NodeOp::kSub:
    case NodeOp::kMul:
    case NodeOp::kMulHiU:
    case NodeOp::kMulHiS:
    case NodeOp::kAnd:
    case NodeOp::kOr:
    case NodeOp::kXor:
    case NodeOp::kNot:
    case NodeOp::kShl:
    case NodeOp::kShr:
    case NodeOp::kSar:
    case NodeOp::kMinU:
    case NodeOp::kMaxU:
    case NodeOp::kMinS:
    case NodeOp::kMaxS:
    case NodeOp::kSelect:
    case NodeOp::kPopcount:
    case NodeOp::kPopcount64:
    case NodeOp::kLeadingZeros:
    case NodeOp::kLeadingZeros64:
    case NodeOp::kReverseBits:
    case NodeOp::kReverseBits64:
    case NodeOp::kSpreadBits:
    case NodeOp::kCollectBits:
    case NodeOp::kAddIf:
    case NodeOp::kSubIf:
    case NodeOp::kAdd64:
    case NodeOp::kSub64:
    case NodeOp::kMul64:
    case NodeOp::kAnd64:
    case NodeOp::kOr64:
    case NodeOp::kXor64:
    case NodeOp::kNot64:
    case NodeOp::kShl64:
    case NodeOp::kShr64:
    case NodeOp::kSar64:
    case NodeOp::kSelect64:
    case NodeOp::kEq:
    case NodeOp::kLtU:
    case NodeOp::kLtS:
    case NodeOp::kEq64:
    case NodeOp::kLtU64:
    case NodeOp::kLtS64:
    case NodeOp::kPredNot:
    case NodeOp::kPredAnd:
    case NodeOp::kPredOr:
    case NodeOp::kAddOverflows:
    case NodeOp::kSubOverflows:
      return true;
    default:
      return false;
  }
}

using Nodes = std::bitset<Recipe::kMaxNodes>;

void mark_needed(const Recipe& r, int root, Nodes& needed) {
  if (root < 0 || needed[static_cast<size_t>(root)]) return;
  needed.set(static_cast<size_t>(root));
  const Node& n = r.nodes[root];
  const int inputs = inputs_of(n.op);
  if (inputs > 0) mark_needed(r, n.a, needed);
  if (inputs > 1) mark_needed(r, n.b, needed);
  if (inputs > 2) mark_needed(r, n.c, needed);
}

}  // namespace

bool ScalarLowering::covers(const Uop& u) const {
  const Recipe* r = recipe_of(u.inst.op);
  if (!r) return false;
  Nodes needed;
  for (const int root : {r->value, r->mask, r->scc, r->exec, r->condition, r->jump})
    mark_needed(*r, root, needed);
  for (int i = 0; i < r->count; ++i) {
    if (!needed[static_cast<size_t>(i)]) continue;
    if (!lowered(r->nodes[i].op)) return false;
    if (r->nodes[i].op != NodeOp::kSource) continue;
    const isa::Operand& o = u.ops.src[r->nodes[i].imm];
    switch (o.kind) {
      case OperandKind::kScalar:
      case OperandKind::kInline:
      case OperandKind::kLiteral:
      case OperandKind::kImmediate:
        break;
      default:
        return false;
    }
    if (isa::is_float(o.type)) return false;
  }
  if (r->value >= 0 && u.ops.n_dst > 0 && isa::is_float(u.ops.dst[0].type)) return false;
  return true;
}

int ScalarLowering::take() {
  if (!free_) throw Xbyak::Error(Xbyak::ERR_INTERNAL);  // the compiler gives the unit up
  const int reg = std::countr_zero(free_);
  free_ &= free_ - 1;
  return reg;
}

int ScalarLowering::load(const isa::Operand& o) {
  const int reg = take();
  const bool quad = isa::dwords_of(o.type) == 2;
  if (o.kind == OperandKind::kScalar && o.code != isa::kNull) {
    if (o.dwords == 2)
      h_.mov(Reg64(reg), h_.scalar64(o.code));
    else
      h_.mov(Reg32(reg), h_.scalar(o.code));
    if (o.type == Type::I16)
      h_.movsx(Reg32(reg), Xbyak::Reg16(reg));
    else if (o.type == Type::U16 || o.type == Type::B16)
      h_.movzx(Reg32(reg), Xbyak::Reg16(reg));
    return reg;
  }
  uint64_t bits = scalar_constant(o);
  if (o.type == Type::I16) bits = static_cast<uint64_t>(int64_t{static_cast<int16_t>(bits)});
  if (o.type == Type::U16 || o.type == Type::B16) bits &= 0xffff;
  if (!quad) bits &= 0xffffffff;
  if (bits == 0)
    h_.xor_(Reg32(reg), Reg32(reg));
  else
    h_.mov(Reg64(reg), bits);
  return reg;
}

void ScalarLowering::compare_mask_with_zero(NodeOp op) {
  const unsigned code = op == NodeOp::kVccz ? isa::kVccLo : isa::kExecLo;
  if (wave_size_ == 64)
    h_.cmp(h_.scalar64(code), 0);
  else
    h_.cmp(h_.scalar(code), 0);
}

int ScalarLowering::value(const Uop& u, const Recipe& r, int index) {
  const Node& n = r.nodes[index];
  for (const Kept& k : kept_)
    if (k.node == index) {
      const int copy = take();
      h_.mov(Reg64(copy), Reg64(k.reg));
      return copy;
    }
  switch (n.op) {
    case NodeOp::kSource:
      return load(u.ops.src[n.imm]);
    case NodeOp::kOld:
      return load(u.ops.dst[0]);
    case NodeOp::kConstant:
    case NodeOp::kConstant64:
    case NodeOp::kFalse: {
      const int reg = take();
      if (n.op == NodeOp::kConstant64)
        h_.mov(Reg64(reg), static_cast<uint64_t>(int64_t{static_cast<int32_t>(n.imm)}));
      else
        h_.mov(Reg32(reg), n.op == NodeOp::kFalse ? 0 : n.imm);
      return reg;
    }
    case NodeOp::kScc: {
      const int reg = take();
      h_.movzx(Reg32(reg), h_.scc());
      return reg;
    }
    case NodeOp::kExec: {
      const int reg = take();
      if (n.imm)
        h_.mov(Reg64(reg), h_.scalar64(isa::kExecLo));
      else
        h_.mov(Reg32(reg), h_.scalar(isa::kExecLo));
      return reg;
    }
    case NodeOp::kVccz:
    case NodeOp::kExecz: {
      const int reg = take();
      compare_mask_with_zero(n.op);
      const Reg8 low = low_byte(reg);
      h_.sete(low);
      h_.movzx(Reg32(reg), low);
      return reg;
    }
    case NodeOp::kNextPc: {
      const int reg = take();
      h_.mov(Reg64(reg), next_pc_);
      return reg;
    }
    case NodeOp::kNot:
    case NodeOp::kNot64:
    case NodeOp::kPredNot:
    case NodeOp::kPopcount:
    case NodeOp::kPopcount64:
    case NodeOp::kLeadingZeros:
    case NodeOp::kLeadingZeros64:
    case NodeOp::kReverseBits:
    case NodeOp::kReverseBits64:
    case NodeOp::kSpreadBits:
    case NodeOp::kCollectBits:
      return unary(u, r, n);
    case NodeOp::kSelect:
    case NodeOp::kSelect64: {
      const int p = value(u, r, n.a), b = value(u, r, n.b), c = value(u, r, n.c);
      h_.test(Reg32(p), Reg32(p));
      h_.cmovnz(Reg64(c), Reg64(b));
      free(p);
      free(b);
      return c;
    }
    case NodeOp::kShl:
    case NodeOp::kShr:
    case NodeOp::kSar:
    case NodeOp::kShl64:
    case NodeOp::kShr64:
    case NodeOp::kSar64:
      return shift(u, r, n);
    case NodeOp::kEq:
    case NodeOp::kLtU:
    case NodeOp::kLtS:
    case NodeOp::kEq64:
    case NodeOp::kLtU64:
    case NodeOp::kLtS64:
    case NodeOp::kAddOverflows:
    case NodeOp::kSubOverflows:
      return compare(u, r, n);
    default:
      return binary(u, r, n);
  }
}

bool ScalarLowering::instruction(const Uop& u, uint64_t next_pc) {
  const Recipe& r = *recipe_of(u.inst.op);
  free_ = kScratch;
  next_pc_ = next_pc;
  const bool compares = u.inst.format == isa::Format::SOPC;
  // All results are worked out before any is written. SCC mostly depends on one of the others.
  kept_[0] = kept_[1] = {};
  const int exec = r.exec >= 0 ? value(u, r, r.exec) : -1;
  if (exec >= 0) kept_[0] = {r.exec, exec};
  const int result = r.value >= 0 ? value(u, r, r.value) : -1;
  if (result >= 0) kept_[1] = {r.value, result};
  const int scc = compares ? r.mask : r.scc;
  const int flag = scc >= 0 ? value(u, r, scc) : -1;
  if (flag >= 0) h_.mov(h_.scc(), low_byte(flag));
  bool wrote_exec = false;
  if (exec >= 0) {
    if (u.ops.dst[0].dwords == 2)
      h_.mov(h_.scalar64(isa::kExecLo), Reg64(exec));
    else
      h_.mov(h_.scalar(isa::kExecLo), Reg32(exec));
    wrote_exec = true;
  }
  if (result >= 0 && u.ops.n_dst > 0 && u.ops.dst[0].code != isa::kNull) {
    const isa::Operand& d = u.ops.dst[0];
    if (d.dwords == 2)
      h_.mov(h_.scalar64(d.code), Reg64(result));
    else
      h_.mov(h_.scalar(d.code), Reg32(result));
    wrote_exec |= d.code + d.dwords > isa::kExecLo && d.code <= isa::kExecHi;
  }
  return wrote_exec;
}

bool ScalarLowering::jump_instruction(const Uop& u, uint64_t next_pc) {
  const Recipe& r = *recipe_of(u.inst.op);
  free_ = kScratch;
  kept_[0] = kept_[1] = {};
  // The result may replace the registers that held the address.
  const int target = value(u, r, r.jump);
  h_.and_(Reg64(target), -4);
  h_.mov(h_.pc(), Reg64(target));
  const bool wrote_exec = instruction(u, next_pc);
  return wrote_exec;
}

void ScalarLowering::branch_if(const Recipe& r, Xbyak::Label& target) {
  if (r.condition < 0) {
    h_.jmp(target, Xbyak::CodeGenerator::T_NEAR);
    return;
  }
  const Node* n = &r.nodes[r.condition];
  bool negated = false;
  while (n->op == NodeOp::kPredNot) {
    negated = !negated;
    n = &r.nodes[n->a];
  }
  if (n->op == NodeOp::kScc) {
    h_.cmp(h_.scc(), 0);
    if (negated)
      h_.je(target, Xbyak::CodeGenerator::T_NEAR);
    else
      h_.jne(target, Xbyak::CodeGenerator::T_NEAR);
    return;
  }
  compare_mask_with_zero(n->op);
  if (negated)
    h_.jne(target, Xbyak::CodeGenerator::T_NEAR);
  else
    h_.je(target, Xbyak::CodeGenerator::T_NEAR);
}

}  // namespace lockstep::emu::jit
