// SPDX-License-Identifier: MIT
// A back end that is wrong on purpose: the difference is found, narrowed down to the instruction and
// the lane, and the file that is printed shows it again.
#include "diff/examine.h"

#include <gtest/gtest.h>

#include "diff/generate.h"
#include "diff/program_text.h"
#include "tests/diff/support.h"

namespace lockstep::diff {
namespace {

/// The interpreter, but v_mul_f32 of anything by -1.0 loses the sign, as a broken emulator might.
class Broken : public Backend {
 public:
  Broken() : right_(std::move(*emulator_backend(emu::Engine::kInterp))) {}
  std::string name() const override { return "broken"; }

 protected:
  Result<Launched> launch(const Program& program, uint32_t first, uint32_t count) override {
    Launched result;
    for (uint32_t i = first; i < first + count; ++i) {
      auto outcomes = right_->run(program.with_input(program.inputs[i], i));
      if (!outcomes) return Error{outcomes.error()};
      Outcome& o = (*outcomes)[0];
      if (!o.fault.empty()) return Launched{o.fault, o.detail, {}};
      const Layout& l = program.layout;
      if (program.text().find("v_mul_f32_e32 v6, v4, v5") != std::string::npos)
        for (uint32_t lane = 0; lane < l.wave_size; ++lane)
          if (o.state[l.vgpr_at(5, lane)] == 0xbf800000 && (o.state[kExecLo] >> lane & 1))
            o.state[l.vgpr_at(6, lane)] &= 0x7fffffff;
      result.states.push_back(std::move(o.state));
    }
    return result;
  }

