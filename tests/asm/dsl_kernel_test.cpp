// SPDX-License-Identifier: MIT
// KernelBuilder: argument layout, descriptor keys, errors. That the objects load and run is tested in
// tests/dsl_examples.
#include <gtest/gtest.h>

#include "asm/dsl/kernel.h"

namespace {

using namespace lockstep::dsl;
using lockstep::isa::Target;

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(DslKernel, ArgumentsAreAlignedToTheirSize) {
  KernelBuilder k(Target::kGfx1100, "k");
  EXPECT_EQ(k.value<uint8_t>("a").offset, 0u);
  EXPECT_EQ(k.value<uint32_t>("b").offset, 4u);
  EXPECT_EQ(k.value<uint16_t>("c").offset, 8u);
  EXPECT_EQ(k.pointer("p").offset, 16u);
  EXPECT_EQ(k.lds(20), 0u);
  EXPECT_EQ(k.lds(4), 32u);
  k.s_endpgm();
  const auto source = k.source();
  ASSERT_TRUE(source) << source.error();
  for (const char* part :
       {".amdhsa_kernarg_size 24", ".amdhsa_group_segment_fixed_size 36",
        "amdhsa.target: amdgcn-amd-amdhsa--gfx1100", ".amdhsa_wavefront_size32 1"})
    EXPECT_TRUE(has(*source, part)) << part << " in\n" << *source;
}

TEST(DslKernel, RegistersAreCounted) {
  KernelBuilder rdna(Target::kGfx1100, "k");
  rdna.v_mov_b32(v[40], s[30]);
  EXPECT_TRUE(has(*rdna.source(), ".amdhsa_next_free_vgpr 41"));
  EXPECT_TRUE(has(*rdna.source(), ".amdhsa_next_free_sgpr 31"));
  KernelBuilder cdna(Target::kGfx942, "k");
  cdna.v_accvgpr_write_b32(a[9], v[5]);
  EXPECT_TRUE(has(*cdna.source(), ".amdhsa_accum_offset 8"));
  EXPECT_TRUE(has(*cdna.source(), ".amdhsa_next_free_vgpr 18"));
}

TEST(DslKernel, EveryTargetGivesAnObject) {
  for (const auto& info : lockstep::isa::all_targets()) {
    KernelBuilder k(info.target, "k");
    k.load_argument(s(6, 7), k.pointer("p"));
    k.group_id(s[8], 1);
    k.local_id(v[1], 2);
    k.barrier();
    k.s_endpgm();
    const auto object = k.code_object();
    ASSERT_TRUE(object) << info.name << ": " << object.error();
    EXPECT_EQ((*object)[1], 'E') << info.name;
  }
}

TEST(DslKernel, ErrorsNameKernelAndLine) {
  KernelBuilder k(Target::kGfx1100, "broken");
  k.load_argument(s[6], k.pointer("p"));  // two registers are needed
  const auto object = k.code_object();
  ASSERT_FALSE(object);
  EXPECT_TRUE(has(object.error(), "kernel broken: dsl_kernel_test.cpp:")) << object.error();
  EXPECT_TRUE(has(object.error(), "2 scalar registers are needed")) << object.error();
}

}  // namespace
