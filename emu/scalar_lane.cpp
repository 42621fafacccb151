// SPDX-License-Identifier: MIT
// Scalar primitives that are no one-liners: hardware registers, messages, traps, relative
// registers.
#include "emu/scalar_lane.h"

#include "emu/barriers.h"
#include "emu/clock.h"
#include "emu/host_fault.h"
#include "emu/hwreg.h"

namespace lockstep::emu {
namespace {

// s_sendmsg: messages that concern a compute wave.
constexpr unsigned kMsgInterrupt = 1, kMsgDeallocVgprs = 3;
// s_sendmsg_rtn.
constexpr unsigned kRtnGetTma = 0x82, kRtnGetRealtime = 0x83, kRtnGetTba = 0x85;

constexpr const char* kNoHwreg = "this target has no such hardware register";

struct HwregSpec {
  unsigned id, offset;
  uint32_t mask;  ///< of the field, at bit 0
};
HwregSpec unpack(uint32_t spec) {
  const unsigned size = (spec >> 11 & 31) + 1;
  return {spec & 63, spec >> 6 & 31, static_cast<uint32_t>((uint64_t{1} << size) - 1)};
}

}  // namespace

uint32_t ScalarLane::getreg(uint32_t spec) {
  const HwregSpec s = unpack(spec);
  uint32_t value = 0;
  if (!read_hwreg(c, s.id, value)) illegal(kNoHwreg);
  return value >> s.offset & s.mask;
}

void ScalarLane::setreg(uint32_t spec, uint32_t value) {
  const HwregSpec s = unpack(spec);
  if (!write_hwreg(c, s.id, value << s.offset, s.mask << s.offset)) illegal(kNoHwreg);
}

void ScalarLane::send_message(uint32_t message) {
  switch (message & (generation() == isa::Generation::kGfx9 ? 15 : 255)) {
    case kMsgInterrupt:
      if (c.request && c.request->interrupt) {
        const AccessScope none(nullptr);  // what the driver touches is not the kernel's access
        c.request->interrupt(m0());
      }
      return;
    // A freed register file needs no model: waves never wait for registers here.
    case kMsgDeallocVgprs:
      if (generation() != isa::Generation::kGfx9) return;
      break;
    default:
      break;
  }
  illegal("this message has no meaning in a compute wave");
}

uint64_t ScalarLane::ask_message(uint32_t message) {
  switch (message) {
    case kRtnGetRealtime:
      return realtime_counter();
    case kRtnGetTma:
    case kRtnGetTba:
      return 0;  // no trap handler is installed
    default:
      break;
  }
  step_ = c.raise(FaultKind::kUnsupportedInstruction, -1, 0, 0,
                  "Lockstep has no answer to this s_sendmsg_rtn message");
  return 0;
}

void ScalarLane::set_halt(int32_t halt) {
  if (halt & 1)
    step_ = c.raise(FaultKind::kUnsupportedInstruction, -1, 0, 0,
                    "s_sethalt stops the wave until a debugger resumes it");
}

bool ScalarLane::relative(unsigned code, uint32_t offset, unsigned dwords) {
  const uint64_t index = uint64_t{code} + offset;
  if (index + dwords <= c.wave->num_sgprs) {
    relative_ = static_cast<unsigned>(index);
    return true;
  }
  step_ = c.raise(FaultKind::kRegisterOutOfRange, -1, 0, 0,
                  "M0 makes the relative register number too large");
  return false;
}

void ScalarLane::fork(uint64_t mask, uint64_t target) {
  WaveState& w = *c.wave;
  const uint64_t pass = exec() & mask, fail = exec() & ~mask;
  if (fail == 0) {
    set_pc(target);
    return;
  }
  if (pass == 0) return;
  const uint32_t depth = w.mode >> ModeBits::kForkDepth;
  const bool fail_first = std::popcount(fail) < std::popcount(pass);
  w.write64(depth * 4, fail_first ? pass : fail);
  w.write64(depth * 4 + 2, fail_first ? target : next_pc());
  w.mode += 1u << ModeBits::kForkDepth;
  w.write64(isa::kExecLo, fail_first ? fail : pass);
  if (!fail_first) set_pc(target);
}

void ScalarLane::join(uint32_t depth) {
  WaveState& w = *c.wave;
  if (w.mode >> ModeBits::kForkDepth == depth) return;
  w.mode -= 1u << ModeBits::kForkDepth;
  const uint32_t slot = (w.mode >> ModeBits::kForkDepth) * 4;
  w.write64(isa::kExecLo, w.read64(slot));
  set_pc(w.read64(slot + 2));
}

bool ScalarLane::has_barriers() {
  if (c.barriers) return true;
  illegal("the wave belongs to no workgroup");
  return false;
}

int ScalarLane::barrier_number(uint32_t value) const {
  const isa::Operand& o = u.ops.src[0];
  const bool in_m0 = o.kind == isa::OperandKind::kScalar && o.code == isa::kM0;
  return in_m0 ? static_cast<int>(value & 31) : static_cast<int>(value);
}

void ScalarLane::barrier_signal(uint32_t number) {
  if (has_barriers()) c.barriers->signal(barrier_number(number));
}
void ScalarLane::barrier_signal_scc(uint32_t number) {
  if (has_barriers()) set_scc(c.barriers->signal(barrier_number(number)));
}
void ScalarLane::barrier_wait(int32_t number) {
  if (number <= GroupBarriers::kTrap) return;  // no trap handler runs here
  const uint32_t bit = number >= 0 ? GroupBarriers::kNamedDone : GroupBarriers::kWorkgroupDone;
  if (c.wave->barrier_done & bit)
    c.wave->barrier_done &= ~bit;
  else
    step_ = c.leave(ExitReason::kWait);
}
void ScalarLane::barrier_init(uint32_t number) {
  if (has_barriers()) c.barriers->init(barrier_number(number), m0() >> 16 & 0x7f);
}
void ScalarLane::barrier_join(uint32_t number) {
  if (has_barriers()) c.barriers->join(*c.wave, barrier_number(number));
}
void ScalarLane::barrier_leave_scc() {
  if (has_barriers()) set_scc(c.barriers->leave(*c.wave));
}
uint32_t ScalarLane::barrier_state(uint32_t number) {
  return has_barriers() ? c.barriers->state(barrier_number(number)) : 0;
}

uint32_t ScalarLane::subvector_begin(uint32_t saved, int32_t dwords) {
  uint32_t* exec = &c.wave->scalar[isa::kExecLo];
  if (exec[0] == 0 && exec[1] == 0) {
    branch(dwords);
    return saved;
  }
  if (exec[0] == 0) return exec[0];  // only the high half runs
  const uint32_t high = exec[1];
  exec[1] = 0;
  return high;
}

uint32_t ScalarLane::subvector_end(uint32_t saved, int32_t dwords) {
  uint32_t* exec = &c.wave->scalar[isa::kExecLo];
  if (exec[1] != 0) {  // the high half is done: the low half joins it again
    exec[0] = saved;
    return saved;
  }
  if (saved == 0) return saved;  // the high half has nothing to do
  const uint32_t low = exec[0];
  exec[1] = saved;
  exec[0] = 0;
  branch(dwords);
  return low;
}

}  // namespace lockstep::emu
