// SPDX-License-Identifier: MIT
// What happens on devices as lines of text, for monitoring programs (AMDKFD_IOC_SMI_EVENTS).
#pragma once
#include <cstdint>
#include <mutex>
#include <string_view>
#include <vector>

namespace lockstep::mockgpu {

/// A listener has one descriptor. It writes a mask of 64 bits, KFD_SMI_EVENT_MASK_FROM_INDEX of the
/// events that it wants (none at first), and reads lines "EVENT DATA\n", EVENT in hexadecimal. A read
/// never blocks (EAGAIN), poll does. The descriptor is one end of a socket pair, so that read, write,
/// poll and close need no help; hence a write of fewer than 8 bytes is ignored where the driver says
/// EFAULT. Thread-safe.
class SmiEvents {
 public:
  ~SmiEvents();
  /// A new descriptor for the events of a device, or a negative errno.
  int open(uint32_t gpu_id);
  /// Tells the listeners of a device that want this event (KFD_SMI_EVENT_*). Those that have gone are
  /// forgotten; who does not read loses events, as with the driver.
  void send(uint32_t gpu_id, uint32_t event, std::string_view data);

 private:
  struct Listener {
    uint32_t gpu_id = 0;
    int fd = -1;  ///< our end
    uint64_t mask = 0;
  };
  /// Takes in the masks that a listener has written; false if it has closed its end.
  static bool update(Listener& listener);
  std::mutex mutex_;
  std::vector<Listener> listeners_;
};

}  // namespace lockstep::mockgpu
