// SPDX-License-Identifier: MIT
// DISPATCH_DIRECT: how registers become a launch, on each generation, and what a failed launch
// does.
#include <gtest/gtest.h>

#include "mockgpu/pm4.h"
#include "tests/mockgpu/fixture.h"

namespace lockstep::mockgpu {
namespace {

using namespace testing;
using isa::Target;

struct Launch {
  uint32_t rsrc2 = 0;
  uint32_t rsrc3_register = 0x228;
  uint32_t tmpring = 0;
  uint32_t initiator = 0x8005;
  std::vector<uint32_t> groups = {3, 2, 1};
  std::vector<uint32_t> start = {0, 0, 0};
  std::vector<uint32_t> threads = {64, 4, 1};

  std::vector<uint32_t> packets() const {
    const auto set = [](uint32_t reg, std::vector<uint32_t> values) {
      values.insert(values.begin(), reg);
      return pm4(0x76, values);
    };
    return join({set(0x20c, {0x12345678, 0x12}), set(0x212, {0xc0bf0000, rsrc2}),
                 set(rsrc3_register, {0x33}), set(0x218, {tmpring}), set(0x240, {10, 11, 12, 13}),
                 set(0x204, start), set(0x207, threads),
                 pm4(0x15, {groups[0], groups[1], groups[2], initiator})});
  }
};

class DispatchTest : public ::testing::Test {
 protected:
  Step run(Target target, const Launch& launch) {
    processor = std::make_unique<Pm4Processor>(target, ring.layout(), ring.ram.map, ring.host);
    ring.submit(launch.packets());
    return run_all(*processor);
  }
  const emu::DispatchRequest& request() { return ring.host.requests.at(0); }

  RingFixture ring{4};
  std::unique_ptr<Pm4Processor> processor;
};

TEST_F(DispatchTest, RegistersBecomeARequest) {
  Launch launch;
  launch.rsrc2 = 1 | 3u << 1 | 1u << 7 | 5u << 15;
  launch.tmpring = 100u | 32u << 12;
  ASSERT_EQ(run(Target::kGfx1100, launch), Step::kIdle);
  ASSERT_EQ(ring.host.requests.size(), 1u);
  EXPECT_EQ(request().target, Target::kGfx1100);
  EXPECT_EQ(request().wave_size, 32u);
  EXPECT_EQ(request().entry, 0x12'12345678ull << 8);
  EXPECT_EQ(request().grid, (std::array<uint32_t, 3>{192, 8, 1}));
  EXPECT_EQ(request().block, (std::array<uint32_t, 3>{64, 4, 1}));
  EXPECT_EQ(request().rsrc1, 0xc0bf0000u);
  EXPECT_EQ(request().rsrc2, launch.rsrc2);
  EXPECT_EQ(request().rsrc3, 0x33u);
  EXPECT_EQ(request().user_sgprs, (std::vector<uint32_t>{10, 11, 12}));
  EXPECT_EQ(request().lds_bytes, 5u * 512);
  EXPECT_EQ(request().scratch_bytes_per_lane, 32u * 256 / 32);
  EXPECT_EQ(request().memory, &ring.ram.map);
}

TEST_F(DispatchTest, WaveSizeAndFieldsPerGeneration) {
  Launch launch;
  launch.rsrc2 = 1;
  launch.tmpring = 8u << 12;
  launch.initiator = 0x5;
  ASSERT_EQ(run(Target::kGfx1201, launch), Step::kIdle);
  EXPECT_EQ(request().wave_size, 64u);
  EXPECT_EQ(request().scratch_bytes_per_lane, 8u * 256 / 64);
  ring.host.requests.clear();
  launch.rsrc3_register = 0x22d;
  launch.initiator = 0x8005;  // CDNA has no wave32 bit
  ASSERT_EQ(run(Target::kGfx950, launch), Step::kIdle);
  EXPECT_EQ(request().wave_size, 64u);
  EXPECT_EQ(request().rsrc3, 0x33u);
  EXPECT_EQ(request().scratch_bytes_per_lane, 8u * 1024 / 64);
}

TEST_F(DispatchTest, NoPrivateSegmentNoScratch) {
  Launch launch;
  launch.tmpring = 32u << 12;
  ASSERT_EQ(run(Target::kGfx1100, launch), Step::kIdle);
  EXPECT_EQ(request().scratch_bytes_per_lane, 0u);
}

TEST_F(DispatchTest, ThreadDimensions) {
  Launch launch;
  launch.initiator |= 1u << 5;
  launch.groups = {100, 7, 1};
  ASSERT_EQ(run(Target::kGfx1100, launch), Step::kIdle);
  EXPECT_EQ(request().grid, (std::array<uint32_t, 3>{100, 7, 1}));
}

TEST_F(DispatchTest, EmptyGridAndDisabledShaderRunNothing) {
  Launch launch;
  launch.groups = {0, 2, 1};
  EXPECT_EQ(run(Target::kGfx1100, launch), Step::kIdle);
  launch.groups = {1, 1, 1};
  launch.initiator = 0x8004;
  EXPECT_EQ(run(Target::kGfx1100, launch), Step::kIdle);
  EXPECT_TRUE(ring.host.requests.empty());
}

TEST_F(DispatchTest, ImpossibleLaunchesAreErrors) {
  Launch launch;
  launch.threads = {64, 0, 1};
  EXPECT_EQ(run(Target::kGfx1100, launch), Step::kFailed);
  EXPECT_NE(processor->failure().what.find("NUM_THREAD_Y"), std::string::npos);

  RingFixture second(4);
  Launch offset;
  offset.start = {1, 0, 0};
  offset.initiator = 0x8001;
  Pm4Processor other(Target::kGfx1100, second.layout(), second.ram.map, second.host);
  second.submit(offset.packets());
  EXPECT_EQ(run_all(other), Step::kFailed);
  EXPECT_NE(other.failure().what.find("COMPUTE_START_X"), std::string::npos);

  RingFixture third(4);
  Launch huge;
  huge.groups = {0xffffffff, 1, 1};
  Pm4Processor last(Target::kGfx1100, third.layout(), third.ram.map, third.host);
  third.submit(huge.packets());
  EXPECT_EQ(run_all(last), Step::kFailed);
}

TEST_F(DispatchTest, NothingCompletesAfterAFault) {
  ring.host.on_dispatch = [](const emu::DispatchRequest&) {
    emu::DispatchResult result;
    result.ok = false;
    result.fault.kind = emu::FaultKind::kMemoryWrite;
    result.fault.address = 0x1234;
    return result;
  };
  processor =
      std::make_unique<Pm4Processor>(Target::kGfx1100, ring.layout(), ring.ram.map, ring.host);
  ring.submit(
      join({Launch{}.packets(), pm4(0x49, {0x514, 1u << 29 | 2u << 24, low(kData), 0, 1, 0, 5})}));
  EXPECT_EQ(run_all(*processor), Step::kFailed);
  EXPECT_EQ(run_all(*processor), Step::kFailed);
  EXPECT_EQ(ring.ram.get<uint32_t>(kData), 0u);
  EXPECT_TRUE(ring.host.interrupts.empty());
  ASSERT_TRUE(processor->failure().fault.has_value());
  EXPECT_EQ(processor->failure().fault->address, 0x1234u);
}

}  // namespace
}  // namespace lockstep::mockgpu
