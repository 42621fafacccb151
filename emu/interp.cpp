// SPDX-License-Identifier: MIT
// The interpreter loop.
#include "emu/interp.h"

#include "emu/special_modes.h"

namespace lockstep::emu {

ExitReason interpret(Context& c, CodeCache& code, uint64_t budget, uint64_t& executed) {
  WaveState& w = *c.wave;
  for (uint64_t left = budget; left > 0; --left) {
    const Uop* u = code.fetch(c);
    if (!u) {
      executed += budget - left;
      return c.exit;
    }
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
  return ExitReason::kYield;
}

}  // namespace lockstep::emu