 private:
  std::unique_ptr<Backend> right_;
};

constexpr const char* kProgram =
    ";@ target = gfx1100\n"
    ";@ wave = 32\n"
    ";@ v4 = 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0\n"
    ";@ s4 = 3\n"
    ";@ v9 = 7 + 2*lane\n"
    "again:\n"
    "v_add_nc_u32_e32 v9, 1, v9\n"
    "s_sub_u32 s4, s4, 1\n"
    "s_cmp_lg_u32 s4, 0\n"
    "s_cbranch_scc1 again\n"
    "v_mov_b32_e32 v5, 1.0\n"
    "v_cmp_eq_u32_e32 vcc_lo, 20, v9\n"
    "v_cndmask_b32_e64 v5, v5, -1.0, vcc_lo\n"
    "v_mul_f32_e32 v6, v4, v5\n"
    "v_add_f32_e32 v7, v6, v6\n";

TEST(ExamineTest, FindsTheInstructionTheLaneAndAFileThatShowsIt) {
  const auto program = parse_program(kProgram, "test.s", {});
  ASSERT_TRUE(program) << program.error();
  auto interp = emulator_backend(emu::Engine::kInterp);
  ASSERT_TRUE(interp) << interp.error();
  Broken broken;
  const auto a = (*interp)->run(*program), b = broken.run(*program);
  ASSERT_TRUE(a && b);
  ASSERT_TRUE(differ(program->layout, (*a)[0], (*b)[0]));
  const Finding f = examine(**interp, broken, *program, 0);
  EXPECT_EQ(f.instruction, "v_mul_f32_e32 v6, v4, v5");
  // 7 + 2 * lane + 3 == 20 in lane 5; what v4 is there plays no part.
  ASSERT_EQ(f.differences.size(), 1u) << f.reproducer;
  EXPECT_NE(f.differences[0].find("v6 lane 5: 0x80000000 (-0) against 0x00000000 (0)"),
            std::string::npos)
      << f.differences[0];
  EXPECT_NE(f.reproducer.find(";@ exec_lo = 0x20\n"), std::string::npos) << f.reproducer;
  EXPECT_EQ(f.reproducer.find("v9"), std::string::npos) << "what plays no part is gone";
  const auto again = parse_program(f.reproducer, "reproducer.s", {});
  ASSERT_TRUE(again) << again.error() << f.reproducer;
  const auto c = (*interp)->run(*again), d = broken.run(*again);
  ASSERT_TRUE(c && d);
  EXPECT_TRUE(differ(again->layout, (*c)[0], (*d)[0])) << f.reproducer;
}

TEST(ExamineTest, EqualBackEndsHaveNoDifference) {
  const auto program = parse_program(kProgram, "test.s", {});
  ASSERT_TRUE(program) << program.error();
  auto a = emulator_backend(emu::Engine::kInterp), b = emulator_backend(emu::Engine::kInterp);
  std::string why;
  EXPECT_FALSE(first_difference(**a, **b, *program, program->inputs[0], why));
  EXPECT_NE(why.find("no instruction differs alone"), std::string::npos) << why;
}

TEST(ExamineTest, GeneratedProgramsAreTheSameAfterBeingWrittenAsText) {
  for (const isa::Target target : {isa::Target::kGfx90a, isa::Target::kGfx1201}) {
    GenerateOptions options;
    options.target = target;
    options.count = 2;
    options.per_form = 1;
    const auto sweep = plan_sweep(options);
    ASSERT_TRUE(sweep) << sweep.error();
    for (size_t i = 0; i < sweep->rows.size(); i += 29)
      for (const Program& program : generate(sweep->rows[i], options)) {
        const Program one = program.with_input(program.inputs[1], 1);
        const auto again = parse_program(program_text(one, one.inputs[0]), "again.s", {});
        ASSERT_TRUE(again) << again.error();
        EXPECT_EQ(again->code, one.code) << program.text();
        EXPECT_TRUE(again->layout == one.layout) << program.text();
        EXPECT_TRUE(differences(one.layout, one.inputs[0], again->inputs[0]).empty())
            << program.text();
      }
  }
}

TEST(ProgramTextTest, MistakesAreNamed) {
  const auto refused = [](const std::string& text, const char* part) {
    TextOptions options;
    options.target = isa::Target::kGfx1100;
    const auto program = parse_program(text, "bad.s", options);
    ASSERT_FALSE(program) << text;
    EXPECT_NE(program.error().find(part), std::string::npos) << program.error();
    EXPECT_NE(program.error().find("bad.s"), std::string::npos) << program.error();
  };
  refused("", "no instruction");
  refused(";@ v0\ns_nop 0", "bad.s:1");
  refused(";@ v0 = what\ns_nop 0", "\"what\" is no value");
  refused(";@ v99 = 1\ns_nop 0", "there is no \"v99\"");
  refused(";@ x1 = 1\ns_nop 0", "there is no \"x1\"");
  refused(";@ s[4:9] = 1\ns_nop 0", "s[4:9]");
  refused(";@ s4 = 1, 2\ns_nop 0", "one value");
  refused(";@ wave = 48\ns_nop 0", "48 lanes");
  refused(";@ wave = big\ns_nop 0", "is a number");
  refused(";@ target = gfx999\ns_nop 0", "no target gfx999");
  refused(";@ target = gfx1201\ns_nop 0", "not gfx1100");
  refused(";@ lds[0x4000] = 1\ns_nop 0", "lds[0x4000]");
  refused(";@ vgprs = 400\ns_nop 0", "VGPRs");
  refused("v_add_f32 v0, v1", "bad.s:1");
  refused("frobnicate", "bad.s:1");
  refused("s_endpgm", "s_endpgm");
  refused("v_mov_b32 v250, 0", "v247");
  refused("s_getpc_b64 s[0:1]\ns_add_u32 s0, s0, somewhere@rel32@lo", "bad.s");
  const auto none = parse_program("s_nop 0", "bad.s", {});
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().find("--mcpu"), std::string::npos) << none.error();
}

TEST(GenerateTest, PatternsAreMatched) {
  EXPECT_TRUE(matches("*", "v_add_f32"));
  EXPECT_TRUE(matches("v_add*", "v_add_f32"));
  EXPECT_TRUE(matches("v_*_f32", "v_add_f32"));
  EXPECT_TRUE(matches("v_add_f?2", "v_add_f32"));
  EXPECT_FALSE(matches("v_add", "v_add_f32"));
  EXPECT_FALSE(matches("", "v_add_f32"));
  EXPECT_FALSE(matches("*_f64", "v_add_f32"));
  EXPECT_TRUE(matches("s_mov_b32,v_add*", "v_add_f32"));
}

TEST(GenerateTest, TheSameSeedGivesTheSamePrograms) {
  GenerateOptions options;
  options.match = "v_fma_f32";
  const auto sweep = plan_sweep(options);
  ASSERT_TRUE(sweep) << sweep.error();
  ASSERT_EQ(sweep->rows.size(), 1u);
  const auto a = generate(sweep->rows[0], options), b = generate(sweep->rows[0], options);
  ASSERT_EQ(a.size(), b.size());
  ASSERT_GT(a.size(), 2u);
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].code, b[i].code);
    EXPECT_EQ(a[i].inputs, b[i].inputs);
  }
  options.seed = 2;
  EXPECT_NE(generate(sweep->rows[0], options)[0].inputs, a[0].inputs);
}

}  // namespace
}  // namespace lockstep::diff
