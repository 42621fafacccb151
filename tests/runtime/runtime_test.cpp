// SPDX-License-Identifier: MIT
// Launches on whatever /dev/kfd there is: the mock, as the environment of the test says.
#include <gtest/gtest.h>

#include <cstring>

#include "runtime/queue.h"
#include "runtime/save_area.h"
#include "tests/runtime/kernels.h"

namespace lockstep::runtime {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLong{20000};

class RuntimeTest : public ::testing::TestWithParam<PacketFormat> {
 protected:
  void SetUp() override {
    auto opened = Device::open();
    ASSERT_TRUE(opened) << opened.error();
    device_ = std::move(*opened);
    load(device_->target());
    renew_queue();
    auto data = device_->allocate(8192);
    ASSERT_TRUE(data) << data.error();
    data_ = std::move(*data);
    for (uint32_t i = 0; i < 1024; ++i) words()[i] = i * 3;
    auto kernarg = device_->allocate(64);
    ASSERT_TRUE(kernarg) << kernarg.error();
    kernarg_ = std::move(*kernarg);
    set_arguments(data_.address(), data_.address() + 4096);
  }
  void load(isa::Target target) {
    auto object = testing::test_kernels(target);
    ASSERT_TRUE(object) << object.error();
    auto loaded = device_->load(std::move(*object));
    ASSERT_TRUE(loaded) << loaded.error();
    code_ = std::move(*loaded);
  }
  void renew_queue() {
    queue_.reset();
    auto queue = Queue::create(*device_, GetParam());
    if (GetParam() == PacketFormat::kPm4 && device_->gpu().xcc_count > 1) {
      ASSERT_FALSE(queue);
      EXPECT_NE(queue.error().find("XCC"), std::string::npos) << queue.error();
      GTEST_SKIP() << queue.error();
    }
    ASSERT_TRUE(queue) << queue.error();
    queue_ = std::move(*queue);
  }
  void set_arguments(uint64_t in, uint64_t out) {
    std::memcpy(kernarg_.data(), &in, 8);
    std::memcpy(kernarg_.data() + 8, &out, 8);
  }
  Launch launch(const char* name, uint32_t items, uint32_t block = 64) {
    Launch l;
    l.kernel = code_.object.find_kernel(name);
    l.image_address = code_.image.address();
    EXPECT_NE(l.kernel, nullptr) << name;
    l.items = {items, 1, 1};
    l.block = {block, 1, 1};
    l.kernarg = kernarg_.address();
    return l;
  }
  uint32_t* words() { return reinterpret_cast<uint32_t*>(data_.data()); }
  uint32_t* results() { return words() + 1024; }

