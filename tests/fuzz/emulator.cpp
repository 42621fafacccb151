// SPDX-License-Identifier: MIT
// The fuzzers leave the emulator out: all that the C interface asks of it is whether it executes a
// row, and that row's expression tells.
#include "emu/handlers.h"

namespace lockstep::emu {

bool executes(isa::Op op, isa::Isa isa) {
  return isa::exists_on(op, isa) && isa::has_semantics(op);
}

}  // namespace lockstep::emu
