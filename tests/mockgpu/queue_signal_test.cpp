// SPDX-License-Identifier: MIT
// How a queue and the program's runtime agree on scratch memory, and what errors leave in the
// queue's signal.
#include "mockgpu/queue_signal.h"

#include <gtest/gtest.h>

#include "tests/mockgpu/fixture.h"

namespace lockstep::mockgpu {
namespace {

constexpr uint64_t kQueue = 0x10000, kSignal = 0x11000, kMailbox = 0x12000;

class QueueSignalTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ram.add(kQueue, 0x3000);
    ram.set<uint64_t>(kQueue + kQueueInactiveSignal, kSignal);
    ram.set<uint64_t>(kSignal + kSignalMailbox, kMailbox);
    ram.set<uint32_t>(kSignal + kSignalEvent, 23);
  }
  uint64_t value() { return ram.get<uint64_t>(kSignal + kSignalValue); }
  /// What the runtime does: memory for `bytes` a lane of a wave of 64, then go on.
  void answer(uint32_t bytes) {
    ram.set<uint32_t>(kQueue + kQueueScratchLaneBytes, bytes);
    ram.set<uint64_t>(kSignal + kSignalValue, 0);
  }

  testing::GuestRam ram;
  testing::RecordingHost host;
  QueueSignal signal{kQueue, host};
};

TEST_F(QueueSignalTest, AsksOnceAndWaitsForTheAnswer) {
  GuestMemory memory(ram.map);
  EXPECT_FALSE(signal.has_scratch(memory, 48, 64));
  EXPECT_EQ(value(), 0x1u);
  EXPECT_EQ(ram.get<uint64_t>(kMailbox), 23u);
  EXPECT_EQ(host.interrupts, std::vector<uint32_t>{23});
  EXPECT_TRUE(signal.waiting(memory));
  answer(48);
  EXPECT_FALSE(signal.waiting(memory));
  EXPECT_TRUE(signal.has_scratch(memory, 48, 64));
  EXPECT_FALSE(signal.has_scratch(memory, 52, 64)) << "more than was given";
  EXPECT_EQ(host.interrupts.size(), 2u);
}

TEST_F(QueueSignalTest, WavesOf32NeedHalfAndSaySo) {
  GuestMemory memory(ram.map);
  EXPECT_FALSE(signal.has_scratch(memory, 48, 32));
  EXPECT_EQ(value(), 0x401u);
  answer(24);
  EXPECT_TRUE(signal.has_scratch(memory, 48, 32));
  EXPECT_FALSE(signal.has_scratch(memory, 48, 64));
}

TEST_F(QueueSignalTest, ScratchForOneDispatchIsGivenBack) {
  GuestMemory memory(ram.map);
  answer(1024);
  signal.release_scratch(memory);
  EXPECT_EQ(value(), 0u) << "scratch that stays with the queue";
  ram.set<uint32_t>(kQueue + kQueueProperties, 1u << 4);
  signal.release_scratch(memory);
  EXPECT_EQ(value(), 0x200u);
  EXPECT_TRUE(signal.waiting(memory));
}

TEST_F(QueueSignalTest, QueueWithoutASignalAsksNobody) {
  ram.set<uint64_t>(kQueue + kQueueInactiveSignal, 0);
  GuestMemory memory(ram.map);
  EXPECT_TRUE(signal.has_scratch(memory, 1 << 20, 64));
  EXPECT_FALSE(signal.raise(memory, 0x20));
  EXPECT_FALSE(signal.waiting(memory));
  EXPECT_TRUE(host.interrupts.empty());
}

TEST_F(QueueSignalTest, SignalThatIsNotThereIsPassedOver) {
  ram.set<uint64_t>(kQueue + kQueueInactiveSignal, 0xdead0000);
  GuestMemory memory(ram.map);
  EXPECT_FALSE(signal.raise(memory, 0x20));
  EXPECT_TRUE(signal.has_scratch(memory, 48, 64));
}

}  // namespace
}  // namespace lockstep::mockgpu
