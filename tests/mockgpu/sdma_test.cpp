// SPDX-License-Identifier: MIT
// SDMA: each packet, waits, wrapping with zero fill, and what must be refused.
#include "mockgpu/sdma.h"

#include <gtest/gtest.h>

#include "tests/mockgpu/fixture.h"

namespace lockstep::mockgpu {
namespace {

using namespace testing;
using isa::Generation;

class SdmaTest : public ::testing::Test {
 protected:
  void SetUp() override { use(Generation::kGfx11); }
  void use(Generation generation) {
    processor = std::make_unique<SdmaProcessor>(generation, ring.layout(), ring.ram.map, ring.host);
  }
  Step run(const std::vector<uint32_t>& words) {
    ring.submit(words);
    return run_all(*processor);
  }
  static std::vector<uint32_t> copy(uint64_t to, uint64_t from, uint32_t bytes) {
    return {1, bytes - 1, 0, low(from), high(from), low(to), high(to)};
  }
  static std::vector<uint32_t> fence(uint64_t address, uint32_t value) {
    return {0x30005, low(address), high(address), value};
  }
  static std::vector<uint32_t> poll(uint64_t address, uint32_t function, uint32_t value) {
    return {8 | function << 28 | 1u << 31, low(address), high(address), value, ~0u, 0xfff0004};
  }

