// SPDX-License-Identifier: MIT
// SmemLane: scalar memory instructions: address, buffer bounds, transfer, clocks.
#pragma once
#include <cstdint>

#include "emu/context.h"

namespace lockstep::emu {

class SmemLane {
 public:
  SmemLane(Context& context, const Uop& uop) : c(context), u(uop) {}

  Step nothing() const { return Step::kNext; }
  Step shader_clock();
  Step realtime();
  /// `bytes` is the size of the element; sub-dword ones are extended by `sign_bits` (0: unsigned).
  Step load(unsigned bytes, bool is_signed);
  Step store(unsigned bytes);

 private:
  /// Resolved address of an access. Scalar buffers stop at `limit`: reads beyond it give 0, writes
  /// are dropped.
  struct Place {
    uint64_t address = 0;
    uint64_t available = ~uint64_t{0};
  };
  bool resolve(unsigned bytes, Place& place);
  void write64(uint64_t value);

  Context& c;
  const Uop& u;
};

}  // namespace lockstep::emu
