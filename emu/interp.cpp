// SPDX-License-Identifier: MIT
// The interpreter loop.
#include "emu/interp.h"

#include "emu/host_fault.h"
#include "emu/special_modes.h"

namespace lockstep::emu {

namespace {

std::optional<ExitReason> loop(Context& c, CodeCache& code, uint64_t budget, uint64_t& executed) {
  WaveState& w = *c.wave;
  for (uint64_t left = budget; left > 0; --left) {
    const Uop* u = code.fetch(c);
    if (!u) {
      executed += budget - left;
      return c.exit;
    }
    if (c.counts) c.counts->add(*u);
    const bool special = w.mode & c.special_modes;
    switch (special ? execute_in_special_mode(c, *u) : u->exec(c, *u)) {
      case Step::kNext:
        w.pc += u->size;
        break;
      case Step::kJumped:
        break;
      case Step::kExit:
        executed += budget - left + 1;
        return c.exit;
    }
    if (c.code_changed) {
      c.code_changed = false;
      code.invalidate();
    }
  }
  executed += budget;
  return std::nullopt;
}

}  // namespace

std::optional<ExitReason> interpret_until_exit(Context& c, CodeCache& code, uint64_t budget,
                                               uint64_t& executed) {
  std::jmp_buf out;
  GuestAccess access;
  access.context = &c;
  access.jump = &out;
  const AccessScope scope(&access);
  if (_setjmp(out)) {  // from the signal handler, out of an instruction
    ++executed;
    return c.exit;
  }
  return loop(c, code, budget, executed);
}

ExitReason interpret(Context& c, CodeCache& code, uint64_t budget, uint64_t& executed) {
  return interpret_until_exit(c, code, budget, executed).value_or(ExitReason::kYield);
}

}  // namespace lockstep::emu