  std::unique_ptr<Device> device_;
  LoadedCode code_;
  Memory data_, kernarg_;
  std::unique_ptr<Queue> queue_;
};

TEST_P(RuntimeTest, AddsOverManyLaunches) {
  if (IsSkipped()) return;
  for (int round = 0; round < 1100; ++round) {  // the rings wrap
    std::memset(results(), 0, 4096);
    words()[0] = static_cast<uint32_t>(round);
    const auto outcome = queue_->run(launch("add", 256), kLong);
    ASSERT_TRUE(outcome) << outcome.error();
    ASSERT_EQ(outcome->kind, Outcome::Kind::kDone) << outcome->detail;
    ASSERT_EQ(results()[0], static_cast<uint32_t>(round) + 5);
    for (uint32_t i = 1; i < 256; ++i) ASSERT_EQ(results()[i], i * 3 + 5) << i;
    ASSERT_EQ(results()[256], 0u);
  }
}

TEST_P(RuntimeTest, CodeMayBeReplaced) {
  if (IsSkipped()) return;
  Launch l = launch("add", 64);
  const uint64_t at = l.image_address + l.kernel->entry;
  auto* code = reinterpret_cast<uint32_t*>(at);
  // The constant 5 in `v3 = 5 + v3` (inline constant 133) becomes 6.
  for (size_t i = 0; i < l.kernel->code_size / 4; ++i) {
    const auto outcome = queue_->run(l, kLong);
    ASSERT_TRUE(outcome) << outcome.error();
    if ((code[i] & 0x1ff) != 133 || code[i] >> 31) continue;
    ++code[i];
    l.new_code = true;
    const auto again = queue_->run(l, kLong);
    ASSERT_TRUE(again) << again.error();
    ASSERT_EQ(again->kind, Outcome::Kind::kDone) << again->detail;
    EXPECT_EQ(results()[2], 2 * 3 + 6u);
    return;
  }
  FAIL() << "the addition was not found";
}

TEST_P(RuntimeTest, TheLastWorkgroupMayBePartial) {
  if (IsSkipped()) return;
  const auto outcome = queue_->run(launch("add", 100), kLong);
  ASSERT_TRUE(outcome) << outcome.error();
  ASSERT_EQ(outcome->kind, Outcome::Kind::kDone) << outcome->detail;
  EXPECT_EQ(results()[99], 99 * 3 + 5u);
  EXPECT_EQ(results()[100], 0u);
}

TEST_P(RuntimeTest, LdsIsThere) {
  if (IsSkipped()) return;
  const auto outcome = queue_->run(launch("lds", 64), kLong);
  ASSERT_TRUE(outcome) << outcome.error();
  ASSERT_EQ(outcome->kind, Outcome::Kind::kDone) << outcome->detail;
  for (uint32_t i = 0; i < 64; ++i) EXPECT_EQ(results()[i], (63 - i) * 3) << i;
}

TEST_P(RuntimeTest, AStrayStoreIsAMemoryFaultAndTheNextQueueRuns) {
  if (IsSkipped()) return;
  constexpr uint64_t kNowhere = 0x6000'0000'0000;
  for (int round = 0; round < 3; ++round) {
    set_arguments(data_.address(), kNowhere);
    const auto outcome = queue_->run(launch("stray", 64), kLong);
    ASSERT_TRUE(outcome) << outcome.error();
    ASSERT_EQ(outcome->kind, Outcome::Kind::kMemoryFault) << outcome->detail;
    EXPECT_EQ(outcome->address / 4096, kNowhere / 4096);
    const auto refused = queue_->run(launch("add", 64), kLong);
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().find("another"), std::string::npos) << refused.error();
    renew_queue();
    set_arguments(data_.address(), data_.address() + 4096);
    const auto again = queue_->run(launch("add", 64), kLong);
    ASSERT_TRUE(again) << again.error();
    EXPECT_EQ(again->kind, Outcome::Kind::kDone) << again->detail;
    EXPECT_EQ(results()[7], 7 * 3 + 5u);
  }
}

TEST_P(RuntimeTest, AKernelThatNeverEndsIsATimeout) {
  if (IsSkipped()) return;
  const auto outcome = queue_->run(launch("spin", 64), milliseconds(300));
  ASSERT_TRUE(outcome) << outcome.error();
  EXPECT_EQ(outcome->kind, Outcome::Kind::kTimeout);
  EXPECT_NE(outcome->detail.find("300 ms"), std::string::npos) << outcome->detail;
  renew_queue();
  const auto again = queue_->run(launch("add", 64), kLong);
  ASSERT_TRUE(again) << again.error();
  EXPECT_EQ(again->kind, Outcome::Kind::kDone) << again->detail;
}

