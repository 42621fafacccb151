// SPDX-License-Identifier: MIT
// Sizes of the memory into which the driver saves the waves of a preempted queue.
#pragma once
#include <cstdint>

#include "runtime/topology.h"

namespace lockstep::runtime {

struct SaveArea {
  uint32_t control_stack = 0;  ///< bytes of one XCC, as CREATE_QUEUE wants them
  uint32_t save_restore = 0;   ///< the same, control stack included
  uint64_t total = 0;          ///< bytes to allocate
};
/// Newer drivers refuse other sizes than these.
SaveArea save_area_of(const GpuNode& gpu);

}  // namespace lockstep::runtime
