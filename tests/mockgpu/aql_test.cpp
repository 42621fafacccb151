// SPDX-License-Identifier: MIT
// AQL: dispatch with its user SGPRs, barriers, vendor PM4 packets, completion signals, refusals.
#include "mockgpu/aql.h"

#include <gtest/gtest.h>

#include "tests/mockgpu/fixture.h"

namespace lockstep::mockgpu {
namespace {

using namespace testing;
using isa::Target;

constexpr uint64_t kQueue = kReadPointer - 0x80;  // amd_queue_t around the read index
constexpr uint64_t kDescriptor = kData + 0x8000;
constexpr uint64_t kSignal = kData + 0x4000;

class AqlTest : public ::testing::Test {
 protected:
  void SetUp() override { use(Target::kGfx1100); }
  void use(Target target) {
    processor = std::make_unique<AqlProcessor>(target, ring.layout(), ring.ram.map, ring.host);
  }
  // The 64 bytes at the next slot; the write index follows.
  uint64_t submit(const std::array<uint32_t, 16>& words) {
    const uint64_t slot = kRingBase + index_ % (kRingBytes / 64) * 64;
    for (size_t i = 0; i < 16; ++i) ring.ram.set(slot + i * 4, words[i]);
    ring.ram.set<uint64_t>(kWritePointer, ++index_);
    return slot;
  }
  Step run(const std::array<uint32_t, 16>& words) {
    submit(words);
    return run_all(*processor);
  }
  static std::array<uint32_t, 16> dispatch_packet(uint64_t signal = 0) {
    std::array<uint32_t, 16> p{};
    p[0] = 0x1502 | 3u << 16;
    p[1] = 64 | 2u << 16;
    p[2] = 1;
    p[3] = 100, p[4] = 4, p[5] = 1;
    p[6] = 48;    // private
    p[7] = 1024;  // group
    p[8] = low(kDescriptor), p[9] = high(kDescriptor);
    p[10] = low(kData + 0x100), p[11] = high(kData + 0x100);
    p[14] = low(signal), p[15] = high(signal);
    return p;
  }
  static std::array<uint32_t, 16> barrier_packet(uint32_t type, uint64_t first,
                                                 uint64_t second = 0) {
    std::array<uint32_t, 16> p{};
    p[0] = 0x1500 | type;
    p[2] = low(first), p[3] = high(first);
    p[4] = low(second), p[5] = high(second);
    return p;
  }
  static std::array<uint32_t, 16> vendor_packet(uint64_t address, uint32_t dwords,
                                                uint64_t signal = 0) {
    std::array<uint32_t, 16> p{};
    p[0] = 0x1500 | 1u << 16;
    p[1] = 3u << 30 | 2u << 16 | 0x3f << 8;
    p[2] = low(address), p[3] = high(address), p[4] = dwords | 1u << 23, p[5] = 10;
    p[14] = low(signal), p[15] = high(signal);
    return p;
  }
  // properties 0x40b would be gfx9's; user SGPR count must fit what the properties ask for.
  void descriptor(uint32_t properties, uint32_t user_sgprs, uint64_t at = kDescriptor,
                  int64_t entry = 0x1000) {
    for (uint64_t i = 0; i < 64; i += 4) ring.ram.set<uint32_t>(at + i, 0);
    ring.ram.set<int64_t>(at + 16, entry);
    ring.ram.set<uint32_t>(at + 44, 0x30);
    ring.ram.set<uint32_t>(at + 48, 0x00af0000);
    ring.ram.set<uint32_t>(at + 52, user_sgprs << 1 | 1u << 7);
    ring.ram.set<uint32_t>(at + 56, properties);
  }

