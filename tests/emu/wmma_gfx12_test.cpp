// SPDX-License-Identifier: MIT
// Every WMMA and SWMMAC row of gfx12 in wave32 and wave64 against plain products of integers.
#include "tests/emu/matrix_fixture.h"

namespace lockstep::emu::testing {
namespace {

constexpr unsigned kSize = 16;

struct Options {
  unsigned neg = 0, neg_hi = 0, key = 0;
  bool clamp = false;
};

/// Lanes hold K / groups consecutive elements of their row (column), and 16 / groups consecutive
/// rows of the result in their column, where the wave has lanes / 16 groups.
void check(const std::string& id, unsigned lanes, Options o, unsigned seed) {
  MatrixProbe s(id, isa::Isa::kGfx12, lanes);
  MatrixName& n = s.name;
  std::mt19937 random(seed);
  const unsigned groups = lanes / kSize, rows_each = kSize / groups;
  const unsigned depth = n.sparse ? n.k / 2 : n.k;
  const unsigned each_a = depth / groups, each_b = n.k / groups, bits_c = n.c.bits();
  const bool integer = n.c.name == "i32", sixteen = n.a.bits() == 16;
  n.a.is_signed = o.neg & 1;
  n.b.is_signed = o.neg & 2;
  s.set(Field::neg, o.neg);
  s.set(Field::neg_hi, o.neg_hi);
  s.set(Field::clamp, o.clamp);
  s.set(Field::opsel, n.sparse ? o.key : 0);

  std::vector<std::vector<double>> a(kSize, std::vector<double>(depth)),
      b(kSize, std::vector<double>(n.k)), c(kSize, std::vector<double>(kSize));
  std::vector<std::vector<unsigned>> meets(kSize, std::vector<unsigned>(depth));
  const auto sign = [&](unsigned source, unsigned k) {
    return sixteen && ((k % 2 ? o.neg_hi : o.neg) >> source & 1) ? -1.0 : 1.0;
  };
  for (unsigned lane = 0; lane < lanes; ++lane) {
    const unsigned i = lane % kSize, group = lane / kSize;
    for (unsigned e = 0; e < each_a; ++e) {
      const uint64_t code = n.a.pick(random);
      s.put(MatrixProbe::kA, lane, e, n.a.bits(), code);
      const unsigned k = group * each_a + e;
      a[i][k] = n.a.value(code) * sign(0, k);
      meets[i][k] = k;
    }
    for (unsigned e = 0; e < each_b; ++e) {
      const uint64_t code = n.b.pick(random);
      s.put(MatrixProbe::kB, lane, e, n.b.bits(), code);
      const unsigned k = group * each_b + e;
      b[i][k] = n.b.value(code) * sign(1, k);
    }
    for (unsigned r = 0; r < rows_each; ++r) {
      uint64_t code = n.c.pick(random);
      if (o.clamp && i == 3) code = 0x7fffffff;
      if (o.clamp && i == 4) code = 0x80000000;
      s.put(n.sparse ? MatrixProbe::kD : MatrixProbe::kC, lane, r, bits_c, code);
      double value = n.c.value(code);
      if (!integer && o.neg_hi & 4) value = std::fabs(value);
      if (!integer && o.neg & 4) value = -value;
      c[group * rows_each + r][i] = value;
    }
    if (n.sparse) {
      uint32_t word = random();
      const unsigned sets = 16 / each_a;  // index sets that one register holds
      for (unsigned pair = 0; pair < each_a / 2; ++pair) {
        const unsigned first = random() % 3, second = first + 1 + random() % (3 - first);
        const unsigned low = o.key % sets * 2 * each_a + pair * 4;
        word = (word & ~(15u << low)) | (first | second << 2) << low;
        const unsigned k = group * each_a + 2 * pair;
        meets[i][k] = k * 2 + first;
        meets[i][k + 1] = k * 2 + second;
      }
      s.wave.vgpr(MatrixProbe::kIndex)[lane] = word;
    }
  }
  s.run();
  for (unsigned lane = 0; lane < lanes; ++lane)
    for (unsigned r = 0; r < rows_each; ++r) {
      const unsigned row = lane / kSize * rows_each + r, column = lane % kSize;
      double sum = c[row][column];
      for (unsigned k = 0; k < depth; ++k) sum += a[row][k] * b[column][meets[row][k]];
      if (o.clamp) sum = std::min(std::max(sum, -2147483648.0), 2147483647.0);
      if (n.c.name == "bf16") {  // 8 significant bits: round to nearest even
        int exponent = 0;
        const double f = std::frexp(sum, &exponent);
        sum = std::ldexp(std::nearbyint(std::ldexp(f, 8)), exponent - 8);
      }
      ASSERT_EQ(n.c.value(s.get(MatrixProbe::kD, lane, r, bits_c)), sum)
          << id << " lanes " << lanes << " row " << row << " column " << column;
    }
}

template <class F>
void for_rows(std::string_view prefix, F&& f) {
  unsigned count = 0;
  for (int i = 0; i < isa::kOpCount; ++i) {
    const auto op = static_cast<isa::Op>(i);
    const std::string id(isa::op_info(op).id);
    if (!id.starts_with(prefix) || !isa::exists_on(op, isa::Isa::kGfx12)) continue;
    ++count;
    f(id);
  }
  EXPECT_EQ(count, 11u);
}

class Gfx12WmmaTest : public ::testing::TestWithParam<unsigned> {};

TEST_P(Gfx12WmmaTest, EveryRowIsAnExactProductOfIntegers) {
  for_rows("v_wmma", [](const std::string& id) { check(id, GetParam(), {}, 1); });
}
TEST_P(Gfx12WmmaTest, SignsAndClamp) {
  for_rows("v_wmma", [](const std::string& id) {
    const bool integer = id.find("_i32_") != std::string::npos;
    for (unsigned neg = 0; neg < 8; ++neg) {
      if (integer) check(id, GetParam(), {neg & 3, 0, 0, true}, neg);
      if (integer) check(id, GetParam(), {neg & 3, 0, 0, false}, neg + 10);
      if (!integer) check(id, GetParam(), {neg, neg * 3 & 7, 0}, neg);
    }
  });
}
TEST_P(Gfx12WmmaTest, SparseRowsAndTheirIndexSets) {
  for_rows("v_swmmac", [](const std::string& id) {
    const bool integer = id.find("_i32_") != std::string::npos;
    for (unsigned key = 0; key < 4; ++key) {
      check(id, GetParam(), {0, 0, key}, key);
      if (integer) check(id, GetParam(), {3, 0, key, true}, key + 10);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Waves, Gfx12WmmaTest, ::testing::Values(32u, 64u));

}  // namespace
}  // namespace lockstep::emu::testing
