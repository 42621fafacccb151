// SPDX-License-Identifier: MIT
// Every row of every target is executed or excluded for a reason that is no lack of work.
#include "emu/coverage.h"

#include <gtest/gtest.h>

#include <set>

#include "emu/handlers.h"

namespace lockstep::emu {
namespace {

TEST(CoverageTest, NoComputeRowIsLeftOut) {
  for (int t = 0; t < isa::kIsaCount; ++t)
    for (int i = 0; i < isa::kOpCount; ++i) {
      const auto isa = static_cast<isa::Isa>(t);
      const auto op = static_cast<isa::Op>(i);
      if (!isa::exists_on(op, isa) || isa::op_info(op).format == isa::Format::VOPD) continue;
      const std::string_view reason = why_not_executed(op, isa);
      EXPECT_EQ(executes(op, isa), reason.empty()) << isa::op_name(op, isa);
      EXPECT_NE(reason, "not executed yet") << isa::op_name(op, isa);
    }
}

TEST(CoverageTest, ArithmeticIsNeverExcluded) {
  const std::set<std::string_view> kAllowed = {"v_screen_partition_4se_b32", "v_mfma_ld_scale_b32",
                                               "s_rfe_restore_b64"};
  for (int t = 0; t < isa::kIsaCount; ++t)
    for (int i = 0; i < isa::kOpCount; ++i) {
      const auto isa = static_cast<isa::Isa>(t);
      const auto op = static_cast<isa::Op>(i);
      const isa::OpInfo& info = isa::op_info(op);
      const bool memory =
          info.mem.kind != isa::MemKind::kNone || info.format > isa::Format::VINTERP;
      if (memory || !isa::exists_on(op, isa) || info.format == isa::Format::VOPD) continue;
      EXPECT_TRUE(executes(op, isa) || kAllowed.contains(info.id)) << info.id;
    }
}

}  // namespace
}  // namespace lockstep::emu
