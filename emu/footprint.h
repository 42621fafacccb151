// SPDX-License-Identifier: MIT
// Which registers compiled code can have changed, so that the next wave in the same place need not
// have all of them set again.
#pragma once
#include <cstdint>
#include <vector>

#include "emu/wave_state.h"

namespace lockstep::emu {

struct Footprint {
  static constexpr unsigned kLineScalars = 16;  ///< scalar registers of a cache line
  struct Run {
    uint32_t first = 0, count = 0;
  };
  std::vector<Run> vgprs;    ///< in memory
  uint8_t scalar_lines = 0;  ///< a bit each

  static constexpr uint8_t line_of(unsigned scalar) {
    return static_cast<uint8_t>(1u << (scalar / kLineScalars));
  }
};
static_assert(kScalars / Footprint::kLineScalars == 8);

}  // namespace lockstep::emu
