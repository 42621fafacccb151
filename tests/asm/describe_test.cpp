// SPDX-License-Identifier: MIT
// Instructions as data: operands with access, implicit state, modifiers, fields that cover the
// encoding.
#include "asm/describe.h"

#include <gtest/gtest.h>

#include <random>

#include "asm/assemble.h"
#include "isa/names.h"

namespace {

using namespace lockstep;
using asm_::Access;
using asm_::OperandDetail;
using asm_::State;

isa::Inst assembled(const char* text, isa::Isa target = isa::Isa::kGfx11) {
  const auto inst = asm_::assemble_line(text, {.isa = target});
  EXPECT_TRUE(inst) << text << ": " << (inst ? "" : inst.error().message);
  return inst ? inst.inst() : isa::Inst{};
}

/// "v[4:5]=read-write" for each operand, implicit ones in brackets.
std::string summary(const isa::Inst& inst) {
  static constexpr const char* kAccess[] = {"", "r", "w", "rw"};
  std::string out;
  for (const OperandDetail& d : asm_::operand_details(inst, {.wave_size = 32})) {
    std::string item = d.text + "=" + kAccess[static_cast<int>(d.access)];
    if (d.implicit) item = "(" + item + ")";
    out += (out.empty() ? "" : " ") + item;
  }
  return out;
}

TEST(Describe, OperandsSayHowTheyAreUsed) {
  EXPECT_EQ(summary(assembled("v_add_f32 v1, s2, v3")), "v1=w s2=r v3=r (exec=r) (mode=r)");
  EXPECT_EQ(summary(assembled("v_fmac_f32 v1, v2, v3")), "v1=rw v2=r v3=r (exec=r) (mode=r)");
  EXPECT_EQ(summary(assembled("v_swap_b32 v1, v2")), "v1=rw v2=rw (exec=r)");
  EXPECT_EQ(summary(assembled("v_cndmask_b32_e32 v1, v2, v3, vcc_lo")),
            "v1=w v2=r v3=r (vcc_lo=r) (exec=r)");
  EXPECT_EQ(summary(assembled("v_cndmask_b32_e64 v1, v2, v3, s4")), "v1=w v2=r v3=r s4=r (exec=r)");
  EXPECT_EQ(summary(assembled("s_add_u32 s1, s2, 5")), "s1=w s2=r 5=r (scc=w)");
  EXPECT_EQ(summary(assembled("s_addc_u32 s1, s2, s3")), "s1=w s2=r s3=r (scc=rw)");
  EXPECT_EQ(summary(assembled("v_cmpx_lt_i32 v1, v2")), "(exec_lo=w) v1=r v2=r (exec=r)");
  EXPECT_EQ(summary(assembled("global_load_b64 v[2:3], v4, s[6:7] offset:8")),
            "v[2:3]=w v4=r s[6:7]=r (exec=r)");
  EXPECT_EQ(summary(assembled("global_load_d16_hi_b16 v2, v[4:5], off")),
            "v2=rw v[4:5]=r off=r (exec=r)");
  EXPECT_EQ(summary(assembled("image_sample v[0:3], v[4:5], s[8:15], s[16:19] dmask:0xf "
                              "dim:SQ_RSRC_IMG_2D")),
            "v[0:3]=w v[4:5]=r s[8:15]=r s[16:19]=r (exec=r)");
  EXPECT_EQ(summary(assembled("v_dual_fmac_f32 v0, v1, v2 :: v_dual_mov_b32 v3, 1.0")),
            "v0=rw v1=r v2=r v3=w 1.0=r (exec=r) (mode=r)");
}

TEST(Describe, SizesAreThoseOfTheValues) {
  const auto f16 = asm_::operand_details(assembled("v_add_f16 v1, v2, v3"), {});
  EXPECT_EQ(f16[0].bits, 16);
  const auto f64 = asm_::operand_details(assembled("v_add_f64 v[0:1], v[2:3], v[4:5]"), {});
  EXPECT_EQ(f64[0].bits, 64);
  EXPECT_EQ(f64[0].operand.dwords, 2);
  const auto mask = asm_::operand_details(assembled("v_cmp_eq_u32_e64 s4, v2, v3"), {});
  EXPECT_EQ(mask[0].bits, 32);
}

TEST(Describe, GroupsAndModifiers) {
  EXPECT_EQ(asm_::groups_of(assembled("s_cbranch_scc0 4")),
            asm_::kGroupBranch | asm_::kGroupConditional);
  EXPECT_EQ(asm_::groups_of(assembled("s_swappc_b64 s[0:1], s[2:3]")),
            asm_::kGroupScalarAlu | asm_::kGroupBranch | asm_::kGroupCall);
  EXPECT_EQ(asm_::groups_of(assembled("ds_add_u32 v0, v1")), asm_::kGroupLds | asm_::kGroupAtomic);
  EXPECT_EQ(asm_::groups_of(assembled("s_endpgm")), uint32_t{asm_::kGroupEnd});
  const auto list = asm_::modifiers_of(assembled("global_load_b32 v0, v[2:3], off offset:-16 glc"));
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0].name, "offset");
  EXPECT_EQ(list[0].value, -16);
  EXPECT_EQ(list[1].name, "glc");
}

