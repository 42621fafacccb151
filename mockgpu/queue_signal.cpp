// SPDX-License-Identifier: MIT
// The bits are those of the hardware's firmware; the runtime answers by setting the value to 0.
#include "mockgpu/queue_signal.h"

namespace lockstep::mockgpu {
namespace {

constexpr uint64_t kInsufficientScratch = 0x1;
constexpr uint64_t kScratchOfWave32 = 0x400;  // with the bit above
constexpr uint64_t kScratchDone = 0x200;      // what was lent for one dispatch is free
constexpr uint32_t kUseScratchOnce = 1u << 4;
constexpr uint32_t kLanesOfField = 64;  // the queue counts bytes a lane as of waves of 64 lanes

}  // namespace

bool QueueSignal::raise(GuestMemory& memory, uint64_t bits) {
  uint64_t signal = 0, mailbox = 0;
  uint32_t event = 0;
  if (!memory.load(queue_ + kQueueInactiveSignal, signal) || !signal) return false;
  auto* value = memory.aligned<uint64_t>(signal + kSignalValue, emu::Access::kWrite);
  if (!value) return false;
  std::atomic_ref(*value).fetch_or(bits);
  // Signals that are polled have no mailbox.
  if (memory.load(signal + kSignalMailbox, mailbox) && mailbox &&
      memory.load(signal + kSignalEvent, event)) {
    memory.store<uint64_t>(mailbox, event);
    host_.interrupt(event);
  }
  return true;
}

bool QueueSignal::has_scratch(GuestMemory& memory, uint32_t bytes_per_lane, uint32_t wave_size) {
  uint32_t granted = 0;
  if (!memory.load(queue_ + kQueueScratchLaneBytes, granted)) return true;
  if (uint64_t{bytes_per_lane} * wave_size <= uint64_t{granted} * kLanesOfField) return true;
  asked_ = raise(memory, kInsufficientScratch | (wave_size == 32 ? kScratchOfWave32 : 0));
  return !asked_;
}

void QueueSignal::release_scratch(GuestMemory& memory) {
  uint32_t properties = 0;
  if (!memory.load(queue_ + kQueueProperties, properties)) return;
  if (properties & kUseScratchOnce) asked_ = raise(memory, kScratchDone);
}

bool QueueSignal::waiting(GuestMemory& memory) {
  if (!asked_) return false;
  uint64_t signal = 0, value = 0;
  asked_ = memory.load(queue_ + kQueueInactiveSignal, signal) && signal &&
           memory.load(signal + kSignalValue, value) && value != 0;
  return asked_;
}

}  // namespace lockstep::mockgpu
