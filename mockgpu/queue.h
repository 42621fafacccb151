// SPDX-License-Identifier: MIT
// A user-mode queue: its packet processor, the thread that serves it, and the poller that wakes it.
#pragma once
#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "mockgpu/packet_processor.h"

namespace lockstep::mockgpu {

/// What a queue needs from the device it is on.
class QueueOwner {
 public:
  virtual ~QueueOwner() = default;
  virtual emu::DispatchResult run_dispatch(emu::DispatchRequest& request) = 0;
  virtual void cancel_dispatches() = 0;
  virtual uint64_t clock() = 0;
  virtual void interrupt(uint32_t context_id) = 0;
  /// s_sendmsg of a wave, with its M0.
  virtual void wave_interrupt(uint32_t value) = 0;
  /// The unit that a queue with global wave sync uses.
  virtual emu::GlobalWaveSync& wave_sync() = 0;
  virtual void count_copy(uint64_t bytes) = 0;
  /// The queue is dead and will never complete anything again.
  virtual void queue_failed(uint32_t queue_id, const QueueFailure& failure) = 0;
};

/// One thread a queue: a wait or a long kernel holds up its own queue only. The thread sleeps on a
/// condition variable while the ring is empty; a QueuePoller watches the write pointer meanwhile.
class Queue : private PacketHost {
 public:
  using MakeProcessor = std::function<std::unique_ptr<PacketProcessor>(PacketHost&)>;
  Queue(uint32_t id, QueueOwner& owner, const MakeProcessor& make);
  ~Queue() override;

  uint32_t id() const { return id_; }
  bool failed() const { return failed_.load(std::memory_order_acquire); }
  /// Kernels of this queue may use the device's global wave sync.
  void grant_wave_sync(bool granted) { has_wave_sync_ = granted; }
  bool has_wave_sync() const { return has_wave_sync_; }
  /// For the poller: wakes the thread if it sleeps and there is work. True if it did.
  bool wake_if_ready();
  /// While it is paused the queue begins no packet; what runs already runs to its end.
  void set_paused(bool paused) { paused_.store(paused, std::memory_order_release); }
  bool paused() const { return paused_.load(std::memory_order_acquire); }
  /// True if the thread is at work.
  bool active() const { return active_.load(std::memory_order_acquire); }
  /// Ends the thread; a kernel that does not end by itself within a second is cancelled.
  void stop();

 private:
  void loop();
  void serve();

  emu::DispatchResult dispatch(emu::DispatchRequest& request) override;
  uint64_t clock() override { return owner_.clock(); }
  void interrupt(uint32_t context_id) override { owner_.interrupt(context_id); }
  void count_copy(uint64_t bytes) override { owner_.count_copy(bytes); }
  bool stopping() override { return stop_.load(std::memory_order_relaxed); }

  const uint32_t id_;
  QueueOwner& owner_;
  std::unique_ptr<PacketProcessor> processor_;
  std::mutex mutex_;
  std::condition_variable wake_, ended_;
  std::atomic<bool> active_ = false, stop_ = false, failed_ = false, has_wave_sync_ = false;
  std::atomic<bool> paused_ = false;
  bool finished_ = false;
  std::thread thread_;
};

/// One thread that looks at the write pointers of sleeping queues: a doorbell is a plain store,
/// nothing else tells. Sleeps longer the longer nothing happens; idle it takes well under 1 % of a
/// core.
class QueuePoller {
 public:
  QueuePoller() = default;
  ~QueuePoller() { stop(); }
  void add(std::shared_ptr<Queue> queue);
  void remove(const Queue* queue);
  void stop();

 private:
  void loop();
  std::mutex mutex_;
  std::vector<std::shared_ptr<Queue>> queues_;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

}  // namespace lockstep::mockgpu