/// The fields rebuild the words: together with the fixed bits they hold every bit that is set in an
/// instruction that we assembled.
TEST(Describe, FieldsCoverTheEncoding) {
  for (const char* text :
       {"v_fma_f32 v255, -v254, |s100|, 0x12345678 clamp", "s_load_b128 s[4:7], s[2:3], 0x1ff",
        "v_add_f32_dpp v1, v2, v3 row_shr:3 row_mask:0xa bank_mask:0x5",
        "v_wmma_f32_16x16x16_f16 v[0:7], v[8:15], v[16:23], v[24:31]",
        "buffer_load_b32 v1, v2, s[8:11], s3 offen offset:4095 glc slc dlc",
        "ds_store_2addr_b64 v1, v[2:3], v[4:5] offset0:255 offset1:1",
        "v_dual_add_f32 v255, v2, v3 :: v_dual_mul_f32 v6, v5, v4"}) {
    const isa::Inst inst = assembled(text);
    uint32_t words[5] = {};
    for (const isa::FieldValue& f : isa::fields_of(inst))
      for (unsigned i = 0; i < f.width; ++i)
        if (f.value >> i & 1) words[(f.low + i) / 32] |= 1u << (f.low + i) % 32;
    for (int i = 0; i < 5; ++i) EXPECT_EQ(words[i], inst.words[i]) << text << ", dword " << i;
  }
}

/// Whatever decodes can be described, on every variant.
TEST(Describe, RandomWords) {
  std::mt19937 random(7);
  for (int variant = 0; variant < isa::kIsaCount; ++variant) {
    int described = 0;
    for (int i = 0; i < 20000; ++i) {
      uint32_t words[5];
      for (uint32_t& w : words) w = static_cast<uint32_t>(random());
      isa::Inst inst;
      if (isa::decode(static_cast<isa::Isa>(variant),
                      {reinterpret_cast<const uint8_t*>(words), sizeof words},
                      inst) != isa::DecodeError::kNone)
        continue;
      ++described;
      for (const OperandDetail& d : asm_::operand_details(inst, {})) {
        ASSERT_FALSE(d.text.empty()) << inst.hex();
        ASSERT_FALSE(d.role.empty()) << inst.hex();
      }
      for (const isa::FieldValue& f : isa::fields_of(inst))
        ASSERT_FALSE(asm_::field_meaning(inst, f, {}).empty()) << inst.hex();
      ASSERT_NE(asm_::groups_of(inst) | (inst.format == isa::Format::SOPP), 0u) << inst.hex();
    }
    EXPECT_GT(described, 1000) << variant;
  }
}

TEST(Describe, NamesComeFromTheEnumerators) {
  EXPECT_EQ(isa::format_name(isa::Format::VOP3SD), "VOP3SD");
  EXPECT_EQ(isa::type_name(isa::Type::PK_BF16), "PK_BF16");
  EXPECT_EQ(isa::type_name(isa::Type::WAIT_EVENT), "WAIT_EVENT");
  EXPECT_EQ(isa::field_name(isa::Field::literal), "literal");
}

}  // namespace
