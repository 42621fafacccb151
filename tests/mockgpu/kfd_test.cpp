// SPDX-License-Identifier: MIT
// The ioctl handlers, called as the interposer calls them, with good and with bad arguments.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/kfd_ioctl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <thread>

#include "mockgpu/kfd/handlers.h"
#include "mockgpu/kfd/ioctl.h"
#include "mockgpu/topology.h"
#include "tests/mockgpu/fixture.h"

namespace lockstep::mockgpu {
namespace {

using namespace std::chrono_literals;

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
    void* reserved = mmap(nullptr, page_round(size), PROT_NONE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
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

TEST_F(KfdTest, VersionAndSizesOfArguments) {
  kfd_ioctl_get_version_args args{};
  EXPECT_EQ(call(AMDKFD_IOC_GET_VERSION, args), 0);
  EXPECT_EQ(args.major_version, 1u);
  EXPECT_EQ(args.minor_version, kfd::kVersionMinor);
  // A program with a shorter structure gets only its part; a longer one is filled as far as known.
  uint32_t small[2] = {0, 0x5555};
  EXPECT_EQ(call(_IOR('K', 1, uint32_t), small), 0);
  EXPECT_EQ(small[0], 1u);
  EXPECT_EQ(small[1], 0x5555u);
}

TEST_F(KfdTest, UnknownAndUnsupportedIoctls) {
  uint64_t args[64] = {};
  EXPECT_EQ(call(_IOWR('K', 0x7f, uint64_t), args), -ENOTTY);
  EXPECT_EQ(call(_IOWR('d', 0x01, uint64_t), args), -ENOTTY);
  EXPECT_EQ(call(AMDKFD_IOC_SVM, args), -EINVAL);
  EXPECT_EQ(call(AMDKFD_IOC_SMI_EVENTS, args), -EINVAL);
}

TEST_F(KfdTest, BadArgumentPointersAreFaults) {
  for (uint32_t number = 1; number <= 0x26; ++number) {
    for (const uint64_t pointer : {uint64_t{0}, uint64_t{0x10}, ~uint64_t{0} - 7}) {
      const int code = kfd_ioctl(*process, _IOC(_IOC_READ | _IOC_WRITE, 'K', number, 64), pointer);
      EXPECT_TRUE(code == -EFAULT || code == -EINVAL) << number << ": " << code;
    }
  }
}

TEST_F(KfdTest, AcquireVmChecksTheRenderNode) {
  kfd_ioctl_acquire_vm_args args{};
  args.drm_fd = static_cast<uint32_t>(process->devices()[0]->heap().fd());
  args.gpu_id = gpu(0);
  EXPECT_EQ(call(AMDKFD_IOC_ACQUIRE_VM, args), 0);
  const int duplicate = dup(static_cast<int>(args.drm_fd));
  args.drm_fd = static_cast<uint32_t>(duplicate);
  EXPECT_EQ(call(AMDKFD_IOC_ACQUIRE_VM, args), 0) << "a duplicate is the same file";
  args.gpu_id = gpu(1);
  EXPECT_EQ(call(AMDKFD_IOC_ACQUIRE_VM, args), -EINVAL);
  args.gpu_id = 0x999;
  EXPECT_EQ(call(AMDKFD_IOC_ACQUIRE_VM, args), -EINVAL);
  args.gpu_id = gpu(0);
  args.drm_fd = 0;
  EXPECT_EQ(call(AMDKFD_IOC_ACQUIRE_VM, args), -EINVAL);
  close(duplicate);
}

TEST_F(KfdTest, AllocationErrors) {
  kfd_ioctl_alloc_memory_of_gpu_args args;
  const uint64_t va = 0x7000'0000'0000;
  EXPECT_EQ(alloc(va, 0, KFD_IOC_ALLOC_MEM_FLAGS_VRAM, args), -EINVAL);
  EXPECT_EQ(alloc(va + 8, 64, KFD_IOC_ALLOC_MEM_FLAGS_VRAM, args), -EINVAL);
  EXPECT_EQ(alloc(va, 64, 0, args), -EINVAL) << "no domain";
  EXPECT_EQ(alloc(va, 64, KFD_IOC_ALLOC_MEM_FLAGS_VRAM | KFD_IOC_ALLOC_MEM_FLAGS_GTT, args),
            -EINVAL);
  EXPECT_EQ(alloc(va, 64, KFD_IOC_ALLOC_MEM_FLAGS_VRAM, args, 5), -EINVAL) << "no such gpu";
  EXPECT_EQ(alloc(va, ~0ull - 4096, KFD_IOC_ALLOC_MEM_FLAGS_VRAM, args), -EINVAL);
  EXPECT_EQ(alloc(va, 64, KFD_IOC_ALLOC_MEM_FLAGS_USERPTR, args), -EINVAL) << "no CPU address";
  EXPECT_EQ(alloc(va, 64, KFD_IOC_ALLOC_MEM_FLAGS_USERPTR, args, 0, 0x10), -EFAULT);
  EXPECT_EQ(alloc(va, 64, KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL, args), -EINVAL);
  EXPECT_EQ(alloc(va, 64, KFD_IOC_ALLOC_MEM_FLAGS_MMIO_REMAP, args), -EINVAL);
}

TEST_F(KfdTest, VramIsCounted) {
  const uint64_t total = process->devices()[0]->profile().vram_bytes;
  kfd_ioctl_alloc_memory_of_gpu_args first, second;
  EXPECT_EQ(alloc(0x7000'0000'0000, total - 4096, KFD_IOC_ALLOC_MEM_FLAGS_VRAM, first), 0);
  EXPECT_EQ(alloc(0x7100'0000'0000, 4097, KFD_IOC_ALLOC_MEM_FLAGS_VRAM, second), -ENOMEM);
  kfd_ioctl_get_available_memory_args available{};
  available.gpu_id = gpu();
  EXPECT_EQ(call(AMDKFD_IOC_AVAILABLE_MEMORY, available), 0);
  EXPECT_EQ(available.available, 4096u);
  EXPECT_EQ(alloc(0x7100'0000'0000, 1, KFD_IOC_ALLOC_MEM_FLAGS_VRAM, second), 0);
  kfd_ioctl_free_memory_of_gpu_args free_args{first.handle};
  EXPECT_EQ(call(AMDKFD_IOC_FREE_MEMORY_OF_GPU, free_args), 0);
  EXPECT_EQ(call(AMDKFD_IOC_FREE_MEMORY_OF_GPU, free_args), -EINVAL) << "freed already";
  EXPECT_EQ(call(AMDKFD_IOC_AVAILABLE_MEMORY, available), 0);
  EXPECT_EQ(available.available, total - 4096);
}

TEST_F(KfdTest, MappingLifeCycle) {
  const Buffer b = buffer(100);
  memcpy(b.host, "hello", 6);
  GuestMemory memory(process->devices()[0]->map());
  char text[6];
  ASSERT_TRUE(memory.read(b.address(), text, 6));
  EXPECT_STREQ(text, "hello");
  uint8_t byte;
  EXPECT_TRUE(memory.read(b.address() + 127, &byte, 1)) << "ends are rounded to 64 bytes";
  EXPECT_FALSE(memory.read(b.address() + 128, &byte, 1));
  EXPECT_FALSE(GuestMemory(process->devices()[1]->map()).read(b.address(), &byte, 1));

  uint32_t success = 0;
  EXPECT_EQ(map_to(b.handle, {gpu(0), gpu(1)}, &success), 0);
  EXPECT_EQ(success, 2u);
  EXPECT_TRUE(GuestMemory(process->devices()[1]->map()).read(b.address(), &byte, 1));
  EXPECT_EQ(map_to(b.handle, {gpu(0), 0x999}, &success), -EINVAL);
  EXPECT_EQ(success, 1u);
  EXPECT_EQ(map_to(b.handle, {}), -EINVAL);
  EXPECT_EQ(map_to(b.handle + 1, {gpu(0)}), -EINVAL);

  kfd_ioctl_free_memory_of_gpu_args free_args{b.handle};
  EXPECT_EQ(call(AMDKFD_IOC_FREE_MEMORY_OF_GPU, free_args), -EBUSY) << "still mapped";
  EXPECT_EQ(map_to(b.handle, {gpu(0), gpu(1)}, &success, true), 0);
  EXPECT_EQ(success, 2u);
  EXPECT_EQ(call(AMDKFD_IOC_FREE_MEMORY_OF_GPU, free_args), 0);
  EXPECT_FALSE(GuestMemory(process->devices()[0]->map()).read(b.address(), &byte, 1));
}

TEST_F(KfdTest, DeviceSideSurvivesAnEarlyUnmap) {
  const Buffer b = buffer(4096);
  b.host[5] = 42;
  munmap(b.host, b.size);
  uint8_t byte = 0;
  EXPECT_TRUE(GuestMemory(process->devices()[0]->map()).read(b.address() + 5, &byte, 1));
  EXPECT_EQ(byte, 42);
}

TEST_F(KfdTest, FreedMemoryComesBackZeroed) {
  const Buffer b = buffer(4096);
  b.host[0] = 1;
  EXPECT_EQ(map_to(b.handle, {gpu(0)}, nullptr, true), 0);
  munmap(b.host, b.size);
  kfd_ioctl_free_memory_of_gpu_args free_args{b.handle};
  EXPECT_EQ(call(AMDKFD_IOC_FREE_MEMORY_OF_GPU, free_args), 0);
  const Buffer next = buffer(4096);
  EXPECT_EQ(next.host[0], 0);
}

TEST_F(KfdTest, UserPointersTranslate) {
  static int value = 77;
  const uint64_t va = 0x7000'0000'0ad0;
  kfd_ioctl_alloc_memory_of_gpu_args args;
  ASSERT_EQ(alloc(va, sizeof value, KFD_IOC_ALLOC_MEM_FLAGS_USERPTR, args, 0,
                  reinterpret_cast<uint64_t>(&value)),
            0);
  ASSERT_EQ(map_to(args.handle, {gpu(0)}), 0);
  int seen = 0;
  EXPECT_TRUE(GuestMemory(process->devices()[0]->map()).read(va, &seen, sizeof seen));
  EXPECT_EQ(seen, 77);
}

TEST_F(KfdTest, OverlapIsRefused) {
  const Buffer b = buffer(8192);
  kfd_ioctl_alloc_memory_of_gpu_args args;
  ASSERT_EQ(alloc(b.address() + 4096, 4096, KFD_IOC_ALLOC_MEM_FLAGS_VRAM, args), 0);
  EXPECT_EQ(map_to(args.handle, {gpu(0)}), -EINVAL);
}

TEST_F(KfdTest, QueueErrors) {
  const Buffer ring = buffer(0x1000), pointers = buffer(0x100);
  const auto good = queue_args(ring, pointers, KFD_IOC_QUEUE_TYPE_COMPUTE);
  const auto expect = [&](int code, auto change) {
    auto args = good;
    change(args);
    EXPECT_EQ(call(AMDKFD_IOC_CREATE_QUEUE, args), code);
  };
  expect(-EINVAL, [](auto& a) { a.gpu_id = 1; });
  expect(-EINVAL, [](auto& a) { a.ring_size = 0; });
  expect(-EINVAL, [](auto& a) { a.ring_size = 3000; });
  expect(-EINVAL, [](auto& a) { a.ring_size = 512; });
  expect(-EINVAL, [](auto& a) { a.queue_type = 17; });
  expect(-EINVAL, [](auto& a) { a.queue_percentage = 101; });
  expect(-EINVAL, [](auto& a) { a.queue_priority = 16; });
  expect(-EFAULT, [](auto& a) { a.ring_base_address = 0x1000; });
  expect(-EFAULT, [](auto& a) { a.ring_size = 0x100000; });
  expect(-EFAULT, [](auto& a) { a.read_pointer_address = 0; });
  expect(-EFAULT, [](auto& a) { a.write_pointer_address = 8; });
  kfd_ioctl_destroy_queue_args destroy{};
  EXPECT_EQ(call(AMDKFD_IOC_DESTROY_QUEUE, destroy), -EINVAL);
}

TEST_F(KfdTest, QueueUpdatesAndTheirErrors) {
  RunningQueue q = queue(KFD_IOC_QUEUE_TYPE_COMPUTE);
  kfd_ioctl_update_queue_args update{};
  update.queue_id = q.args.queue_id;
  update.ring_base_address = q.args.ring_base_address;
  update.ring_size = q.args.ring_size;
  kfd_ioctl_get_queue_wave_state_args state{};
  state.queue_id = q.args.queue_id;
  state.ctl_stack_address = q.pointers.address();
  EXPECT_EQ(call(AMDKFD_IOC_GET_QUEUE_WAVE_STATE, state), -EINVAL) << "the queue is active";
  EXPECT_EQ(call(AMDKFD_IOC_UPDATE_QUEUE, update), 0) << "0 % pauses it";
  EXPECT_EQ(call(AMDKFD_IOC_GET_QUEUE_WAVE_STATE, state), 0);
  update.queue_percentage = 101;
  EXPECT_EQ(call(AMDKFD_IOC_UPDATE_QUEUE, update), -EINVAL);
  update.queue_percentage = 100;
  EXPECT_EQ(call(AMDKFD_IOC_UPDATE_QUEUE, update), 0);
  update.queue_id = 999;
  EXPECT_EQ(call(AMDKFD_IOC_UPDATE_QUEUE, update), -EFAULT);

  const uint32_t words[2] = {~0u, ~0u};
  kfd_ioctl_set_cu_mask_args mask{};
  mask.queue_id = q.args.queue_id;
  mask.cu_mask_ptr = reinterpret_cast<uint64_t>(words);
  EXPECT_EQ(call(AMDKFD_IOC_SET_CU_MASK, mask), -EINVAL);
  mask.num_cu_mask = 64;
  EXPECT_EQ(call(AMDKFD_IOC_SET_CU_MASK, mask), 0);
  mask.cu_mask_ptr = 16;
  EXPECT_EQ(call(AMDKFD_IOC_SET_CU_MASK, mask), -EFAULT);
}

TEST_F(KfdTest, WaveSyncBelongsToOneQueueOfADevice) {
  RunningQueue first = queue(KFD_IOC_QUEUE_TYPE_COMPUTE),
               second = queue(KFD_IOC_QUEUE_TYPE_COMPUTE);
  RunningQueue without = queue(KFD_IOC_QUEUE_TYPE_COMPUTE, 1);  // gfx12 has no such unit
  const auto grant = [&](uint32_t id, uint32_t count) {
    kfd_ioctl_alloc_queue_gws_args args{};
    args.queue_id = id;
    args.num_gws = count;
    return call(AMDKFD_IOC_ALLOC_QUEUE_GWS, args);
  };
  EXPECT_EQ(grant(first.args.queue_id, 0), -EINVAL);
  EXPECT_EQ(grant(first.args.queue_id, 1), 0);
  EXPECT_EQ(grant(second.args.queue_id, 1), -EBUSY);
  EXPECT_EQ(grant(first.args.queue_id, 0), 0);
  EXPECT_EQ(grant(second.args.queue_id, 1), 0);
  EXPECT_EQ(grant(without.args.queue_id, 1), -ENODEV);
  EXPECT_EQ(grant(999, 1), -EINVAL);
}

TEST_F(KfdTest, EveryWaiterOfAnEventIsLetGo) {
  const uint32_t id = event(KFD_IOC_EVENT_SIGNAL, true);
  uint32_t results[2] = {9, 9};
  std::vector<std::thread> waiters;
  for (uint32_t& result : results) {
    waiters.emplace_back([&result, id, this] {
      std::vector events{entry(id)};
      process->events().wait(events, false, 20000, result);
    });
  }
  std::this_thread::sleep_for(100ms);
  process->events().set(id);
  for (std::thread& waiter : waiters) waiter.join();
  EXPECT_EQ(results[0], uint32_t{KFD_IOC_WAIT_RESULT_COMPLETE});
  EXPECT_EQ(results[1], uint32_t{KFD_IOC_WAIT_RESULT_COMPLETE});
}

TEST_F(KfdTest, WavesNameAnEventByItsLowBits) {
  uint32_t ids[300];
  for (uint32_t& id : ids) id = event(KFD_IOC_EVENT_SIGNAL, true);
  const auto is_set = [&](uint32_t id) {
    uint32_t result = 9;
    std::vector events{entry(id)};
    process->events().wait(events, false, 0, result);
    return result == KFD_IOC_WAIT_RESULT_COMPLETE;
  };
  const uint32_t late = ids[290];
  process->events().wave_interrupt(late & 0xff);
  EXPECT_TRUE(is_set(late));
  EXPECT_FALSE(is_set(ids[100]));
}

TEST_F(KfdTest, QueueIdsAreReusedAndDoorbellsDistinct) {
  RunningQueue a = queue(KFD_IOC_QUEUE_TYPE_COMPUTE), b = queue(KFD_IOC_QUEUE_TYPE_SDMA);
  EXPECT_NE(a.args.queue_id, b.args.queue_id);
  EXPECT_NE(a.args.doorbell_offset, b.args.doorbell_offset);
  EXPECT_EQ(a.args.doorbell_offset & ~0x1fffull, b.args.doorbell_offset & ~0x1fffull);
  void* page = mmap(nullptr, 0x2000, PROT_READ | PROT_WRITE, MAP_SHARED, process->control().fd(),
                    static_cast<off_t>(a.args.doorbell_offset & ~0x1fffull));
  EXPECT_NE(page, MAP_FAILED);
  munmap(page, 0x2000);
  kfd_ioctl_destroy_queue_args destroy{};
  destroy.queue_id = a.args.queue_id;
  EXPECT_EQ(call(AMDKFD_IOC_DESTROY_QUEUE, destroy), 0);
  EXPECT_EQ(queue(KFD_IOC_QUEUE_TYPE_COMPUTE).args.queue_id, a.args.queue_id);
}

TEST_F(KfdTest, CopyOnOneDeviceAndInterruptEvent) {
  RunningQueue q = queue(KFD_IOC_QUEUE_TYPE_SDMA, 1);
  const Buffer from = buffer(64, 1), to = buffer(64, 1);
  memset(from.host, 0x5a, 64);
  const uint32_t id = event(KFD_IOC_EVENT_SIGNAL, true);
  using testing::high, testing::low;
  submit(q,
         {1, 63, 0, low(from.address()), high(from.address()), low(to.address()),
          high(to.address()), 6, id},
         1);
  std::vector events{entry(id)};
  uint32_t outcome = 99;
  EXPECT_EQ(wait(events, false, 5000, outcome), 0);
  EXPECT_EQ(outcome, static_cast<uint32_t>(KFD_IOC_WAIT_RESULT_COMPLETE));
  EXPECT_EQ(to.host[63], 0x5a);
  EXPECT_EQ(wait(events, false, 0, outcome), 0);
  EXPECT_EQ(outcome, static_cast<uint32_t>(KFD_IOC_WAIT_RESULT_TIMEOUT)) << "it resets itself";
}

TEST_F(KfdTest, KernelFaultReachesTheMemoryEvent) {
  result.ok = false;
  result.fault.kind = emu::FaultKind::kMemoryWrite;
  result.fault.address = 0xabcdef000;
  RunningQueue q = queue(KFD_IOC_QUEUE_TYPE_COMPUTE);
  const Buffer signal = buffer(64);
  std::vector events{entry(event(KFD_IOC_EVENT_SIGNAL, true)), entry(event(KFD_IOC_EVENT_MEMORY)),
                     entry(event(KFD_IOC_EVENT_HW_EXCEPTION))};
  using testing::high, testing::join, testing::low, testing::pm4;
  submit(q,
         join({pm4(0x76, {0x207, 32, 1, 1}), pm4(0x15, {1, 1, 1, 0x8005}),
               pm4(0x49, {0x514, 1u << 29 | 2u << 24, low(signal.address()), high(signal.address()),
                          1, 0, events[0].event_id})}),
         4);
  uint32_t outcome = 99;
  EXPECT_EQ(wait(events, false, 5000, outcome), 0);
  EXPECT_EQ(outcome, static_cast<uint32_t>(KFD_IOC_WAIT_RESULT_COMPLETE));
  EXPECT_EQ(events[1].memory_exception_data.gpu_id, gpu(0));
  EXPECT_EQ(events[1].memory_exception_data.va, 0xabcdef000u);
  EXPECT_EQ(events[1].memory_exception_data.failure.NotPresent, 1u);
  EXPECT_EQ(events[2].hw_exception_data.gpu_id, 0u);
  EXPECT_EQ(signal.host[0], 0) << "completion after a failure";
  EXPECT_EQ(process->report().fault_count(), 1u);
}

TEST_F(KfdTest, IllegalInstructionReachesTheHardwareEvent) {
  result.ok = false;
  result.fault.kind = emu::FaultKind::kIllegalInstruction;
  RunningQueue q = queue(KFD_IOC_QUEUE_TYPE_COMPUTE);
  std::vector events{entry(event(KFD_IOC_EVENT_MEMORY)), entry(event(KFD_IOC_EVENT_HW_EXCEPTION))};
  using testing::join, testing::pm4;
  submit(q, join({pm4(0x76, {0x207, 32, 1, 1}), pm4(0x15, {1, 1, 1, 0x8005})}), 4);
  uint32_t outcome = 99;
  EXPECT_EQ(wait(events, false, 5000, outcome), 0);
  EXPECT_EQ(events[1].hw_exception_data.gpu_id, gpu(0));
  EXPECT_EQ(events[0].memory_exception_data.gpu_id, 0u);
}

TEST_F(KfdTest, Events) {
  std::vector events{entry(event(KFD_IOC_EVENT_SIGNAL)), entry(event(KFD_IOC_EVENT_SIGNAL))};
  EXPECT_NE(events[0].event_id, events[1].event_id);
  uint32_t outcome = 99;
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(wait(events, false, 50, outcome), 0);
  EXPECT_EQ(outcome, static_cast<uint32_t>(KFD_IOC_WAIT_RESULT_TIMEOUT));
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 50ms);

  kfd_ioctl_set_event_args set{events[0].event_id, 0};
  EXPECT_EQ(call(AMDKFD_IOC_SET_EVENT, set), 0);
  EXPECT_EQ(wait(events, false, 0, outcome), 0);
  EXPECT_EQ(outcome, static_cast<uint32_t>(KFD_IOC_WAIT_RESULT_COMPLETE));
  EXPECT_EQ(wait(events, true, 0, outcome), 0);
  EXPECT_EQ(outcome, static_cast<uint32_t>(KFD_IOC_WAIT_RESULT_TIMEOUT)) << "all means both";
  std::thread later([&] {
    std::this_thread::sleep_for(20ms);
    kfd_ioctl_set_event_args other{events[1].event_id, 0};
    EXPECT_EQ(call(AMDKFD_IOC_SET_EVENT, other), 0);
  });
  EXPECT_EQ(wait(events, true, 0xffffffff, outcome), 0);
  EXPECT_EQ(outcome, static_cast<uint32_t>(KFD_IOC_WAIT_RESULT_COMPLETE));
  later.join();

  kfd_ioctl_reset_event_args reset{events[0].event_id, 0};
  EXPECT_EQ(call(AMDKFD_IOC_RESET_EVENT, reset), 0);
  kfd_ioctl_destroy_event_args destroy{events[0].event_id, 0};
  EXPECT_EQ(call(AMDKFD_IOC_DESTROY_EVENT, destroy), 0);
  EXPECT_EQ(call(AMDKFD_IOC_DESTROY_EVENT, destroy), -EINVAL);
  EXPECT_EQ(call(AMDKFD_IOC_SET_EVENT, set), -EINVAL);
  EXPECT_EQ(wait(events, false, 0, outcome), -EINVAL);
  kfd_ioctl_create_event_args bad{};
  bad.event_type = 99;
  EXPECT_EQ(call(AMDKFD_IOC_CREATE_EVENT, bad), -EINVAL);
}

TEST_F(KfdTest, SignalEventsRunOutWithAnError) {
  kfd_ioctl_create_event_args args{};
  int created = 0, code = 0;
  while ((code = call(AMDKFD_IOC_CREATE_EVENT, args)) == 0 && created < 5000) ++created;
  EXPECT_EQ(code, -ENOSPC);
  EXPECT_EQ(created, KFD_SIGNAL_EVENT_LIMIT - 1);
}

TEST_F(KfdTest, Apertures) {
  kfd_ioctl_get_process_apertures_new_args args{};
  EXPECT_EQ(call(AMDKFD_IOC_GET_PROCESS_APERTURES_NEW, args), 0);
  EXPECT_EQ(args.num_of_nodes, 2u);
  std::vector<kfd_process_device_apertures> list(4);
  args.num_of_nodes = 4;
  args.kfd_process_device_apertures_ptr = reinterpret_cast<uint64_t>(list.data());
  EXPECT_EQ(call(AMDKFD_IOC_GET_PROCESS_APERTURES_NEW, args), 0);
  EXPECT_EQ(args.num_of_nodes, 2u);
  EXPECT_EQ(list[1].gpu_id, gpu(1));
  EXPECT_GE(list[0].gpuvm_limit, (1ull << 47) - 1);
  args.num_of_nodes = 4;
  args.kfd_process_device_apertures_ptr = 0x10;
  EXPECT_EQ(call(AMDKFD_IOC_GET_PROCESS_APERTURES_NEW, args), -EFAULT);
}

}  // namespace
}  // namespace lockstep::mockgpu
