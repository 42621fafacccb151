// SPDX-License-Identifier: MIT
// operands_of: what an instruction reads and writes.
#include "isa/operand.h"

#include <gtest/gtest.h>

#include "tests/support/vectors.h"

namespace lockstep::isa {
namespace {

/// Short text of an operand: kind, number, registers, and marks for modifiers.
std::string describe(const Operand& o) {
  static constexpr const char* kKinds[] = {"none",    "s",       "v",   "a",  "inline",
                                           "special", "literal", "imm", "off"};
  std::string text = kKinds[static_cast<int>(o.kind)];
  const bool is_register = o.kind == OperandKind::kScalar || o.kind == OperandKind::kVgpr ||
                           o.kind == OperandKind::kAgpr;
  if (is_register) text += std::to_string(o.code) + "x" + std::to_string(o.dwords);
  if (o.kind == OperandKind::kSpecial) text += std::to_string(o.code);
  if (o.kind == OperandKind::kInline || o.kind == OperandKind::kLiteral ||
      o.kind == OperandKind::kImmediate) {
    char value[16];
    std::snprintf(value, sizeof value, "%x", o.value);
    text += ":" + std::string(value);
  }
  if (o.high_half) text += ".h";
  if (o.neg) text += ".neg";
  if (o.abs) text += ".abs";
  if (o.sext) text += ".sext";
  return text;
}

std::string describe(const Operands& list) {
  std::string text;
  for (int i = 0; i < list.n_dst; ++i) text += (i ? " " : "") + describe(list.dst[i]);
  text += " <-";
  for (int i = 0; i < list.n_src; ++i) text += " " + describe(list.src[i]);
  return text;
}

struct Case {
  const char* target;
  unsigned wave;
  const char* hex;
  const char* expected;
};

const Case kCases[] = {
    // Scalar
    {"gfx1100", 32, "7e0080be", "s0x1 <- s126x1"},                         // s_mov_b32
    {"gfx1100", 32, "01ff8082563412af", "s0x1 <- s1x1 literal:af123456"},  // s_subb_u32
    {"gfx1100", 32, "f00e80be",
     "s0x1 <- inline:3f000000"},                         // s_sext_i32_i8 of 0.5: the 32-bit pattern
    {"gfx1100", 32, "00020ebf", " <- s0x2 s2x1"},        // s_bitcmp0_b64
    {"gfx1100", 32, "3412ffb1", " <- s127x1 imm:1234"},  // s_cmpk_eq_i32 reads its register
    {"gfx1100", 32, "3412e9b7", "s105x1 <- imm:1234"},   // s_addk_i32
    {"gfx1100", 32, "ffff80b0", " <- imm:ffff"},         // s_version
    {"gfx1100", 32, "d1c180b9d1c1b1a1", " <- imm:c1d1 literal:a1b1c1d1"},  // s_setreg_imm32_b32
    {"gfx1100", 32, "ffff00b0", "s0x1 <- imm:ffffffff"},  // s_movk_i32: sign extended
    {"gfx90a", 64, "7c0080be", "s0x1 <- s125x1"},         // s_mov_b32 from m0, which is 124 there
    // Vector, lane masks by wave size
    {"gfx1100", 32, "01050a06", "v5x1 <- v1x1 v2x1"},         // v_add_f32_e32
    {"gfx1100", 32, "01050a02", "v5x1 <- v1x1 v2x1 s106x1"},  // v_cndmask_b32_e32 reads VCC
    {"gfx1100", 64, "01050a02", "v5x1 <- v1x1 v2x1 s106x2"},
    {"gfx1100", 32, "01058e7c", "s106x1 <- v1x1 v2x1"},  // v_cmp writes VCC
    {"gfx1100", 64, "01058e7c", "s106x2 <- v1x1 v2x1"},
    {"gfx1100", 32, "01058e7d", "s126x1 <- v1x1 v2x1"},         // v_cmpx writes EXEC
    {"gfx90a", 64, "0105a67d", "s126x2 s106x2 <- v1x1 v2x1"},   // and on gfx9 a mask as well
    {"gfx1100", 32, "0a8010d401050200", "s10x1 <- v1x1 v2x1"},  // v_cmp_f_f32_e64
    {"gfx1100", 32, "050428d6f0f8f48b",
     "v5x2 <- inline:0 s124x2 special253.neg.abs"},  // v_div_fixup_f64
    {"gfx1100", 32, "050e48d6c1fef4c3",
     "v5x1 <- inline:ffffffff s127x1.neg.abs special253.neg.abs"},  // v_fma_f16
    {"gfx1100", 32, "05003bd501050200", "v5x1 <- v1x1 v2x1"},       // v_ldexp_f16_e64
    {"gfx1100", 32, "81050a64", "v5x1 <- v1x1.h v2x1"},             // v_add_f16_e32 v5, v1.h
    {"gfx1100", 32, "fa04847c01e400ff", "s106x1 <- v1x1 v2x1"},     // DPP: the real source VGPR
    {"gfx1100", 32, "fafe237cff6ffd30", "s106x1 <- v255x1.neg.abs v255x1.neg.abs"},
    {"gfx1100", 32, "01050a5affffffff", "v5x1 <- v1x1 v2x1 literal:ffffffff"},  // v_fmaak_f32
    // Matrix fragments by wave size and generation
    {"gfx1100", 32, "104040cc00114a1c", "v16x8 <- v0x8 v8x8 v18x8"},
    {"gfx1100", 64, "104040cc00114a1c", "v16x4 <- v0x8 v8x8 v18x4"},
    {"gfx1200", 32, "104040cc00114a1c", "v16x8 <- v0x4 v8x4 v18x8"},
    {"gfx1200", 64, "104040cc00114a1c", "v16x4 <- v0x2 v8x2 v18x4"},
    // Memory
    {"gfx1100", 32, "00005edc01007c05",
     "v5x4 <- v1x2 none off"},  // global_load_b128 v[5:8], v[1:2], off
    {"gfx1100", 32, "00005adcff000405", "v5x3 <- v255x1 none s4x2"},  // global_load_b96
    {"gfx1100", 32, "004034dd03057c01", "v1x2 <- v3x2 v5x2 off"},     // flat_atomic_dec_u64 glc
    {"gfx1100", 32, "000034dd03057c00", " <- v3x2 v5x2 off"},         // without glc nothing returns
    {"gfx1100", 32, "004008dd03057c01",
     "v1x2 <- v3x2 v5x4 off"},  // flat_atomic_cmpswap_b64: data and compare
    {"gfx1100", 32, "000055dc00007c02",
     "v2x2 <- off none off"},                                   // scratch_load_b64 v[2:3], off, off
    {"gfx1100", 32, "7fffe0d901000005", "v5x4 <- v1x1"},        // ds_load_2addr_stride64_b64
    {"gfx1100", 32, "ffff46d901020300", " <- v1x1 v2x2 v3x2"},  // ds_cmpstore_f64
    {"gfx1100", 32, "ffffc4da00000005", "v5x1 <-"},             // ds_load_addtid_b32
    {"gfx1100", 32, "ff4f50e000050203", "v5x1 <- off none s8x4 s3x1"},  // buffer_load_b32
    {"gfx1100", 32, "ff0fd0e000050203", " <- off v5x2 s8x4 s3x1"},      // buffer_atomic_cmpswap_b32
    {"gfx1100", 32, "016510f445230100", "s20x16 <- s2x2 s0x1"},         // s_load_b512
    {"gfx1100", 32, "416100f4341200f8", "s5x1 <- s2x2 off"},            // s_load_b32 with a number
};

TEST(Operands, ReadAndWritten) {
  for (const Case& c : kCases) {
    Inst inst;
    const std::vector<uint8_t> bytes = test::from_hex(c.hex);
    const DecodeError error = decode(test::isa_named(c.target), bytes, inst);
    ASSERT_EQ(error, DecodeError::kNone) << c.target << " " << c.hex << ": " << to_string(error);
    EXPECT_EQ(describe(operands_of(inst, c.wave)), c.expected)
        << c.target << " wave" << c.wave << " " << c.hex << " " << inst.info().id;
  }
}

TEST(Operands, HalvesOfADualPair) {
  // v_dual_fmamk_f32 v255, -1, 0xaf123456, v255 :: v_dual_mov_b32 v6, src_scc
  Inst inst;
  ASSERT_EQ(decode(Isa::kGfx11, test::from_hex("c1fe91c8fd0006ff563412af"), inst),
            DecodeError::kNone);
  EXPECT_EQ(describe(operands_of_half(inst, 0, 32)),
            "v255x1 <- inline:ffffffff literal:af123456 v255x1");
  EXPECT_EQ(describe(operands_of_half(inst, 1, 32)), "v6x1 <- special253");
}

TEST(Operands, InlineConstantsByType) {
  EXPECT_EQ(inline_bits(128, Type::U32), 0u);
  EXPECT_EQ(inline_bits(192, Type::U32), 64u);
  EXPECT_EQ(inline_bits(193, Type::I64), 0xffffffffffffffffu);
  EXPECT_EQ(inline_bits(208, Type::I32), 0xfffffff0u);
  EXPECT_EQ(inline_bits(242, Type::F32), 0x3f800000u);
  EXPECT_EQ(inline_bits(242, Type::F16), 0x3c00u);
  EXPECT_EQ(inline_bits(242, Type::BF16), 0x3f80u);
  EXPECT_EQ(inline_bits(242, Type::F64), 0x3ff0000000000000u);
  EXPECT_EQ(inline_bits(248, Type::F32), 0x3e22f983u);
  EXPECT_EQ(inline_bits(248, Type::F64), 0x3fc45f306dc9c882u);
}

TEST(Operands, StateThatIsNotAnOperand) {
  EXPECT_EQ(implicit_state(Op::s_add_u32) & (kReadsScc | kWritesScc), kWritesScc);
  EXPECT_EQ(implicit_state(Op::s_addc_u32) & (kReadsScc | kWritesScc), kReadsScc | kWritesScc);
  EXPECT_EQ(implicit_state(Op::s_cmp_eq_u32) & (kReadsScc | kWritesScc), kWritesScc);
  EXPECT_EQ(implicit_state(Op::s_mov_b32) & (kReadsScc | kWritesScc), 0);
  EXPECT_TRUE(implicit_state(Op::s_branch) & kWritesPc);
  EXPECT_TRUE(implicit_state(Op::s_cbranch_scc0) & kWritesPc);
  EXPECT_TRUE(implicit_state(Op::s_cbranch_scc0) & kReadsScc);
  EXPECT_TRUE(implicit_state(Op::s_cbranch_vccz) & kReadsVcc);
  EXPECT_TRUE(implicit_state(Op::s_cbranch_execz) & kReadsExec);
  EXPECT_TRUE(implicit_state(Op::v_cmpx_lt_u32) & kWritesExec);
  EXPECT_FALSE(implicit_state(Op::v_cmp_lt_u32) & kWritesExec);
}

}  // namespace
}  // namespace lockstep::isa
