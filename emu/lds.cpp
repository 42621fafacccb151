// SPDX-License-Identifier: MIT
// LDS accesses that reach over the end.
#include "emu/lds.h"

#include <algorithm>

namespace lockstep::emu {

void Lds::load_edge(uint32_t address, uint32_t bytes, uint8_t* out) const {
  for (uint32_t i = 0; i < bytes; i += 4) {
    const uint32_t n = std::min(bytes - i, 4u);
    if (address + i >= address && contains(address + i, n))
      std::memcpy(out + i, data_ + address + i, n);
    else
      std::memset(out + i, 0, n);
  }
}

void Lds::store_edge(uint32_t address, uint32_t bytes, const uint8_t* in) const {
  for (uint32_t i = 0; i < bytes; i += 4) {
    const uint32_t n = std::min(bytes - i, 4u);
    if (address + i >= address && contains(address + i, n))
      std::memcpy(data_ + address + i, in + i, n);
  }
}

}  // namespace lockstep::emu
