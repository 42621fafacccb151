// SPDX-License-Identifier: MIT
// Global wave sync: the counters of a device by which waves of different workgroups wait for each
// other (ds_gws_*).
#pragma once
#include <array>
#include <cstdint>
#include <mutex>

namespace lockstep::emu {

/// What a wave remembers while it waits: it comes back to the same instruction.
struct WaveSyncWait {
  bool waiting = false;
  uint64_t round = 0;  ///< a barrier's, when the wave arrived
};

/// 64 resources, each a barrier or a semaphore, as the program uses it. Thread-safe. A device has
/// one; a queue may use it once the driver has given it to the queue (ALLOC_QUEUE_GWS).
class GlobalWaveSync {
 public:
  static constexpr unsigned kResources = 64;

  /// The counter starts at value: a barrier lets value more waves arrive before the one that opens
  /// it.
  void init(unsigned resource, uint32_t value);
  /// True: the wave may go on. The wave that opens the barrier sets the counter to value again.
  bool barrier(unsigned resource, uint32_t value, WaveSyncWait& wait);
  /// Semaphore: true once the counter was above 0; it is then one less.
  bool acquire(unsigned resource, WaveSyncWait& wait);
  void release(unsigned resource, uint32_t count);
  /// Lets every wave go on that waits for the semaphore.
  void release_all(unsigned resource);
  /// The state of a fresh device.
  void reset();

 private:
  struct Resource {
    uint32_t counter = 0;
    uint32_t waiting = 0;  ///< waves at the semaphore
    uint64_t round = 0;    ///< how often the barrier has opened
  };
  std::mutex mutex_;
  std::array<Resource, kResources> resources_;
};

}  // namespace lockstep::emu