TEST_P(RuntimeTest, RefusesImpossibleLaunches) {
  if (IsSkipped()) return;
  const auto refused = [&](Launch l, const char* part) {
    const auto outcome = queue_->run(l, kLong);
    ASSERT_FALSE(outcome) << part;
    EXPECT_NE(outcome.error().find(part), std::string::npos) << outcome.error();
  };
  refused(launch("add", 0), "extent");
  refused(launch("add", 64, 0), "extent");
  refused(launch("add", 4096, 2048), "1024 work-items");
  Launch big = launch("add", 64);
  big.dynamic_lds = 1 << 20;
  refused(big, "LDS");
  loader::Kernel scratchy = *big.kernel;
  scratchy.descriptor.private_segment_fixed_size = 16;
  Launch l = launch("add", 64);
  l.kernel = &scratchy;
  refused(l, "scratch");
}

INSTANTIATE_TEST_SUITE_P(, RuntimeTest, ::testing::Values(PacketFormat::kAql, PacketFormat::kPm4),
                         [](const auto& test) {
                           return test.param == PacketFormat::kAql ? "Aql" : "Pm4";
                         });

TEST(RuntimeMemory, FixedAddressesAndTheirLimits) {
  auto device = Device::open();
  ASSERT_TRUE(device) << device.error();
  constexpr uint64_t kAt = 0x2300'0000'0000;
  {
    const auto memory = (*device)->allocate(5000, kAt);
    ASSERT_TRUE(memory) << memory.error();
    EXPECT_EQ(memory->address(), kAt);
    EXPECT_EQ(memory->size(), 8192u);
    const auto twice = (*device)->allocate(4096, kAt);
    ASSERT_FALSE(twice);
    EXPECT_NE(twice.error().find("0x230000000000"), std::string::npos) << twice.error();
  }
  const auto again = (*device)->allocate(4096, kAt);
  EXPECT_TRUE(again) << again.error();
  EXPECT_FALSE((*device)->allocate(0));
  EXPECT_FALSE((*device)->allocate(uint64_t{1} << 50));
}

TEST(RuntimeDevice, WrongIndexAndWrongTargetAreNamed) {
  const auto none = Device::open(77);
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().find("GPU 77"), std::string::npos) << none.error();
  auto device = Device::open();
  ASSERT_TRUE(device) << device.error();
  auto object = testing::test_kernels(isa::Target::kGfx1151);
  ASSERT_TRUE(object) << object.error();
  const auto loaded = (*device)->load(std::move(*object));
  ASSERT_FALSE(loaded);
  EXPECT_NE(loaded.error().find("gfx1151"), std::string::npos) << loaded.error();
}

TEST(NoDevice, IsRefusedByName) {
  if (access("/dev/kfd", F_OK) == 0) GTEST_SKIP() << "this machine has a card";
  const auto device = Device::open();
  ASSERT_FALSE(device);
  EXPECT_NE(device.error().find("/dev/kfd"), std::string::npos) << device.error();
  EXPECT_NE(device.error().find("lockstep run"), std::string::npos) << device.error();
}

// The sizes that AMD's own user-mode library passes for these cards.
TEST(SaveArea, IsWhatDriversExpect) {
  GpuNode gpu;
  gpu.gfx_target_version = 90010;
  gpu.simd_per_cu = 4;
  gpu.simd_count = 104 * 4;
  gpu.array_count = 8;
  gpu.arrays_per_engine = 1;
  gpu.lds_kib = 64;
  const SaveArea gfx90a = save_area_of(gpu);
  EXPECT_EQ(gfx90a.control_stack, 0x9000u);
  EXPECT_EQ(gfx90a.save_restore, 0x3c91000u);
  gpu.gfx_target_version = 120001;
  gpu.simd_per_cu = 2;
  gpu.simd_count = 64 * 2;
  const SaveArea gfx1201 = save_area_of(gpu);
  EXPECT_EQ(gfx1201.control_stack, 0x7000u);
  EXPECT_EQ(gfx1201.save_restore, 0x1d47000u);
  gpu.cwsr_size = 0x123000;
  gpu.ctl_stack_size = 0x3000;
  EXPECT_EQ(save_area_of(gpu).save_restore, 0x123000u);
}

}  // namespace
}  // namespace lockstep::runtime
