// SPDX-License-Identifier: MIT
// Labels of rows, one of each rule of docs/fidelity.md.
#include "isa/op_class.h"

#include <gtest/gtest.h>

#include <string>

namespace lockstep::isa {
namespace {

Op op(std::string_view name, Isa isa) {
  const auto found = find_op(name, isa);
  EXPECT_TRUE(found) << name;
  return found.value_or(Op{});
}

TEST(OpClassTest, Classes) {
  const std::pair<const char*, OpClass> expected[] = {
      {"s_add_u32", OpClass::kScalar},
      {"s_cmp_eq_u32", OpClass::kScalar},
      {"s_setpc_b64", OpClass::kControl},
      {"s_call_b64", OpClass::kControl},
      {"s_waitcnt_vscnt", OpClass::kControl},
      {"s_barrier", OpClass::kControl},
      {"s_load_b32", OpClass::kScalarMemory},
      {"v_fma_f32", OpClass::kVector},
      {"v_interp_p10_f32", OpClass::kVector},
      {"v_wmma_f32_16x16x16_f16", OpClass::kMatrix},
      {"buffer_load_b32", OpClass::kVectorMemory},
      {"image_load", OpClass::kVectorMemory},
      {"ds_load_b32", OpClass::kLds},
      {"exp", OpClass::kExport},
  };
  for (const auto& [name, wanted] : expected)
    EXPECT_EQ(to_string(class_of(op(name, Isa::kGfx11))), to_string(wanted)) << name;
}

TEST(OpClassTest, Fidelity) {
  struct Case {
    Isa isa;
    const char* name;
    Fidelity label;
  };
  const Case cases[] = {
      {Isa::kGfx11, "v_fma_f32", Fidelity::kExact},
      {Isa::kGfx11, "v_add_nc_u32", Fidelity::kExact},
      {Isa::kGfx11, "v_cvt_f16_f32", Fidelity::kExact},
      {Isa::kGfx11, "v_exp_f32", Fidelity::kOneUlp},
      {Isa::kGfx11, "v_rcp_f64", Fidelity::kOneUlp},
      {Isa::kGfx12, "v_s_sqrt_f32", Fidelity::kOneUlp},
      {Isa::kGfx11, "v_div_fixup_f32", Fidelity::kModelled},
      {Isa::kGfx11, "v_dot2_f32_f16", Fidelity::kModelled},
      {Isa::kGfx11, "v_dot4_i32_iu8", Fidelity::kExact},
      {Isa::kGfx11, "v_wmma_i32_16x16x16_iu8", Fidelity::kExact},
      {Isa::kGfx11, "v_wmma_f16_16x16x16_f16", Fidelity::kModelled},
      {Isa::kGfx942, "v_mfma_f32_32x32x8_f16", Fidelity::kModelled},
      {Isa::kGfx942, "v_mfma_i32_32x32x16_i8", Fidelity::kExact},
      {Isa::kGfx942, "v_cvt_pk_fp8_f32", Fidelity::kModelled},
      {Isa::kGfx942, "v_cvt_f32_fp8", Fidelity::kExact},
      {Isa::kGfx950, "v_cvt_scalef32_pk_f32_fp4", Fidelity::kModelled},
      {Isa::kGfx950, "v_permlane32_swap_b32", Fidelity::kModelled},
      {Isa::kGfx11, "global_atomic_add_f32", Fidelity::kModelled},
      {Isa::kGfx942, "global_atomic_pk_add_bf16", Fidelity::kModelled},
      {Isa::kGfx11, "ds_max_f32", Fidelity::kModelled},
      {Isa::kGfx11, "ds_add_rtn_f32", Fidelity::kModelled},
      {Isa::kGfx11, "global_atomic_add_u32", Fidelity::kExact},
      {Isa::kGfx11, "image_load", Fidelity::kModelled},
  };
  for (const Case& c : cases)
    EXPECT_EQ(to_string(fidelity_of(op(c.name, c.isa))), to_string(c.label)) << c.name;
}

}  // namespace
}  // namespace lockstep::isa
