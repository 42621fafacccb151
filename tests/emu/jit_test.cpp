// SPDX-License-Identifier: MIT
// The JIT does exactly what the interpreter does: rows one by one and random programs, over the
// whole state of a wave. LOCKSTEP_LONG=1 runs many more, of the rows in LOCKSTEP_ROWS if set.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <random>

#include "asm/print.h"
#include "emu/interp.h"
#include "emu/jit/engine.h"
#include "isa/check.h"
#include "tests/emu/jit_machine.h"

namespace lockstep::emu {
namespace {

using isa::Field;
using isa::Format;

constexpr uint32_t kSeed = 20261202;

uint32_t random_source(std::mt19937& random, bool scalar) {
  switch (random() % (scalar ? 4 : 8)) {
    case 0:
      return 128 + random() % 81;
    case 1:
      return 240 + random() % 8;
    case 2:
      return isa::kVccLo;
    case 3:
      return random() % 96 & ~1u;
    default:
      return isa::kSrcVgpr0 + random() % 24;
  }
}

/// An instruction of this row and form with random operands; false if none was found.
bool random_instruction(isa::Isa isa, isa::Op op, Format format, std::mt19937& random,
                        isa::Inst& out) {
  for (int attempt = 0; attempt < 20; ++attempt) {
    auto inst = isa::make_inst(isa, op, format);
    if (!inst) return false;
    const bool scalar = format <= Format::SOPP;
    for (const Field f : {Field::src0, Field::src1, Field::src2, Field::ssrc0, Field::ssrc1})
      if (inst->has(f)) inst->set(f, random_source(random, scalar));
    if (inst->has(Field::vsrc1)) inst->set(Field::vsrc1, random() % 24);
    if (inst->has(Field::vdst)) inst->set(Field::vdst, random() % 24);
    if (inst->has(Field::sdst)) inst->set(Field::sdst, random() % 8 ? random() % 96 & ~1u : 126);
    if (inst->has(Field::simm16)) inst->set(Field::simm16, random() & 0xffff);
    for (const Field f : {Field::neg, Field::abs, Field::opsel})
      if (inst->has(f) && random() % 3 == 0) inst->set(f, random() & 7);
    for (const Field f : {Field::clamp, Field::omod})
      if (inst->has(f) && random() % 16 == 0) inst->set(f, 1);
    if (inst->has(Field::opsel_hi)) {
      inst->set(Field::opsel_hi, random() & 3);
      inst->set(Field::opsel_hi2, random() & 1);
      if (random() % 2) inst->set(Field::neg_hi, random() & 7);
    }
    // A dword more than the instruction has itself: a literal, DPP or SDWA.
    std::array<uint32_t, 4> words{};
    std::copy_n(inst->words, inst->size / 4, words.begin());
    uint32_t& more = words[inst->size / 4];
    more = interesting(random);
    const bool gfx9 = isa::generation_of(isa) == isa::Generation::kGfx9;
    if (!scalar && random() % 3 == 0 && inst->has(Field::src0)) {
      const uint32_t suffixes[] = {gfx9 ? isa::kSrcSdwa : isa::kSrcDpp8,
                                   gfx9 ? isa::kSrcSdwa : isa::kSrcDpp8Fi, isa::kSrcDpp16,
                                   isa::kSrcDpp16};
      inst->set(Field::src0, suffixes[random() % 4]);
      std::copy_n(inst->words, inst->size / 4, words.begin());
      more = (random() & ~0xffu) | random() % 24;
      if (random() % 2) more |= 0xff000000;  // all rows and banks
      if (random() % 2) more = (more & 0xff00ffff) | 0x00060000;
    }
    isa::Inst again;
    const std::span bytes(reinterpret_cast<const uint8_t*>(words.data()), sizeof words);
    if (isa::decode(isa, bytes, again) != isa::DecodeError::kNone) continue;
    out = again;
    return true;
  }
  return false;
}

constexpr uint32_t kEndpgm[] = {0xbf810000, 0xbfb00000};  // gfx9, gfx11 and later
uint32_t endpgm(isa::Isa isa) {
  return kEndpgm[isa::generation_of(isa) == isa::Generation::kGfx9 ? 0 : 1];
}

std::string text_of(const std::vector<isa::Inst>& program, uint32_t wave_size) {
  std::string text;
  asm_::PrintOptions options;
  options.wave_size = wave_size;
  for (const isa::Inst& i : program) text += asm_::print(i, options) + "  // " + i.hex() + "\n";
  return text;
}

class Pair {
 public:
  Pair(isa::Isa isa, uint32_t wave_size, jit::Tier tier)
      : reference(isa, wave_size),
        compiled(isa, wave_size),
        initial_(isa, wave_size),
        isa_(isa),
        wave_size_(wave_size),
        units_(std::make_shared<jit::UnitCaches>(JitObservers{}, tier)),
        runner_(units_) {}

