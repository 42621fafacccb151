// SPDX-License-Identifier: MIT
// queue_inactive_signal of an amd_queue_t: how hardware tells the program's runtime that a queue
// cannot go on, and how the two agree on scratch memory.
#pragma once
#include <cstdint>

#include "mockgpu/guest_memory.h"
#include "mockgpu/packet_processor.h"

namespace lockstep::mockgpu {

/// Offsets within amd_signal_t and amd_queue_t.
inline constexpr uint64_t kSignalValue = 8, kSignalMailbox = 16, kSignalEvent = 24;
inline constexpr uint64_t kSignalStart = 32, kSignalEnd = 40;
inline constexpr uint64_t kQueueReadIndex = 0x80, kQueueScratchLaneBytes = 0xb0;
inline constexpr uint64_t kQueueProperties = 0xb4, kQueueInactiveSignal = 0xc0;

/// The signal and the scratch fields of one queue. A queue without such a signal (a bare ring, say)
/// has nobody to ask: its dispatches get the scratch that they need, and its errors are told by
/// events alone.
class QueueSignal {
 public:
  /// queue: address of the amd_queue_t.
  QueueSignal(uint64_t queue, PacketHost& host) : queue_(queue), host_(host) {}

  /// Adds bits to the value and wakes the program; false if the queue has no signal.
  bool raise(GuestMemory& memory, uint64_t bits);
  /// True if the queue's scratch is enough for a dispatch. Else the runtime is asked for more, and
  /// the dispatch has to be tried again later.
  bool has_scratch(GuestMemory& memory, uint32_t bytes_per_lane, uint32_t wave_size);
  /// After a dispatch with scratch: memory that the runtime lent for it alone is given back.
  void release_scratch(GuestMemory& memory);
  /// True while the runtime has not answered yet: the queue takes no further packet.
  bool waiting(GuestMemory& memory);

 private:
  uint64_t queue_;
  PacketHost& host_;
  bool asked_ = false;
};

}  // namespace lockstep::mockgpu
