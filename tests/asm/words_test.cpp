// SPDX-License-Identifier: MIT
// Lines of assembler that once went wrong.
#include <gtest/gtest.h>

#include "asm/assemble.h"
#include "asm/source.h"

namespace {

using namespace lockstep;

std::string hex(const char* text, isa::Isa target) {
  const auto result = asm_::assemble_line(text, {.isa = target, .wave_size = 64});
  return result ? result.inst().hex() : result.error().message;
}

TEST(Words, A16IsARegisterAndAModifier) {
  EXPECT_EQ(hex("v_accvgpr_read_b32 v0, a16", isa::Isa::kGfx90a), "0040d8d310010018");
  EXPECT_EQ(hex("v_accvgpr_write_b32 a16, v0", isa::Isa::kGfx90a), "1040d9d300010018");
  EXPECT_EQ(hex("image_load v0, v0, s[0:7] dmask:0x1 unorm a16", isa::Isa::kGfx90a),
            "009100f000000000");
}

TEST(Words, MacrosThatGrowWithoutEndAreAnError) {
  const std::string text = ".macro m\n  m\n  m\n  m\n.endm\nm\n";
  asm_::SourceOptions options;
  options.target = isa::Target::kGfx1100;
  const asm_::AssembledSource result = asm_::assemble_source(text, "grow.s", options);
  EXPECT_FALSE(result.ok);
  ASSERT_FALSE(result.diagnostics.empty());
  const std::string doubling = ".macro d a\n  d \\a\\a\n.endm\nd xxxxxxxx\n";
  const asm_::AssembledSource wide = asm_::assemble_source(doubling, "double.s", options);
  EXPECT_FALSE(wide.ok);
  EXPECT_NE(wide.diagnostics.front().message.find("too much text"), std::string::npos)
      << wide.diagnostics.front().message;
}

}  // namespace
