// SPDX-License-Identifier: MIT
// Random instruction streams: whatever decodes may fault, but never crashes or hangs the emulator.
// LOCKSTEP_STREAM_INSTRUCTIONS is how many wave-instructions each target has to run,
// LOCKSTEP_STREAM_SEED where the random numbers start.
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

uint64_t setting(const char* name, uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

/// A number as programs meet them: small, all bits, a float of ordinary size, anything.
uint32_t value(std::mt19937& random) {
  switch (random() % 4) {
    case 0:
      return random() % 64;
    case 1:
      return 0x3f000000 + random() % 0x01800000;
    case 2:
      return random() % 2 ? 0xffffffff : 0x80000000;
    default:
      return static_cast<uint32_t>(random());
  }
}

/// Registers get values, then come random words that decode on the target until the buffer is
/// nearly full, then the program ends. Without memory instructions most streams run to their end.
void fill(std::vector<uint32_t>& code, isa::Isa isa, bool with_memory, std::mt19937& random) {
  code.clear();
  // v_mov_b32 and s_mov_b32 with a literal are the same on all targets.
  for (uint32_t i = 1; i < 6; ++i) code.insert(code.end(), {0x7e0002ff | i << 17, value(random)});
  for (uint32_t i = 20; i < 24; ++i) code.insert(code.end(), {0xbe8000ff | i << 16, value(random)});
  while (code.size() + 6 < kCodeWords) {
    uint32_t words[5];
    for (uint32_t& w : words) w = static_cast<uint32_t>(random());
    // Half of the words start with a VALU or memory pattern, which plain random numbers meet rarely.
    static constexpr uint32_t kTops[] = {0xd4000000, 0xd5000000, 0xd6000000, 0xd7000000,
                                         0xcc000000, 0xdc000000, 0xd8000000, 0xe0000000,
                                         0xf4000000, 0x7e000000, 0xc8000000, 0xee000000};
    if (random() % 2) words[0] = kTops[random() % std::size(kTops)] | (random() & 0x00ffffff);
    isa::Inst inst;
    const std::span bytes(reinterpret_cast<const uint8_t*>(words), sizeof words);
    if (isa::decode(isa, bytes, inst) != isa::DecodeError::kNone) continue;
    if (!with_memory && isa::op_info(inst.op).mem.kind != isa::MemKind::kNone) continue;
    code.insert(code.end(), inst.words, inst.words + inst.size / 4);
  }
  code.push_back(kEndpgm[isa::generation_of(isa) == isa::Generation::kGfx9 ? 0 : 1]);
  code.resize(kCodeWords, 0);
}

class RandomStreams : public testing::TestWithParam<isa::TargetInfo> {};

TEST_P(RandomStreams, NothingCrashesOrHangs) {
  const isa::TargetInfo& target = GetParam();
  const uint64_t wanted = setting("LOCKSTEP_STREAM_INSTRUCTIONS", 30000);
  const uint64_t seed = setting("LOCKSTEP_STREAM_SEED", 20261202);
  RecordProperty("seed", static_cast<int>(seed));
  std::mt19937 random(static_cast<uint32_t>(seed));
  std::vector<uint32_t> data(4096);
  const bool has_jit = bool(check_engine(Engine::kJit));
  uint64_t executed = 0, rounds = 0, finished = 0;
  for (; executed < wanted; ++rounds) {
    std::vector<uint32_t> code;
    fill(code, target.isa, random() % 2, random);
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
    r.grant_all_registers = random() % 4 != 0;  // else most streams name a register that they lack
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
    options.max_instructions = 1000;  // a loop is soon as good as endless
    static constexpr Engine kEngines[] = {Engine::kInterp, Engine::kInterp, Engine::kJit,
                                          Engine::kVerify};
    options.engine = has_jit ? kEngines[random() % std::size(kEngines)] : Engine::kInterp;
    Dispatcher dispatcher(options);
    SCOPED_TRACE(testing::Message() << "seed " << seed << " round " << rounds);
    const DispatchResult result = dispatcher.run(r);
    executed += result.stats.wave_instructions;
    finished += result.ok;
    if (!result.ok) {
      ASSERT_NE(result.fault.kind, FaultKind::kNone);
      // A stream that jumped into its data may run what it has just written.
      const bool in_code = result.fault.pc - r.entry < code.size() * 4;
      ASSERT_FALSE(result.fault.kind == FaultKind::kEngineMismatch && in_code)
          << result.fault.describe();
      ASSERT_FALSE(result.fault.describe().empty());
    }
    ASSERT_LT(rounds, wanted) << "the streams are too short to mean anything";
  }
  EXPECT_GT(finished * 50, rounds) << "some streams run to their end";
  RecordProperty("rounds", static_cast<int>(rounds));
}

INSTANTIATE_TEST_SUITE_P(Targets, RandomStreams, testing::ValuesIn(isa::all_targets()),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace lockstep::emu