  RingFixture ring{8};
  std::unique_ptr<AqlProcessor> processor;
  uint64_t index_ = 0;
};

TEST_F(AqlTest, DispatchBuildsTheRequest) {
  descriptor(0x400 | 2 | 4 | 8 | 16, 8);
  const uint64_t slot = submit(dispatch_packet());
  ASSERT_EQ(run_all(*processor), Step::kIdle) << processor->failure().what;
  const emu::DispatchRequest& request = ring.host.requests.at(0);
  EXPECT_EQ(request.entry, kDescriptor + 0x1000);
  EXPECT_EQ(request.wave_size, 32u);
  EXPECT_EQ(request.grid, (std::array<uint32_t, 3>{100, 4, 1}));
  EXPECT_EQ(request.block, (std::array<uint32_t, 3>{64, 2, 1}));
  EXPECT_EQ(request.scratch_bytes_per_lane, 48u);
  EXPECT_EQ(request.lds_bytes, 1024u);
  EXPECT_EQ(request.rsrc1, 0x00af0000u);
  EXPECT_EQ(request.rsrc3, 0x30u);
  EXPECT_EQ(request.user_sgprs,
            (std::vector<uint32_t>{low(slot), high(slot), low(kQueue), high(kQueue),
                                   low(kData + 0x100), high(kData + 0x100), 0, 0}));
  EXPECT_EQ(ring.ram.get<uint64_t>(kReadPointer), 1u);
  EXPECT_EQ(ring.ram.get<uint32_t>(slot) & 0xff, 1u) << "the slot is invalid again";
}

TEST_F(AqlTest, OneDimensionIgnoresTheOthers) {
  descriptor(0x408, 2);
  auto packet = dispatch_packet();
  packet[0] = 0x1502 | 1u << 16;
  packet[1] &= 0xffff;
  packet[2] = packet[4] = packet[5] = 0;
  ASSERT_EQ(run(packet), Step::kIdle) << processor->failure().what;
  EXPECT_EQ(ring.host.requests.at(0).grid, (std::array<uint32_t, 3>{100, 1, 1}));
}

TEST_F(AqlTest, KernargPreload) {
  use(Target::kGfx950);
  descriptor(8 | (3u | 1u << 7) << 16, 5);
  ring.ram.set<uint32_t>(kDescriptor + 44, 0);  // ACCUM_OFFSET 4
  ring.ram.put(kData + 0x100, {1, 2, 3, 4, 5});
  ASSERT_EQ(run(dispatch_packet()), Step::kIdle) << processor->failure().what;
  EXPECT_EQ(ring.host.requests.at(0).user_sgprs,
            (std::vector<uint32_t>{low(kData + 0x100), 0, 2, 3, 4}));
  EXPECT_EQ(ring.host.requests.at(0).wave_size, 64u);
}

TEST_F(AqlTest, CompletionSignal) {
  descriptor(0x408, 2);
  ring.ram.set<int64_t>(kSignal + 8, 1);
  ring.ram.set<uint64_t>(kSignal + 16, kData + 0x5000);
  ring.ram.set<uint32_t>(kSignal + 24, 17);
  ASSERT_EQ(run(dispatch_packet(kSignal)), Step::kIdle) << processor->failure().what;
  EXPECT_EQ(ring.ram.get<int64_t>(kSignal + 8), 0);
  EXPECT_EQ(ring.ram.get<uint64_t>(kData + 0x5000), 17u);
  EXPECT_EQ(ring.host.interrupts, std::vector<uint32_t>{17});
  EXPECT_LT(ring.ram.get<uint64_t>(kSignal + 32), ring.ram.get<uint64_t>(kSignal + 40));
}

TEST_F(AqlTest, FaultCompletesNothing) {
  descriptor(0x408, 2);
  ring.ram.set<int64_t>(kSignal + 8, 1);
  ring.host.on_dispatch = [](const emu::DispatchRequest&) {
    emu::DispatchResult result;
    result.ok = false;
    result.fault.kind = emu::FaultKind::kIllegalInstruction;
    return result;
  };
  EXPECT_EQ(run(dispatch_packet(kSignal)), Step::kFailed);
  EXPECT_EQ(run_all(*processor), Step::kFailed);
  EXPECT_EQ(ring.ram.get<int64_t>(kSignal + 8), 1);
  EXPECT_EQ(ring.ram.get<uint64_t>(kReadPointer), 0u);
  EXPECT_TRUE(processor->failure().fault.has_value());
}

TEST_F(AqlTest, DispatchWaitsForScratch) {
  descriptor(0x408, 2);
  ring.ram.set<uint64_t>(kQueue + 0xc0, kSignal);
  submit(dispatch_packet());
  submit(barrier_packet(3, 0));
  EXPECT_EQ(run_all(*processor), Step::kStalled);
  EXPECT_EQ(ring.ram.get<uint64_t>(kSignal + 8), 0x401u) << "waves of 32 lack scratch";
  EXPECT_EQ(run_all(*processor), Step::kStalled) << "nobody has answered";
  EXPECT_TRUE(ring.host.requests.empty());
  EXPECT_EQ(ring.ram.get<uint64_t>(kReadPointer), 0u) << "the runtime reads the packet there";

  ring.ram.set<uint32_t>(kQueue + 0xb0, 24);
  ring.ram.set<uint32_t>(kQueue + 0xb4, 1u << 4);  // for this dispatch alone
  ring.ram.set<uint64_t>(kSignal + 8, 0);
  EXPECT_EQ(run_all(*processor), Step::kStalled);
  EXPECT_EQ(ring.host.requests.size(), 1u);
  EXPECT_EQ(ring.ram.get<uint64_t>(kReadPointer), 1u);
  EXPECT_EQ(ring.ram.get<uint64_t>(kSignal + 8), 0x200u);

  ring.ram.set<uint64_t>(kSignal + 8, 0);
  EXPECT_EQ(run_all(*processor), Step::kIdle);
  EXPECT_EQ(ring.ram.get<uint64_t>(kReadPointer), 2u);
}

TEST_F(AqlTest, AgentDispatchStopsTheQueueAsAWrongPacket) {
  ring.ram.set<uint64_t>(kQueue + 0xc0, kSignal);
  std::array<uint32_t, 16> packet{};
  packet[0] = 0x1504;
  ASSERT_EQ(run(packet), Step::kFailed);
  EXPECT_NE(processor->failure().what.find("agent dispatch"), std::string::npos);
  processor->report_error();
  EXPECT_EQ(ring.ram.get<uint64_t>(kSignal + 8), 0x20u) << "invalid packet format";
}

TEST_F(AqlTest, ReservedSlotWaitsForItsHeader) {
  ring.ram.set<uint32_t>(kRingBase, 1);
  ring.ram.set<uint64_t>(kWritePointer, 1);
  EXPECT_EQ(run_all(*processor), Step::kIdle);
  EXPECT_TRUE(processor->has_work());
  ring.ram.set<uint32_t>(kRingBase, 0x1503);
  EXPECT_EQ(run_all(*processor), Step::kIdle);
  EXPECT_EQ(ring.ram.get<uint64_t>(kReadPointer), 1u);
}

TEST_F(AqlTest, BarriersWait) {
  ring.ram.set<int64_t>(kSignal + 8, 1);
  ring.ram.set<int64_t>(kSignal + 64 + 8, 1);
  EXPECT_EQ(run(barrier_packet(3, kSignal, kSignal + 64)), Step::kStalled);
  ring.ram.set<int64_t>(kSignal + 8, 0);
  EXPECT_EQ(run_all(*processor), Step::kStalled) << "AND needs both";
  ring.ram.set<int64_t>(kSignal + 64 + 8, 0);
  EXPECT_EQ(run_all(*processor), Step::kIdle);
  ring.ram.set<int64_t>(kSignal + 8, 1);
  ring.ram.set<int64_t>(kSignal + 64 + 8, 1);
  EXPECT_EQ(run(barrier_packet(5, kSignal, kSignal + 64)), Step::kStalled);
  ring.ram.set<int64_t>(kSignal + 64 + 8, 0);
  EXPECT_EQ(run_all(*processor), Step::kIdle) << "OR needs one";
}

TEST_F(AqlTest, VendorPm4WithAWaitResumes) {
  const auto body = join(
      {pm4(0x3c, {0x13, low(kData), 0, 3, ~0u, 4}), pm4(0x37, {5u << 8, low(kData + 8), 0, 1})});
  ring.ram.put(kData + 0x1000, body);
  ring.ram.set<int64_t>(kSignal + 8, 1);
  EXPECT_EQ(run(vendor_packet(kData + 0x1000, static_cast<uint32_t>(body.size()), kSignal)),
            Step::kStalled);
  EXPECT_EQ(ring.ram.get<int64_t>(kSignal + 8), 1);
  ring.ram.set<uint32_t>(kData, 3);
  EXPECT_EQ(run_all(*processor), Step::kIdle);
  EXPECT_EQ(ring.ram.get<uint32_t>(kData + 8), 1u);
  EXPECT_EQ(ring.ram.get<int64_t>(kSignal + 8), 0);
}

TEST_F(AqlTest, RingWraps) {
  for (uint64_t i = 1; i <= kRingBytes / 64 * 3; ++i) {
    ASSERT_EQ(run(barrier_packet(3, 0)), Step::kIdle);
    ASSERT_EQ(ring.ram.get<uint64_t>(kReadPointer), i);
  }
}

TEST_F(AqlTest, RefusalsAreNamed) {
  descriptor(0x408, 2);
  auto no_block = dispatch_packet();
  no_block[1] = 64;
  auto no_grid = dispatch_packet();
  no_grid[3] = 0;
  auto no_dimensions = dispatch_packet();
  no_dimensions[0] = 0x1502;
  auto vendor_format = vendor_packet(kData, 1);
  vendor_format[0] = 0x1500 | 2u << 16;
  auto vendor_header = vendor_packet(kData, 1);
  vendor_header[1] = 0x1234;
  auto unknown = barrier_packet(9, 0);
  auto agent = barrier_packet(4, 0);
  const std::pair<std::array<uint32_t, 16>, std::string> cases[] = {
      {no_block, "workgroup size 0 in y"},
      {no_grid, "grid size 0 in x"},
      {no_dimensions, "0 dimensions"},
      {vendor_format, "format 2"},
      {vendor_header, "0x00001234"},
      {unknown, "packet type 9"},
      {agent, "agent dispatch"}};
  for (const auto& [packet, text] : cases) {
    use(Target::kGfx1100);
    EXPECT_EQ(run(packet), Step::kFailed) << text;
    EXPECT_NE(processor->failure().what.find(text), std::string::npos) << processor->failure().what;
    index_ = 0;
    ring.ram.set<uint64_t>(kReadPointer, 0);
  }
}

TEST_F(AqlTest, BadDescriptorAndBadAddresses) {
  descriptor(0x408, 2);
  ring.ram.set<uint32_t>(kDescriptor + 56, 0xff80);  // reserved properties
  EXPECT_EQ(run(dispatch_packet()), Step::kFailed);
  EXPECT_NE(processor->failure().what.find("kernel descriptor"), std::string::npos);
  use(Target::kGfx1100);
  index_ = 0;
  auto packet = dispatch_packet();
  packet[8] = low(kNowhere);
  EXPECT_EQ(run(packet), Step::kFailed);
  EXPECT_TRUE(processor->failure().memory);
  EXPECT_EQ(processor->failure().address, kNowhere);
  use(Target::kGfx1100);
  index_ = 0;
  EXPECT_EQ(run(barrier_packet(3, kNowhere)), Step::kFailed);
  EXPECT_TRUE(processor->failure().memory);
}

TEST_F(AqlTest, MemoryThatWasRemappedBetweenTwoPacketsIsSeen) {
  ring.ram.add(kRemapped, kRemappedBytes);
  descriptor(0x408, 2, kRemapped, 0x1000);
  auto packet = dispatch_packet();
  packet[8] = low(kRemapped), packet[9] = high(kRemapped);
  ring.host.on_dispatch = [&](const emu::DispatchRequest&) -> emu::DispatchResult {
    if (ring.host.requests.size() == 1) {
      ring.ram.remap(kRemapped, kRemappedBytes);
      descriptor(0x408, 2, kRemapped, 0x2000);
      submit(packet);
    }
    return {};
  };
  ASSERT_EQ(run(packet), Step::kIdle) << processor->failure().what;
  ASSERT_EQ(ring.host.requests.size(), 2u);
  EXPECT_EQ(ring.host.requests[0].entry, kRemapped + 0x1000);
  EXPECT_EQ(ring.host.requests[1].entry, kRemapped + 0x2000);
}

}  // namespace
}  // namespace lockstep::mockgpu
