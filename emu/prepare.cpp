// SPDX-License-Identifier: MIT
// Decoded instruction to prepared instruction.
#include "emu/prepare.h"

#include <algorithm>

#include "emu/coverage.h"
#include "emu/handlers.h"

namespace lockstep::emu {
namespace {

using isa::Operand;
using isa::OperandKind;

Step exec_unsupported(Context& c, const Uop& u) {
  return c.raise(FaultKind::kUnsupportedInstruction, -1, 0, 0,
                 why_not_executed(u.inst.op, c.isa).data());  // reasons are literals
}
Step exec_bad_register(Context& c, const Uop&) {
  return c.raise(FaultKind::kRegisterOutOfRange, -1, 0, 0,
                 "a register lies outside what the kernel descriptor grants");
}

bool granted(const Operand& o, const CodeKey& key) {
  const uint32_t end = o.code + std::max<uint32_t>(o.dwords, 1);
  switch (o.kind) {
    case OperandKind::kVgpr:
      return end <= key.num_vgprs;
    case OperandKind::kAgpr:
      return end <= key.num_agprs;
    case OperandKind::kScalar:
      return end <= 128 || o.code == isa::kNull;
    default:
      return true;
  }
}

bool all_granted(const isa::Operands& ops, const CodeKey& key) {
  for (int i = 0; i < ops.n_dst; ++i)
    if (!granted(ops.dst[i], key)) return false;
  for (int i = 0; i < ops.n_src; ++i)
    if (!granted(ops.src[i], key)) return false;
  return true;
}

ExecFn handler_of(isa::Op op) {
  const ExecFn fn = handlers()[static_cast<size_t>(op)];
  return fn ? fn : &exec_unsupported;
}

}  // namespace

const Uop& prepare_uop(const isa::Inst& inst, const CodeKey& key, std::deque<Uop>& storage) {
  Uop& u = storage.emplace_back();
  u.inst = inst;
  u.size = inst.size;
  u.exec = handler_of(inst.op);
  if (inst.format == isa::Format::VOPD) {
    for (int half = 0; half < 2; ++half) {
      Uop& h = storage.emplace_back();
      h.inst = inst;
      h.inst.op = isa::op_info(half == 0 ? inst.op : inst.op_y).base;
      h.ops = isa::operands_of_half(inst, half, key.wave_size);
      h.exec = handler_of(h.inst.op);
      if (h.exec == &exec_unsupported) u.exec = &exec_unsupported;
      if (!all_granted(h.ops, key)) u.exec = &exec_bad_register;
      u.half[half] = &h;
    }
  } else {
    u.ops = isa::operands_of(inst, key.wave_size);
    u.clamp = inst.get(isa::Field::clamp);
    u.omod = static_cast<uint8_t>(inst.get(isa::Field::omod));
    if (!all_granted(u.ops, key)) u.exec = &exec_bad_register;
  }
  return u;
}

bool is_refused(const Uop& u) {
  return u.exec == &exec_unsupported || u.exec == &exec_bad_register;
}

}  // namespace lockstep::emu
