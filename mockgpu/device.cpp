// SPDX-License-Identifier: MIT
// Device: makes queues and carries their requests to emulator, events and report.
#include "mockgpu/device.h"

#include <fmt/format.h>
#include <time.h>

#include "mockgpu/aql.h"
#include "mockgpu/log.h"
#include "mockgpu/pm4.h"
#include "mockgpu/sdma.h"
#include "mockgpu/topology.h"

namespace lockstep::mockgpu {

Device::Device(size_t index, const DeviceProfile& profile, DeviceHeap heap, SystemMemory& system,
               uint64_t doorbell_offset, std::unique_ptr<KernelRunner> runner, Events& events,
               Report& report, KernelNames& names, bool name_kernels, FailureSink failed)
    : index_(index),
      gpu_id_(gpu_id_of(index)),
      profile_(profile),
      heap_(std::move(heap)),
      buffers_(heap_, system, profile.vram_bytes),
      doorbell_offset_(doorbell_offset),
      map_(emu::MemoryMap::Mode::kDeclared),
      runner_(std::move(runner)),
      events_(events),
      report_(report),
      names_(names),
      name_kernels_(name_kernels),
      failed_(std::move(failed)) {}

Device::~Device() = default;

uint64_t Device::clock() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 100'000'000 + static_cast<uint64_t>(now.tv_nsec) / 10;
}

std::shared_ptr<Queue> Device::create_queue(uint32_t id, const QueueRequest& request) {
  report_.queue(index_);
  QueueOwner& owner = *this;
  return std::make_shared<Queue>(
      id, owner, [&](PacketHost& host) -> std::unique_ptr<PacketProcessor> {
        switch (request.type) {
          case KFD_IOC_QUEUE_TYPE_COMPUTE:
            return std::make_unique<Pm4Processor>(profile_.target, request.ring, map_, host);
          case KFD_IOC_QUEUE_TYPE_COMPUTE_AQL:
            return std::make_unique<AqlProcessor>(profile_.target, request.ring, map_, host);
          default:
            return std::make_unique<SdmaProcessor>(profile_.generation(), request.ring, map_, host);
        }
      });
}

emu::DispatchResult Device::run_dispatch(emu::DispatchRequest& request) {
  if (request.kernel_name.empty()) {
    request.kernel_name = names_.find(request.entry, map_, name_kernels_);
  }
  log(LogLevel::kInfo, "gpu {}: dispatch {} grid {}x{}x{} block {}x{}x{} wave{}", index_,
      request.kernel_name, request.grid[0], request.grid[1], request.grid[2], request.block[0],
      request.block[1], request.block[2], request.wave_size);
  emu::DispatchResult result = runner_->run(request);
  if (!result.ok && !name_kernels_) {  // a fault is worth the search
    result.fault.kernel = names_.find(request.entry, map_, true);
  }
  report_.dispatch(index_, request.kernel_name, result.stats);
  return result;
}

void Device::cancel_dispatches() { runner_->cancel(); }
void Device::interrupt(uint32_t context_id) { events_.interrupt(context_id); }
void Device::wave_interrupt(uint32_t value) { events_.wave_interrupt(value); }
void Device::count_copy(uint64_t bytes) { report_.copy(index_, bytes); }

void Device::queue_failed(uint32_t queue_id, const QueueFailure& failure) {
  failed_(index_, queue_id, failure);
}

}  // namespace lockstep::mockgpu
