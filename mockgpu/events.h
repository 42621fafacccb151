// SPDX-License-Identifier: MIT
// KFD events of one process: creation, signalling from queues, and blocking waits.
#pragma once
#include <linux/kfd_ioctl.h>

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

namespace lockstep::mockgpu {

class Events {
 public:
  /// Id of a new event; nothing when the signal slots are used up.
  std::optional<uint32_t> create(uint32_t type, bool auto_reset);
  /// 0 or a negative errno, as the ioctls return.
  int destroy(uint32_t id);
  int set(uint32_t id);
  int reset(uint32_t id);

  /// An interrupt from a queue. Ids that are no signal event are ignored, as the driver does.
  void interrupt(uint32_t id);
  /// An interrupt that a wave raised by s_sendmsg. Device libraries for gfx9 pass eight bits of the
  /// event: then every event that ends in them is set, and the program looks which one it was.
  void wave_interrupt(uint32_t value);
  /// Sets every memory-exception (hardware-exception) event and gives it the data.
  void memory_exception(const kfd_hsa_memory_exception_data& data);
  void hardware_exception(const kfd_hsa_hw_exception_data& data);

  /// Waits for any or all; fills exception data of the events that are set. Entries of signal events
  /// may start with the age at which their program saw them last (struct kfd_hsa_signal_event_data,
  /// KFD 1.14; 0: none): an event that was set since ends the wait, also if another thread has taken
  /// that, and the new age is given back. timeout_ms 0xffffffff
  /// waits for ever. Returns 0 or a negative errno; result is KFD_IOC_WAIT_RESULT_*.
  int wait(std::span<kfd_event_data> events, bool all, uint32_t timeout_ms, uint32_t& result);

 private:
  /// One event that one thread waits for. Everybody who waits when an event is set is let go, also
  /// where it resets itself.
  struct Waiting {
    bool activated = false;
    bool destroyed = false;
    bool wants_age = false;
  };
  static constexpr uint64_t kFirstAge = 1;  ///< 0 stands for "no age"
  struct Event {
    uint32_t type = 0;
    uint64_t age = kFirstAge;
    bool auto_reset = false;
    bool signaled = false;
    kfd_hsa_memory_exception_data memory{};
    kfd_hsa_hw_exception_data hardware{};
    std::vector<Waiting*> waiters;
  };
  static void signal(Event& event);
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<uint32_t, Event> events_;
  uint32_t next_other_ = KFD_SIGNAL_EVENT_LIMIT;
};

}  // namespace lockstep::mockgpu
