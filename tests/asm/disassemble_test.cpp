// SPDX-License-Identifier: MIT
// Disassembly of a range of bytes.
#include "asm/disassemble.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/support/vectors.h"

namespace lockstep::asm_ {
namespace {

std::vector<uint8_t> joined(std::initializer_list<std::string_view> parts) {
  std::vector<uint8_t> bytes;
  for (const std::string_view hex : parts) {
    const std::vector<uint8_t> part = test::from_hex(hex);
    bytes.insert(bytes.end(), part.begin(), part.end());
  }
  return bytes;
}

constexpr std::string_view kBranch = "fdffa1bf", kEnd = "0000b0bf", kCodeEnd = "00009fbf",
                           kAdd = "01ff8082563412af";

TEST(Disassemble, LinesWithAddressesAndTargets) {
  const std::vector<uint8_t> code = joined({kAdd, kBranch, kEnd});
  const std::vector<Line> lines = disassemble(isa::Isa::kGfx11, code, 0x100);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0].address, 0x100u);
  EXPECT_EQ(lines[0].text, "s_subb_u32 s0, s1, 0xaf123456");
  EXPECT_EQ(lines[0].bytes.size(), 8u);
  EXPECT_FALSE(lines[0].target);
  EXPECT_EQ(lines[1].text, "s_cbranch_scc0 65533");
  ASSERT_TRUE(lines[1].target);
  EXPECT_EQ(*lines[1].target, 0x100u);
  EXPECT_EQ(lines[2].text, "s_endpgm");
  EXPECT_EQ(lines[2].address, 0x10cu);
}

TEST(Disassemble, PaddingIsFolded) {
  std::vector<uint8_t> code = joined({kEnd});
  for (int i = 0; i < 48; ++i) {
    const std::vector<uint8_t> word = joined({kCodeEnd});
    code.insert(code.end(), word.begin(), word.end());
  }
  std::vector<Line> lines = disassemble(isa::Isa::kGfx11, code, 0);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[1].text, "s_code_end");
  EXPECT_EQ(lines[1].repeat, 48u);
  DisassembleOptions options;
  options.fold_padding = false;
  EXPECT_EQ(disassemble(isa::Isa::kGfx11, code, 0, options).size(), 49u);
}

TEST(Disassemble, UnknownWordsAndOddEnds) {
  const std::vector<uint8_t> code = joined({"ffffffff", "ffffffff", kEnd, "01ff8082", "5634"});
  const std::vector<Line> lines = disassemble(isa::Isa::kGfx11, code, 0);
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[0].text, ".long 0xffffffff");
  EXPECT_EQ(lines[0].repeat, 2u);
  EXPECT_FALSE(lines[0].problem.empty());
  EXPECT_EQ(lines[1].text, "s_endpgm");
  EXPECT_EQ(lines[1].address, 8u);
  EXPECT_EQ(lines[2].text, ".long 0x8280ff01");
  EXPECT_NE(lines[2].problem.find("cut off"), std::string::npos);
  EXPECT_EQ(lines[3].text, ".byte 0x56, 0x34");
}

TEST(Disassemble, RandomBytesAreCoveredExactlyOnce) {
  std::mt19937 random(7);
  for (const char* target : {"gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1150", "gfx1200"}) {
    std::vector<uint8_t> code(20001);
    for (uint8_t& b : code) b = static_cast<uint8_t>(random());
    uint64_t next = 0;
    disassemble(test::isa_named(target), code, 0, {}, [&](const Line& line) {
      ASSERT_EQ(line.address, next);
      ASSERT_FALSE(line.text.empty());
      ASSERT_FALSE(line.bytes.empty());
      next += line.bytes.size() * line.repeat;
    });
    EXPECT_EQ(next, code.size());
  }
}

}  // namespace
}  // namespace lockstep::asm_
