// SPDX-License-Identifier: MIT
// Rows that order floating-point values: compares, classes, minimum, maximum, middle; and the faces
// of cubes.
#include <cmath>

#include "tests/emu/exact_value.h"
#include "tests/emu/row_fixture.h"

namespace lockstep::emu::testing {
namespace {

const struct {
  const char* name;
  BinaryFormat format;
  uint32_t denorm_shift;
} kTypes[] = {{"f16", kF16, 6}, {"f32", kF32, 4}, {"f64", kF64, 6}};

std::vector<uint64_t> interesting(const BinaryFormat& f) {
  std::vector<uint64_t> list;
  const uint64_t one = static_cast<uint64_t>(f.bias()) << f.mantissa;
  for (uint64_t x :
       {uint64_t{0}, uint64_t{1}, (uint64_t{1} << f.mantissa) - 1, uint64_t{1} << f.mantissa, one,
        one + 1, f.largest(), f.infinity(), f.infinity() | f.quiet_bit() | 9,
        f.infinity() | f.quiet_bit(), f.infinity() | 1, f.infinity() | 6})
    list.push_back(x), list.push_back(x | f.sign_bit());
  return list;
}

/// Position of a value on the number line, -0 just below +0; integers of growing bits do the
/// ordering.
__int128 place(const BinaryFormat& f, uint64_t x) {
  const auto magnitude = static_cast<__int128>(x & ~f.sign_bit());
  return f.negative(x) ? -magnitude - 1 : magnitude;
}

class OrderRows : public RowTest {
 protected:
  std::vector<Case> cases(const BinaryFormat& f, unsigned sources) {
    auto list = mixed_cases(interesting(f), 2000, sources);
    const uint64_t all = (f.sign_bit() << 1) - 1;
    for (Case& k : list) k.a &= all, k.b &= all, k.c &= all;
    return list;
  }
};

TEST_F(OrderRows, Compares) {
  const struct {
    const char* relation;
    std::function<bool(int order, bool nan)> holds;  // order: -1, 0, 1
  } relations[] = {{"f", [](int, bool) { return false; }},
                   {"lt", [](int o, bool n) { return !n && o < 0; }},
                   {"eq", [](int o, bool n) { return !n && o == 0; }},
                   {"le", [](int o, bool n) { return !n && o <= 0; }},
                   {"gt", [](int o, bool n) { return !n && o > 0; }},
                   {"lg", [](int o, bool n) { return !n && o != 0; }},
                   {"ge", [](int o, bool n) { return !n && o >= 0; }},
                   {"o", [](int, bool n) { return !n; }},
                   {"u", [](int, bool n) { return n; }},
                   {"nge", [](int o, bool n) { return n || o < 0; }},
                   {"nlg", [](int o, bool n) { return n || o == 0; }},
                   {"ngt", [](int o, bool n) { return n || o <= 0; }},
                   {"nle", [](int o, bool n) { return n || o > 0; }},
                   {"neq", [](int o, bool n) { return n || o != 0; }},
                   {"nlt", [](int o, bool n) { return n || o >= 0; }},
                   {"t", [](int, bool) { return true; }}};
  for (const auto& type : kTypes) {
    const BinaryFormat& f = type.format;
    const auto list = cases(f, 2);
    for (const bool flush : {false, true}) {
      wave.mode = flush ? kModeDefault & ~(1u << type.denorm_shift) : kModeDefault;
      for (const auto& relation : relations) {
        for (const std::string prefix : {"v_cmp_", "v_cmpx_"}) {
          const std::string id = prefix + relation.relation + "_" + type.name;
          const auto got = evaluate(id, list, {.long_form = flush});
          for (size_t i = 0; i < list.size(); ++i) {
            uint64_t a = list[i].a, b = list[i].b;
            if (f.zero(a) || (flush && f.denormal(a))) a = 0;
            if (f.zero(b) || (flush && f.denormal(b))) b = 0;
            const int order = place(f, a) < place(f, b) ? -1 : place(f, a) > place(f, b);
            ASSERT_EQ(got[i].mask, relation.holds(order, f.nan(a) || f.nan(b)))
                << id << std::hex << " " << a << " " << b;
          }
        }
      }
    }
  }
}

TEST_F(OrderRows, Classes) {
  for (const auto& type : kTypes) {
    const BinaryFormat& f = type.format;
    const auto classify = [&](uint64_t x) {
      if (f.nan(x)) return x & f.quiet_bit() ? 1 : 0;
      const int positive = f.inf(x) ? 9 : f.zero(x) ? 6 : f.denormal(x) ? 7 : 8;
      return f.negative(x) ? 11 - positive : positive;
    };
    std::vector<Case> list;
    for (uint64_t x : interesting(f))
      for (unsigned bit = 0; bit < 10; ++bit)
        list.push_back({x, uint64_t{1} << bit, 0, 0}),
            list.push_back({x, 0x3ff & ~(uint64_t{1} << bit), 0, 0});
    wave.mode = kModeDefault & ~0xf0u;  // no flushing here, whatever MODE says
    for (const std::string prefix : {"v_cmp_class_", "v_cmpx_class_"}) {
      const auto got = evaluate(prefix + type.name, list);
      for (size_t i = 0; i < list.size(); ++i)
        ASSERT_EQ(got[i].mask, list[i].b >> classify(list[i].a) & 1)
            << type.name << std::hex << " " << list[i].a;
    }
  }
  std::vector<Case> all;
  for (uint64_t x = 0; x < 65536; ++x) all.push_back({x, 0x108, 0, 0});  // normal numbers
  const auto got = evaluate("v_cmp_class_f16", all);
  for (uint64_t x = 0; x < 65536; ++x)
    ASSERT_EQ(got[x].mask, (x & 0x7c00) != 0 && (x & 0x7c00) != 0x7c00) << std::hex << x;
}

/// Minimum (or maximum) of two, written as a table of who is NaN.
uint64_t extreme(const BinaryFormat& f, bool ieee, bool largest, uint64_t a, uint64_t b) {
  const auto signalling = [&](uint64_t x) { return f.nan(x) && !(x & f.quiet_bit()); };
  if (ieee && signalling(a)) return a | f.quiet_bit();
  if (ieee && signalling(b)) return b | f.quiet_bit();
  if (f.nan(b)) return a;
  if (f.nan(a)) return b;
  return (place(f, a) < place(f, b)) != largest ? a : b;
}

TEST_F(OrderRows, MinimumAndMaximum) {
  for (const auto& type : kTypes) {
    const BinaryFormat& f = type.format;
    const std::string t = type.name;
    for (const bool ieee : {true, false}) {
      wave.mode = ieee ? kModeDefault : kModeDefault & ~uint32_t{ModeBits::kIeee};
      const auto low = [&](uint64_t a, uint64_t b) { return extreme(f, ieee, false, a, b); };
      const auto high = [&](uint64_t a, uint64_t b) { return extreme(f, ieee, true, a, b); };
      const auto middle = [&](uint64_t a, uint64_t b, uint64_t c) {
        if (f.nan(a) || f.nan(b) || f.nan(c)) return low(low(a, b), c);
        uint64_t v[] = {a, b, c};
        std::sort(v, v + 3, [&](uint64_t x, uint64_t y) { return place(f, x) < place(f, y); });
        return v[1];
      };
      struct Row {
        std::string id;
        unsigned sources;
        std::function<uint64_t(const Case&)> want;
      };
      std::vector<Row> rows = {{"v_min_" + t, 2, [&](const Case& k) { return low(k.a, k.b); }},
                               {"v_max_" + t, 2, [&](const Case& k) { return high(k.a, k.b); }}};
      if (f.mantissa != 52) {
        rows.push_back({"v_min3_" + t, 3, [&](const Case& k) { return low(low(k.a, k.b), k.c); }});
        rows.push_back(
            {"v_max3_" + t, 3, [&](const Case& k) { return high(high(k.a, k.b), k.c); }});
        rows.push_back(
            {"v_minmax_" + t, 3, [&](const Case& k) { return high(low(k.a, k.b), k.c); }});
        rows.push_back(
            {"v_maxmin_" + t, 3, [&](const Case& k) { return low(high(k.a, k.b), k.c); }});
        rows.push_back({"v_med3_" + t, 3, [&](const Case& k) { return middle(k.a, k.b, k.c); }});
      }
      for (const Row& row : rows) {
        const auto list = cases(f, row.sources);
        const auto got = evaluate(row.id, list);
        const uint64_t keep = f.mantissa == 10 ? 0xffff0000 : 0;
        for (size_t i = 0; i < list.size(); ++i)
          ASSERT_EQ(got[i].value, row.want(list[i]) | (list[i].old & keep))
              << row.id << std::hex << " " << list[i].a << " " << list[i].b << " " << list[i].c;
      }
    }
  }
}

TEST_F(OrderRows, CubeFaces) {
  const auto f = [](float x) { return std::bit_cast<uint32_t>(x); };
  std::mt19937 generator(3);
  std::uniform_real_distribution<float> uniform(-4, 4);
  for (int i = 0; i < 2000; ++i) {
    float v[3] = {uniform(generator), uniform(generator), uniform(generator)};
    if (i % 4 == 0) v[i / 4 % 3] = v[(i / 4 + 1) % 3];  // ties
    const float ax = std::fabs(v[0]), ay = std::fabs(v[1]), az = std::fabs(v[2]);
    float id, s, t, axis;
    if (az >= ax && az >= ay)
      id = v[2] < 0 ? 5 : 4, s = v[2] < 0 ? -v[0] : v[0], t = -v[1], axis = v[2];
    else if (ay >= ax)
      id = v[1] < 0 ? 3 : 2, s = v[0], t = v[1] < 0 ? -v[2] : v[2], axis = v[1];
    else
      id = v[0] < 0 ? 1 : 0, s = v[0] < 0 ? v[2] : -v[2], t = -v[1], axis = v[0];
    ASSERT_EQ(one("v_cubeid_f32", f(v[0]), f(v[1]), f(v[2])), f(id));
    ASSERT_EQ(one("v_cubesc_f32", f(v[0]), f(v[1]), f(v[2])), f(s));
    ASSERT_EQ(one("v_cubetc_f32", f(v[0]), f(v[1]), f(v[2])), f(t));
    ASSERT_EQ(one("v_cubema_f32", f(v[0]), f(v[1]), f(v[2])), f(2 * axis));
  }
}

}  // namespace
}  // namespace lockstep::emu::testing
