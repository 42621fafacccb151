// SPDX-License-Identifier: MIT
// Garbage in rings and indirect buffers, from fixed seeds: the processors end in an error, a wait
// or idle, never in a crash, and never touch memory that is not on the map.
#include <gtest/gtest.h>

#include <random>

#include "mockgpu/aql.h"
#include "mockgpu/pm4.h"
#include "mockgpu/sdma.h"
#include "tests/mockgpu/fixture.h"

namespace lockstep::mockgpu {
namespace {

using namespace testing;
using isa::Generation;
using isa::Target;

// Half noise, half plausible headers and addresses: pure noise dies at the first header.
class Garbage {
 public:
  explicit Garbage(uint32_t seed) : random_(seed) {}
  uint32_t word() {
    switch (random_() % 8) {
      case 0:
        return low(kData) + random_() % kDataBytes;
      case 1:
        return random_() % 64;
      case 2:
        return 0;
      case 3:
        return 3u << 30 | (random_() % 8) << 16 | kPm4[random_() % std::size(kPm4)] << 8;
      case 4:
        return random_() % 18;  // SDMA opcodes
      case 5:
        return 1u << (random_() % 32);
      default:
        return static_cast<uint32_t>(random_());
    }
  }
  std::vector<uint32_t> words(size_t count) {
    std::vector<uint32_t> list(count);
    for (uint32_t& w : list) w = word();
    return list;
  }

 private:
  static constexpr uint32_t kPm4[] = {0x10, 0x15, 0x1e, 0x22, 0x23, 0x37, 0x3c, 0x3f,
                                      0x40, 0x46, 0x49, 0x50, 0x58, 0x76, 0x79, 0x2d};
  std::mt19937 random_;
};

// A wait may stall for ever, a chain may be long; what counts is that every call comes back.
template <class Processor>
void expect_bounded(Processor& processor) {
  for (int i = 0; i < 50; ++i) {
    const Step step = processor.run(64);
    if (step == Step::kFailed) {
      EXPECT_FALSE(processor.failure().what.empty());
      return;
    }
    if (step != Step::kProgress) return;
  }
}

TEST(PacketFuzz, Pm4) {
  for (uint32_t seed = 0; seed < 3000; ++seed) {
    Garbage garbage(seed);
    RingFixture ring(4);
    ring.ram.put(kData, garbage.words(512));
    ring.submit(garbage.words(200));
    Pm4Processor processor(seed % 2 ? Target::kGfx1100 : Target::kGfx950, ring.layout(),
                           ring.ram.map, ring.host);
    expect_bounded(processor);
  }
}

TEST(PacketFuzz, Sdma) {
  for (uint32_t seed = 0; seed < 3000; ++seed) {
    Garbage garbage(seed);
    RingFixture ring(1);
    ring.ram.put(kData, garbage.words(512));
    ring.submit(garbage.words(200));
    SdmaProcessor processor(seed % 2 ? Generation::kGfx11 : Generation::kGfx9, ring.layout(),
                            ring.ram.map, ring.host);
    expect_bounded(processor);
  }
}

TEST(PacketFuzz, Aql) {
  for (uint32_t seed = 0; seed < 3000; ++seed) {
    Garbage garbage(seed);
    RingFixture ring(8);
    ring.ram.put(kData, garbage.words(512));
    auto words = garbage.words(16 * 8);
    for (size_t i = 0; i < words.size(); i += 16) {
      words[i] = (words[i] & ~0xffu) | (words[i] >> 8 & 7);
      if (i % 32 == 0) words[i + 1] = 3u << 30 | 2u << 16 | 0x3f << 8;
    }
    ring.ram.put(kRingBase, words);
    ring.ram.set<uint64_t>(kWritePointer, 8);
    AqlProcessor processor(Target::kGfx1201, ring.layout(), ring.ram.map, ring.host);
    expect_bounded(processor);
  }
}

TEST(PacketFuzz, GarbagePointers) {
  for (uint32_t seed = 0; seed < 2000; ++seed) {
    Garbage garbage(seed);
    RingFixture ring(4);
    ring.ram.set<uint64_t>(kReadPointer, garbage.word() | uint64_t{garbage.word()} << 32);
    ring.ram.set<uint64_t>(kWritePointer, garbage.word() | uint64_t{garbage.word()} << 32);
    Pm4Processor pm4_processor(Target::kGfx1100, ring.layout(), ring.ram.map, ring.host);
    expect_bounded(pm4_processor);
    SdmaProcessor sdma(Generation::kGfx12, ring.layout(), ring.ram.map, ring.host);
    expect_bounded(sdma);
    AqlProcessor aql(Target::kGfx1100, ring.layout(), ring.ram.map, ring.host);
    expect_bounded(aql);
  }
}

}  // namespace
}  // namespace lockstep::mockgpu
