// SPDX-License-Identifier: MIT
// --arg: what is accepted, and that each mistake is named.
#include "cli/arg_spec.h"

#include <gtest/gtest.h>

#include "cli/options.h"

namespace lockstep::cli {
namespace {

TEST(ArgSpec, Values) {
  const auto spec = parse_arg_spec("f32:1,2.5");
  ASSERT_TRUE(spec) << spec.error();
  EXPECT_EQ(spec->kind, ArgKindOf::kValue);
  EXPECT_EQ(spec->value, (std::vector<uint8_t>{0, 0, 0x80, 0x3f, 0, 0, 0x20, 0x40}));
  EXPECT_EQ(parse_arg_spec("i64:-1")->value, std::vector<uint8_t>(8, 0xff));
}

TEST(ArgSpec, Buffers) {
  const auto out = parse_arg_spec("out:bf16:16x8:o:1.npy");
  ASSERT_TRUE(out) << out.error();
  EXPECT_EQ(out->kind, ArgKindOf::kBuffer);
  EXPECT_EQ(out->type, DType::kBF16);
  EXPECT_EQ(out->shape, (Shape{16, 8}));
  EXPECT_EQ(out->output_file, "o:1.npy");
  EXPECT_TRUE(out->is_output);

  const auto in = parse_arg_spec("in:f64:a:b.npy");
  ASSERT_TRUE(in) << in.error();
  EXPECT_EQ(in->input_file, "a:b.npy");
  EXPECT_FALSE(in->is_output);

  const auto both = parse_arg_spec("inout:i8:a.npy:b.npy");
  ASSERT_TRUE(both) << both.error();
  EXPECT_EQ(both->input_file, "a.npy");
  EXPECT_EQ(both->output_file, "b.npy");

  const auto random = parse_arg_spec("rand:f32:64:9");
  ASSERT_TRUE(random) << random.error();
  EXPECT_EQ(random->seed, 9u);
  EXPECT_EQ(make_buffer(*random)->bytes, make_random(DType::kF32, {64}, 9).bytes);
  EXPECT_EQ(make_buffer(*parse_arg_spec("iota:i32:3"))->bytes,
            (std::vector<uint8_t>{0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0}));
}

TEST(ArgSpec, MistakesAreNamed) {
  for (const auto& [text, part] : {std::pair{"", "no argument"},
                                   {"f32", "no argument"},
                                   {"f23:1", "f23"},
                                   {"i8:200", "200"},
                                   {"i32:1.5", "1.5"},
                                   {"f32:1,,2", "\"\""},
                                   {"out:f32", "shape"},
                                   {"out:f32:", "shape"},
                                   {"out:float:4", "float"},
                                   {"out:f32:4x", "4x"},
                                   {"out:f32:4:", "file"},
                                   {"in:f32", "FILE.npy"},
                                   {"in:f32:a.npy:b.npy", "inout"},
                                   {"rand:f32:4", "seed"},
                                   {"rand:f32:4:x", "seed"},
                                   {"lds:x", "x"},
                                   {"put:f32:4", "put"}}) {
    const auto spec = parse_arg_spec(text);
    ASSERT_FALSE(spec) << text;
    EXPECT_NE(spec.error().find(part), std::string::npos) << text << ": " << spec.error();
  }
}

TEST(Triple, OneToThreeNumbers) {
  using T = std::array<uint32_t, 3>;
  EXPECT_EQ(*parse_triple("--grid", "4"), (T{4, 1, 1}));
  EXPECT_EQ(*parse_triple("--grid", "4,2,3"), (T{4, 2, 3}));
  for (const char* bad : {"", "0", "4,", ",4", "1,2,3,4", "4294967296", "-1", "2x2"}) {
    const auto t = parse_triple("--grid", bad);
    ASSERT_FALSE(t) << bad;
    EXPECT_NE(t.error().find("--grid"), std::string::npos);
  }
}

}  // namespace
}  // namespace lockstep::cli
