// SPDX-License-Identifier: MIT
// 8-, 6- and 4-bit floats: every code both ways, rounding against a search over all codes, and the
// conversion rows of every target that has them.
#include "emu/small_float.h"

#include <cmath>
#include <limits>

#include "emu/half.h"
#include "tests/emu/row_fixture.h"

namespace lockstep::emu::testing {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

struct Named {
  const char* name;
  SmallFloat format;
};
const Named kFormats[] = {{"fp8", kFp8},          {"bf8", kBf8}, {"fp8 fnuz", kFp8Fnuz},
                          {"bf8 fnuz", kBf8Fnuz}, {"fp6", kFp6}, {"bf6", kBf6},
                          {"fp4", kFp4}};

/// The value of a code from the standards' definitions.
double meaning(const Named& n, uint32_t code) {
  const SmallFloat& f = n.format;
  const std::string name = n.name;
  const unsigned bits = 1 + f.exponent_bits + f.mantissa_bits;
  const uint32_t magnitude = code & ((1u << (bits - 1)) - 1);
  const bool negative = code >> (bits - 1);
  if (name.ends_with("fnuz") && code == 0x80) return kNan;
  if (name == "fp8" && magnitude == 0x7f) return kNan;
  if (name == "bf8" && magnitude > 0x7c) return kNan;
  if (name == "bf8" && magnitude == 0x7c) return negative ? -kInf : kInf;
  const int bias = name == "fp8"        ? 7
                   : name == "bf8"      ? 15
                   : name == "fp8 fnuz" ? 8
                   : name == "bf8 fnuz" ? 16
                   : name == "bf6"      ? 3
                                        : 1;
  const int exponent = static_cast<int>(magnitude >> f.mantissa_bits);
  const double fraction =
      std::ldexp(magnitude & ((1u << f.mantissa_bits) - 1), -static_cast<int>(f.mantissa_bits));
  const double value =
      exponent ? std::ldexp(1 + fraction, exponent - bias) : std::ldexp(fraction, 1 - bias);
  return negative ? -value : value;
}

/// The code nearest to a finite value, ties to the even code, by trying all.
uint32_t nearest_code(const Named& n, double value) {
  uint32_t best = 0;
  double best_distance = kInf;
  for (uint32_t code = 0; code < n.format.sign_bit(); ++code) {
    const double v = meaning(n, code);
    if (!std::isfinite(v)) continue;
    const double distance = std::fabs(v - std::fabs(value));
    if (distance < best_distance || (distance == best_distance && code % 2 == 0)) {
      best = code;
      best_distance = distance;
    }
  }
  return value < 0 ? best | n.format.sign_bit() : best;
}

TEST(SmallFloatTest, EveryCodeBothWays) {
  for (const Named& n : kFormats)
    for (uint32_t code = 0; code < 1u << n.format.bits(); ++code) {
      const double expected = meaning(n, code);
      const float value = decode_small(n.format, code);
      if (std::isnan(expected)) {
        EXPECT_TRUE(std::isnan(value)) << n.name << " " << code;
        EXPECT_TRUE(std::isnan(meaning(n, encode_small(n.format, value, {}, Overflow::kSpecial))));
        continue;
      }
      EXPECT_EQ(static_cast<double>(value), expected) << n.name << " " << code;
      EXPECT_EQ(std::signbit(value), std::signbit(expected)) << n.name << " " << code;
      EXPECT_EQ(encode_small(n.format, value, {}, Overflow::kSpecial), code) << n.name;
    }
}

TEST(SmallFloatTest, RoundsToTheNearestCode) {
  std::mt19937_64 random(5);
  for (const Named& n : kFormats) {
    const double largest = meaning(n, n.format.largest());
    for (int i = 0; i < 4000; ++i) {
      double value = std::ldexp(static_cast<double>(static_cast<int64_t>(random())),
                                static_cast<int>(random() % 40) - 86);
      // Half the cases are exact middles of neighbours or one step beside them.
      if (i % 2) {
        const uint32_t code = static_cast<uint32_t>(random()) % n.format.largest();
        value = (meaning(n, code) + meaning(n, code + 1)) / 2;
        if (i % 3 == 0) value = std::nextafter(value, 0);
        if (i % 3 == 1) value = std::nextafter(value, kInf);
        if (random() & 1) value = -value;
      }
      uint32_t expected = nearest_code(n, value);
      const uint32_t step = n.format.largest() - 1;
      const double limit = largest + (largest - meaning(n, step)) / 2;
      if (std::fabs(value) > limit || (std::fabs(value) == limit && n.format.largest() % 2))
        expected = (value < 0 ? n.format.sign_bit() : 0) | n.format.largest();
      if (std::string(n.name).ends_with("fnuz") && expected == 0x80) expected = 0;
      EXPECT_EQ(encode_small(n.format, value, {}, Overflow::kSaturate), expected)
          << n.name << " of " << value;
    }
  }
}

TEST(SmallFloatTest, BeyondTheLargestValue) {
  EXPECT_EQ(encode_small(kFp8, 1e6, {}, Overflow::kSpecial), 0x7fu);
  EXPECT_EQ(encode_small(kFp8, -1e6, {}, Overflow::kSaturate), 0xfeu);
  EXPECT_EQ(encode_small(kFp8, 464.0, {}, Overflow::kSpecial), 0x7eu);  // a tie goes to even
  EXPECT_EQ(encode_small(kFp8, 464.1, {}, Overflow::kSpecial), 0x7fu);
  EXPECT_EQ(encode_small(kBf8, 1e6, {}, Overflow::kSpecial), 0x7cu);
  EXPECT_EQ(encode_small(kBf8, -kInf, {}, Overflow::kSpecial), 0xfcu);
  EXPECT_EQ(encode_small(kBf8, kInf, {}, Overflow::kSaturate), 0x7bu);
  EXPECT_EQ(encode_small(kFp8Fnuz, 1e6, {}, Overflow::kSpecial), 0x80u);
  EXPECT_EQ(encode_small(kFp8Fnuz, -0.0, {}, Overflow::kSpecial), 0u);
  EXPECT_EQ(encode_small(kFp4, 1e6, {}, Overflow::kSpecial), 7u);
  EXPECT_EQ(encode_small(kFp6, -kInf, {}, Overflow::kSpecial), 0x3fu);
}

TEST(SmallFloatTest, StochasticRoundingGoesUpAsOftenAsTheRestSays) {
  // 1.25 of an fp4 step between 1.0 and 1.5: the rest is one half; the top random bit decides.
  EXPECT_EQ(encode_small(kFp4, 1.25, {true, 0x7fffffff}, Overflow::kSaturate), 2u);
  EXPECT_EQ(encode_small(kFp4, 1.25, {true, 0x80000000}, Overflow::kSaturate), 3u);
  for (const Named& n : kFormats)
    for (unsigned eighth = 0; eighth < 8; ++eighth) {
      const uint32_t code = 3;  // between codes 3 and 4
      const double value =
          meaning(n, code) + (meaning(n, code + 1) - meaning(n, code)) * eighth / 8;
      unsigned up = 0;
      for (uint32_t r = 0; r < 8; ++r)
        up += encode_small(n.format, value, {true, r << 29}, Overflow::kSaturate) - code;
      EXPECT_EQ(up, eighth) << n.name;
    }
}

/// Rows: the target decides the formats.
class SmallRowTest : public RowTest, public ::testing::WithParamInterface<isa::Isa> {
 protected:
  SmallRowTest() : RowTest(GetParam() == isa::Isa::kGfx12 ? 32 : 64, GetParam()) {
    wave.allocate(wave.wave_size, 128, 0, 106);
    wave.mode = kModeDefault;
  }
  bool gfx12() const { return GetParam() == isa::Isa::kGfx12; }
  Named format(bool bf8) const {
    const bool fnuz = GetParam() == isa::Isa::kGfx942;
    return bf8 ? (fnuz ? kFormats[3] : kFormats[1]) : (fnuz ? kFormats[2] : kFormats[0]);
  }
};
INSTANTIATE_TEST_SUITE_P(Targets, SmallRowTest,
                         ::testing::Values(isa::Isa::kGfx942, isa::Isa::kGfx950, isa::Isa::kGfx12));

TEST_P(SmallRowTest, AllCodesToF32) {
  for (const bool bf8 : {false, true}) {
    std::vector<Case> cases;
    for (uint32_t code = 0; code < 256; ++code)
      cases.push_back({code | ((code + 1) & 0xff) << 8 | ((code + 2) & 0xff) << 16 |
                       ((code + 3) & 0xff) << 24});
    const Named f = format(bf8);
    const auto expect = [&](double wanted, uint64_t bits, const char* what, size_t i) {
      const float got = std::bit_cast<float>(static_cast<uint32_t>(bits));
      if (std::isnan(wanted))
        EXPECT_TRUE(std::isnan(got)) << what << " " << i;
      else
        EXPECT_EQ(got, wanted) << what << " " << i;
    };
    Form form;
    form.long_form = gfx12();
    // gfx12 names the byte with two bits in reversed order.
    for (unsigned byte = 0; byte < (gfx12() ? 4u : 1u); ++byte) {
      form.opsel = (byte & 1) << 1 | byte >> 1;
      const auto out = evaluate(bf8 ? "v_cvt_f32_bf8" : "v_cvt_f32_fp8", cases, form);
      for (size_t i = 0; i < out.size(); ++i)
        expect(meaning(f, (i + byte) & 0xff), out[i].value, "byte", i);
    }
    for (unsigned half = 0; half < (gfx12() ? 2u : 1u); ++half) {
      form.opsel = half;
      const auto out = evaluate(bf8 ? "v_cvt_pk_f32_bf8" : "v_cvt_pk_f32_fp8", cases, form);
      for (size_t i = 0; i < out.size(); ++i) {
        expect(meaning(f, (i + 2 * half) & 0xff), out[i].value, "low", i);
        expect(meaning(f, (i + 2 * half + 1) & 0xff), out[i].value >> 32, "high", i);
      }
    }
  }
}

TEST_P(SmallRowTest, PairsFromF32GoToTheChosenHalfAndKeepTheOther) {
  for (const bool bf8 : {false, true}) {
    const Named f = format(bf8);
    const auto code = [&](float v) { return encode_small(f.format, v, {}, Overflow::kSpecial); };
    std::vector<Case> cases;
    for (int i = 0; i < 200; ++i) {
      const float a = std::ldexp(1.0f + i / 64.0f, i % 30 - 15);
      cases.push_back({std::bit_cast<uint32_t>(a), std::bit_cast<uint32_t>(-a * 3), 0, 0x12345678});
    }
    for (const unsigned opsel : {0u, 8u}) {
      Form form;
      form.opsel = opsel;
      const auto out = evaluate(bf8 ? "v_cvt_pk_bf8_f32" : "v_cvt_pk_fp8_f32", cases, form);
      for (size_t i = 0; i < out.size(); ++i) {
        const float a = std::bit_cast<float>(static_cast<uint32_t>(cases[i].a));
        const uint32_t pair = code(a) | code(-a * 3) << 8;
        EXPECT_EQ(out[i].value, opsel ? pair << 16 | 0x5678 : 0x12340000 | pair) << i;
      }
    }
    for (unsigned byte = 0; byte < 4; ++byte) {
      Form form;
      form.opsel = byte << 2;
      const auto out = evaluate(bf8 ? "v_cvt_sr_bf8_f32" : "v_cvt_sr_fp8_f32", cases, form);
      for (size_t i = 0; i < out.size(); ++i) {
        const float a = std::bit_cast<float>(static_cast<uint32_t>(cases[i].a));
        const uint32_t wanted = encode_small(f.format, a, {true, static_cast<uint32_t>(cases[i].b)},
                                             Overflow::kSpecial);
        EXPECT_EQ(out[i].value, (0x12345678 & ~(0xffu << 8 * byte)) | wanted << 8 * byte) << i;
      }
    }
  }
}

TEST_P(SmallRowTest, Fp16OverflowModeSaturates) {
  const Named f = format(false);
  const uint32_t huge = std::bit_cast<uint32_t>(1e9f);
  EXPECT_TRUE(std::isnan(meaning(f, one("v_cvt_pk_fp8_f32", huge, huge) & 0xff)));
  wave.mode |= ModeBits::kFp16Ovfl;
  EXPECT_EQ(one("v_cvt_pk_fp8_f32", huge, huge) & 0xff, f.format.largest());
}

class ScaledRowTest : public RowTest {
 protected:
  ScaledRowTest() : RowTest(64, isa::Isa::kGfx950) {
    wave.allocate(64, 256, 0, 106);
    wave.mode = kModeDefault;
  }
  static uint32_t f32(float v) { return std::bit_cast<uint32_t>(v); }
};

TEST_F(ScaledRowTest, ScaleMultipliesOnTheWayUpAndDividesOnTheWayDown) {
  for (uint32_t code = 0; code < 16; ++code) {
    const double value = meaning(kFormats[6], code);
    const uint64_t up = one("v_cvt_scalef32_pk_f32_fp4", code | (15 - code) << 4, f32(8.0f));
    EXPECT_EQ(std::bit_cast<float>(static_cast<uint32_t>(up)), value * 8);
    EXPECT_EQ(std::bit_cast<float>(static_cast<uint32_t>(up >> 32)),
              meaning(kFormats[6], 15 - code) * 8);
    const uint64_t down = one("v_cvt_scalef32_pk_fp4_f32", f32(static_cast<float>(value * 4)),
                              f32(static_cast<float>(-value * 4)), f32(4.0f));
    EXPECT_EQ(down & 0xff, code | (code ^ 8) << 4);
  }
  // Only the exponent of the scale counts.
  EXPECT_EQ(one("v_cvt_scalef32_f32_fp8", 0x38, f32(3.9f)), f32(2.0f));
  // An exponent of 255 makes NaN.
  EXPECT_TRUE(std::isnan(std::bit_cast<float>(
      static_cast<uint32_t>(one("v_cvt_scalef32_f32_fp8", 0x38, 0x7f800000)))));
}

TEST_F(ScaledRowTest, BytesAndHalvesAreChosenByOpSel) {
  for (unsigned byte = 0; byte < 4; ++byte) {
    Form form;
    form.opsel = byte;
    EXPECT_EQ(one("v_cvt_scalef32_f32_bf8", 0x3c38'4044, f32(1.0f), 0, form),
              f32(static_cast<float>(meaning(kFormats[1], 0x3c384044 >> 8 * byte & 0xff))));
    form.opsel = byte << 2;
    const auto out = evaluate("v_cvt_scalef32_pk_fp4_f16", {{0x40003c00, f32(1.0f), 0, 0}}, form);
    EXPECT_EQ(out[0].value, 0x42u << 8 * byte);  // 1.0 is code 2, 2.0 is code 4
  }
  Form form;
  form.opsel = 9;  // source half 1, result half 1
  const auto out =
      evaluate("v_cvt_scalef32_pk_bf8_f32", {{f32(1.0f), f32(2.0f), f32(1.0f), 0xaaaa5555}}, form);
  EXPECT_EQ(out[0].value, 0x403c5555u);
  EXPECT_EQ(one("v_cvt_scalef32_pk_f16_bf8", 0x403c0000, f32(1.0f), 0, form), 0x40003c00u);
}

TEST_F(ScaledRowTest, ThirtyTwoValuesAtOnce) {
  constexpr unsigned kSource = 32, kOther = 64, kDest = 128, kScale = 12;
  for (const bool bf6 : {false, true}) {
    const Named& f = kFormats[bf6 ? 5 : 4];
    const std::string six = bf6 ? "bf6" : "fp6";
    for (const std::string wide : {"f32", "f16", "bf16"}) {
      // All 64 codes over two lanes, up and down again.
      wave.write64(isa::kExecLo, 3);
      for (unsigned lane = 0; lane < 3; ++lane) {
        v(kScale, lane) = f32(2.0f);
        for (unsigned bit = 0; bit < 192; ++bit) {
          const uint32_t code = (bit / 6 + 32 * (lane & 1)) & 63;
          uint32_t& word = v(kSource + bit / 32, lane);
          word = (word & ~(1u << bit % 32)) | (code >> bit % 6 & 1) << bit % 32;
        }
      }
      Uop up = prepare("v_cvt_scalef32_pk32_" + wide + "_" + six);
      ASSERT_TRUE(up.inst.set(Field::vdst, kDest));
      ASSERT_TRUE(up.inst.set(Field::src0, 256 + kSource));
      ASSERT_TRUE(up.inst.set(Field::src1, 256 + kScale));
      v(kDest, 2) = 77;
      ASSERT_EQ(execute(up), Step::kNext);
      EXPECT_EQ(v(kDest, 2), 77u);  // switched off
      for (unsigned lane = 0; lane < 2; ++lane)
        for (unsigned i = 0; i < 32; ++i) {
          const double wanted = 2 * meaning(f, i + 32 * lane);
          double got = 0;
          if (wide == "f32") {
            got = std::bit_cast<float>(v(kDest + i, lane));
          } else {
            const auto half = static_cast<uint16_t>(v(kDest + i / 2, lane) >> (i % 2 * 16));
            got = wide == "f16" ? widen(Half{half}) : widen(BHalf{half});
          }
          EXPECT_EQ(got, wanted) << wide << " " << i;
        }
      if (wide == "f32") continue;
      Uop down = prepare("v_cvt_scalef32_pk32_" + six + "_" + wide);
      ASSERT_TRUE(down.inst.set(Field::vdst, kOther));
      ASSERT_TRUE(down.inst.set(Field::src0, 256 + kDest));
      ASSERT_TRUE(down.inst.set(Field::src1, 256 + kScale));
      ASSERT_EQ(execute(down), Step::kNext);
      for (unsigned lane = 0; lane < 2; ++lane)
        for (unsigned r = 0; r < 6; ++r) EXPECT_EQ(v(kOther + r, lane), v(kSource + r, lane));
    }
    // Two sources of 16, interleaved.
    wave.write64(isa::kExecLo, 1);
    for (unsigned i = 0; i < 16; ++i) {
      v(kDest + i, 0) = f32(static_cast<float>(meaning(f, 2 * i)));
      v(kOther + i, 0) = f32(static_cast<float>(meaning(f, 2 * i + 1)));
    }
    Uop both = prepare("v_cvt_scalef32_2xpk16_" + six + "_f32");
    v(kScale, 0) = f32(1.0f);
    ASSERT_TRUE(both.inst.set(Field::vdst, kSource));
    ASSERT_TRUE(both.inst.set(Field::src0, 256 + kDest));
    ASSERT_TRUE(both.inst.set(Field::src1, 256 + kOther));
    ASSERT_TRUE(both.inst.set(Field::src2, 256 + kScale));
    ASSERT_EQ(execute(both), Step::kNext);
    for (unsigned bit = 0; bit < 192; ++bit)
      EXPECT_EQ(v(kSource + bit / 32, 0) >> bit % 32 & 1, (bit / 6) >> bit % 6 & 1) << bit;
  }
}

TEST_F(ScaledRowTest, RandomNumbersStepFromElementToElement) {
  const auto next = [](uint32_t a) { return a << 1 ^ (a >> 31 ? 197u : 0u); };
  const uint32_t seed = 0x9234567f;
  const float value = 1.2f;
  uint32_t r = seed, wanted = 0;
  for (unsigned i = 0; i < 2; ++i, r = next(r))
    wanted |= encode_small(kFp4, value, {true, r}, Overflow::kSaturate) << 4 * i;
  const uint64_t pair = f32(value) | uint64_t{f32(value)} << 32;
  EXPECT_EQ(one("v_cvt_scalef32_sr_pk_fp4_f32", pair, seed, f32(1.0f)) & 0xff, wanted);

  constexpr unsigned kSource = 32, kSeed = 30, kScale = 31, kDest = 96;
  wave.write64(isa::kExecLo, 1);
  for (unsigned i = 0; i < 32; ++i) v(kSource + i, 0) = f32(value);
  v(kSeed, 0) = seed;
  v(kScale, 0) = f32(1.0f);
  Uop u = prepare("v_cvt_scalef32_sr_pk32_fp6_f32");
  ASSERT_TRUE(u.inst.set(Field::vdst, kDest));
  ASSERT_TRUE(u.inst.set(Field::src0, 256 + kSource));
  ASSERT_TRUE(u.inst.set(Field::src1, 256 + kSeed));
  ASSERT_TRUE(u.inst.set(Field::src2, 256 + kScale));
  ASSERT_EQ(execute(u), Step::kNext);
  r = seed;
  for (unsigned i = 0; i < 32; ++i, r = next(r)) {
    const uint32_t code = encode_small(kFp6, value, {true, r}, Overflow::kSaturate);
    for (unsigned bit = 0; bit < 6; ++bit)
      EXPECT_EQ(v(kDest + (6 * i + bit) / 32, 0) >> (6 * i + bit) % 32 & 1, code >> bit & 1);
  }
}

}  // namespace
}  // namespace lockstep::emu::testing
