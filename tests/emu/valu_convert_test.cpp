// SPDX-License-Identifier: MIT
// Conversions and the parts of numbers: every 16-bit input, special and random wider ones, all
// rounding modes.
#include <cmath>

#include "tests/emu/exact_value.h"
#include "tests/emu/row_fixture.h"

namespace lockstep::emu::testing {
namespace {

uint64_t f32(float x) { return std::bit_cast<uint32_t>(x); }
uint64_t f64(double x) { return std::bit_cast<uint64_t>(x); }
float from_f32(uint64_t x) { return std::bit_cast<float>(static_cast<uint32_t>(x)); }
/// Value of a finite half, by its definition.
long double half_value(uint64_t x) {
  const int exponent = x >> 10 & 31;
  const long double m = static_cast<long double>(x & 0x3ff) + (exponent ? 1024 : 0);
  return (x & 0x8000 ? -1 : 1) * std::ldexp(m, (exponent ? exponent : 1) - 25);
}
/// Truncated to an integer within [low, high]; NaN is 0.
int64_t saturated(long double x, int64_t low, int64_t high) {
  if (std::isnan(x)) return 0;
  if (x <= static_cast<long double>(low)) return low;
  if (x >= static_cast<long double>(high)) return high;
  return static_cast<int64_t>(x);
}

class ConvertRows : public RowTest {
 protected:
  static std::vector<Case> all_halves() {
    std::vector<Case> cases;
    for (uint64_t x = 0; x < 65536; ++x) cases.push_back({x, 0, 0, 0xabcd0000});
    return cases;
  }
  /// Runs a unary f16 row over all inputs; `want` gives the low 16 bits, or all 32 for wider
  /// results.
  void sweep(const std::string& id, const std::function<uint64_t(uint64_t)>& want,
             bool wide = false) {
    const auto cases = all_halves();
    for (const bool long_form : {true, false}) {
      const auto got = evaluate(id, cases, {.long_form = long_form});
      ASSERT_EQ(got.size(), cases.size());
      for (uint64_t x = 0; x < 65536; ++x)
        ASSERT_EQ(got[x].value, wide ? want(x) : (want(x) & 0xffff) | 0xabcd0000)
            << id << " of " << std::hex << x;
    }
  }
  void set_rounding(int mode) {
    wave.mode = kModeDefault | static_cast<uint32_t>(mode) | static_cast<uint32_t>(mode) << 2;
  }
  std::vector<uint64_t> wide_values(const BinaryFormat& f) {
    std::vector<uint64_t> list;
    std::mt19937_64 generator(5);
    const auto add = [&](double x) {
      uint64_t bits = f.mantissa == 23 ? f32(static_cast<float>(x)) : f64(x);
      for (int64_t d = -2; d <= 2; ++d) list.push_back(bits + static_cast<uint64_t>(d));
    };
    for (int e = -160; e <= 140; ++e)
      for (double m :
           {1.0, 1.25, 1.5, 1.75, 1.0009765625, 1.00048828125, 1.9995, -1.0, -1.5, -1.00048828125})
        add(std::ldexp(m, e));
    for (double x : {0.0, -0.0, 0.5, -0.5, 1.5, 2.5, 255.5, 32767.5, 65535.5, 65504.0, 65519.99,
                     65520.0, 2147483647.0, 4294967295.0, 4294967296.0})
      add(x), add(-x);
    for (uint64_t x : {f.infinity(), f.infinity() | f.sign_bit(), f.infinity() | 1, f.default_nan(),
                       f.default_nan() | 77})
      list.push_back(x);
    const uint64_t all = (f.sign_bit() << 1) - 1;
    for (int i = 0; i < 5000; ++i) list.push_back(generator() & all);
    for (uint64_t& x : list) x &= all;
    return list;
  }
  std::vector<Outcome> run(const std::string& id, const std::vector<uint64_t>& inputs) {
    std::vector<Case> cases;
    for (uint64_t x : inputs) cases.push_back({x, 0, 0, 0});
    return evaluate(id, cases);
  }
};

/// Rounds any finite value of one format to another, or passes specials on.
uint64_t converted(const BinaryFormat& from, const BinaryFormat& to, uint64_t x, int mode) {
  const uint64_t sign = from.negative(x) ? to.sign_bit() : 0;
  if (from.nan(x)) {
    const uint64_t payload = x & ((uint64_t{1} << from.mantissa) - 1);
    const int shift = to.mantissa - from.mantissa;
    return sign | to.infinity() | to.quiet_bit() |
           (shift >= 0 ? payload << shift : payload >> -shift);
  }
  if (from.inf(x)) return sign | to.infinity();
  if (from.zero(x)) return sign;
  return rounded(to, from.value(x), mode);
}

TEST_F(ConvertRows, HalfToFloatIsExact) {
  sweep("v_cvt_f32_f16", [](uint64_t x) { return converted(kF16, kF32, x, 0); }, true);
  wave.mode = kModeDefault & ~0x40u;  // half denormals of sources flushed
  sweep(
      "v_cvt_f32_f16",
      [](uint64_t x) { return converted(kF16, kF32, kF16.denormal(x) ? x & 0x8000 : x, 0); }, true);
}

TEST_F(ConvertRows, FloatToHalfInAllRoundings) {
  const auto inputs = wide_values(kF32);
  for (int mode = 0; mode < 4; ++mode) {
    set_rounding(mode);
    const auto got = run("v_cvt_f16_f32", inputs);
    for (size_t i = 0; i < inputs.size(); ++i)
      ASSERT_EQ(got[i].value, converted(kF32, kF16, inputs[i], mode))
          << std::hex << inputs[i] << " mode " << mode;
  }
  std::vector<Case> pairs;
  for (size_t i = 0; i < inputs.size(); ++i)
    pairs.push_back({inputs[i], inputs[inputs.size() - 1 - i], 0, 0});
  const auto got = evaluate("v_cvt_pk_rtz_f16_f32", pairs);
  for (size_t i = 0; i < pairs.size(); ++i)
    ASSERT_EQ(got[i].value,
              converted(kF32, kF16, pairs[i].a, 3) | converted(kF32, kF16, pairs[i].b, 3) << 16);
}

TEST_F(ConvertRows, DoubleAndFloat) {
  const auto doubles = wide_values(kF64), floats = wide_values(kF32);
  for (int mode = 0; mode < 4; ++mode) {
    set_rounding(mode);
    const auto narrow = run("v_cvt_f32_f64", doubles);
    for (size_t i = 0; i < doubles.size(); ++i)
      ASSERT_EQ(narrow[i].value, converted(kF64, kF32, doubles[i], mode)) << std::hex << doubles[i];
    const auto wide = run("v_cvt_f64_f32", floats);
    for (size_t i = 0; i < floats.size(); ++i)
      ASSERT_EQ(wide[i].value, converted(kF32, kF64, floats[i], mode)) << std::hex << floats[i];
  }
}

TEST_F(ConvertRows, HalfAndIntegers) {
  const auto value = [](uint64_t x) {
    return kF16.nan(x) ? NAN : kF16.inf(x) ? (x & 0x8000 ? -INFINITY : INFINITY) : half_value(x);
  };
  sweep("v_cvt_u16_f16",
        [&](uint64_t x) { return static_cast<uint64_t>(saturated(value(x), 0, 65535)); });
  sweep("v_cvt_i16_f16",
        [&](uint64_t x) { return static_cast<uint64_t>(saturated(value(x), -32768, 32767)); });
  for (int mode = 0; mode < 4; ++mode) {
    set_rounding(mode);
    sweep("v_cvt_f16_u16", [&](uint64_t x) {
      return x ? rounded(kF16, Exact(static_cast<__int128>(x), 0), mode) : 0;
    });
    sweep("v_cvt_f16_i16", [&](uint64_t x) {
      return x ? rounded(kF16, Exact(static_cast<int16_t>(x), 0), mode) : 0;
    });
  }
  set_rounding(0);
  const auto norm = [&](uint64_t x, long double low, long double scale) {
    const long double v = value(x);
    return std::isnan(v) ? 0
                         : static_cast<uint64_t>(static_cast<int64_t>(
                               std::rint(std::min(std::max(v, low), 1.0L) * scale)));
  };
  sweep("v_cvt_norm_i16_f16", [&](uint64_t x) { return norm(x, -1, 32767); });
  sweep("v_cvt_norm_u16_f16", [&](uint64_t x) { return norm(x, 0, 65535); });
}

TEST_F(ConvertRows, WideFloatsToIntegers) {
  for (const BinaryFormat& f : {kF32, kF64}) {
    const std::string type = f.mantissa == 23 ? "_f32" : "_f64";
    const auto inputs = wide_values(f);
    const auto i = run("v_cvt_i32" + type, inputs), u = run("v_cvt_u32" + type, inputs);
    for (size_t n = 0; n < inputs.size(); ++n) {
      const long double x = f.mantissa == 23 ? static_cast<long double>(from_f32(inputs[n]))
                                             : std::bit_cast<double>(inputs[n]);
      ASSERT_EQ(i[n].value, static_cast<uint32_t>(saturated(x, INT32_MIN, INT32_MAX)))
          << std::hex << inputs[n];
      ASSERT_EQ(u[n].value, static_cast<uint32_t>(saturated(x, 0, UINT32_MAX)))
          << std::hex << inputs[n];
    }
  }
  const auto inputs = wide_values(kF32);
  const auto nearest = run("v_cvt_nearest_i32_f32", inputs),
             down = run("v_cvt_floor_i32_f32", inputs);
  for (size_t n = 0; n < inputs.size(); ++n) {
    const long double x = from_f32(inputs[n]);
    const long double floor = std::floor(x);
    ASSERT_EQ(down[n].value, static_cast<uint32_t>(saturated(floor, INT32_MIN, INT32_MAX)));
    ASSERT_EQ(nearest[n].value, static_cast<uint32_t>(saturated(
                                    x - floor >= 0.5L ? floor + 1 : floor, INT32_MIN, INT32_MAX)))
        << std::hex << inputs[n];
  }
}

TEST_F(ConvertRows, IntegersToFloats) {
  std::vector<uint64_t> inputs = {0,          1,          2,         0x7fffffff,
                                  0x80000000, 0xffffffff, 0x1000001, 0x1000003,
                                  0xff7fffff, 0x80000080, 0x80000040};
  for (int i = 0; i < 3000; ++i) inputs.push_back(random() >> (random() % 32));
  for (int mode = 0; mode < 4; ++mode) {
    set_rounding(mode);
    const auto i = run("v_cvt_f32_i32", inputs), u = run("v_cvt_f32_u32", inputs);
    for (size_t n = 0; n < inputs.size(); ++n) {
      ASSERT_EQ(i[n].value,
                inputs[n] ? rounded(kF32, Exact(static_cast<int32_t>(inputs[n]), 0), mode) : 0);
      ASSERT_EQ(u[n].value,
                inputs[n] ? rounded(kF32, Exact(static_cast<__int128>(inputs[n]), 0), mode) : 0);
    }
  }
  const auto i = run("v_cvt_f64_i32", inputs), u = run("v_cvt_f64_u32", inputs);
  for (size_t n = 0; n < inputs.size(); ++n) {
    ASSERT_EQ(i[n].value, f64(static_cast<int32_t>(inputs[n])));
    ASSERT_EQ(u[n].value, f64(static_cast<uint32_t>(inputs[n])));
    for (unsigned byte = 0; byte < 4; ++byte)
      ASSERT_EQ(one("v_cvt_f32_ubyte" + std::to_string(byte), inputs[n]),
                f32(static_cast<float>(inputs[n] >> (8 * byte) & 255)));
  }
  const float sixteenths[] = {0,    .0625f,  .125f,  .1875f,  .25f,  .3125f,  .375f,  .4375f,
                              -.5f, -.4375f, -.375f, -.3125f, -.25f, -.1875f, -.125f, -.0625f};
  for (uint32_t n = 0; n < 16; ++n)
    EXPECT_EQ(one("v_cvt_off_f32_i4", n | 0xabc0), f32(sixteenths[n]));
}

TEST_F(ConvertRows, PackedConversions) {
  const auto inputs = wide_values(kF32);
  std::vector<Case> pairs;
  for (size_t i = 0; i < inputs.size(); ++i)
    pairs.push_back({inputs[i], inputs[inputs.size() - 1 - i], 0, 0});
  const auto s = evaluate("v_cvt_pk_i16_f32", pairs), u = evaluate("v_cvt_pk_u16_f32", pairs),
             sn = evaluate("v_cvt_pk_norm_i16_f32", pairs),
             un = evaluate("v_cvt_pk_norm_u16_f32", pairs);
  const auto pack = [](int64_t lo, int64_t hi) {
    return (static_cast<uint64_t>(lo) & 0xffff) | (static_cast<uint64_t>(hi) & 0xffff) << 16;
  };
  for (size_t i = 0; i < pairs.size(); ++i) {
    const long double a = from_f32(pairs[i].a), b = from_f32(pairs[i].b);
    const auto norm = [](long double x, long double low, long double scale) {
      return std::isnan(x)
                 ? 0
                 : static_cast<int64_t>(std::rint(std::min(std::max(x, low), 1.0L) * scale));
    };
    ASSERT_EQ(s[i].value, pack(saturated(a, -32768, 32767), saturated(b, -32768, 32767)));
    ASSERT_EQ(u[i].value, pack(saturated(a, 0, 65535), saturated(b, 0, 65535)));
    ASSERT_EQ(sn[i].value, pack(norm(a, -1, 32767), norm(b, -1, 32767)));
    ASSERT_EQ(un[i].value, pack(norm(a, 0, 65535), norm(b, 0, 65535)));
  }
  for (uint32_t n = 0; n < 4; ++n) {
    const uint32_t keep = 0x11223344 & ~(0xffu << (8 * n));
    EXPECT_EQ(one("v_cvt_pk_u8_f32", f32(200.9f), n, 0x11223344), keep | 200u << (8 * n));
    EXPECT_EQ(one("v_cvt_pk_u8_f32", f32(-3), n, 0x11223344), keep);
    EXPECT_EQ(one("v_cvt_pk_u8_f32", f32(1e9f), n + 4, 0x11223344), keep | 255u << (8 * n));
  }
}

/// Packing conversions have a rounding of their own: nearest even, or toward zero for whole numbers.
TEST_F(ConvertRows, PackedConversionsIgnoreTheRoundingMode) {
  const std::vector<Case> ties = {{f32(1 + 0x1p-11f), f32(-1 - 3 * 0x1p-11f), 0, 0},
                                  {f32(1.75f), f32(-2.5f), 0, 0},
                                  {f32(65519), f32(0x1.00ep-20f), 0, 0},
                                  {f32(0.5f), f32(-0.5f), 0, 0}};
  const auto all = [&](const char* id) {
    std::vector<std::vector<uint64_t>> out;
    for (int mode = 0; mode < 4; ++mode) {
      set_rounding(mode);
      auto& values = out.emplace_back();
      for (const Outcome& o : evaluate(id, ties)) values.push_back(o.value);
    }
    for (const auto& values : out) EXPECT_EQ(values, out[0]) << id;
    return out[0];
  };
  EXPECT_EQ(all("v_cvt_pk_i16_f32")[1], 0xfffe0001u);
  EXPECT_EQ(all("v_cvt_pk_u16_f32")[1], 1u);
  EXPECT_EQ(all("v_cvt_pk_norm_i16_f32")[3], 0xc0004000u);  // +-16383.5
  EXPECT_EQ(all("v_cvt_pk_norm_u16_f32")[3], 0x00008000u);  // 32767.5
  EXPECT_EQ(all("v_cvt_pk_rtz_f16_f32")[0], 0xbc013c00u);
  EXPECT_EQ(all("v_cvt_pk_u8_f32")[1], 1u);
}

class ConvertRowsGfx950 : public RowTest {
 protected:
  ConvertRowsGfx950() : RowTest(64, isa::Isa::kGfx950) {}
};
TEST_F(ConvertRowsGfx950, PackedConversionsRoundToNearestEven) {
  for (uint32_t mode = 0; mode < 16; ++mode) {
    wave.mode = kModeDefault | mode;
    EXPECT_EQ(one("v_cvt_pk_f16_f32", f32(1 + 0x1p-11f), f32(-1 - 3 * 0x1p-11f)), 0xbc023c00u);
    EXPECT_EQ(one("v_cvt_pk_f16_f32", f32(65519), f32(65520)), 0x7c007bffu);
    EXPECT_EQ(one("v_cvt_pk_bf16_f32", f32(1 + 0x1p-8f), f32(-1 - 3 * 0x1p-8f)), 0xbf823f80u);
  }
}

TEST_F(ConvertRows, HalfIntegralParts) {
  const auto finite = [](uint64_t x,
                         const std::function<long double(long double)>& fn) -> uint64_t {
    if (kF16.nan(x)) return x | 0x200;
    if (kF16.inf(x)) return x;
    const long double r = fn(half_value(x));
    if (r == 0) return x & 0x8000;
    int e;
    const long double m = std::frexp(r, &e);
    return rounded(kF16, Exact(static_cast<__int128>(std::ldexp(m, 40)), e - 40), 0);
  };
  sweep("v_floor_f16",
        [&](uint64_t x) { return finite(x, [](long double v) { return std::floor(v); }); });
  sweep("v_ceil_f16",
        [&](uint64_t x) { return finite(x, [](long double v) { return std::ceil(v); }); });
  sweep("v_trunc_f16",
        [&](uint64_t x) { return finite(x, [](long double v) { return std::trunc(v); }); });
  const auto nearest = [](long double v) { return std::rint(v); };
  sweep("v_rndne_f16", [&](uint64_t x) { return finite(x, nearest); });
  sweep("v_fract_f16", [&](uint64_t x) -> uint64_t {
    if (kF16.nan(x)) return x | 0x200;
    if (kF16.inf(x)) return kF16.default_nan();
    const long double v = half_value(x), r = v - std::floor(v);
    if (r == 0) return 0;
    const uint64_t bits = rounded(kF16, Exact(static_cast<__int128>(std::ldexp(r, 50)), -50), 0);
    return bits == 0x3c00 ? 0x3bff : bits;
  });
  sweep("v_frexp_mant_f16", [&](uint64_t x) {
    return finite(x, [](long double v) {
      int e;
      return std::frexp(v, &e);
    });
  });
  sweep("v_frexp_exp_i16_f16", [](uint64_t x) -> uint64_t {
    int e = 0;
    if (!kF16.nan(x) && !kF16.inf(x)) std::frexp(half_value(x), &e);
    return static_cast<uint64_t>(e);
  });
  set_rounding(1);
  sweep("v_rndne_f16", [&](uint64_t x) { return finite(x, nearest); });
}

TEST_F(ConvertRows, WideIntegralParts) {
  struct Row {
    const char* stem;
    std::function<double(double)> fn;
  };
  const Row rows[] = {{"floor", [](double x) { return std::floor(x); }},
                      {"ceil", [](double x) { return std::ceil(x); }},
                      {"trunc", [](double x) { return std::trunc(x); }},
                      {"rndne", [](double x) { return std::nearbyint(x); }},
                      {"frexp_mant", [](double x) {
                         int e;
                         return std::isfinite(x) ? std::frexp(x, &e) : x;
                       }}};
  for (const BinaryFormat& f : {kF32, kF64}) {
    const std::string type = f.mantissa == 23 ? "_f32" : "_f64";
    const auto inputs = wide_values(f);
    const auto value = [&](uint64_t x) {
      return f.mantissa == 23 ? double{from_f32(x)} : std::bit_cast<double>(x);
    };
    const auto bits = [&](double x) {
      return f.mantissa == 23 ? f32(static_cast<float>(x)) : f64(x);
    };
    for (const Row& row : rows) {
      const auto got = run(std::string("v_") + row.stem + type, inputs);
      for (size_t i = 0; i < inputs.size(); ++i)
        ASSERT_EQ(got[i].value,
                  f.nan(inputs[i]) ? inputs[i] | f.quiet_bit() : bits(row.fn(value(inputs[i]))))
            << row.stem << type << std::hex << inputs[i];
    }
    const auto exponent = run("v_frexp_exp_i32" + type, inputs),
               fract = run("v_fract" + type, inputs);
    for (size_t i = 0; i < inputs.size(); ++i) {
      const double x = value(inputs[i]);
      int e = 0;
      if (std::isfinite(x)) std::frexp(x, &e);
      ASSERT_EQ(exponent[i].value, static_cast<uint32_t>(e)) << std::hex << inputs[i];
      if (f.nan(inputs[i])) continue;
      const double r =
          f.mantissa == 23
              ? static_cast<double>(from_f32(inputs[i]) - std::floor(from_f32(inputs[i])))
              : x - std::floor(x);
      const double below_one =
          f.mantissa == 23 ? double{std::nextafter(1.0f, 0.0f)} : std::nextafter(1.0, 0.0);
      ASSERT_EQ(fract[i].value, std::isinf(x) ? f.default_nan() : bits(std::min(r, below_one)))
          << std::hex << inputs[i];
    }
  }
}

TEST_F(ConvertRows, LdexpRoundsOnce) {
  const auto scaled = [](const BinaryFormat& f, uint64_t x, int n, int mode) -> uint64_t {
    if (f.nan(x)) return x | f.quiet_bit();
    if (f.inf(x) || f.zero(x)) return x;
    __int128 m;
    int e;
    f.split(x, m, e);
    return rounded(f, Exact(m, std::max(std::min(e + n, 2000), -2150)), mode);
  };
  for (int mode = 0; mode < 4; ++mode) {
    set_rounding(mode);
    for (const BinaryFormat& f : {kF16, kF32, kF64}) {
      const std::string id = f.mantissa == 10   ? "v_ldexp_f16"
                             : f.mantissa == 23 ? "v_ldexp_f32"
                                                : "v_ldexp_f64";
      std::vector<Case> cases;
      std::mt19937_64 generator(11);
      for (int i = 0; i < 6000; ++i) {
        const uint64_t x = generator() & ((f.sign_bit() << 1) - 1);
        const int limit = f.mantissa == 10 ? 60 : f.mantissa == 23 ? 330 : 2300;
        int n = static_cast<int>(generator() % static_cast<uint64_t>(2 * limit)) - limit;
        if (i % 50 == 0) n = f.mantissa == 10 ? 32767 : INT32_MAX;
        if (i % 50 == 1) n = f.mantissa == 10 ? -32768 : INT32_MIN;
        cases.push_back({x, static_cast<uint32_t>(n), 0, 0});
      }
      const auto got = evaluate(id, cases);
      for (size_t i = 0; i < cases.size(); ++i) {
        const int n =
            std::max(std::min(static_cast<int>(static_cast<int32_t>(cases[i].b)), 3000), -3000);
        ASSERT_EQ(got[i].value, scaled(f, cases[i].a, n, mode))
            << id << std::hex << " " << cases[i].a << " " << std::dec << n << " mode " << mode;
      }
    }
  }
}

}  // namespace
}  // namespace lockstep::emu::testing
