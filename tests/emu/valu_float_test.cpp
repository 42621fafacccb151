// SPDX-License-Identifier: MIT
// f16, f32 and f64 arithmetic against exact fixed-point arithmetic, in every rounding and denormal
// mode.
#include <cmath>

#include "tests/emu/exact_value.h"
#include "tests/emu/row_fixture.h"

namespace lockstep::emu::testing {
namespace {

struct Mode {
  int round = 0;
  bool flush_in = false, flush_out = false;
};

struct FloatType {
  const char* name;
  BinaryFormat format;
  unsigned round_shift, denorm_shift;
};
const FloatType kTypes[] = {{"f16", kF16, ModeBits::kRound16_64, ModeBits::kDenorm16_64},
                            {"f32", kF32, ModeBits::kRound32, ModeBits::kDenorm32},
                            {"f64", kF64, ModeBits::kRound16_64, ModeBits::kDenorm16_64}};

uint32_t mode_bits(const FloatType& type, const Mode& mode) {
  uint32_t bits = kModeDefault & ~(3u << type.round_shift) & ~(3u << type.denorm_shift);
  bits |= static_cast<uint32_t>(mode.round) << type.round_shift;
  bits |= (mode.flush_in ? 0u : 1u) << type.denorm_shift | (mode.flush_out ? 0u : 2u)
                                                               << type.denorm_shift;
  return bits;
}

std::vector<uint64_t> special_values(const BinaryFormat& f) {
  std::vector<uint64_t> list;
  const uint64_t one = static_cast<uint64_t>(f.bias()) << f.mantissa;
  for (uint64_t x : {uint64_t{0}, uint64_t{1}, (uint64_t{1} << f.mantissa) - 1,
                     uint64_t{1} << f.mantissa, (uint64_t{1} << f.mantissa) + 1, one, one + 1,
                     one - 1, one + (uint64_t{1} << f.mantissa), f.largest(), f.largest() - 1,
                     f.infinity(), f.infinity() | f.quiet_bit() | 5, f.infinity() | 3})
    for (uint64_t sign : {uint64_t{0}, f.sign_bit()}) list.push_back(x | sign);
  return list;
}

/// a * b + c, or a + b, or a * b with one rounding: the whole rule, from exact arithmetic.
uint64_t reference(const BinaryFormat& f, const Mode& mode, bool has_product, bool has_sum,
                   uint64_t a, uint64_t b, uint64_t c) {
  const auto in = [&](uint64_t x) { return mode.flush_in && f.denormal(x) ? x & f.sign_bit() : x; };
  a = in(a), b = in(b), c = in(c);
  for (uint64_t x : {a, b})
    if (f.nan(x)) return x | f.quiet_bit();
  if (has_product && has_sum && f.nan(c)) return c | f.quiet_bit();
  uint64_t result;
  if (has_product) {
    const bool negative = f.negative(a) != f.negative(b);
    if ((f.inf(a) && f.zero(b)) || (f.zero(a) && f.inf(b))) return f.default_nan();
    const bool infinite = f.inf(a) || f.inf(b);
    if (infinite && has_sum && f.inf(c) && f.negative(c) != negative) return f.default_nan();
    if (infinite) return f.infinity() | (negative ? f.sign_bit() : 0);
    if (has_sum && f.inf(c)) return c;
    const bool zero_product = f.zero(a) || f.zero(b);
    if (!has_sum) {
      result =
          zero_product ? (negative ? f.sign_bit() : 0) : rounded(f, f.product(a, b), mode.round);
    } else {
      const Exact sum = f.product(a, b) + f.value(c);
      if (sum.sign() != 0)
        result = rounded(f, sum, mode.round);
      else if (zero_product && f.zero(c) && negative == f.negative(c))
        result = c;
      else
        result = mode.round == 2 ? f.sign_bit() : 0;
    }
  } else {
    if (f.inf(a) && f.inf(b) && a != b) return f.default_nan();
    if (f.inf(a)) return a;
    if (f.inf(b)) return b;
    const Exact sum = f.value(a) + f.value(b);
    if (sum.sign() != 0)
      result = rounded(f, sum, mode.round);
    else if (f.zero(a) && f.zero(b) && a == b)
      result = a;
    else
      result = mode.round == 2 ? f.sign_bit() : 0;
  }
  return mode.flush_out && f.denormal(result) ? result & f.sign_bit() : result;
}

class FloatRows : public RowTest {
 protected:
  /// Random values whose exponents lie near each other, so that sums cancel and round; plus all
  /// pairs of special values.
  std::vector<Case> cases(const BinaryFormat& f, unsigned sources, size_t count) {
    std::vector<Case> list = mixed_cases(special_values(f), 0, std::min(sources, 2u));
    std::mt19937_64 generator(7);
    const uint64_t all = (f.sign_bit() << 1) - 1;
    for (size_t i = 0; i < count; ++i) {
      const uint64_t center = generator() & all;
      const auto near = [&] {
        const int64_t spread = static_cast<int64_t>(generator() % 64) - 32;
        const uint64_t mantissa =
            generator() % 3 ? generator() : (generator() & 1 ? ~uint64_t{0} : 0);
        const uint64_t exponent = ((center >> f.mantissa) + static_cast<uint64_t>(spread))
                                  << f.mantissa;
        return ((exponent & f.infinity()) | (mantissa & ((uint64_t{1} << f.mantissa) - 1)) |
                (generator() & f.sign_bit())) &
               all;
      };
      Case k{near(), near(), near(), near()};
      if (generator() % 2)
        k.a = static_cast<uint64_t>(f.bias()) << f.mantissa |
              (k.a & ((uint64_t{1} << f.mantissa) - 1));
      if (generator() % 8 == 0) k.b = special_values(f)[generator() % special_values(f).size()];
      if (generator() % 8 == 0) k.c = special_values(f)[generator() % special_values(f).size()];
      list.push_back(k);
    }
    return list;
  }
  void check(const std::string& id, const FloatType& type, const Mode& mode, size_t count,
             const Form& form, const std::function<uint64_t(const Case&)>& want, unsigned sources) {
    wave.mode = mode_bits(type, mode);
    const auto list = cases(type.format, sources, count);
    const auto got = evaluate(id, list, form);
    ASSERT_EQ(got.size(), list.size());
    const uint64_t keep = type.format.mantissa == 10 ? 0xffff0000 : 0;
    for (size_t i = 0; i < list.size(); ++i) {
      const Case& k = list[i];
      ASSERT_EQ(got[i].value, want(k) | (k.old & keep))
          << id << std::hex << " a=" << k.a << " b=" << k.b << " c=" << k.c << " old=" << k.old
          << " round " << mode.round << " flush " << mode.flush_in << mode.flush_out;
    }
  }
};

TEST_F(FloatRows, ArithmeticRoundsOnce) {
  struct Row {
    std::string stem;
    bool product, sum;
    int order;  // 0: a, b, c; 1: b - a; 2: old destination is c; 3: a * c + b
    unsigned sources;
    bool short_form;
  };
  const Row rows[] = {{"add", false, true, 0, 2, true},    {"sub", false, true, -1, 2, true},
                      {"subrev", false, true, 1, 2, true}, {"mul", true, false, 0, 2, true},
                      {"fma", true, true, 0, 3, false},    {"fmac", true, true, 2, 2, true},
                      {"fmamk", true, true, 0, 3, true},   {"fmaak", true, true, 0, 3, true}};
  for (const FloatType& type : kTypes) {
    const bool f64 = type.format.mantissa == 52;
    for (const Row& row : rows) {
      if (f64 && (row.stem == "sub" || row.stem == "subrev" || row.stem == "fmac" ||
                  row.stem == "fmamk" || row.stem == "fmaak"))
        continue;
      const std::string id = "v_" + row.stem + "_" + type.name;
      const uint64_t sign = type.format.sign_bit();
      for (int round = 0; round < 4; ++round) {
        for (const bool flush : {false, true}) {
          const Mode mode{round, flush, flush};
          // A negated NaN keeps the sign that the modifier gave it, but subtraction does not touch
          // NaNs.
          const auto want = [&](const Case& k) {
            const BinaryFormat& f = type.format;
            const auto minus = [&](uint64_t x) { return f.nan(x) ? x : x ^ sign; };
            switch (row.order) {
              case -1:
                return reference(f, mode, false, true, k.a, minus(k.b), 0);
              case 1:
                return f.nan(k.b) ? k.b | f.quiet_bit()
                                  : reference(f, mode, false, true, minus(k.a), k.b, 0);
              case 2:
                return reference(f, mode, true, true, k.a, k.b, k.old);
              default:
                return reference(f, mode, row.product, row.sum, k.a, k.b, k.c);
            }
          };
          check(id, type, mode, row.sources > 2 ? 400 : 800,
                {.long_form = !row.short_form || round % 2 == 0}, want, row.sources);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

TEST_F(FloatRows, DenormalModesWorkApart) {
  for (const FloatType& type : kTypes)
    for (const Mode mode : {Mode{0, true, false}, Mode{0, false, true}})
      check(
          std::string("v_mul_") + type.name, type, mode, 2000, {},
          [&](const Case& k) { return reference(type.format, mode, true, false, k.a, k.b, 0); }, 2);
}

TEST_F(FloatRows, ModifiersOfSources) {
  for (const FloatType& type : kTypes) {
    const uint64_t sign = type.format.sign_bit();
    check(
        std::string("v_mul_") + type.name, type, {}, 300, {.neg = 1, .abs = 2},
        [&](const Case& k) {
          return reference(type.format, {}, true, false, k.a ^ sign, k.b & ~sign, 0);
        },
        2);
    check(
        std::string("v_fma_") + type.name, type, {}, 300, {.neg = 6, .abs = 4},
        [&](const Case& k) {
          return reference(type.format, {}, true, true, k.a, k.b ^ sign, k.c | sign);
        },
        3);
  }
}

TEST_F(FloatRows, HalfOverflowClampsWithFp16Ovfl) {
  wave.mode = kModeDefault | ModeBits::kFp16Ovfl;
  EXPECT_EQ(one("v_add_f16", 0x7bff, 0x7bff), 0x7bffu);
  EXPECT_EQ(one("v_mul_f16", 0xfbff, 0x7bff), 0xfbffu);
  EXPECT_EQ(one("v_add_f16", 0x7c00, 0x3c00), 0x7c00u) << "a true infinity stays";
  EXPECT_EQ(one("v_cvt_f16_f32", 0x7f7fffff), 0x7bffu);
  EXPECT_EQ(one("v_cvt_f16_f32", 0xff800000), 0xfc00u);
}

TEST_F(FloatRows, OutputModifiers) {
  const uint32_t f32_flush = kModeDefault & ~0x30u & ~uint32_t{ModeBits::kIeee};
  const auto f = [](float x) { return std::bit_cast<uint32_t>(x); };
  wave.mode = f32_flush;
  EXPECT_EQ(one("v_add_f32", f(1.5f), f(2), 0, {.omod = 1}), f(7.0f));
  EXPECT_EQ(one("v_add_f32", f(1.5f), f(2), 0, {.omod = 2}), f(14.0f));
  EXPECT_EQ(one("v_add_f32", f(1.5f), f(2), 0, {.omod = 3}), f(1.75f));
  EXPECT_EQ(one("v_mul_f32", f(-0.0f), f(2), 0, {.omod = 1}), f(0.0f));
  EXPECT_EQ(one("v_mul_f32", f(0x1p-126f), f(1), 0, {.omod = 3}), f(0.0f)) << "flushed";
  EXPECT_EQ(one("v_mul_f32", f(3e38f), f(1), 0, {.omod = 1}), f(INFINITY));
  EXPECT_EQ(one("v_add_f32", f(0.25f), f(0.5f), 0, {.omod = 1, .clamp = true}), f(1.0f))
      << "omod comes first";
  wave.mode = kModeDefault;
  EXPECT_EQ(one("v_add_f32", f(1.5f), f(2), 0, {.omod = 1}), f(3.5f))
      << "ignored where denormals are kept";
  wave.mode = f32_flush | ModeBits::kIeee;
  EXPECT_EQ(one("v_add_f32", f(1.5f), f(2), 0, {.omod = 1}), f(3.5f)) << "ignored under IEEE";
  wave.mode = kModeDefault & ~0xc0u & ~uint32_t{ModeBits::kIeee};
  EXPECT_EQ(one("v_add_f16", 0x3c00, 0x3c00, 0, {.omod = 2}), 0x4800u);
  EXPECT_EQ(one("v_mul_f16", 0x0400, 0x3c00, 0, {.omod = 3}), 0u);
  EXPECT_EQ(
      one("v_add_f64", std::bit_cast<uint64_t>(1.0), std::bit_cast<uint64_t>(2.0), 0, {.omod = 3}),
      std::bit_cast<uint64_t>(1.5));
}

TEST_F(FloatRows, ClampToUnitRange) {
  const auto f = [](float x) { return std::bit_cast<uint32_t>(x); };
  for (const auto& [in, want] : std::vector<std::pair<float, float>>{{0.5f, 0.5f},
                                                                     {-1, 0},
                                                                     {2, 1},
                                                                     {-0.0f, 0.0f},
                                                                     {INFINITY, 1},
                                                                     {-INFINITY, 0},
                                                                     {0x1p-140f, 0x1p-140f},
                                                                     {1, 1}})
    EXPECT_EQ(one("v_mul_f32", f(in), f(1), 0, {.clamp = true}), f(want)) << in;
  EXPECT_EQ(one("v_mul_f32", 0x7fc00001, f(1), 0, {.clamp = true}), 0u);
  wave.mode = kModeDefault & ~uint32_t{ModeBits::kDx10Clamp};
  EXPECT_EQ(one("v_mul_f32", 0x7fc00001, f(1), 0, {.clamp = true}), 0x7fc00001u);
  EXPECT_EQ(one("v_mul_f16", 0x4000, 0x3c00, 0, {.clamp = true}), 0x3c00u);
  EXPECT_EQ(one("v_mul_f16", 0xc000, 0x3c00, 0, {.clamp = true}), 0u);
  EXPECT_EQ(one("v_mul_f64", std::bit_cast<uint64_t>(3.0), std::bit_cast<uint64_t>(2.0), 0,
                {.clamp = true}),
            std::bit_cast<uint64_t>(1.0));
}

TEST_F(FloatRows, LegacyMultiplyKnowsNoInvalid) {
  const auto f = [](float x) { return std::bit_cast<uint32_t>(x); };
  for (uint32_t x : {f(0), f(INFINITY), 0x7fc00000u, f(-3)}) {
    EXPECT_EQ(one("v_mul_dx9_zero_f32", f(0), x), 0u);
    EXPECT_EQ(one("v_mul_dx9_zero_f32", x, f(-0.0f)), 0u);
    EXPECT_EQ(one("v_fma_dx9_zero_f32", f(0), x, f(7)), f(7));
  }
  EXPECT_EQ(one("v_mul_dx9_zero_f32", f(3), f(-2)), f(-6));
  EXPECT_EQ(one("v_fma_dx9_zero_f32", f(3), f(-2), f(1)), f(-5));
  EXPECT_EQ(evaluate("v_fmac_dx9_zero_f32", {{f(INFINITY), f(0), 0, f(2)}})[0].value, f(2));
  EXPECT_EQ(one("v_mullit_f32", f(3), f(2), f(1)), f(6));
  for (uint32_t dark : {f(0), f(-1), 0x7fc00000u})
    EXPECT_EQ(one("v_mullit_f32", f(3), f(2), dark), 0xff7fffffu);
  EXPECT_EQ(one("v_mullit_f32", f(3), f(-INFINITY), f(1)), 0xff7fffffu);
}

}  // namespace
}  // namespace lockstep::emu::testing
