// SPDX-License-Identifier: MIT
// Scalar primitives that are no one-liners: hardware registers, messages, traps, relative
// registers.
#include "emu/scalar_lane.h"

#include "emu/clock.h"
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
    // The host learns of completion from the signals themselves; a freed register file needs no
    // model: waves never wait for registers here.
    case kMsgInterrupt:
      return;
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