  RingFixture ring{1};
  std::unique_ptr<SdmaProcessor> processor;
};

TEST_F(SdmaTest, CopyFenceTrap) {
  ring.ram.put(kData, {1, 2, 3});
  EXPECT_EQ(run(join({copy(kData + 100, kData, 9), fence(kData + 512, 7), {6, 0x55}})),
            Step::kIdle);
  EXPECT_EQ(ring.ram.get<uint64_t>(kData + 100), 2ull << 32 | 1);
  EXPECT_EQ(ring.ram.get<uint32_t>(kData + 108), 3u) << "9 bytes";
  EXPECT_EQ(ring.ram.get<uint32_t>(kData + 512), 7u);
  EXPECT_EQ(ring.host.interrupts, std::vector<uint32_t>{0x55});
  EXPECT_EQ(ring.host.copied, 9u);
  EXPECT_EQ(ring.consumed(), ring.submitted());
}

TEST_F(SdmaTest, CopySpansAllocationsThatTouch) {
  ring.ram.add(kData + kDataBytes, 0x1000);
  ring.ram.put(kData, {0x11111111, 0x22222222, 0x33333333, 0x44444444});
  EXPECT_EQ(run(copy(kData + kDataBytes - 8, kData, 16)), Step::kIdle);
  EXPECT_EQ(ring.ram.get<uint64_t>(kData + kDataBytes), 0x4444444433333333u);
}

TEST_F(SdmaTest, CountHasThirtyBitsOnGfx9Too) {
  use(Generation::kGfx9);
  const uint64_t size = (5u << 20) + 3, from = 0x10000000, to = 0x20000000;
  ring.ram.add(from, size);
  ring.ram.add(to, size);
  ring.ram.set<uint8_t>(from + size - 1, 77);
  EXPECT_EQ(run(copy(to, from, static_cast<uint32_t>(size))), Step::kIdle);
  EXPECT_EQ(ring.ram.get<uint8_t>(to + size - 1), 77u);
}

TEST_F(SdmaTest, PollAlwaysReadsNothing) {
  EXPECT_EQ(run({8, 0, 0x80000000, 0, 0, 0}), Step::kIdle);
}

TEST_F(SdmaTest, PollStallsUntilSatisfied) {
  EXPECT_EQ(run(join({poll(kData, 5, 3), fence(kData + 8, 1)})), Step::kStalled);
  EXPECT_TRUE(processor->has_work());
  EXPECT_EQ(ring.ram.get<uint32_t>(kData + 8), 0u);
  ring.ram.set<uint32_t>(kData, 2);
  EXPECT_EQ(run_all(*processor), Step::kStalled);
  ring.ram.set<uint32_t>(kData, 4);
  EXPECT_EQ(run_all(*processor), Step::kIdle);
  EXPECT_EQ(ring.ram.get<uint32_t>(kData + 8), 1u);
}

TEST_F(SdmaTest, HdpFlushFormTouchesNoMemory) {
  EXPECT_EQ(run({8 | 3u << 28 | 1u << 26, 0, 0x80000000, 0, 0, 0xfff0004}), Step::kIdle);
}

TEST_F(SdmaTest, WriteTimestampFillAtomicGcr) {
  ring.ram.set<uint64_t>(kData + 96, 10);
  EXPECT_EQ(run(join({{2, low(kData), 0, 1, 0xaa, 0xbb},
                      {13 | 2u << 8, low(kData + 16), 0},
                      {11 | 2u << 30, low(kData + 32), 0, 0x01020304, 16 - 1},
                      {11, low(kData + 64), 0, 0x77, 5 - 1},
                      {10 | 0x2fu << 25, low(kData + 96), 0, ~0u, ~0u, 0, 0, 0},
                      {17, 0, 0, 0, 0},
                      {0}})),
            Step::kIdle)
      << processor->failure().what;
  EXPECT_EQ(ring.ram.get<uint64_t>(kData), 0xbb000000aau);
  EXPECT_EQ(ring.ram.get<uint64_t>(kData + 16), ring.host.ticks);
  EXPECT_EQ(ring.ram.get<uint32_t>(kData + 44), 0x01020304u);
  EXPECT_EQ(ring.ram.get<uint32_t>(kData + 48), 0u);
  EXPECT_EQ(ring.ram.get<uint64_t>(kData + 64), 0x7777777777u);
  EXPECT_EQ(ring.ram.get<uint64_t>(kData + 96), 9u);
}

TEST_F(SdmaTest, WindowCopy) {
  for (uint32_t i = 0; i < 64; ++i) ring.ram.set<uint32_t>(kData + i * 4, i);
  // From an 8-wide picture the 3 by 2 block at (2, 1), to a 4-wide one at (1, 0); elements of 4
  // bytes.
  EXPECT_EQ(run({1 | 4u << 8 | 2u << 29, low(kData), 0, 2 | 1u << 16, 7u << 13, 63,
                 low(kData + 0x1000), 0, 1, 3u << 13, 63, 2 | 1u << 16, 0}),
            Step::kIdle);
  const uint32_t expected[] = {0, 10, 11, 12, 0, 18, 19, 20, 0};
  for (uint32_t i = 0; i < 9; ++i) {
    EXPECT_EQ(ring.ram.get<uint32_t>(kData + 0x1000 + i * 4), expected[i]) << i;
  }
}

TEST_F(SdmaTest, ConditionalExecution) {
  ring.ram.set<uint32_t>(kData, 5);
  EXPECT_EQ(run(join({{9, low(kData), 0, 6, 4},
                      fence(kData + 8, 1),
                      {9, low(kData), 0, 5, 4},
                      fence(kData + 12, 1)})),
            Step::kIdle);
  EXPECT_EQ(ring.ram.get<uint32_t>(kData + 8), 0u);
  EXPECT_EQ(ring.ram.get<uint32_t>(kData + 12), 1u);
}

TEST_F(SdmaTest, PollInsideIndirectBufferResumes) {
  const auto body = join({poll(kData, 3, 1), fence(kData + 8, 2)});
  ring.ram.put(kData + 0x1000, body);
  EXPECT_EQ(run(join({{4, low(kData + 0x1000), 0, static_cast<uint32_t>(body.size()), 0, 0},
                      fence(kData + 12, 3)})),
            Step::kStalled);
  ring.ram.set<uint32_t>(kData, 1);
  EXPECT_EQ(run_all(*processor), Step::kIdle);
  EXPECT_EQ(ring.ram.get<uint32_t>(kData + 8), 2u);
  EXPECT_EQ(ring.ram.get<uint32_t>(kData + 12), 3u);
}

TEST_F(SdmaTest, ManyRoundsOfTheRing) {
  for (uint32_t i = 1; i <= 5000; ++i) {
    // As programs do it: a packet never straddles the end, zeros fill the tail.
    while (kRingBytes - ring.submitted() % kRingBytes < 16) ring.submit({0});
    ASSERT_EQ(run(fence(kData, i)), Step::kIdle);
    ASSERT_EQ(ring.ram.get<uint32_t>(kData), i);
  }
  EXPECT_EQ(ring.consumed(), ring.submitted());
}

TEST_F(SdmaTest, BadPacketsAreNamed) {
  const std::pair<std::vector<uint32_t>, std::string> cases[] = {
      {{0x99}, "opcode 153"},
      {{1 | 9u << 8, 0, 0, 0, 0, 0, 0}, "sub-opcode 9"},
      {{1, 0, 0, 0}, "truncated"},
      {{2, low(kData)}, "truncated"},
      {{2, low(kData), 0, 0xfffff, 1}, "truncated"},
      {{0 | 5u << 16, 0}, "truncated"},
      {{8 | 5u << 28, 0x1234 << 2, 0, 0, 0, 0}, "register 0x1234"},
      {{8 | 7u << 28 | 1u << 31, low(kData), 0, 0, 0, 0}, "function 7"},
      {{10 | 0x3u << 25, low(kData), 0, 1, 0, 0, 0, 0}, "operation 3"},
      {{11 | 3u << 30, low(kData), 0, 1, 0}, "fill size 3"},
      {{9, low(kData), 0, 0, 50}, "50 dwords"},
  };
  for (const auto& [words, text] : cases) {
    RingFixture fresh(1);
    SdmaProcessor dead(Generation::kGfx11, fresh.layout(), fresh.ram.map, fresh.host);
    fresh.submit(words);
    EXPECT_EQ(run_all(dead), Step::kFailed) << text;
    EXPECT_NE(dead.failure().what.find(text), std::string::npos) << dead.failure().what;
    EXPECT_FALSE(dead.failure().memory);
  }
}

TEST_F(SdmaTest, BadAddressesAreMemoryFailures) {
  for (const auto& words : {copy(kNowhere, kData, 4), copy(kData, kNowhere, 4), fence(kNowhere, 1),
                            poll(kNowhere, 3, 1)}) {
    RingFixture fresh(1);
    SdmaProcessor dead(Generation::kGfx11, fresh.layout(), fresh.ram.map, fresh.host);
    fresh.submit(words);
    EXPECT_EQ(run_all(dead), Step::kFailed);
    EXPECT_TRUE(dead.failure().memory);
    EXPECT_EQ(dead.failure().address, kNowhere);
  }
}

TEST_F(SdmaTest, CopyPastTheEndStopsAtTheEnd) {
  EXPECT_EQ(run(copy(kData + kDataBytes - 4, kData, 8)), Step::kFailed);
  EXPECT_EQ(processor->failure().address, kData + kDataBytes);
  EXPECT_TRUE(processor->failure().write);
}

TEST_F(SdmaTest, OddWritePointerIsAnError) {
  ring.ram.set<uint64_t>(kWritePointer, 3);
  EXPECT_EQ(run_all(*processor), Step::kFailed);
  EXPECT_NE(processor->failure().what.find("multiple of 4"), std::string::npos);
}

TEST_F(SdmaTest, MemoryThatWasRemappedBetweenTwoPacketsIsSeen) {
  ring.ram.add(kRemapped, kRemappedBytes);
  ring.host.on_interrupt = [&] {
    ring.ram.remap(kRemapped, kRemappedBytes);
    ring.submit(fence(kRemapped, 9));
  };
  // The first packet looks at the old block, the second one comes after it.
  EXPECT_EQ(run(join({fence(kRemapped, 1), {6, 0x55}})), Step::kIdle);
  EXPECT_EQ(ring.ram.get<uint32_t>(kRemapped), 9u);
}

}  // namespace
}  // namespace lockstep::mockgpu
