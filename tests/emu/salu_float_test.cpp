// SPDX-License-Identifier: MIT
// Scalar float rows of RDNA3.5: they share their primitives with vector rows, so a few values of
// each row suffice.
#include <bit>
#include <cmath>

#include "tests/emu/wave_fixture.h"

namespace lockstep::emu::testing {
namespace {

class SaluFloatTest : public WaveTest {
 protected:
  static constexpr unsigned kA = 10, kB = 11, kD = 20;
  static constexpr uint32_t kOld = 0x40400000;  // 3.0

  SaluFloatTest() : WaveTest(32, isa::Isa::kGfx115) {
    constexpr uint32_t kKeepDenormals = 0xf0;
    wave.mode = kKeepDenormals | ModeBits::kIeee | ModeBits::kDx10Clamp;
  }
  static uint32_t bits(float f) { return std::bit_cast<uint32_t>(f); }
  /// Result of a row on raw sources; SCC must stay as it is unless the row is a compare.
  uint32_t go(const char* id, uint32_t a, uint32_t b = 0) {
    wave.scalar[kA] = a;
    wave.scalar[kB] = b;
    wave.scalar[kD] = kOld;
    const Op op = row(id);
    const Format format = isa::op_info(op).format;
    wave.scc = true;
    Step step = Step::kNext;
    if (format == Format::SOP1)
      step = run(op, {{Field::sdst, kD}, {Field::ssrc0, kA}});
    else if (format == Format::SOP2)
      step = run(op, {{Field::sdst, kD}, {Field::ssrc0, kA}, {Field::ssrc1, kB}});
    else
      step = run(op, {{Field::ssrc0, kA}, {Field::ssrc1, kB}});
    EXPECT_EQ(step, Step::kNext) << id;
    if (format != Format::SOPC) {
      EXPECT_TRUE(wave.scc) << id;
      return wave.scalar[kD];
    }
    return wave.scc;
  }
};

TEST_F(SaluFloatTest, Arithmetic32) {
  EXPECT_EQ(go("s_add_f32", bits(1.5f), bits(0.25f)), bits(1.75f));
  EXPECT_EQ(go("s_sub_f32", bits(1.5f), bits(0.25f)), bits(1.25f));
  EXPECT_EQ(go("s_mul_f32", bits(1.5f), bits(-2.0f)), bits(-3.0f));
  EXPECT_EQ(go("s_min_f32", bits(1.5f), bits(-2.0f)), bits(-2.0f));
  EXPECT_EQ(go("s_max_f32", bits(-0.0f), bits(0.0f)), bits(0.0f));
  EXPECT_EQ(go("s_max_f32", 0x7fc00000, bits(5.0f)), bits(5.0f));
  EXPECT_EQ(go("s_fmac_f32", bits(2.0f), bits(4.0f)), bits(11.0f));
  EXPECT_EQ(go("s_ceil_f32", bits(-1.5f)), bits(-1.0f));
  EXPECT_EQ(go("s_floor_f32", bits(-1.5f)), bits(-2.0f));
  EXPECT_EQ(go("s_trunc_f32", bits(-1.5f)), bits(-1.0f));
  EXPECT_EQ(go("s_rndne_f32", bits(2.5f)), bits(2.0f));
}

TEST_F(SaluFloatTest, Literals) {
  wave.scalar[kA] = bits(2.0f);
  wave.scalar[kB] = bits(5.0f);
  run(Op::s_fmaak_f32, {{Field::sdst, kD}, {Field::ssrc0, kA}, {Field::ssrc1, kB}}, bits(0.5f),
      true);
  EXPECT_EQ(wave.scalar[kD], bits(10.5f));
  run(Op::s_fmamk_f32, {{Field::sdst, kD}, {Field::ssrc0, kA}, {Field::ssrc1, kB}}, bits(0.5f),
      true);
  EXPECT_EQ(wave.scalar[kD], bits(6.0f));
}

TEST_F(SaluFloatTest, RoundingFollowsMode) {
  EXPECT_EQ(go("s_add_f32", bits(1.0f), bits(0x1p-30f)), bits(1.0f));
  wave.mode |= 1;  // towards +inf
  EXPECT_EQ(go("s_add_f32", bits(1.0f), bits(0x1p-30f)), bits(std::nextafter(1.0f, 2.0f)));
}

TEST_F(SaluFloatTest, Half) {
  EXPECT_EQ(go("s_add_f16", 0x3c00, 0xabcd3c00),
            0x4000u);  // the high half of a source counts for nothing
  EXPECT_EQ(go("s_sub_f16", 0x4000, 0x3c00), 0x3c00u);
  EXPECT_EQ(go("s_mul_f16", 0x4000, 0xc000), 0xc400u);
  EXPECT_EQ(go("s_min_f16", 0x3c00, 0xbc00), 0xbc00u);
  EXPECT_EQ(go("s_max_f16", 0x3c00, 0xbc00), 0x3c00u);
  EXPECT_EQ(go("s_fmac_f16", 0x4000, 0x4000), 0x4400u);  // the old value's low half is 0
  EXPECT_EQ(go("s_floor_f16", 0xbe00), 0xc000u);
  EXPECT_EQ(go("s_ceil_f16", 0xbe00), 0xbc00u);
  EXPECT_EQ(go("s_trunc_f16", 0xbe00), 0xbc00u);
  EXPECT_EQ(go("s_rndne_f16", 0x4100), 0x4000u);
}

TEST_F(SaluFloatTest, Conversions) {
  EXPECT_EQ(go("s_cvt_f32_i32", static_cast<uint32_t>(-7)), bits(-7.0f));
  EXPECT_EQ(go("s_cvt_f32_u32", 0xffffffff), bits(4294967296.0f));
  EXPECT_EQ(go("s_cvt_i32_f32", bits(-7.9f)), static_cast<uint32_t>(-7));
  EXPECT_EQ(go("s_cvt_u32_f32", bits(-7.9f)), 0u);
  EXPECT_EQ(go("s_cvt_f16_f32", bits(1.0f)), 0x3c00u);
  EXPECT_EQ(go("s_cvt_f32_f16", 0x40003c00), bits(1.0f));
  EXPECT_EQ(go("s_cvt_hi_f32_f16", 0x40003c00), bits(2.0f));
  EXPECT_EQ(go("s_cvt_pk_rtz_f16_f32", bits(1.0f), bits(65519.9f)), 0x7bff3c00u);
}

TEST_F(SaluFloatTest, Compares) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  for (const float a : {-1.0f, 0.0f, -0.0f, 2.0f, kNan})
    for (const float b : {-1.0f, 0.0f, 2.0f, kNan}) {
      const bool u = std::isnan(a) || std::isnan(b);
      const std::pair<const char*, bool> kRows[] = {
          {"s_cmp_lt_f32", a < b},
          {"s_cmp_eq_f32", a == b},
          {"s_cmp_le_f32", a <= b},
          {"s_cmp_gt_f32", a > b},
          {"s_cmp_lg_f32", !u && a != b},
          {"s_cmp_ge_f32", a >= b},
          {"s_cmp_o_f32", !u},
          {"s_cmp_u_f32", u},
          {"s_cmp_nge_f32", !(a >= b)},
          {"s_cmp_nlg_f32", u || a == b},
          {"s_cmp_ngt_f32", !(a > b)},
          {"s_cmp_nle_f32", !(a <= b)},
          {"s_cmp_neq_f32", !(a == b)},
          {"s_cmp_nlt_f32", !(a < b)},
      };
      for (const auto& [id, want] : kRows)
        EXPECT_EQ(go(id, bits(a), bits(b)), want) << id << " " << a << " " << b;
    }
  EXPECT_EQ(go("s_cmp_lt_f16", 0x3c00, 0x4000), 1u);
  EXPECT_EQ(go("s_cmp_u_f16", 0x3c00, 0x7e00), 1u);
  EXPECT_EQ(go("s_cmp_ge_f16", 0x3c00, 0x4000), 0u);
}

}  // namespace
}  // namespace lockstep::emu::testing
