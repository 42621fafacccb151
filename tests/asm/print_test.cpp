// SPDX-License-Identifier: MIT
// Printing against what llvm-mc prints.
#include "asm/print.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/vectors.h"

namespace lockstep::asm_ {
namespace {

class PrintVectors : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Targets, PrintVectors,
                         testing::Values("gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1150",
                                         "gfx1200", "gfx1100:true16", "gfx1200:true16"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), ':', '_');
                           return name;
                         });

std::string disassembled(isa::Isa isa, const std::string& hex, const PrintOptions& options) {
  isa::Inst inst;
  const isa::DecodeError error = isa::decode(isa, test::from_hex(hex), inst);
  if (error != isa::DecodeError::kNone) return std::string("error: ") + to_string(error);
  return print(inst, options);
}

TEST_P(PrintVectors, TextEqualsLlvm) {
  const std::string target = GetParam();
  const bool true16 = target.ends_with(":true16");
  const isa::Isa isa = test::isa_named(
      target.substr(0, target.find(':') == std::string::npos ? target.size() : target.find(':')));
  int failures = 0;
  for (const test::Vector& v : test::vectors_of(target)) {
    PrintOptions options;
    options.real_true16 = options.mark_literals = true16;
    for (const unsigned wave : {32u, 64u}) {
      if (v.wave != "any" && v.wave != std::to_string(wave)) continue;
      options.wave_size = wave;
      const std::string text = disassembled(isa, v.hex, options);
      if (text != v.text && ++failures <= 20)
        ADD_FAILURE() << v.hex << " wave" << wave << "\n  llvm: " << v.text << "\n  ours: " << text;
    }
  }
  EXPECT_EQ(failures, 0);
}

TEST(Print, BranchTargetsBySymbol) {
  PrintOptions options;
  options.address = 0x1000;
  const std::string backwards = "fcffa0bf";  // s_branch -4
  EXPECT_EQ(disassembled(isa::Isa::kGfx11, backwards, options), "s_branch 65532");
  uint64_t asked = 0;
  options.symbol = [&](uint64_t target) {
    asked = target;
    return std::string("loop");
  };
  EXPECT_EQ(disassembled(isa::Isa::kGfx11, backwards, options), "s_branch loop");
  EXPECT_EQ(asked, 0x1000u + 4 - 16);
  options.symbol = [](uint64_t) { return std::string(); };
  EXPECT_EQ(disassembled(isa::Isa::kGfx11, backwards, options), "s_branch 65532");
}

TEST(Print, LiteralsThatCouldBeInlineAreMarkedOnRequest) {
  PrintOptions options;
  const std::string one = "ff0080be01000000";  // s_mov_b32 s0, 1 with a literal
  EXPECT_EQ(disassembled(isa::Isa::kGfx11, one, options), "s_mov_b32 s0, 1");
  options.mark_literals = true;
  EXPECT_EQ(disassembled(isa::Isa::kGfx11, one, options), "s_mov_b32 s0, lit(0x1)");
  EXPECT_EQ(disassembled(isa::Isa::kGfx11, "ff0080be41000000", options), "s_mov_b32 s0, 0x41");
}

}  // namespace
}  // namespace lockstep::asm_
