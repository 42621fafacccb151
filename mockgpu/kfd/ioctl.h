// SPDX-License-Identifier: MIT
// The ioctl surface of /dev/kfd and /dev/dri/renderD*: entry points over tables of handlers.
#pragma once
#include <cstdint>
#include <vector>

#include "mockgpu/process.h"

namespace lockstep::mockgpu {

/// Both return 0 or a negative errno, with the contract of the real drivers. `argument` is the
/// program's pointer and need not be valid.
int kfd_ioctl(Process& process, unsigned long request, uint64_t argument);
int drm_ioctl(Process& process, Device& device, unsigned long request, uint64_t argument);
/// The same for the descriptor of a shared buffer (dma-buf).
int shared_buffer_ioctl(unsigned long request, uint64_t argument);

/// What docs/driver.md tells people about an ioctl.
struct IoctlSupport {
  uint32_t number;
  const char* name;
  /// 0: works. Otherwise the errno of every call.
  int refusal;
};
std::vector<IoctlSupport> kfd_ioctl_support();

}  // namespace lockstep::mockgpu