  /// Runs a program on both; the first difference, or an empty string. Generated code knows what
  /// memory its accesses hit only when it runs `again` from the same state.
  std::string run(const std::vector<isa::Inst>& program, uint32_t mode, std::mt19937& random,
                  bool again = false) {
    std::vector<uint32_t> words;
    for (const isa::Inst& i : program) words.insert(words.end(), i.words, i.words + i.size / 4);
    words.push_back(endpgm(isa_));
    words.resize(words.size() + 8, 0);
    reference.load_code(words);
    compiled.load_code(words);
    reference.randomise(random);
    compiled.copy_state(reference);
    before = Snapshot(reference.wave);
    initial_.restore(reference);
    interp_code_.begin(reference.key);
    jit_code_.begin(compiled.key);
    runner_.begin(compiled.key);
    std::string problem = run_once(program.size() * 4 + 3, mode);
    if (!again || !problem.empty()) return problem;
    reference.restore(initial_);
    compiled.restore(initial_);
    problem = run_once(program.size() * 4 + 3, mode);
    return problem.empty() ? "" : "the second time: " + problem;
  }
  std::string run_once(uint64_t budget, uint32_t mode) {
    reference.start(mode);
    compiled.start(mode);
    uint64_t ran_a = 0, ran_b = 0;
    const ExitReason a = interpret(reference.c, interp_code_, budget, ran_a);
    const ExitReason b = runner_.run(compiled.c, jit_code_, budget, ran_b);
    if (a != b)
      return "exit: interpreter " + std::to_string(int(a)) + ", JIT " + std::to_string(int(b));
    if (ran_a != ran_b)
      return "executed: interpreter " + std::to_string(ran_a) + ", JIT " + std::to_string(ran_b);
    if (reference.c.fault.kind != compiled.c.fault.kind ||
        reference.c.fault.lane != compiled.c.fault.lane ||
        reference.c.fault.address != compiled.c.fault.address)
      return "fault";
    return reference.difference(compiled);
  }
  struct Snapshot {
    Snapshot() = default;
    explicit Snapshot(const WaveState& w) : exec(w.exec()), vcc(w.vcc()) {}
    uint64_t exec = 0, vcc = 0;
  } before;
  Machine reference, compiled;
  jit::Statistics statistics() const { return units_->current()->statistics(); }

