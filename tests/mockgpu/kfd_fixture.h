// SPDX-License-Identifier: MIT
// A mock process whose ioctl handlers a test calls as the interposer does.
#pragma once
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/kfd_ioctl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "mockgpu/kfd/handlers.h"
#include "mockgpu/kfd/ioctl.h"
#include "mockgpu/topology.h"
#include "tests/mockgpu/fixture.h"

namespace lockstep::mockgpu {

using namespace std::chrono_literals;  // of tests only

class FakeRunner : public KernelRunner {
 public:
  explicit FakeRunner(const emu::DispatchResult& result) : result_(result) {}
  emu::DispatchResult run(const emu::DispatchRequest&) override { return result_; }

 private:
  const emu::DispatchResult& result_;
};

class KfdTest : public ::testing::Test {
 protected:
  void SetUp() override {
    set_log_level(LogLevel::kError);
    open({isa::Target::kGfx1100, isa::Target::kGfx1201});
  }
  void open(std::vector<isa::Target> devices) {
    Options options;
    options.devices = std::move(devices);
    auto made = Process::create(options, [this] { return std::make_unique<FakeRunner>(result); });
    ASSERT_TRUE(made) << made.error();
    process = std::move(*made);
  }
  template <class Args>
  int call(unsigned long request, Args& args) {
    return kfd_ioctl(*process, request, reinterpret_cast<uint64_t>(&args));
  }
  uint32_t gpu(size_t index = 0) const { return gpu_id_of(index); }

  // Allocates, maps into this process as a program does, and maps to the device.
  struct Buffer {
    uint8_t* host = nullptr;
    uint64_t handle = 0, size = 0;
    uint64_t address() const { return reinterpret_cast<uint64_t>(host); }
  };
  int alloc(uint64_t address, uint64_t size, uint32_t flags,
            kfd_ioctl_alloc_memory_of_gpu_args& args, size_t device = 0, uint64_t cpu = 0) {
    args = {};
    args.va_addr = address;
    args.size = size;
    args.gpu_id = gpu(device);
    args.flags = flags | KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE;
    args.mmap_offset = cpu;
    return call(AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, args);
  }
  int map_to(uint64_t handle, std::vector<uint32_t> ids, uint32_t* success = nullptr,
             bool unmap = false) {
    kfd_ioctl_map_memory_to_gpu_args args{};
    args.handle = handle;
    args.device_ids_array_ptr = reinterpret_cast<uint64_t>(ids.data());
    args.n_devices = static_cast<uint32_t>(ids.size());
    const int result =
        call(unmap ? AMDKFD_IOC_UNMAP_MEMORY_FROM_GPU : AMDKFD_IOC_MAP_MEMORY_TO_GPU, args);
    if (success) *success = args.n_success;
    return result;
  }
  Buffer buffer(uint64_t size, size_t device = 0) {
    return buffer_at(mmap(nullptr, page_round(size), PROT_NONE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0),
                     size, device);
  }
  Buffer buffer_at(void* reserved, uint64_t size, size_t device) {
    kfd_ioctl_alloc_memory_of_gpu_args args;
    EXPECT_EQ(alloc(reinterpret_cast<uint64_t>(reserved), size, KFD_IOC_ALLOC_MEM_FLAGS_VRAM, args,
                    device),
              0);
    void* mapped =
        mmap(reserved, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
             process->devices()[device]->heap().fd(), static_cast<off_t>(args.mmap_offset));
    EXPECT_EQ(mapped, reserved);
    EXPECT_EQ(map_to(args.handle, {gpu(device)}), 0);
    return {static_cast<uint8_t*>(mapped), args.handle, size};
  }
  struct RunningQueue {
    Buffer ring, pointers;
    kfd_ioctl_create_queue_args args{};
    uint64_t put = 0;
  };
  kfd_ioctl_create_queue_args queue_args(const Buffer& ring, const Buffer& pointers, uint32_t type,
                                         size_t device = 0) {
    kfd_ioctl_create_queue_args args{};
    args.ring_base_address = ring.address();
    args.ring_size = static_cast<uint32_t>(ring.size);
    args.read_pointer_address = pointers.address() + 0x80;
    args.write_pointer_address = pointers.address() + 0x38;
    args.gpu_id = gpu(device);
    args.queue_type = type;
    args.queue_percentage = 100;
    args.queue_priority = 7;
    return args;
  }
  RunningQueue queue(uint32_t type, size_t device = 0) {
    RunningQueue q{buffer(0x1000, device), buffer(0x100, device)};
    q.args = queue_args(q.ring, q.pointers, type, device);
    EXPECT_EQ(call(AMDKFD_IOC_CREATE_QUEUE, q.args), 0);
    return q;
  }
  void submit(RunningQueue& q, const std::vector<uint32_t>& words, uint32_t unit) {
    auto* ring = reinterpret_cast<uint32_t*>(q.ring.host);
    for (const uint32_t word : words) ring[q.put++ % (q.ring.size / 4)] = word;
    std::atomic_ref(*reinterpret_cast<uint64_t*>(q.pointers.host + 0x38)).store(q.put * 4 / unit);
  }
  uint32_t event(uint32_t type, bool auto_reset = false) {
    kfd_ioctl_create_event_args args{};
    args.event_type = type;
    args.auto_reset = auto_reset;
    EXPECT_EQ(call(AMDKFD_IOC_CREATE_EVENT, args), 0);
    return args.event_id;
  }
  int wait(std::vector<kfd_event_data>& events, bool all, uint32_t timeout, uint32_t& result) {
    kfd_ioctl_wait_events_args args{};
    args.events_ptr = reinterpret_cast<uint64_t>(events.data());
    args.num_events = static_cast<uint32_t>(events.size());
    args.wait_for_all = all;
    args.timeout = timeout;
    const int code = call(AMDKFD_IOC_WAIT_EVENTS, args);
    result = args.wait_result;
    return code;
  }
  static kfd_event_data entry(uint32_t id) {
    kfd_event_data data{};
    data.event_id = id;
    return data;
  }

  emu::DispatchResult result;
  std::unique_ptr<Process> process;
};

}  // namespace lockstep::mockgpu
