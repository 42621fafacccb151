// SPDX-License-Identifier: MIT
// The division sequence that compilers emit, run row by row, must give correctly rounded quotients.
#include <cmath>

#include "tests/emu/row_fixture.h"

namespace lockstep::emu::testing {
namespace {

class DivRows : public RowTest {
 protected:
  std::vector<uint64_t> run(const std::string& id, const std::vector<uint64_t>& a,
                            const std::vector<uint64_t>& b, const std::vector<uint64_t>& c3,
                            const Form& form = {}, std::vector<bool>* mask = nullptr) {
    std::vector<Case> cases;
    for (size_t i = 0; i < a.size(); ++i)
      cases.push_back({a[i], b.empty() ? 0 : b[i], c3.empty() ? 0 : c3[i], 0});
    std::vector<uint64_t> out;
    for (const Outcome& o : evaluate(id, cases, form)) {
      out.push_back(o.value);
      if (mask) mask->push_back(o.mask);
    }
    return out;
  }
  /// v_div_fmas with VCC from `mask`: one wave at a time.
  std::vector<uint64_t> fmas(const std::string& id, const std::vector<uint64_t>& a,
                             const std::vector<uint64_t>& b, const std::vector<uint64_t>& c3,
                             const std::vector<bool>& mask) {
    std::vector<uint64_t> out;
    Uop u = prepare(id);
    for (size_t first = 0; first < a.size(); first += 32) {
      uint64_t vcc = 0;
      for (unsigned lane = 0; lane < 32 && first + lane < a.size(); ++lane) {
        set_v64(kRegA, lane, a[first + lane]);
        set_v64(kRegB, lane, b[first + lane]);
        set_v64(kRegC, lane, c3[first + lane]);
        vcc |= uint64_t{mask[first + lane]} << lane;
      }
      wave.write64(isa::kExecLo, 0xffffffff);
      wave.write64(isa::kVccLo, vcc);
      EXPECT_EQ(execute(u), Step::kNext);
      for (unsigned lane = 0; lane < 32 && first + lane < a.size(); ++lane)
        out.push_back(outcome(u, lane).value);
    }
    return out;
  }
};

TEST_F(DivRows, FloatQuotientsAreCorrectlyRounded) {
  std::vector<uint64_t> n, d;
  std::vector<uint64_t> special;
  for (uint32_t x :
       {0x00000000u, 0x00000001u, 0x00000007u, 0x007fffffu, 0x00800000u, 0x00800001u, 0x0b800000u,
        0x0c000001u, 0x3f800000u, 0x3f800001u, 0x3fffffffu, 0x40400000u, 0x7e800000u, 0x7e800001u,
        0x7f000000u, 0x7f7fffffu, 0x7f800000u, 0x7fc00000u, 0x7f800001u, 0x5f800001u, 0x1f7fffffu})
    special.push_back(x), special.push_back(x | 0x80000000u);
  for (uint64_t x : special)
    for (uint64_t y : special) n.push_back(x), d.push_back(y);
  std::mt19937 generator(17);
  for (int i = 0; i < 200000; ++i) n.push_back(generator()), d.push_back(generator());
  // Quotients near the ends of the range, and denormal ones.
  for (int i = 0; i < 100000; ++i) {
    const uint32_t ed = generator() % 254 + 1, delta = generator() % 12;
    const int en = static_cast<int>(ed) + (i % 2 ? 122 : -144) + static_cast<int>(delta) * 2;
    n.push_back((generator() & 0x807fffff) | static_cast<uint32_t>(std::max(0, std::min(en, 254)))
                                                 << 23);
    d.push_back((generator() & 0x807fffff) | ed << 23);
  }
  const std::vector<uint64_t> ones(n.size(), 0x3f800000);
  std::vector<bool> ignored, scale;
  const auto ds = run("v_div_scale_f32", d, d, n, {}, &ignored);
  const auto ns = run("v_div_scale_f32", n, d, n, {}, &scale);
  const auto r = run("v_rcp_f32", ds, {}, {});
  const auto f0 = run("v_fma_f32", ds, r, ones, {.neg = 1});
  const auto f1 = run("v_fma_f32", f0, r, r);
  const auto q = run("v_mul_f32", ns, f1, {});
  const auto f2 = run("v_fma_f32", ds, q, ns, {.neg = 1});
  const auto f3 = run("v_fma_f32", f2, f1, q);
  const auto f4 = run("v_fma_f32", ds, f3, ns, {.neg = 1});
  const auto last = fmas("v_div_fmas_f32", f4, f1, f3, scale);
  const auto result = run("v_div_fixup_f32", last, d, n);
  int wrong = 0;
  for (size_t i = 0; i < n.size(); ++i) {
    const float num = std::bit_cast<float>(static_cast<uint32_t>(n[i])),
                den = std::bit_cast<float>(static_cast<uint32_t>(d[i]));
    const float want = num / den, got = std::bit_cast<float>(static_cast<uint32_t>(result[i]));
    if (std::isnan(want)) {
      ASSERT_TRUE(std::isnan(got)) << std::hex << n[i] << " / " << d[i];
      continue;
    }
    if (std::bit_cast<uint32_t>(want) == result[i]) continue;
    // A denormal quotient is rounded twice, by the last multiply-add and by its scaling: at most
    // one unit off.
    ASSERT_LT(std::fabs(want), 0x1.0p-125f)
        << std::hex << n[i] << " / " << d[i] << " = " << result[i] << " want "
        << std::bit_cast<uint32_t>(want);
    ASSERT_LE(std::abs(static_cast<int64_t>(result[i]) -
                       static_cast<int64_t>(std::bit_cast<uint32_t>(want))),
              1)
        << std::hex << n[i] << " / " << d[i];
    ++wrong;
  }
  EXPECT_LT(wrong, 1000);
}

TEST_F(DivRows, DoubleQuotientsAreCorrectlyRounded) {
  std::vector<uint64_t> n, d, special;
  for (uint64_t x :
       {uint64_t{0}, uint64_t{1}, uint64_t{0xfffffffffffff}, uint64_t{1} << 52,
        uint64_t{0x3ff0000000000000}, uint64_t{0x3ff0000000000001}, uint64_t{0x7fd0000000000000},
        uint64_t{0x7fe0000000000001}, uint64_t{0x7fefffffffffffff}, uint64_t{0x7ff0000000000000},
        uint64_t{0x7ff8000000000000}})
    special.push_back(x), special.push_back(x | uint64_t{1} << 63);
  for (uint64_t x : special)
    for (uint64_t y : special) n.push_back(x), d.push_back(y);
  std::mt19937_64 generator(17);
  for (int i = 0; i < 100000; ++i) n.push_back(generator()), d.push_back(generator());
  for (int i = 0; i < 100000; ++i) {
    const uint64_t ed = generator() % 2046 + 1;
    const int en =
        static_cast<int>(ed) + (i % 2 ? 1010 : -1060) + static_cast<int>(generator() % 50);
    n.push_back((generator() & 0x800fffffffffffff) |
                static_cast<uint64_t>(std::max(0, std::min(en, 2046))) << 52);
    d.push_back((generator() & 0x800fffffffffffff) | ed << 52);
  }
  const std::vector<uint64_t> ones(n.size(), std::bit_cast<uint64_t>(1.0));
  std::vector<bool> ignored, scale;
  const auto ds = run("v_div_scale_f64", d, d, n, {}, &ignored);
  const auto ns = run("v_div_scale_f64", n, d, n, {}, &scale);
  const auto r0 = run("v_rcp_f64", ds, {}, {});
  const auto e0 = run("v_fma_f64", ds, r0, ones, {.neg = 1});
  const auto r1 = run("v_fma_f64", r0, e0, r0);
  const auto e1 = run("v_fma_f64", ds, r1, ones, {.neg = 1});
  const auto r2 = run("v_fma_f64", r1, e1, r1);
  const auto q = run("v_mul_f64", ns, r2, {});
  const auto e2 = run("v_fma_f64", ds, q, ns, {.neg = 1});
  const auto last = fmas("v_div_fmas_f64", e2, r2, q, scale);
  const auto result = run("v_div_fixup_f64", last, d, n);
  for (size_t i = 0; i < n.size(); ++i) {
    const double want = std::bit_cast<double>(n[i]) / std::bit_cast<double>(d[i]),
                 got = std::bit_cast<double>(result[i]);
    if (std::isnan(want)) {
      ASSERT_TRUE(std::isnan(got)) << std::hex << n[i] << " / " << d[i];
      continue;
    }
    if (std::bit_cast<uint64_t>(want) == result[i]) continue;
    ASSERT_LT(std::fabs(want), 0x1.0p-1021)
        << std::hex << n[i] << " / " << d[i] << " = " << result[i] << " want "
        << std::bit_cast<uint64_t>(want);
    ASSERT_LE(std::abs(static_cast<int64_t>(result[i] - std::bit_cast<uint64_t>(want))), 1)
        << std::hex << n[i] << " / " << d[i];
  }
}

TEST_F(DivRows, ScaleOfOneOperand) {
  const auto f = [](float x) { return uint64_t{std::bit_cast<uint32_t>(x)}; };
  constexpr uint64_t kNan = 0xffc00000;
  const struct {
    uint64_t numerator, denominator;  ///< what is divided
    uint64_t scaled_numerator, scaled_denominator;
    bool correct;  ///< the mask bit: div_fmas has to scale back
  } table[] = {
      {f(1), f(4), f(1), f(4), false},
      {f(1), f(0), kNan, kNan, true},
      {f(-0.0f), f(3), kNan, kNan, true},
      {f(0x1p127f), f(1), f(0x1p127f), f(0x1p64f), true},           // a huge quotient
      {f(1), f(0x1p127f), f(1), f(0x1p63f), true},                  // a denormal quotient
      {f(0x1p60f), f(0x1p127f), f(0x1p-4f), f(0x1p63f), false},     // a denormal reciprocal
      {f(0x1p-100f), f(0x1p28f), f(0x1p-36f), f(0x1p28f), true},    // a denormal quotient
      {f(0x1p-104f), f(1), f(0x1p-40f), f(1), true},                // a tiny numerator
      {f(0x1p-104f), f(0x1p-50f), f(0x1p-40f), f(0x1p14f), false},  // both tiny
      {f(0x1p-103f), f(1), f(0x1p-103f), f(1), false},
  };
  for (const auto& row : table) {
    const auto n =
        evaluate("v_div_scale_f32", {{row.numerator, row.denominator, row.numerator, 0}});
    const auto d =
        evaluate("v_div_scale_f32", {{row.denominator, row.denominator, row.numerator, 0}});
    EXPECT_EQ(n[0].value, row.scaled_numerator) << std::hex << row.numerator;
    EXPECT_EQ(d[0].value, row.scaled_denominator) << std::hex << row.denominator;
    EXPECT_EQ(n[0].mask, row.correct) << std::hex << row.numerator << " / " << row.denominator;
    EXPECT_EQ(d[0].mask, row.correct) << std::hex << row.numerator << " / " << row.denominator;
  }
  // A denominator that MODE flushes is a zero.
  wave.mode = kModeDefault & ~(3u << ModeBits::kDenorm32);
  const auto flushed = evaluate("v_div_scale_f32", {{f(1), 7, f(1), 0}});
  EXPECT_EQ(flushed[0].value, kNan);
  EXPECT_TRUE(flushed[0].mask);
}

TEST_F(DivRows, HalfQuotientsThroughFloat) {
  // The f16 sequence: divide in f32 with the reciprocal, narrow, fix up.
  std::vector<uint64_t> n, d, approximate;
  std::mt19937 generator(2);
  for (int i = 0; i < 60000; ++i)
    n.push_back(generator() & 0xffff), d.push_back(generator() & 0xffff);
  for (uint64_t x : {0x0000, 0x8000, 0x0001, 0x3c00, 0x7bff, 0x7c00, 0xfc00, 0x7e00})
    for (uint64_t y : {0x0000, 0x8000, 0x0001, 0x3c00, 0x7bff, 0x7c00, 0xfc00, 0x7e00})
      n.push_back(x), d.push_back(y);
  const auto wide_n = run("v_cvt_f32_f16", n, {}, {}), wide_d = run("v_cvt_f32_f16", d, {}, {});
  for (size_t i = 0; i < n.size(); ++i)
    approximate.push_back(
        std::bit_cast<uint32_t>(std::bit_cast<float>(static_cast<uint32_t>(wide_n[i])) /
                                std::bit_cast<float>(static_cast<uint32_t>(wide_d[i]))));
  const auto result = run("v_div_fixup_f16", run("v_cvt_f16_f32", approximate, {}, {}), d, n);
  for (size_t i = 0; i < n.size(); ++i) {
    const auto want = run("v_cvt_f16_f32", {approximate[i]}, {}, {})[0];
    const bool nan = (want & 0x7fff) > 0x7c00;
    ASSERT_TRUE(result[i] == want || (nan && (result[i] & 0x7fff) > 0x7c00))
        << std::hex << n[i] << " / " << d[i];
    if (i > 2000 && i < 60000) i += 50;
  }
}

TEST_F(DivRows, FixupKnowsTheSpecialCases) {
  const auto f = [](float x) { return std::bit_cast<uint32_t>(x); };
  const float inf = INFINITY;
  EXPECT_EQ(one("v_div_fixup_f32", f(9), f(0), f(0)), 0xffc00000u);
  EXPECT_EQ(one("v_div_fixup_f32", f(9), f(inf), f(-inf)), 0xffc00000u);
  EXPECT_EQ(one("v_div_fixup_f32", f(9), f(-0.0f), f(3)), f(-inf));
  EXPECT_EQ(one("v_div_fixup_f32", f(9), f(-2), f(inf)), f(-inf));
  EXPECT_EQ(one("v_div_fixup_f32", f(9), f(inf), f(-2)), f(-0.0f));
  EXPECT_EQ(one("v_div_fixup_f32", f(9), f(-2), f(0)), f(-0.0f));
  EXPECT_EQ(one("v_div_fixup_f32", f(9), 0x7f800001, f(2)), 0x7fc00001u);
  EXPECT_EQ(one("v_div_fixup_f32", f(9), 0x7f800001, 0xff800002), 0xffc00002u)
      << "the numerator's NaN first";
  EXPECT_EQ(one("v_div_fixup_f32", f(9), f(-2), f(2)), f(-9));
  EXPECT_EQ(one("v_div_fixup_f32", f(9), f(0x1p100f), f(0x1p-100f)), f(0)) << "underflow";
  wave.mode = kModeDefault | 1;  // toward +infinity
  EXPECT_EQ(one("v_div_fixup_f32", f(9), f(0x1p100f), f(0x1p-100f)), 1u);
  EXPECT_EQ(one("v_div_fixup_f32", f(9), f(-0x1p100f), f(0x1p-100f)), 0x80000000u);
}

}  // namespace
}  // namespace lockstep::emu::testing
