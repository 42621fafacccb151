// SPDX-License-Identifier: MIT
// Kernel launches as PM4 packets of gfx9, gfx11 and gfx12.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "isa/target.h"

namespace lockstep::runtime {

/// What the compute registers want for a launch.
struct Pm4Launch {
  uint64_t entry = 0;  ///< a multiple of 256
  uint32_t rsrc1 = 0, rsrc2 = 0, rsrc3 = 0;
  uint32_t lds_bytes = 0;
  bool wave32 = false;
  std::array<uint32_t, 3> items = {1, 1, 1}, block = {1, 1, 1};
  std::vector<uint32_t> user_data;  ///< first user SGPRs
};

/// Completion: a 64-bit value in memory, then an event id in a mailbox, then the interrupt.
struct Pm4Completion {
  uint64_t value_address = 0, value = 0;
  uint64_t mailbox = 0;
  uint32_t event = 0;
};

/// Invalidates every cache, the one for instructions among them.
std::vector<uint32_t> pm4_acquire(isa::Generation generation);
/// INDIRECT_BUFFER: runs `dwords` packets' dwords at `address`.
std::vector<uint32_t> pm4_indirect(uint64_t address, uint32_t dwords);

/// The packets in order. Caches are invalidated before the launch and written back after it.
std::vector<uint32_t> pm4_launch(isa::Generation generation, const Pm4Launch& launch,
                                 const Pm4Completion& completion);

}  // namespace lockstep::runtime
