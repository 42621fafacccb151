// SPDX-License-Identifier: MIT
// PM4: each packet, waits that stall and resume at any depth, and everything that must be refused.
#include "mockgpu/pm4.h"

#include <gtest/gtest.h>

#include "tests/mockgpu/fixture.h"

namespace lockstep::mockgpu {
namespace {

using namespace testing;
using isa::Target;

class Pm4Test : public ::testing::Test {
 protected:
  void use(Target target) {
    processor = std::make_unique<Pm4Processor>(target, ring.layout(), ring.ram.map, ring.host);
  }
  void SetUp() override { use(Target::kGfx1100); }
  Step run(const std::vector<uint32_t>& words) {
    ring.submit(words);
    return run_all(*processor);
  }
  void expect_failure(const std::vector<uint32_t>& words, const std::string& text) {
    EXPECT_EQ(run(words), Step::kFailed);
    EXPECT_NE(processor->failure().what.find(text), std::string::npos) << processor->failure().what;
    EXPECT_EQ(processor->run(1), Step::kFailed) << "a dead queue must stay dead";
    EXPECT_FALSE(processor->has_work());
  }
  static std::vector<uint32_t> wait_equal(uint64_t address, uint32_t value) {
    return pm4(0x3c, {0x13, low(address), high(address), value, 0xffffffff, 4});
  }
  static std::vector<uint32_t> write_word(uint64_t address, uint32_t value) {
    return pm4(0x37, {5u << 8, low(address), high(address), value});
  }
  static std::vector<uint32_t> call(uint64_t address, uint32_t dwords, bool chain = false) {
    return pm4(0x3f, {low(address), high(address), dwords | 1u << 23 | (chain ? 1u << 20 : 0)});
  }

