// SPDX-License-Identifier: MIT
// Special source codes. Apertures: 64-bit values whose high dword tells LDS and scratch from global
// memory.
#include "emu/special.h"

namespace lockstep::emu {

bool read_special(Context& c, unsigned code, uint64_t& value) {
  const WaveState& w = *c.wave;
  constexpr uint64_t kApertureLimit = 0xffffffff;
  switch (code) {
    case isa::kSharedBase:
      value = c.shared_base;
      return true;
    case isa::kSharedLimit:
      value = c.shared_base | kApertureLimit;
      return true;
    case isa::kPrivateBase:
      value = c.private_base;
      return true;
    case isa::kPrivateLimit:
      value = c.private_base | kApertureLimit;
      return true;
    case isa::kPopsExitingWaveId:
      value = 0;
      return true;  // compute waves have no pixel ordering
    case isa::kVccz:
      value = w.vcc() == 0;
      return true;
    case isa::kExecz:
      value = w.exec() == 0;
      return true;
    case isa::kScc:
      value = w.scc;
      return true;
    default:
      break;
  }
  c.raise(FaultKind::kIllegalInstruction, -1, 0, 0,
          code == isa::kLdsDirect ? "src_lds_direct is not readable here"
                                  : "reserved source operand code");
  return false;
}

}  // namespace lockstep::emu
