// SPDX-License-Identifier: MIT
// The capture kernel: what is declared arrives, what the instructions do is captured, nothing else
// changes.
#include "diff/capture.h"

#include <gtest/gtest.h>

#include <random>

#include "diff/backend.h"
#include "emu/jit/engine.h"
#include "tests/diff/support.h"

namespace lockstep::diff {
namespace {

class CaptureTest : public ::testing::TestWithParam<isa::Target> {
 protected:
  Layout layout(uint32_t wave_size) const {
    const bool cdna = isa::target_info(GetParam()).generation == isa::Generation::kGfx9;
    return {GetParam(), wave_size, 40, cdna ? 16u : 0u, 1024, 512};
  }
  std::vector<uint32_t> wave_sizes() const {
    return isa::target_info(GetParam()).has_wave32 ? std::vector<uint32_t>{32, 64}
                                                   : std::vector<uint32_t>{64};
  }
};

TEST_P(CaptureTest, EveryWordOfTheStateGoesThrough) {
  std::mt19937 random(1);
  for (const emu::Engine engine : testing::engines()) {
    auto backend = emulator_backend(engine);
    ASSERT_TRUE(backend) << backend.error();
    for (const uint32_t wave_size : wave_sizes()) {
      Program program{
          layout(wave_size), "s_nop", testing::code(GetParam(), wave_size, "s_nop 0"), {}};
      for (int i = 0; i < 5; ++i) {
        State state(program.layout.words());
        for (uint32_t word = 0; word < state.size(); ++word)
          state[word] = static_cast<uint32_t>(random()) & program.layout.compared_bits(word);
        program.inputs.push_back(state);
      }
      const auto outcomes = (*backend)->run(program);
      ASSERT_TRUE(outcomes) << outcomes.error();
      ASSERT_EQ(outcomes->size(), program.inputs.size());
      for (size_t i = 0; i < outcomes->size(); ++i) {
        ASSERT_EQ((*outcomes)[i].fault, "") << (*outcomes)[i].detail;
        for (const Difference& d :
             differences(program.layout, program.inputs[i], (*outcomes)[i].state, 5))
          ADD_FAILURE() << (*backend)->name() << " wave" << wave_size << " input " << i << ": "
                        << describe(program.layout, d);
      }
    }
  }
}

TEST_P(CaptureTest, ResultsOfEveryKindAreCaptured) {
  auto backend = emulator_backend(emu::Engine::kInterp);
  ASSERT_TRUE(backend) << backend.error();
  const bool gfx12 = isa::target_info(GetParam()).generation == isa::Generation::kGfx12;
  const uint32_t wave_size = wave_sizes()[0];
  Program program{layout(wave_size), "mixed", {}, {}};
  program.code =
      testing::code(GetParam(), wave_size,
                    "v_add_f32_e32 v3, v1, v2\n"
                    "s_add_u32 s101, s4, s5\n"
                    "s_mov_b32 m0, 0x1234\n"
                    "s_mov_b32 vcc_lo, 0x55\n"
                    "s_cmp_eq_u32 s4, s4\n"
                    "s_mov_b32 exec_lo, 3\n" +
                        std::string(gfx12 ? "" : "s_setreg_imm32_b32 hwreg(1, 0, 2), 3\n"));
  State state = background(program.layout);
  for (uint32_t lane = 0; lane < wave_size; ++lane) {
    state[program.layout.vgpr_at(1, lane)] = 0x3f800000;
    state[program.layout.vgpr_at(2, lane)] = 0x40000000;
  }
  state[4] = 7;
  state[5] = 8;
  state[kScc] = 0;
  program.inputs.push_back(state);
  const auto outcomes = (*backend)->run(program);
  ASSERT_TRUE(outcomes) << outcomes.error();
  ASSERT_EQ(outcomes->at(0).fault, "") << outcomes->at(0).detail;
  for (uint32_t lane = 0; lane < wave_size; ++lane)
    state[program.layout.vgpr_at(3, lane)] = 0x40400000;
  state[101] = 15;
  state[kM0] = 0x1234;
  state[kVccLo] = 0x55;
  state[kScc] = 1;
  state[kExecLo] = 3;
  if (!gfx12) state[kMode] |= 3;
  for (const Difference& d : differences(program.layout, state, outcomes->at(0).state))
    ADD_FAILURE() << describe(program.layout, d);
}

TEST_P(CaptureTest, AFaultIsThatOfOneInput) {
  auto backend = emulator_backend(emu::Engine::kInterp);
  ASSERT_TRUE(backend) << backend.error();
  const uint32_t wave_size = wave_sizes()[0];
  const bool gfx9 = isa::target_info(GetParam()).generation == isa::Generation::kGfx9;
  Program program{layout(wave_size), "store", {}, {}};
  program.code =
      testing::code(GetParam(), wave_size,
                    gfx9 ? "global_store_dword v1, v2, s[8:9]" : "global_store_b32 v1, v2, s[8:9]");
  for (uint32_t i = 0; i < 4; ++i) {
    State state = background(program.layout);
    const uint64_t at = i == 2 ? 0x7777'0000'0000 : memory_address(program.layout, i);
    state[8] = static_cast<uint32_t>(at);
    state[9] = static_cast<uint32_t>(at >> 32);
    for (uint32_t lane = 0; lane < wave_size; ++lane)
      state[program.layout.vgpr_at(1, lane)] = lane * 4;
    program.inputs.push_back(state);
  }
  const auto outcomes = (*backend)->run(program);
  ASSERT_TRUE(outcomes) << outcomes.error();
  for (uint32_t i = 0; i < 4; ++i) {
    EXPECT_EQ(outcomes->at(i).fault, i == 2 ? "memory fault" : "") << outcomes->at(i).detail;
    if (i == 2) continue;
    State expected = program.inputs[i];
    for (uint32_t lane = 0; lane < wave_size; ++lane)
      expected[program.layout.memory_at() + lane] = expected[program.layout.vgpr_at(2, lane)];
    for (const Difference& d : differences(program.layout, expected, outcomes->at(i).state, 5))
      ADD_FAILURE() << i << ": " << describe(program.layout, d);
  }
}

TEST_P(CaptureTest, WhatCannotBeCapturedIsRefused) {
  auto backend = emulator_backend(emu::Engine::kInterp);
  ASSERT_TRUE(backend) << backend.error();
  const auto refused = [&](Layout l, const char* part) {
    Program program{l, "p", testing::code(GetParam(), 64, "s_nop 0"), {State(l.words())}};
    const auto outcomes = (*backend)->run(program);
    ASSERT_FALSE(outcomes) << part;
    EXPECT_NE(outcomes.error().find(part), std::string::npos) << outcomes.error();
  };
  Layout l{GetParam(), 64};
  l.vgprs = 256;
  refused(l, "VGPRs");
  l.vgprs = 8;
  l.lds_bytes = 100;
  refused(l, "LDS");
  l.lds_bytes = 0;
  l.wave_size = 48;
  refused(l, "lanes");
}

INSTANTIATE_TEST_SUITE_P(, CaptureTest, testing::one_target_of_each_isa(), testing::target_name);

}  // namespace
}  // namespace lockstep::diff