  RingFixture ring{4};
  std::unique_ptr<Pm4Processor> processor;
};

TEST_F(Pm4Test, EmptyRingIsIdle) {
  EXPECT_FALSE(processor->has_work());
  EXPECT_EQ(processor->run(1), Step::kIdle);
  EXPECT_FALSE(processor->has_work());
}

TEST_F(Pm4Test, NopFormsAndFiller) {
  EXPECT_EQ(run(join({{0xffff1000},  // the header alone
                      pm4(0x10, {0xdeadbeef, 0xdeadbeef}),
                      {0x80000000},  // type 2
                      write_word(kData, 7)})),
            Step::kIdle);
  EXPECT_EQ(ring.ram.get<uint32_t>(kData), 7u);
  EXPECT_EQ(ring.consumed(), ring.submitted());
}

TEST_F(Pm4Test, WriteDataToOneAndToManyAddresses) {
  EXPECT_EQ(run(join({pm4(0x37, {5u << 8, low(kData), 0, 1, 2, 3}),
                      pm4(0x37, {5u << 8 | 1u << 16, low(kData + 64), 0, 4, 5, 6})})),
            Step::kIdle);
  EXPECT_EQ(ring.ram.get<uint32_t>(kData + 8), 3u);
  EXPECT_EQ(ring.ram.get<uint32_t>(kData + 64), 6u);
  EXPECT_EQ(ring.ram.get<uint32_t>(kData + 68), 0u);
}

TEST_F(Pm4Test, EveryWaitFunctionStallsAndResumes) {
  struct Case {
    uint32_t function, blocked, open;
  };
  for (const Case& c :
       {Case{1, 10, 9}, {2, 11, 10}, {3, 9, 10}, {4, 10, 11}, {5, 9, 10}, {6, 10, 11}}) {
    RingFixture fresh(4);
    Pm4Processor pm4_processor(Target::kGfx1100, fresh.layout(), fresh.ram.map, fresh.host);
    fresh.ram.set<uint32_t>(kData, c.blocked | 0xab00);  // bits outside the mask
    fresh.submit(join(
        {pm4(0x3c, {0x10 | c.function, low(kData), 0, 10, 0xff, 4}), write_word(kData + 4, 1)}));
    EXPECT_EQ(run_all(pm4_processor), Step::kStalled) << c.function;
    EXPECT_TRUE(pm4_processor.has_work());
    EXPECT_EQ(fresh.ram.get<uint32_t>(kData + 4), 0u) << c.function;
    EXPECT_EQ(fresh.consumed(), 0u);
    fresh.ram.set<uint32_t>(kData, c.open);
    EXPECT_EQ(run_all(pm4_processor), Step::kIdle) << c.function;
    EXPECT_EQ(fresh.ram.get<uint32_t>(kData + 4), 1u) << c.function;
  }
}

TEST_F(Pm4Test, WaitInsideNestedIndirectBuffersResumes) {
  const auto inner = join({write_word(kData, 1), wait_equal(kData + 8, 5), write_word(kData, 2)});
  const auto outer =
      join({call(kData + 0x1000, static_cast<uint32_t>(inner.size())), write_word(kData + 4, 3)});
  ring.ram.put(kData + 0x1000, inner);
  ring.ram.put(kData + 0x2000, outer);
  EXPECT_EQ(run(join({call(kData + 0x2000, static_cast<uint32_t>(outer.size())),
                      write_word(kData + 12, 4)})),
            Step::kStalled);
  EXPECT_EQ(ring.ram.get<uint32_t>(kData), 1u);
  EXPECT_EQ(ring.consumed(), 0u) << "the read pointer must not pass a buffer that is not finished";
  ring.ram.set<uint32_t>(kData + 8, 5);
  EXPECT_EQ(run_all(*processor), Step::kIdle);
  EXPECT_EQ(ring.ram.get<uint32_t>(kData), 2u);
  EXPECT_EQ(ring.ram.get<uint32_t>(kData + 4), 3u);
  EXPECT_EQ(ring.ram.get<uint32_t>(kData + 12), 4u);
}

TEST_F(Pm4Test, ChainReplacesTheRestOfTheBuffer) {
  const auto second = write_word(kData, 2);
  ring.ram.put(kData + 0x2000, second);
  const auto first = join(
      {call(kData + 0x2000, static_cast<uint32_t>(second.size()), true), write_word(kData + 4, 9)});
  ring.ram.put(kData + 0x1000, first);
  EXPECT_EQ(run(call(kData + 0x1000, static_cast<uint32_t>(first.size()))), Step::kIdle);
  EXPECT_EQ(ring.ram.get<uint32_t>(kData), 2u);
  EXPECT_EQ(ring.ram.get<uint32_t>(kData + 4), 0u);
}

TEST_F(Pm4Test, BufferThatCallsItselfEndsInAnError) {
  ring.ram.put(kData + 0x1000, call(kData + 0x1000, 4));
  expect_failure(call(kData + 0x1000, 4), "more than");
}

TEST_F(Pm4Test, BufferThatChainsToItselfNeverHangsTheThread) {
  ring.ram.put(kData + 0x1000, call(kData + 0x1000, 4, true));
  ring.submit(call(kData + 0x1000, 4));
  Step step = Step::kProgress;
  for (int i = 0; i < 100000 && step == Step::kProgress; ++i) step = processor->run(64);
  EXPECT_EQ(step, Step::kFailed);
  EXPECT_NE(processor->failure().what.find("chain"), std::string::npos);
}

TEST_F(Pm4Test, PacketsWrapAroundTheRingEnd) {
  ring.start_at(kRingBytes * 3 - 8);
  use(Target::kGfx1100);
  EXPECT_EQ(run(write_word(kData, 42)), Step::kIdle);
  EXPECT_EQ(ring.ram.get<uint32_t>(kData), 42u);
  EXPECT_EQ(ring.consumed(), ring.submitted());
}

TEST_F(Pm4Test, ReleaseMemWritesAndInterrupts) {
  const auto release = [](uint32_t data, uint32_t interrupt, uint64_t address, uint64_t value) {
    return pm4(0x49, {0x514, data << 29 | interrupt << 24, low(address), high(address), low(value),
                      high(value), 0x77});
  };
  ring.ram.set<uint64_t>(kData, ~0ull);
  EXPECT_EQ(
      run(join({release(1, 0, kData, 0x1122334455667788), release(2, 0, kData + 8, 1ull << 40),
                release(3, 0, kData + 16, 0), release(0, 2, 0, 0)})),
      Step::kIdle);
  EXPECT_EQ(ring.ram.get<uint64_t>(kData), 0xffffffff55667788);
  EXPECT_EQ(ring.ram.get<uint64_t>(kData + 8), 1ull << 40);
  EXPECT_EQ(ring.ram.get<uint64_t>(kData + 16), ring.host.ticks);
  EXPECT_EQ(ring.host.interrupts, std::vector<uint32_t>{0x77});
}

TEST_F(Pm4Test, CopyData) {
  ring.ram.set<uint64_t>(kData, 0x1111222233334444);
  const auto copy = [](uint32_t control, uint64_t from, uint64_t to) {
    return pm4(0x40, {control, low(from), high(from), low(to), high(to)});
  };
  EXPECT_EQ(
      run(join({copy(1 | 5u << 8, kData, kData + 8),
                copy(1 | 5u << 8 | 1u << 16, kData, kData + 16), copy(5 | 5u << 8, 99, kData + 24),
                copy(9 | 5u << 8 | 1u << 16, 0, kData + 32)})),
      Step::kIdle);
  EXPECT_EQ(ring.ram.get<uint64_t>(kData + 8), 0x33334444u);
  EXPECT_EQ(ring.ram.get<uint64_t>(kData + 16), 0x1111222233334444u);
  EXPECT_EQ(ring.ram.get<uint64_t>(kData + 24), 99u);
  EXPECT_EQ(ring.ram.get<uint64_t>(kData + 32), ring.host.ticks);
}

TEST_F(Pm4Test, DmaDataCopiesAndFills) {
  ring.ram.put(kData, {1, 2, 3, 4});
  EXPECT_EQ(run(join({pm4(0x50, {0, low(kData), 0, low(kData + 64), 0, 12}),
                      pm4(0x50, {2u << 29, 0xa5a5a5a5, 0, low(kData + 128), 0, 8})})),
            Step::kIdle);
  EXPECT_EQ(ring.ram.get<uint32_t>(kData + 72), 3u);
  EXPECT_EQ(ring.ram.get<uint32_t>(kData + 76), 0u);
  EXPECT_EQ(ring.ram.get<uint64_t>(kData + 128), 0xa5a5a5a5a5a5a5a5u);
  EXPECT_EQ(ring.ram.get<uint32_t>(kData + 136), 0u);
}

TEST_F(Pm4Test, AtomicMem) {
  struct Case {
    uint32_t operation;
    uint64_t before, source, compare, after;
  };
  for (const Case& c : {Case{0x0f, 5, 7, 0, 12},               // add
                        {0x2f, 0xffffffff, 1, 0, 1ull << 32},  // 64-bit add
                        {0x0f, 0xffffffff, 1, 0, 0},           // 32 bits wrap
                        {0x10, 5, 7, 0, 0xfffffffe},           // sub
                        {0x07, 5, 7, 0, 7},                    // swap
                        {0x08, 5, 7, 5, 7},                    // compare and swap: equal
                        {0x08, 5, 7, 6, 5},                    // ... and not
                        {0x11, 0xffffffff, 1, 0, 0xffffffff},  // signed min
                        {0x12, 0xffffffff, 1, 0, 1},           // unsigned min
                        {0x13, 0xffffffff, 1, 0, 1},
                        {0x14, 0xffffffff, 1, 0, 0xffffffff},
                        {0x15, 12, 10, 0, 8},
                        {0x16, 12, 10, 0, 14},
                        {0x17, 12, 10, 0, 6},
                        {0x18, 4, 4, 0, 0},   // inc wraps at the source
                        {0x19, 0, 4, 0, 4},   // dec wraps to the source
                        {0x4f, 5, 7, 0, 12},  // the forms without return
                        {0x6f, 5, 7, 0, 12}}) {
    ring.ram.set<uint64_t>(kData, c.before);
    EXPECT_EQ(run(pm4(0x1e, {c.operation, low(kData), 0, low(c.source), high(c.source),
                             low(c.compare), high(c.compare), 0})),
              Step::kIdle);
    EXPECT_EQ(ring.ram.get<uint64_t>(kData), c.after) << std::hex << c.operation;
  }
}

TEST_F(Pm4Test, AtomicMemLoopWaitsForTheCompare) {
  ring.ram.set<uint64_t>(kData, 1);
  EXPECT_EQ(run(pm4(0x1e, {0x08 | 1u << 8, low(kData), 0, 9, 0, 0, 0, 0})), Step::kStalled);
  ring.ram.set<uint64_t>(kData, 0);
  EXPECT_EQ(run_all(*processor), Step::kIdle);
  EXPECT_EQ(ring.ram.get<uint64_t>(kData), 9u);
}

TEST_F(Pm4Test, ConditionalAndPredicatedExecution) {
  const auto body = write_word(kData + 8, 1);
  const auto size = static_cast<uint32_t>(body.size());
  ring.ram.set<uint32_t>(kData, 0);
  EXPECT_EQ(run(join({pm4(0x22, {low(kData), 0, 0, size}), body})), Step::kIdle);
  EXPECT_EQ(ring.ram.get<uint32_t>(kData + 8), 0u);
  EXPECT_EQ(run(join({pm4(0x23, {2u << 24 | size}), body})), Step::kIdle);
  EXPECT_EQ(ring.ram.get<uint32_t>(kData + 8), 0u) << "another XCC's part must not run";
  EXPECT_EQ(run(join({pm4(0x23, {1u << 24 | size}), body})), Step::kIdle);
  EXPECT_EQ(ring.ram.get<uint32_t>(kData + 8), 1u);
  ring.ram.set<uint32_t>(kData, 1);
  ring.ram.set<uint32_t>(kData + 8, 0);
  EXPECT_EQ(run(join({pm4(0x22, {low(kData), 0, 0, size}), body})), Step::kIdle);
  EXPECT_EQ(ring.ram.get<uint32_t>(kData + 8), 1u);
}

TEST_F(Pm4Test, CacheAndEventPacketsAreAccepted) {
  EXPECT_EQ(
      run(join({pm4(0x58, {0, ~0u, ~0u, 0, 0, 0, 0x7fff}), pm4(0x46, {0x407}),
                pm4(0x79, {0x200, 0xe0000000}), pm4(0x3c, {0x45, 0xe26, 0xe27, ~0u, ~0u, 4})})),
      Step::kIdle);
  use(Target::kGfx950);
  EXPECT_EQ(run(pm4(0x58, {0, ~0u, ~0u, 0, 0, 0xa})), Step::kIdle);
}

TEST_F(Pm4Test, UnknownThingsAreNamed) {
  const std::pair<std::vector<uint32_t>, std::string> cases[] = {
      {pm4(0x2d, {1, 2}), "opcode 0x2d"},
      {{0x00001234}, "type 0"},
      {{0x40001234}, "type 1"},
      {pm4(0x76, {0x2ff, 1}), "register 0x2eff"},
      {pm4(0x76, {0x24f, 1, 2}), "register 0x2e50"},
      {pm4(0x79, {0x123, 1}), "register 0xc123"},
      {pm4(0x3c, {0x17, low(kData), 0, 0, 0, 4}), "function 7"},
      {pm4(0x3c, {0x05, 0x1234, 0, 0, 0, 4}), "register 0x1234"},
      {pm4(0x3c, {0x45, 0x1234, 0x1235, 0, 0, 4}), "0x1234"},
      {pm4(0x40, {4 | 5u << 8, 0x999, 0, low(kData), 0}), "register 0x999"},
      {pm4(0x40, {3 | 5u << 8, 0, 0, low(kData), 0}), "source 3"},
      {pm4(0x46, {0x3f}), "event 0x3f"},
      {pm4(0x49, {0x3f, 0, 0, 0, 0, 0, 0}), "event 0x3f"},
      {pm4(0x49, {0x14, 6u << 29, low(kData), 0, 0, 0, 0}), "data selection 6"},
      {pm4(0x1e, {0x7f, low(kData), 0, 1, 0, 0, 0, 0}), "operation 0x7f"},
      {pm4(0x58, {0, 0, 0, 0, 0, 0}), "6 payload dwords"},
      {pm4(0x15, {1, 1, 1}), "3 payload dwords"},
      {pm4(0x22, {low(kData), 0, 0, 100}), "100 dwords"},
  };
  for (const auto& [words, text] : cases) {
    RingFixture fresh(4);
    Pm4Processor dead(Target::kGfx1100, fresh.layout(), fresh.ram.map, fresh.host);
    fresh.submit(words);
    EXPECT_EQ(run_all(dead), Step::kFailed) << text;
    EXPECT_NE(dead.failure().what.find(text), std::string::npos) << dead.failure().what;
    EXPECT_FALSE(dead.failure().memory);
  }
}

TEST_F(Pm4Test, TruncatedPacketIsAnError) {
  auto words = write_word(kData, 1);
  words.pop_back();
  expect_failure(words, "truncated");
}

TEST_F(Pm4Test, PacketThatLeavesItsIndirectBufferIsAnError) {
  ring.ram.put(kData + 0x1000, write_word(kData, 1));
  expect_failure(call(kData + 0x1000, 3), "truncated");
}

TEST_F(Pm4Test, BadAddressesAreMemoryFailures) {
  for (const auto& words :
       {write_word(kNowhere, 1), wait_equal(kNowhere, 1), call(kNowhere, 4),
        pm4(0x49, {0x514, 1u << 29, low(kNowhere), 0, 1, 0, 0}),
        pm4(0x40, {1 | 5u << 8, low(kNowhere), 0, low(kData), 0}),
        pm4(0x50, {0, low(kData), 0, low(kNowhere), 0, 4}),
        pm4(0x1e, {0x0f, low(kNowhere), 0, 1, 0, 0, 0, 0}), pm4(0x22, {low(kNowhere), 0, 0, 0})}) {
    RingFixture fresh(4);
    Pm4Processor dead(Target::kGfx1100, fresh.layout(), fresh.ram.map, fresh.host);
    fresh.submit(words);
    EXPECT_EQ(run_all(dead), Step::kFailed);
    EXPECT_TRUE(dead.failure().memory) << dead.failure().what;
    EXPECT_EQ(dead.failure().address, kNowhere);
  }
}

TEST_F(Pm4Test, ReadOnlyMemoryIsNotWritten) {
  ring.ram.add(0x900000, 0x1000, /*writable=*/false);
  expect_failure(write_word(0x900000, 1), "write at 0x900000");
}

TEST_F(Pm4Test, BadWritePointersAreErrors) {
  ring.ram.set<uint64_t>(kWritePointer, kRingBytes / 4 + 1);
  EXPECT_EQ(run_all(*processor), Step::kFailed);
  EXPECT_NE(processor->failure().what.find("overrun"), std::string::npos);
  use(Target::kGfx1100);
  ring.start_at(256);
  ring.ram.set<uint64_t>(kWritePointer, 1);
  EXPECT_EQ(run_all(*processor), Step::kFailed);
  EXPECT_NE(processor->failure().what.find("behind"), std::string::npos);
}

TEST_F(Pm4Test, MemoryThatWasRemappedBetweenTwoPacketsIsSeen) {
  ring.ram.add(kRemapped, kRemappedBytes);
  ring.host.on_interrupt = [&] {
    ring.ram.remap(kRemapped, kRemappedBytes);
    ring.submit(pm4(0x37, {5u << 8, low(kRemapped), high(kRemapped), 9}));
  };
  // The first packet looks at the old block, the second one comes after it.
  EXPECT_EQ(run(join({pm4(0x37, {5u << 8, low(kRemapped), high(kRemapped), 1}),
                      pm4(0x49, {0x514, 2u << 24, 0, 0, 0, 0, 0x77})})),
            Step::kIdle);
  EXPECT_EQ(ring.ram.get<uint32_t>(kRemapped), 9u);
}

}  // namespace
}  // namespace lockstep::mockgpu
