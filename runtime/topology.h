// SPDX-License-Identifier: MIT
// Which GPUs the kernel driver offers, as its topology in sysfs tells.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "isa/result.h"
#include "isa/target.h"

namespace lockstep::runtime {

/// One GPU node. Counts are those of the whole node, all XCCs together.
struct GpuNode {
  uint32_t node = 0;                  ///< number in the topology
  uint32_t gpu_id = 0;                ///< how ioctls name it
  uint32_t render_minor = 0;          ///< of /dev/dri/renderD<minor>
  uint32_t gfx_target_version = 0;    ///< major * 10000 + minor * 100 + step
  std::optional<isa::Target> target;  ///< nothing: a GPU that Lockstep does not know
  uint32_t simd_count = 0, simd_per_cu = 0, array_count = 0, arrays_per_engine = 0;
  uint32_t lds_kib = 0;  ///< of one CU
  uint32_t xcc_count = 1;
  uint32_t device_id = 0, firmware_version = 0;  ///< of the PCI function; of the command processor
  /// What newer drivers want as sizes of the save area of a queue, for one XCC; 0: not told.
  uint32_t cwsr_size = 0, ctl_stack_size = 0;

  /// "gfx1100 (gpu id 0x5a10, /dev/dri/renderD128)"
  std::string describe() const;
};

/// Every GPU, in the topology's order. Fails with a sentence that names the file and says what to
/// do where there is no driver or no GPU.
Result<std::vector<GpuNode>> list_gpus();

}  // namespace lockstep::runtime
