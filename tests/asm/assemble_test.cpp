// SPDX-License-Identifier: MIT
// Assembling against what llvm-mc assembles, and refusing what it refuses, both ways.
// tests/data/exceptions.txt lists where we differ and why; an entry that is no longer needed fails.
#include "asm/assemble.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "asm/strict.h"
#include "tests/support/vectors.h"

namespace lockstep::asm_ {
namespace {

class AssembleVectors : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Targets, AssembleVectors,
                         testing::Values("gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1150",
                                         "gfx1200", "gfx1100:true16", "gfx1200:true16"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), ':', '_');
                           return name;
                         });

/// Lines or words of exceptions.txt for a target.
std::set<std::string> exceptions_of(const std::string& target) {
  std::ifstream file(std::string(LOCKSTEP_SOURCE_DIR) + "/tests/data/exceptions.txt");
  EXPECT_TRUE(file.good()) << "cannot read tests/data/exceptions.txt";
  std::set<std::string> found;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#') || line.empty()) continue;
    const auto parts = test::split(line, ' ', 2);
    if (parts[0] == target) found.emplace(parts[1]);
  }
  return found;
}

std::string assembled(const std::string& text, const AsmOptions& options) {
  const AsmResult result = assemble_line(text, options);
  return result ? result.inst().hex() : "-";
}

/// "-" if refused.
std::string disassembled(isa::Isa isa, const std::string& hex, const PrintOptions& options) {
  const auto bytes = test::from_hex(hex);
  const Reading reading = read_like_llvm(isa, bytes, options);
  if (!reading.refused.empty() || reading.inst.size != bytes.size()) return "-";
  return "an instruction";
}

TEST_P(AssembleVectors, EqualLlvm) {
  const std::string target = GetParam();
  AsmOptions options;
  options.real_true16 = target.ends_with(":true16");
  options.isa = test::isa_named(target.substr(0, target.find(':')));
  const std::set<std::string> exceptions = exceptions_of(target);
  std::set<std::string> needed;
  int failures = 0, compared = 0;
  for (const test::Vector& v : test::assembly_of(target)) {
    for (const unsigned wave : {32u, 64u}) {
      if (v.wave != "any" && v.wave != std::to_string(wave)) continue;
      options.wave_size = wave;
      const PrintOptions print_options{.wave_size = wave, .real_true16 = options.real_true16};
      ++compared;
      const bool only_word = v.text == "-";
      const std::string got =
          only_word ? disassembled(options.isa, v.hex, print_options) : assembled(v.text, options);
      const std::string& expected = only_word ? v.text : v.hex;
      const std::string& key = only_word ? v.hex : v.text;
      if (got == expected) continue;
      needed.insert(key);
      if (!exceptions.contains(key) && ++failures <= 20)
        ADD_FAILURE() << target << " wave" << wave << "  " << key << "\n  llvm: " << expected
                      << "\n  ours: " << got;
    }
  }
  EXPECT_EQ(failures, 0) << "of " << compared;
  for (const std::string& e : exceptions)
    EXPECT_TRUE(needed.contains(e)) << "exceptions.txt: no longer needed: " << target << " " << e;
}

/// What assembles and prints as a word must be taken back by the strict check.
TEST_P(AssembleVectors, WordsOfLlvmAreNotRefused) {
  const std::string target = GetParam();
  const bool true16 = target.ends_with(":true16");
  const isa::Isa isa = test::isa_named(target.substr(0, target.find(':')));
  int failures = 0;
  for (const test::Vector& v : test::vectors_of(target))
    for (const unsigned wave : {32u, 64u}) {
      if (v.wave != "any" && v.wave != std::to_string(wave)) continue;
      const PrintOptions options{.wave_size = wave, .real_true16 = true16};
      if (disassembled(isa, v.hex, options) == "-" && ++failures <= 20)
        ADD_FAILURE() << target << " refuses " << v.hex << ": " << v.text;
    }
  EXPECT_EQ(failures, 0);
}

TEST(Assemble, ModifiersHaveAnOrder) {
  AsmOptions options;
  options.isa = isa::Isa::kGfx11;
  EXPECT_EQ(assembled("v_add_f32_e64 v1, v2, v3 clamp mul:2", options), "018003d502070208");
  EXPECT_EQ(assembled("v_add_f32_e64 v1, v2, v3 mul:2 clamp", options), "-");
  EXPECT_EQ(assembled("v_add_f32 v1, v2 clamp, v3", options), "-");
}

TEST(Assemble, NearMnemonicsAreNamed) {
  const AsmResult result = assemble_line("v_mov_b31 v0, v1", {});
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().message.find("did you mean: "), std::string::npos);
  EXPECT_NE(result.error().message.find("v_mov_b32"), std::string::npos);
}

}  // namespace
}  // namespace lockstep::asm_