 private:
  Machine initial_;
  isa::Isa isa_;
  uint32_t wave_size_;
  CodeCache interp_code_, jit_code_;
  std::shared_ptr<jit::UnitCaches> units_;
  jit::Runner runner_;
};

bool is_alu(Format f) {
  constexpr Format kAlu[] = {Format::SOP1,   Format::SOP2, Format::SOPC, Format::SOPK,
                             Format::VOP1,   Format::VOP2, Format::VOPC, Format::VOP3,
                             Format::VOP3SD, Format::VOP3P};
  return std::ranges::find(kAlu, f) != std::end(kAlu);
}

bool is_tested(const isa::OpInfo& info) {
  return is_alu(info.format) || info.id.starts_with("v_accvgpr");
}

/// LOCKSTEP_ROWS=TEXT: only rows whose name contains it, to test a few of them for long.
bool is_wanted(const isa::OpInfo& info) {
  const char* text = std::getenv("LOCKSTEP_ROWS");
  return !text || info.id.find(text) != std::string_view::npos;
}

// clang-format off
constexpr uint32_t kModes[] = {
    0xf0 | ModeBits::kIeee | ModeBits::kDx10Clamp, 0xf0, 0, 0xc0 | ModeBits::kIeee,
    0x30 | ModeBits::kDx10Clamp, 0xf6 | ModeBits::kIeee, 0xf9, 0x0f, 0xf0 | ModeBits::kFp16Ovfl};
// clang-format on

class JitTest : public ::testing::TestWithParam<std::tuple<isa::Isa, jit::Tier>> {
 protected:
  void SetUp() override {
    if (!jit::host_can(tier()))
      GTEST_SKIP() << "this host cannot run " << jit::tier_name(tier()) << " code";
    RecordProperty("seed", static_cast<int>(kSeed));
  }
  isa::Isa isa() const { return std::get<0>(GetParam()); }
  jit::Tier tier() const { return std::get<1>(GetParam()); }
  int rounds(int usual) const {
    // Both tiers share most of their code: the second one gets fewer rounds.
    if (tier() == jit::Tier::kAvx2) usual = usual / 2;
    return std::getenv("LOCKSTEP_LONG") ? usual * 100 : usual;
  }
};

TEST_P(JitTest, EveryRowIsEqual) {
  const isa::Isa isa = this->isa();
  std::mt19937 random(kSeed);
  const bool has_wave32 = isa::generation_of(isa) != isa::Generation::kGfx9;
  Pair wide(isa, 64, tier()), narrow(isa, has_wave32 ? 32 : 64, tier());
  int failures = 0;
  for (int i = 0; i < isa::kOpCount && failures < 10; ++i) {
    const auto op = static_cast<isa::Op>(i);
    const isa::OpInfo& info = isa::op_info(op);
    if (!isa::exists_on(op, isa) || !is_tested(info) || !is_wanted(info)) continue;
    if (info.id.starts_with("s_getreg") || info.id.starts_with("s_sendmsg")) continue;  // clocks
    for (const Format form : {info.format, Format::VOP3}) {
      if (form == Format::VOP3 && info.format != Format::VOP1 && info.format != Format::VOP2 &&
          info.format != Format::VOPC)
        continue;
      const int n = rounds(24);
      for (int round = 0; round < n; ++round) {
        isa::Inst inst;
        if (!random_instruction(isa, op, form, random, inst)) break;
        Pair& pair = random() % 2 ? wide : narrow;
        const uint32_t mode = kModes[random() % std::size(kModes)];
        const uint64_t failed = pair.statistics().failed;
        std::string problem = pair.run({inst}, mode, random);
        if (problem.empty() && pair.statistics().failed > failed) problem = "not compiled: a bug";
        if (problem.empty()) continue;
        ADD_FAILURE() << "seed " << kSeed << ", round " << round << ", MODE " << std::hex << mode
                      << ", EXEC " << pair.before.exec << ", VCC " << pair.before.vcc << "\n"
                      << text_of({inst}, &pair == &wide ? 64 : 32) << problem;
        ++failures;
        break;
      }
    }
  }
  RecordProperty("called", static_cast<int>(narrow.statistics().called));
}

TEST_P(JitTest, RandomProgramsAreEqual) {
  const isa::Isa isa = this->isa();
  std::mt19937 random(kSeed + 1);
  std::vector<isa::Op> ops;
  for (int i = 0; i < isa::kOpCount; ++i) {
    const auto op = static_cast<isa::Op>(i);
    const isa::OpInfo& info = isa::op_info(op);
    const bool plain = isa::exists_on(op, isa) && is_tested(info) &&
                       !info.id.starts_with("s_getreg") && !info.id.starts_with("s_sendmsg") &&
                       !info.id.starts_with("s_setpc") && !info.id.starts_with("s_swappc") &&
                       !info.id.starts_with("s_rfe") && !info.id.starts_with("s_call");
    if (plain) ops.push_back(op);
  }
  const bool has_wave32 = isa::generation_of(isa) != isa::Generation::kGfx9;
  Pair wide(isa, 64, tier()), narrow(isa, has_wave32 ? 32 : 64, tier());
  for (int round = 0; round < rounds(150); ++round) {
    std::vector<isa::Inst> program;
    const size_t length = round % 3 == 0 ? 5 : 100;
    while (program.size() < length) {
      isa::Inst inst;
      if (random_instruction(isa, ops[random() % ops.size()], isa::op_info(ops[0]).format, random,
                             inst))
        program.push_back(inst);
      const isa::Op op = ops[random() % ops.size()];
      if (random_instruction(isa, op, isa::op_info(op).format, random, inst))
        program.push_back(inst);
    }
    Pair& pair = random() % 2 ? wide : narrow;
    const uint32_t mode = kModes[random() % std::size(kModes)];
    const std::mt19937 at = random;
    std::string problem = pair.run(program, mode, random);
    ASSERT_EQ(pair.statistics().failed, 0u) << "a program was not compiled\n"
                                            << text_of(program, &pair == &wide ? 64 : 32);
    if (problem.empty()) continue;
    // Shrink: drop whatever is not needed for a difference.
    for (bool shorter = true; shorter;) {
      shorter = false;
      for (size_t i = 0; i < program.size(); ++i) {
        std::vector<isa::Inst> fewer = program;
        fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
        std::mt19937 again = at;
        const std::string same = pair.run(fewer, mode, again);
        if (same.empty()) continue;
        program = fewer;
        problem = same;
        shorter = true;
        break;
      }
    }
    FAIL() << "seed " << kSeed + 1 << ", round " << round << ", MODE " << std::hex << mode << "\n"
           << text_of(program, &pair == &wide ? 64 : 32) << problem;
  }
}

/// Pairs of instructions in one word (VOPD), which have no rows of their own, on targets that have
/// them.
class JitPairTest : public JitTest {};

TEST_P(JitPairTest, PairsAreEqual) {
  std::mt19937 random(kSeed + 3);
  Pair pair(isa(), 32, tier());
  constexpr uint32_t kVopd = 0x32;  // the first six bits of a pair
  for (int round = 0; round < rounds(300); ++round) {
    std::vector<isa::Inst> program;
    const size_t length = 1 + random() % 6;
    while (program.size() < length) {
      std::array<uint32_t, 4> words = {};
      for (uint32_t& w : words) w = random();
      words[0] = (words[0] & 0x03ffffff) | kVopd << 26;
      const std::span bytes(reinterpret_cast<const uint8_t*>(words.data()), sizeof words);
      isa::Inst inst;
      if (isa::decode(isa(), bytes, inst) != isa::DecodeError::kNone || inst.format != Format::VOPD)
        continue;
      // Few registers, so that the instructions have to do with each other.
      inst.set(Field::srcx0, random_source(random, false));
      inst.set(Field::srcy0, random_source(random, false));
      for (const Field f : {Field::vsrcx1, Field::vsrcy1, Field::vdstx}) inst.set(f, random() % 24);
      inst.set(Field::vdsty, random() % 12);
      std::copy_n(inst.words, inst.size / 4, words.begin());
      isa::Inst again;
      if (isa::decode(isa(), bytes, again) == isa::DecodeError::kNone) program.push_back(again);
    }
    const uint32_t mode = kModes[random() % std::size(kModes)];
    const std::string problem = pair.run(program, mode, random);
    ASSERT_EQ(problem, "") << "seed " << kSeed + 3 << ", round " << round << ", MODE " << std::hex
                           << mode << "\n"
                           << text_of(program, 32);
    ASSERT_EQ(pair.statistics().failed, 0u) << "not compiled: a bug\n" << text_of(program, 32);
  }
}

/// A load or store of device memory or LDS with addresses that are often in range.
bool random_access(isa::Isa isa, isa::Op op, std::mt19937& random, isa::Inst& out) {
  const isa::OpInfo& info = isa::op_info(op);
  auto inst = isa::make_inst(isa, op, info.format);
  if (!inst) return false;
  const bool ds = info.format == Format::DS;
  for (const Field f : {Field::vdst, Field::data, Field::data0, Field::data1, Field::vdata})
    if (inst->has(f)) inst->set(f, random() % 20);
  const bool gfx9 = isa::generation_of(isa) == isa::Generation::kGfx9;
  const bool buffer = info.format == Format::MUBUF;
  const bool scalar = info.format == Format::GLOBAL && random() % 2;
  const bool scratch = info.format == Format::SCRATCH;
  const unsigned address = scratch ? 29 : ds || scalar || buffer ? 28 : 30;
  for (const Field f : {Field::addr, Field::vaddr})
    if (inst->has(f)) inst->set(f, address);
  const unsigned none = gfx9 ? 127 : unsigned{isa::kNull};
  if (inst->has(Field::saddr)) inst->set(Field::saddr, scalar ? 100 : none);
  if (scratch) {
    if (random() % 2) inst->set(Field::saddr, 93);
    if (isa != isa::Isa::kGfx90a) inst->set(Field::sve, random() % 2);
  }
  if (inst->has(Field::offset)) inst->set(Field::offset, random() % 3 ? 0 : random() % 64);
  if (buffer) {
    const bool gfx12 = isa == isa::Isa::kGfx12;
    inst->set(Field::srsrc, gfx12 ? 88 : 22);
    inst->set(Field::offen, random() % 4 != 0);
    inst->set(Field::idxen, random() % 8 == 0);
    inst->set(Field::soffset, random() % 2 ? 92 : gfx12 ? unsigned{isa::kNull} : 128);
  }
  if (inst->has(Field::offset0)) inst->set(Field::offset0, random() % 3 ? 0 : random() % 64);
  if (inst->has(Field::offset1)) inst->set(Field::offset1, ds && random() % 2 ? random() % 3 : 0);
  isa::Inst again;
  const std::span bytes(reinterpret_cast<const uint8_t*>(inst->words), size_t{inst->size});
  if (isa::decode(isa, bytes, again) != isa::DecodeError::kNone) return false;
  out = again;
  return true;
}

TEST_P(JitTest, MemoryIsEqual) {
  const isa::Isa isa = this->isa();
  std::mt19937 random(kSeed + 2);
  const bool has_wave32 = isa::generation_of(isa) != isa::Generation::kGfx9;
  Pair wide(isa, 64, tier()), narrow(isa, has_wave32 ? 32 : 64, tier());
  for (int i = 0; i < isa::kOpCount; ++i) {
    const auto op = static_cast<isa::Op>(i);
    const isa::OpInfo& info = isa::op_info(op);
    const Format f = info.format;
    if (f != Format::DS && f != Format::GLOBAL && f != Format::FLAT && f != Format::MUBUF &&
        f != Format::SCRATCH)
      continue;
    if (!isa::exists_on(op, isa) || !isa::has_semantics(op)) continue;
    for (int round = 0; round < rounds(30); ++round) {
      std::vector<isa::Inst> program(1 + random() % 3);
      bool good = true;
      for (isa::Inst& inst : program) good = good && random_access(isa, op, random, inst);
      if (!good) break;
      Pair& pair = random() % 2 ? wide : narrow;
      const std::string problem = pair.run(program, kModes[0], random, true);
      ASSERT_EQ(problem, "") << "seed " << kSeed + 2 << ", round " << round << ", EXEC " << std::hex
                             << pair.before.exec << "\n"
                             << text_of(program, &pair == &wide ? 64 : 32);
      ASSERT_EQ(pair.statistics().failed, 0u) << "not compiled: a bug\n"
                                              << text_of(program, &pair == &wide ? 64 : 32);
    }
  }
}

TEST_P(JitTest, CodeThatChangedIsSeenAfterAnInterpretedInvalidation) {
  const isa::Isa isa = this->isa();
  const bool gfx9 = isa::generation_of(isa) == isa::Generation::kGfx9;
  const auto mov_s0 = [&](uint32_t value) {
    auto inst = isa::make_inst(isa, isa::Op::s_movk_i32, Format::SOPK);
    inst->set(Field::sdst, 0);
    inst->set(Field::simm16, value);
    return inst->words[0];
  };
  Machine m(isa, gfx9 ? 64 : 32);
  m.load_code(
      {isa::make_inst(isa, isa::Op::s_icache_inv, Format::SOPP)->words[0], mov_s0(1), endpgm(isa)});
  CodeCache code;
  jit::Runner runner(std::make_shared<jit::UnitCaches>(JitObservers{}, tier()));
  m.start(kModes[0]);
  code.begin(m.key);
  runner.begin(m.key);
  uint64_t executed = 0;
  EXPECT_EQ(runner.run(m.c, code, 100, executed), ExitReason::kEnd);
  EXPECT_EQ(m.wave.scalar[0], 1u);
  m.wave.pc = Machine::kCode;
  // The invalidation alone, by the interpreter; then the program changes under the compiled code.
  EXPECT_EQ(interpret(m.c, code, 1, executed), ExitReason::kYield);
  m.code[1] = mov_s0(2);
  EXPECT_EQ(runner.run(m.c, code, 100, executed), ExitReason::kEnd);
  EXPECT_EQ(m.wave.scalar[0], 2u);
}

const auto kTiers = ::testing::Values(jit::Tier::kAvx512, jit::Tier::kAvx2);
INSTANTIATE_TEST_SUITE_P(Isas, JitTest,
                         ::testing::Combine(::testing::Values(isa::Isa::kGfx90a, isa::Isa::kGfx942,
                                                              isa::Isa::kGfx950, isa::Isa::kGfx11,
                                                              isa::Isa::kGfx115, isa::Isa::kGfx12),
                                            kTiers));

INSTANTIATE_TEST_SUITE_P(Isas, JitPairTest,
                         ::testing::Combine(::testing::Values(isa::Isa::kGfx11, isa::Isa::kGfx115,
                                                              isa::Isa::kGfx12),
                                            kTiers));

}  // namespace
}  // namespace lockstep::emu
