// SPDX-License-Identifier: MIT
// Sub-dword addressing of gfx9, its halves of registers, and interpolation across groups of four
// lanes.
#include "tests/emu/row_fixture.h"

namespace lockstep::emu::testing {
namespace {

class Sdwa : public RowTest {
 protected:
  Sdwa() : RowTest(64, isa::Isa::kGfx90a) {}

  static uint32_t part(uint32_t value, uint32_t select, bool sign) {
    switch (select) {
      case 0:
      case 1:
      case 2:
      case 3: {
        const auto byte = static_cast<uint8_t>(value >> (8 * select));
        return sign ? static_cast<uint32_t>(static_cast<int8_t>(byte)) : byte;
      }
      case 4:
      case 5: {
        const auto word = static_cast<uint16_t>(value >> (16 * (select - 4)));
        return sign ? static_cast<uint32_t>(static_cast<int16_t>(word)) : word;
      }
      default:
        return value;
    }
  }
  Form form(uint32_t sel0, uint32_t sel1, uint32_t dst_sel, uint32_t unused) const {
    Form f{.long_form = false, .suffix = isa::Suffix::kSdwa};
    f.suffix_fields = {{Field::vsrc0, kRegA},
                       {Field::src0_sel, sel0},
                       {Field::src1_sel, sel1},
                       {Field::dst_sel, dst_sel},
                       {Field::dst_unused, unused}};
    return f;
  }
};

TEST_F(Sdwa, SelectsSourcesAndResults) {
  std::vector<Case> cases;
  for (int i = 0; i < 64; ++i) cases.push_back({random(), random(), 0, random()});
  for (uint32_t sel0 = 0; sel0 < 7; ++sel0) {
    for (uint32_t dst_sel = 0; dst_sel < 7; ++dst_sel) {
      for (uint32_t unused = 0; unused < 3; ++unused) {
        for (const bool sign : {false, true}) {
          const uint32_t sel1 = (sel0 + 3) % 7;
          Form f = form(sel0, sel1, dst_sel, unused);
          f.suffix_fields.push_back({Field::src0_sext, sign});
          const auto got = evaluate("v_add_nc_u32", cases, f);
          for (size_t i = 0; i < cases.size(); ++i) {
            const uint32_t sum = part(static_cast<uint32_t>(cases[i].a), sel0, sign) +
                                 part(static_cast<uint32_t>(cases[i].b), sel1, false);
            uint32_t want = 0;
            const auto old = static_cast<uint32_t>(cases[i].old);
            const uint32_t width = dst_sel < 4 ? 8 : 16,
                           at = dst_sel < 4 ? 8 * dst_sel : 16 * (dst_sel - 4);
            for (uint32_t bit = 0; bit < 32; ++bit) {
              bool b;
              if (dst_sel == 6)
                b = sum >> bit & 1;
              else if (bit >= at && bit < at + width)
                b = sum >> (bit - at) & 1;
              else if (unused == 2)
                b = old >> bit & 1;
              else
                b = unused == 1 && bit >= at + width && (sum >> (width - 1) & 1);
              want |= uint32_t{b} << bit;
            }
            ASSERT_EQ(got[i].value, want) << sel0 << " " << dst_sel << " " << unused << sign;
          }
        }
      }
    }
  }
}

TEST_F(Sdwa, SignModifiersActOnTheSelectedHalf) {
  Form f = form(5, 4, 5, 2);
  f.suffix_fields.push_back({Field::src0_neg, 1});
  f.suffix_fields.push_back({Field::src1_abs, 1});
  // -2.0 from the high half, |-1.0| from the low one, to the high half of the result.
  const auto got = evaluate("v_add_f16", {{0x4000ffff, 0xffffbc00, 0, 0x12345678}}, f);
  EXPECT_EQ(got[0].value, 0xbc005678u);
}

TEST_F(Sdwa, HalfResultsClearTheOtherHalfOfGfx9) {
  EXPECT_EQ(evaluate("v_add_f16", {{0x3c00, 0x3c00, 0, 0xabcd0000}})[0].value, 0x4000u);
  EXPECT_EQ(evaluate("v_fma_f16", {{0x3c00, 0x3c00, 0x3c00, 0xabcd0000}})[0].value, 0xabcd4000u);
  EXPECT_EQ(evaluate("v_mad_u16", {{2, 3, 4, 0xabcd0000}})[0].value, 0xabcd000au);
}

class Interpolation : public RowTest {};

TEST_F(Interpolation, TakesPlanesFromLanesOfTheGroup) {
  const auto f = [](float x) { return std::bit_cast<uint32_t>(x); };
  for (unsigned lane = 0; lane < 32; ++lane) {
    v(kRegA, lane) = f(static_cast<float>(lane) + 1);
    v(kRegB, lane) = f(0.25f * static_cast<float>(lane));
    v(kRegC, lane) = f(100 - static_cast<float>(lane));
  }
  Uop p10 = prepare("v_interp_p10_f32"), p2 = prepare("v_interp_p2_f32");
  ASSERT_TRUE(
      p10.inst.set(Field::vdst, kRegA));  // in place: sources are read before any lane is written
  ASSERT_EQ(execute(p2), Step::kNext);
  ASSERT_EQ(execute(p10), Step::kNext);
  for (unsigned lane = 0; lane < 32; ++lane) {
    const auto group = static_cast<float>(lane / 4 * 4), b = 0.25f * static_cast<float>(lane);
    EXPECT_EQ(v(kRegA, lane), f((group + 2) * b + (100 - group)));
    EXPECT_EQ(v(kRegD, lane), f((group + 3) * b + (100 - static_cast<float>(lane))));
  }
}

}  // namespace
}  // namespace lockstep::emu::testing
