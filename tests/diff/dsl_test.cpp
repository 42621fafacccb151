// SPDX-License-Identifier: MIT
// A program that the C++ DSL builds, on two engines.
#include <gtest/gtest.h>

#include "asm/dsl/kernel.h"
#include "asm/dsl/program.h"
#include "diff/examine.h"
#include "diff/program_text.h"
#include "tests/diff/support.h"

namespace lockstep::diff {
namespace {

TEST(DslProgramTest, RunsOnBothEnginesAndGivesTheSum) {
  using namespace dsl;
  dsl::Program p(isa::Target::kGfx1100);
  p.v_mov_b32(v[2], 0);
  p.repeat(s[4], 10, [&] { p.v_add_nc_u32(v[2], v[2], v[1]); });
  const auto code = p.assemble();
  ASSERT_TRUE(code) << code.error();

  Program program;
  program.layout.target = p.target();
  program.layout.wave_size = p.wave_size();
  program.name = "sum";
  program.code = *code;
  const auto fitted = fit_layout(program);
  ASSERT_TRUE(fitted) << fitted.error();
  State input = plain_state(program.layout);
  for (uint32_t lane = 0; lane < 32; ++lane) input[program.layout.vgpr_at(1, lane)] = lane;
  program.inputs.push_back(input);
  for (const emu::Engine engine : testing::engines()) {
    auto backend = emulator_backend(engine);
    ASSERT_TRUE(backend) << backend.error();
    const auto outcomes = (*backend)->run(program);
    ASSERT_TRUE(outcomes) << outcomes.error();
    ASSERT_EQ((*outcomes)[0].fault, "") << (*outcomes)[0].detail;
    for (uint32_t lane = 0; lane < 32; ++lane)
      EXPECT_EQ((*outcomes)[0].state[program.layout.vgpr_at(2, lane)], lane * 10);
  }
}

}  // namespace
}  // namespace lockstep::diff
