// SPDX-License-Identifier: MIT
// Random instruction streams: whatever decodes may fault, but never crashes or hangs the emulator. The seed is printed; LOCKSTEP_LONG=1
// runs many more.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <random>

#include "emu/dispatch.h"
#include "isa/inst.h"

namespace lockstep::emu {
namespace {

constexpr size_t kCodeWords = 64;
constexpr uint32_t kEndpgm[] = {0xbf810000, 0xbfb00000};  // gfx9, gfx11 and later

/// Appends random words that decode on the target until the buffer is nearly full, then ends the program.
void fill(std::vector<uint32_t>& code, isa::Isa isa, std::mt19937& random) {
  code.clear();
  while (code.size() + 6 < kCodeWords) {
    uint32_t words[5];
    for (uint32_t& w : words) w = random();
    // Half of the words start with a VALU or memory pattern, which plain random numbers meet rarely.
    static constexpr uint32_t kTops[] = {0xd4000000, 0xd5000000, 0xd6000000, 0xd7000000,
                                         0xcc000000, 0xdc000000, 0xd8000000, 0xe0000000,
                                         0xf4000000, 0x7e000000, 0xc8000000, 0xee000000};
    if (random() % 2) words[0] = kTops[random() % std::size(kTops)] | (random() & 0x00ffffff);
    isa::Inst inst;
    const std::span bytes(reinterpret_cast<const uint8_t*>(words), sizeof words);
    if (isa::decode(isa, bytes, inst) != isa::DecodeError::kNone) continue;
    code.insert(code.end(), inst.words, inst.words + inst.size / 4);
  }
  code.push_back(kEndpgm[isa::generation_of(isa) == isa::Generation::kGfx9 ? 0 : 1]);
  code.resize(kCodeWords, 0);
}

TEST(RandomStreamTest, NothingCrashesOrHangs) {
  const uint32_t seed = 20261202;
  const int rounds = std::getenv("LOCKSTEP_LONG") ? 200000 : 2000;
  RecordProperty("seed", static_cast<int>(seed));
  std::mt19937 random(seed);
  std::vector<uint32_t> data(4096);
  uint64_t executed = 0, finished = 0;
  for (int round = 0; round < rounds; ++round) {
    const isa::TargetInfo& target = isa::all_targets()[random() % isa::all_targets().size()];
    std::vector<uint32_t> code;
    fill(code, target.isa, random);
    MemoryMap memory;
    auto* code_bytes = reinterpret_cast<uint8_t*>(code.data());
    auto* data_bytes = reinterpret_cast<uint8_t*>(data.data());
    memory.add(
        {reinterpret_cast<uint64_t>(code_bytes), code.size() * 4, code_bytes, false, "code"});
    memory.add({reinterpret_cast<uint64_t>(data_bytes), data.size() * 4, data_bytes, true, "data"});
    DispatchRequest r;
    r.target = target.target;
    r.wave_size = target.has_wave32 && random() % 2 ? 32 : 64;
    r.entry = reinterpret_cast<uint64_t>(code_bytes);
    r.grid = {static_cast<uint32_t>(1 + random() % 128), 1, 1};
    r.block = {static_cast<uint32_t>(1 + random() % 96), 1, 1};
    r.rsrc1 = random() & 0x04aff03f;  // rounding, denormals, clamps, overflow; any number of VGPRs
    r.rsrc2 = 16 << 1 | 7 << 7;
    r.rsrc3 = random() & 0x3f;
    const auto address = reinterpret_cast<uint64_t>(data_bytes) + data.size() * 2;
    for (int i = 0; i < 8; ++i) {
      r.user_sgprs.push_back(static_cast<uint32_t>(address));
      r.user_sgprs.push_back(static_cast<uint32_t>(address >> 32));
    }
    r.lds_bytes = random() % 2 ? 0 : 4096;
    r.scratch_bytes_per_lane = random() % 2 ? 0 : 64;
    r.memory = &memory;
    DispatcherOptions options;
    options.threads = 1;
    options.max_instructions = 20000;
    Dispatcher dispatcher(options);
    SCOPED_TRACE(testing::Message() << "seed " << seed << " round " << round << " " << target.name);
    const DispatchResult result = dispatcher.run(r);
    executed += result.stats.wave_instructions;
    finished += result.ok;
    if (!result.ok) {
      ASSERT_NE(result.fault.kind, FaultKind::kNone);
      ASSERT_FALSE(result.fault.describe().empty());
    }
  }
  EXPECT_GT(executed, static_cast<uint64_t>(rounds))
      << "the streams are too short to mean anything";
  RecordProperty("finished", static_cast<int>(finished));
}

}  // namespace
}  // namespace lockstep::emu
