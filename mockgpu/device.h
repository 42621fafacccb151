// SPDX-License-Identifier: MIT
// One emulated GPU of a process: its memory map, heap, doorbells and queues.
#pragma once
#include <linux/kfd_ioctl.h>

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "emu/memory_map.h"
#include "emu/wave_sync.h"
#include "mockgpu/buffer_pool.h"
#include "mockgpu/device_heap.h"
#include "mockgpu/device_profile.h"
#include "mockgpu/events.h"
#include "mockgpu/gem.h"
#include "mockgpu/kernel_names.h"
#include "mockgpu/kernel_runner.h"
#include "mockgpu/queue.h"
#include "mockgpu/report.h"

namespace lockstep::mockgpu {

inline constexpr uint64_t kDoorbellBytes = 8192;

/// What CREATE_QUEUE knows.
struct QueueRequest {
  uint32_t type = 0;  ///< KFD_IOC_QUEUE_TYPE_*
  RingLayout ring;
  bool active = true;  ///< false: an empty ring or 0 %; UPDATE_QUEUE starts it
};

/// Called once for each dead queue, on the queue's thread.
using FailureSink = std::function<void(size_t device, uint32_t queue_id, const QueueFailure&)>;

class Device : private QueueOwner {
 public:
  Device(size_t index, const DeviceProfile& profile, DeviceHeap heap, SystemMemory& system,
         uint64_t doorbell_offset, std::unique_ptr<KernelRunner> runner, Events& events,
         Report& report, KernelNames& names, bool name_kernels, FailureSink failed);
  ~Device() override;

  size_t index() const { return index_; }
  uint32_t gpu_id() const { return gpu_id_; }
  const DeviceProfile& profile() const { return profile_; }
  DeviceHeap& heap() { return heap_; }
  BufferPool& buffers() { return buffers_; }
  const BufferPool& buffers() const { return buffers_; }
  emu::MemoryMap& map() { return map_; }
  GemObjects& gem() { return gem_; }
  uint64_t doorbell_offset() const { return doorbell_offset_; }
  uint64_t clock() override;

  std::shared_ptr<Queue> create_queue(uint32_t id, const QueueRequest& request);

 private:
  emu::DispatchResult run_dispatch(emu::DispatchRequest& request) override;
  void cancel_dispatches() override;
  void interrupt(uint32_t context_id) override;
  void wave_interrupt(uint32_t value) override;
  emu::GlobalWaveSync& wave_sync() override { return wave_sync_; }
  void count_copy(uint64_t bytes) override;
  void queue_failed(uint32_t queue_id, const QueueFailure& failure) override;

  const size_t index_;
  const uint32_t gpu_id_;
  const DeviceProfile& profile_;
  DeviceHeap heap_;
  BufferPool buffers_;
  const uint64_t doorbell_offset_;
  emu::MemoryMap map_;
  GemObjects gem_{map_};
  std::unique_ptr<KernelRunner> runner_;
  Events& events_;
  Report& report_;
  KernelNames& names_;
  const bool name_kernels_;  ///< worth a search of the program's memory
  FailureSink failed_;
  emu::GlobalWaveSync wave_sync_;
};

}  // namespace lockstep::mockgpu
