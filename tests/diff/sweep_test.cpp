// SPDX-License-Identifier: MIT
// The whole instruction set on two engines through the capture kernel: a short seeded part,
// everything with LOCKSTEP_LONG=1.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

#include "diff/generate.h"
#include "tests/diff/support.h"

namespace lockstep::diff {
namespace {

class SweepTest : public ::testing::TestWithParam<isa::Target> {};

TEST_P(SweepTest, InterpreterAndJitAgreeOnEveryRow) {
  if (!emu::check_engine(emu::Engine::kJit))
    GTEST_SKIP() << "nothing is compiled on this host: the interpreter runs everything";
  auto interp = emulator_backend(emu::Engine::kInterp);
  auto jit = emulator_backend(emu::Engine::kJit);
  ASSERT_TRUE(interp && jit);
  const bool all = std::getenv("LOCKSTEP_LONG");
  GenerateOptions options;
  options.target = GetParam();
  options.seed = 20261202;
  options.count = all ? 16 : 4;
  options.per_form = all ? 8 : 1;
  const auto sweep = plan_sweep(options);
  ASSERT_TRUE(sweep) << sweep.error();
  EXPECT_GT(sweep->rows.size(), 500u);
  size_t programs = 0, waves = 0;
  std::map<std::string, int> without;
  for (size_t i = 0; i < sweep->rows.size(); ++i) {
    if (!all && i % 4 != 0) continue;
    const auto generated = generate(sweep->rows[i], options);
    if (generated.empty()) ++without[std::string(isa::op_info(sweep->rows[i]).id)];
    for (const Program& program : generated) {
      const auto a = (*interp)->run(program), b = (*jit)->run(program);
      ASSERT_TRUE(a) << a.error();
      ASSERT_TRUE(b) << b.error();
      ++programs;
      for (size_t k = 0; k < a->size(); ++k, ++waves) {
        EXPECT_EQ((*a)[k].fault, (*b)[k].fault) << program.text() << (*a)[k].detail;
        EXPECT_EQ((*a)[k].fault, "") << program.text() << (*a)[k].detail;
        for (const Difference& d : differences(program.layout, (*a)[k].state, (*b)[k].state, 3))
          ADD_FAILURE() << program.text() << "input " << k << ": " << describe(program.layout, d);
      }
    }
  }
  for (const auto& [name, n] : without) ADD_FAILURE() << name << ": no instruction was found";
  EXPECT_GT(programs, 100u);
  std::printf("%zu programs, %zu waves\n", programs, waves);
}

INSTANTIATE_TEST_SUITE_P(, SweepTest, testing::one_target_of_each_isa(), testing::target_name);

}  // namespace
}  // namespace lockstep::diff
