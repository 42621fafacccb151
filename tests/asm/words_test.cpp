// SPDX-License-Identifier: MIT
// Words that mean two things in one line of assembler.
#include <gtest/gtest.h>

#include "asm/assemble.h"

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

}  // namespace
