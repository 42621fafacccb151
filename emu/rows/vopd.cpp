// SPDX-License-Identifier: MIT
// VOPD: two single operations, both read before either is written.
#include <algorithm>

#include "emu/handlers.h"
#include "isa/op.h"

namespace lockstep::emu {
namespace {

constexpr unsigned kLanes = 32;  // VOPD exists in wave32 only

Step exec_vopd(Context& c, const Uop& u) {
  if (c.wave->wave_size != kLanes)
    return c.raise(FaultKind::kIllegalInstruction, -1, 0, 0, "VOPD in wave64");
  // Run X, put its result aside and its register back, so that Y still sees the old value.
  uint32_t* x = c.wave->vgpr(u.half[0]->ops.dst[0].code);
  uint32_t old[kLanes], result[kLanes];
  std::copy_n(x, kLanes, old);
  const Step step_x = u.half[0]->exec(c, *u.half[0]);
  if (step_x != Step::kNext) return step_x;
  std::copy_n(x, kLanes, result);
  std::copy_n(old, kLanes, x);
  const Step step_y = u.half[1]->exec(c, *u.half[1]);
  std::copy_n(result, kLanes, x);
  return step_y;
}

}  // namespace

void add_vopd_handlers(HandlerTable& table) {
  for (int i = 0; i < isa::kOpCount; ++i) {
    const isa::Op op = static_cast<isa::Op>(i);
    const isa::OpInfo& info = isa::op_info(op);
    if (info.format == isa::Format::VOPD && table[static_cast<size_t>(info.base)])
      table[static_cast<size_t>(i)] = &exec_vopd;
  }
}

}  // namespace lockstep::emu
