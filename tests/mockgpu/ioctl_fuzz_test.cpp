// SPDX-License-Identifier: MIT
// Every ioctl with bad sizes, pointers, handles and counts, in long seeded runs over one process:
// each call comes back with an errno of the driver, and what is sound keeps working in between.
// LOCKSTEP_LONG=1 runs many more calls.
#include <gtest/gtest.h>
#include <libdrm/amdgpu_drm.h>

#include <algorithm>
#include <cstdlib>
#include <random>

#include "tests/mockgpu/kfd_fixture.h"

namespace lockstep::mockgpu {
namespace {

constexpr size_t kMostBytes = 512;
constexpr uint32_t kWaitEvents = _IOC_NR(AMDKFD_IOC_WAIT_EVENTS);

class IoctlFuzz : public KfdTest {
 protected:
  void SetUp() override {
    KfdTest::SetUp();
    void* pages =
        mmap(nullptr, 0x10000, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(pages, MAP_FAILED);
    host_ = static_cast<uint8_t*>(pages);
    void* read_only = mmap(nullptr, 0x1000, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(read_only, MAP_FAILED);
    read_only_ = reinterpret_cast<uint64_t>(read_only);
    void* apart =
        mmap(nullptr, kApart, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    ASSERT_NE(apart, MAP_FAILED);
    apart_ = static_cast<uint8_t*>(apart);
    begin();
  }
  /// A new program; what is known of the last one is forgotten.
  void begin() {
    process.reset();
    open({isa::Target::kGfx1100, isa::Target::kGfx1201});
    for (const Buffer& b : buffers_) munmap(b.host, b.size);
    for (auto* list : {&addresses_, &handles_, &numbers_}) list->clear();
    buffers_ = {buffer(0x10000, 0), buffer(0x10000, 1)};
    for (const Buffer& b : buffers_) {
      addresses_.insert(addresses_.end(), {b.address(), b.address() + 0x80, b.address() + 0xfffc});
      handles_.push_back(b.handle);
    }
    const auto host = reinterpret_cast<uint64_t>(host_);
    addresses_.insert(addresses_.end(), {host, host + 0xfff0, host + 0xffff, host + 4, read_only_});
  }
  void TearDown() override {
    munmap(host_, 0x10000);
    munmap(apart_, kApart);
    munmap(reinterpret_cast<void*>(read_only_), 0x1000);
  }

  uint32_t pick(uint32_t n) { return static_cast<uint32_t>(random_() % n); }
  template <class T>
  T one_of(const std::vector<T>& list) {
    return list[pick(static_cast<uint32_t>(list.size()))];
  }

  /// A word as some argument could want it, or as none could.
  uint64_t word() {
    static const std::vector<uint64_t> kOdd = {0,
                                               1,
                                               2,
                                               7,
                                               8,
                                               64,
                                               100,
                                               255,
                                               256,
                                               4095,
                                               4096,
                                               0x10000,
                                               0x7fffffff,
                                               0x80000000,
                                               0xffffffff,
                                               0x100000000,
                                               0x7fffffffffff,
                                               0x800000000000,
                                               0xffff800000000000,
                                               ~uint64_t{0}};
    switch (pick(8)) {
      case 0:
        return one_of(addresses_);
      case 1:
        return one_of(handles_);
      case 2:
        return gpu(pick(2));
      case 3:
        return numbers_.empty() ? 1 : one_of(numbers_);
      case 4:
        return random_();
      case 5:
        return uint64_t{1} << pick(64);
      default:
        return one_of(kOdd);
    }
  }

  void fill(uint8_t* bytes) {
    for (size_t at = 0; at < kMostBytes; at += 8) {
      const uint64_t low = word(), high = word();
      const uint64_t value = pick(2) ? low : (low & 0xffffffff) | high << 32;
      std::memcpy(bytes + at, &value, sizeof value);
    }
  }

  /// Arguments that pass the first checks of the call, with some words spoilt.
  void make_plausible(uint32_t number, uint8_t* bytes) {
    const auto put = [&](const auto& args) { std::memcpy(bytes, &args, sizeof args); };
    switch (number) {
      case _IOC_NR(AMDKFD_IOC_ALLOC_MEMORY_OF_GPU): {
        kfd_ioctl_alloc_memory_of_gpu_args args{};
        args.va_addr = one_of(addresses_) & ~uint64_t{0xfff};
        args.size = uint64_t{1 + pick(64)} << 12;
        args.gpu_id = gpu(pick(2));
        args.flags = (1u << pick(6)) | KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE;
        args.mmap_offset = one_of(addresses_);
        return put(args);
      }
      case _IOC_NR(AMDKFD_IOC_CREATE_QUEUE): {
        kfd_ioctl_create_queue_args args{};
        args.ring_base_address = addresses_[0];
        args.ring_size = 0x1000;
        args.read_pointer_address = addresses_[1] + 0x8000;
        args.write_pointer_address = addresses_[1] + 0x8008;
        args.gpu_id = gpu(0);
        args.queue_type = pick(4);
        args.queue_percentage = 100;
        return put(args);
      }
      case _IOC_NR(AMDKFD_IOC_MAP_MEMORY_TO_GPU):
      case _IOC_NR(AMDKFD_IOC_UNMAP_MEMORY_FROM_GPU): {
        kfd_ioctl_map_memory_to_gpu_args args{};
        args.handle = one_of(handles_);
        args.device_ids_array_ptr = reinterpret_cast<uint64_t>(host_ + 0x1000);
        args.n_devices = 1 + pick(3);
        return put(args);
      }
      case kWaitEvents: {
        kfd_ioctl_wait_events_args args{};
        args.events_ptr = reinterpret_cast<uint64_t>(host_ + 0x2000);
        args.num_events = pick(5);
        return put(args);
      }
      case _IOC_NR(AMDKFD_IOC_FREE_MEMORY_OF_GPU): {
        kfd_ioctl_free_memory_of_gpu_args args{};
        // The first two hold the addresses that calls are made of.
        args.handle = handles_[std::min<size_t>(2 + pick(62), handles_.size() - 1)];
        return put(args);
      }
      case _IOC_NR(AMDKFD_IOC_SET_CU_MASK): {
        kfd_ioctl_set_cu_mask_args args{};
        args.queue_id = pick(8);
        args.num_cu_mask = 32 * (1 + pick(4));
        args.cu_mask_ptr = reinterpret_cast<uint64_t>(host_ + 0x1000);
        return put(args);
      }
      case _IOC_NR(AMDKFD_IOC_UPDATE_QUEUE): {
        kfd_ioctl_update_queue_args args{};
        args.queue_id = pick(8);
        args.ring_base_address = addresses_[0];
        args.ring_size = 0x1000;
        args.queue_percentage = pick(2) * 100;
        return put(args);
      }
      case _IOC_NR(AMDKFD_IOC_GET_QUEUE_WAVE_STATE): {
        kfd_ioctl_get_queue_wave_state_args args{};
        args.queue_id = pick(8);
        args.ctl_stack_address = reinterpret_cast<uint64_t>(host_);
        return put(args);
      }
      case _IOC_NR(AMDKFD_IOC_DESTROY_QUEUE): {
        kfd_ioctl_destroy_queue_args args{};
        args.queue_id = pick(8);
        return put(args);
      }
      default:
        return;
    }
  }

  unsigned long request_of(uint32_t number) {
    unsigned size = kSizes[number % std::size(kSizes)];
    if (number == _IOC_NR(AMDKFD_IOC_ALLOC_MEMORY_OF_GPU) || pick(2)) size = pick(kMostBytes);
    if (pick(4) != 0) size = 32 + 8 * pick(8);
    const unsigned direction = pick(8) ? _IOC_READ | _IOC_WRITE : pick(4);
    return _IOC(direction, AMDKFD_IOCTL_BASE, number, size);
  }

  void call_once() {
    const uint32_t number = pick(16) ? 1 + pick(0x27) : pick(256);
    alignas(8) uint8_t bytes[kMostBytes] = {};
    fill(bytes);
    if (pick(3)) {
      make_plausible(number, bytes);
      for (uint32_t i = pick(3); i > 0; --i) {
        const uint64_t spoilt = word();
        std::memcpy(bytes + pick(16) * 4, &spoilt, 4);
      }
    }
    if (number == _IOC_NR(AMDKFD_IOC_ALLOC_MEMORY_OF_GPU)) {
      // What succeeds must not cover the addresses that sound programs will get.
      constexpr uint64_t kLargest = 1 << 20, kNever = uint64_t{1} << 47;
      auto* args = reinterpret_cast<kfd_ioctl_alloc_memory_of_gpu_args*>(bytes);
      if (args->size < kNever) args->size %= kLargest;
    }
    fill(host_ + 0x1000);
    fill(host_ + 0x2000);
    for (const size_t device : {0, 1}) {
      const uint32_t id = gpu(device);
      std::memcpy(host_ + 0x1000 + 4 * device, &id, sizeof id);
    }
    if (number == kWaitEvents)
      reinterpret_cast<kfd_ioctl_wait_events_args*>(bytes)->timeout = pick(2);
    const unsigned long request = request_of(number);
    const uint64_t argument = pick(10) ? reinterpret_cast<uint64_t>(bytes) : word();
    // A bad pointer may hold an endless timeout of its own.
    if (number == kWaitEvents && argument != reinterpret_cast<uint64_t>(bytes)) return;
    const int next_fd = dup(STDIN_FILENO);
    close(next_fd);
    const int code = kfd_ioctl(*process, request, argument);
    constexpr uint32_t kExportDmabuf = 0x24;
    const bool opens = number == _IOC_NR(AMDKFD_IOC_SMI_EVENTS) || number == kExportDmabuf;
    if (code == 0 && opens) close(next_fd);  // it got that one
    ++outcomes_[-code];
    static const std::vector<int> kAllowed = {0,      EPERM, ENOENT, EINTR,  ENOMEM,
                                              EFAULT, EBUSY, ENODEV, EINVAL, ENOTTY,
                                              ENOSPC, ETIME, EAGAIN, EACCES, EBADF};
    ASSERT_TRUE(std::find(kAllowed.begin(), kAllowed.end(), -code) != kAllowed.end())
        << "call " << calls_ << ", ioctl " << number << ": " << code;
    if (code != 0) return;
    // What a call gave is what the next ones try.
    uint64_t handle = 0;
    uint32_t id = 0;
    std::memcpy(&handle, bytes + offsetof(kfd_ioctl_alloc_memory_of_gpu_args, handle),
                sizeof handle);
    std::memcpy(&id, bytes + 4 * pick(16), sizeof id);
    if (number == _IOC_NR(AMDKFD_IOC_ALLOC_MEMORY_OF_GPU)) remember(handles_, handle);
    if (number == _IOC_NR(AMDKFD_IOC_CREATE_QUEUE) || number == _IOC_NR(AMDKFD_IOC_CREATE_EVENT))
      remember(numbers_, uint64_t{id});
  }
  void remember(std::vector<uint64_t>& list, uint64_t value) {
    constexpr size_t kMost = 64;
    if (list.size() < kMost)
      list.push_back(value);
    else
      list[4 + pick(kMost - 4)] = value;
  }

  /// The life of a program that does nothing wrong.
  void expect_sound() {
    const uint32_t id = event(KFD_IOC_EVENT_SIGNAL, true);
    kfd_ioctl_set_event_args set{};
    set.event_id = id;
    ASSERT_EQ(call(AMDKFD_IOC_SET_EVENT, set), 0);
    std::vector events{entry(id)};
    uint32_t outcome = 99;
    ASSERT_EQ(wait(events, false, 0, outcome), 0);
    ASSERT_EQ(outcome, uint32_t{KFD_IOC_WAIT_RESULT_COMPLETE});
    kfd_ioctl_destroy_event_args gone{};
    gone.event_id = id;
    ASSERT_EQ(call(AMDKFD_IOC_DESTROY_EVENT, gone), 0);

    const Buffer b = buffer_at(apart_ + kApart / 2, 0x2000, 1);
    ASSERT_NE(b.host, nullptr);
    b.host[0x1fff] = 42;
    kfd_ioctl_create_queue_args queue = queue_args(
        {b.host, b.handle, 0x1000}, {b.host + 0x1000, 0, 0}, KFD_IOC_QUEUE_TYPE_COMPUTE_AQL, 1);
    ASSERT_EQ(call(AMDKFD_IOC_CREATE_QUEUE, queue), 0);
    kfd_ioctl_destroy_queue_args end{};
    end.queue_id = queue.queue_id;
    ASSERT_EQ(call(AMDKFD_IOC_DESTROY_QUEUE, end), 0);
    ASSERT_EQ(b.host[0x1fff], 42);
    ASSERT_EQ(map_to(b.handle, {gpu(1)}, nullptr, true), 0);
    kfd_ioctl_free_memory_of_gpu_args free{};
    free.handle = b.handle;
    ASSERT_EQ(call(AMDKFD_IOC_FREE_MEMORY_OF_GPU, free), 0);
    ASSERT_EQ(mmap(b.host, b.size, PROT_NONE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0),
              b.host);
  }

  static constexpr unsigned kSizes[] = {8, 16, 24, 32, 40, 48, 56, 64, 88};
  static constexpr uint64_t kApart = 64 << 20;
  uint8_t* host_ = nullptr;
  uint8_t* apart_ = nullptr;  ///< sound programs live in its middle, far from what is made up
  uint64_t read_only_ = 0;
  std::vector<Buffer> buffers_;
  std::vector<uint64_t> addresses_, handles_, numbers_;
  std::mt19937_64 random_;
  std::map<int, int> outcomes_;
  int calls_ = 0;
};

TEST_F(IoctlFuzz, KfdAnswersAndStaysSound) {
  const bool thorough = std::getenv("LOCKSTEP_LONG") != nullptr;
  const uint64_t seed = thorough ? std::random_device{}() : 1;
  SCOPED_TRACE("seed " + std::to_string(seed));
  random_.seed(seed);
  for (calls_ = 0; calls_ < (thorough ? 3'000'000 : 30'000) && !HasFatalFailure(); ++calls_) {
    constexpr int kCallsOfOneProgram = 15'000;  // some kinds of handles run out later
    if (calls_ % kCallsOfOneProgram == 0) begin();
    call_once();
    if (calls_ % 500 == 0) expect_sound();
  }
  // The calls get past the first checks often enough.
  EXPECT_GT(outcomes_[0], calls_ / 10);
  EXPECT_GT(outcomes_[EINVAL], calls_ / 10);
  EXPECT_GT(outcomes_[EFAULT], calls_ / 100);
}

TEST_F(IoctlFuzz, RenderNodesAnswer) {
  random_.seed(2);
  int good = 0;
  for (int i = 0; i < 20'000; ++i) {
    alignas(8) uint8_t bytes[kMostBytes] = {};
    fill(bytes);
    const uint32_t number = pick(2) ? _IOC_NR(DRM_IOCTL_AMDGPU_INFO) : pick(0x60);
    if (pick(3)) {
      drm_amdgpu_info info{};
      info.return_pointer = pick(4) ? reinterpret_cast<uint64_t>(host_) : word();
      info.return_size = pick(4) ? pick(512) : static_cast<uint32_t>(word());
      info.query = pick(0x40);
      info.query_fw.fw_type = static_cast<uint32_t>(word());
      std::memcpy(bytes, &info, sizeof info);
    }
    const char type = pick(16) ? DRM_IOCTL_BASE : 'K';
    const unsigned long request = _IOC(_IOC_READ | _IOC_WRITE, type, number, pick(256));
    const uint64_t argument = pick(10) ? reinterpret_cast<uint64_t>(bytes) : word();
    const int next_fd = dup(0);
    close(next_fd);
    const int code = drm_ioctl(*process, *process->devices()[pick(2)], request, argument);
    close(next_fd);  // what PRIME_HANDLE_TO_FD made
    static const std::vector<int> kAllowed = {0,     EINVAL, EFAULT, ENOTTY,
                                              EBADF, ENOENT, ENOMEM, EOPNOTSUPP};
    EXPECT_NE(std::find(kAllowed.begin(), kAllowed.end(), -code), kAllowed.end()) << code;
    good += code == 0;
  }
  EXPECT_GT(good, 500);
}

}  // namespace
}  // namespace lockstep::mockgpu
