// SPDX-License-Identifier: MIT
// Every MFMA and SMFMAC row of every CDNA target against plain products of integers: lane-distinct
// data, layouts written down here independently of the engine.
#include "tests/emu/matrix_fixture.h"

namespace lockstep::emu::testing {
namespace {

struct Spot {
  unsigned block, row, k;
};

/// What element e of a lane of A (or B: row = column) is, when a lane holds `each` elements.
Spot source_spot(const MatrixName& n, unsigned lane, unsigned e, unsigned each, bool split) {
  if (n.m == 4 && n.c.name == "f64") return {lane / 4 % 4, lane % 4, lane / 16};
  if (n.m == 4) return {lane / 4, lane % 4, e};
  const unsigned group = lane / n.m;
  if (n.blocks > 1) return {group, lane % n.m, e};
  // 8-bit operands of f8f6f4: registers 0..3 are of the lower half of K, 4..7 of the upper.
  if (split) return {0, lane % n.m, e / 16 * (n.k / 2) + group * 16 + e % 16};
  return {0, lane % n.m, group * each + e};
}
/// What result register r (of 32 or 64 bits) of a lane is: k is the column.
Spot result_spot(const MatrixName& n, unsigned lane, unsigned r) {
  if (n.c.name == "f64") {
    if (n.m == 4) return {lane / 4 % 4, lane / 16, lane % 4};
    return {0, 4 * r + lane / 16, lane % 16};
  }
  if (n.m == 4) return {lane / 4, r, lane % 4};
  if (n.m == 16) return {r / 4, lane / 16 * 4 + r % 4, lane % 16};
  return {r / 16, r % 16 / 4 * 8 + lane / 32 * 4 + r % 4, lane % 32};
}

using Cube = std::vector<std::vector<std::vector<double>>>;
Cube cube(unsigned x, unsigned y, unsigned z) {
  return Cube(x, std::vector<std::vector<double>>(y, std::vector<double>(z)));
}

struct Options {
  unsigned cbsz = 0, abid = 0, blgp = 0;
  bool scaled = false;
};

/// Fills a probe with random integers, runs it and compares.
void check(const std::string& id, isa::Isa isa, Options o, unsigned seed) {
  MatrixProbe s(id, isa, 64);
  s.uop.ops = isa::operands_of(s.uop.inst, 64);
  MatrixName& n = s.name;
  const bool chosen = n.a.name == "f8f6f4";
  if (chosen) {
    static const char* kNames[] = {"fp8", "bf8", "fp6", "bf6", "fp4"};
    n.a.name = kNames[o.cbsz];
    n.b.name = kNames[o.blgp];
  }
  const unsigned result_bits = n.c.bits();
  n.blocks = s.uop.ops.dst[0].dwords * 32 / result_bits * 64 / (n.m * n.n);
  s.set(Field::cbsz, o.cbsz);
  s.set(Field::abid, s.uop.inst.format == isa::Format::VOP3PX2 ? o.abid | 1 : o.abid);
  s.set(Field::blgp, o.blgp);
  std::mt19937 random(seed);

  const unsigned depth = n.sparse ? n.k / 2 : n.k;
  Cube a = cube(n.blocks, n.m, depth), b = cube(n.blocks, n.n, n.k), c = cube(n.blocks, n.m, n.n);
  const unsigned each_a = n.m * depth * n.blocks / 64, each_b = n.n * n.k * n.blocks / 64;
  std::vector<std::vector<uint64_t>> b_codes(64, std::vector<uint64_t>(each_b));
  for (unsigned lane = 0; lane < 64; ++lane) {
    for (unsigned e = 0; e < each_a; ++e) {
      const uint64_t code = n.a.pick(random);
      s.put(MatrixProbe::kA, lane, e, n.a.bits(), code);
      const Spot at = source_spot(n, lane, e, each_a, chosen && n.a.bits() == 8);
      a[at.block][at.row][at.k] = n.a.value(code);
    }
    for (unsigned e = 0; e < each_b; ++e) {
      b_codes[lane][e] = n.b.pick(random);
      s.put(MatrixProbe::kB, lane, e, n.b.bits(), b_codes[lane][e]);
    }
  }
  for (unsigned lane = 0; lane < 64; ++lane) {
    // Lane patterns of B.
    unsigned from = lane;
    if (!chosen && o.blgp == 1) from = lane & 31;
    if (!chosen && o.blgp == 2) from = lane | 32;
    if (!chosen && o.blgp == 3) from = (lane + 16) & 63;
    if (!chosen && o.blgp >= 4) from = (lane & 15) + 16 * (o.blgp - 4);
    for (unsigned e = 0; e < each_b; ++e) {
      const Spot at = source_spot(n, lane, e, each_b, chosen && n.b.bits() == 8);
      b[at.block][at.row][at.k] = n.b.value(b_codes[from][e]);
    }
  }
  // Block broadcast of A.
  if (!chosen && !n.sparse) {
    Cube seen = a;
    for (unsigned block = 0; block < n.blocks; ++block)
      a[block] = seen[(block >> o.cbsz << o.cbsz) + (o.cbsz ? o.abid : 0)];
  }
  const unsigned results = n.m * n.n * n.blocks / 64;
  for (unsigned lane = 0; lane < 64; ++lane)
    for (unsigned r = 0; r < results; ++r) {
      const uint64_t code = n.c.pick(random);
      s.put(n.sparse ? MatrixProbe::kD : MatrixProbe::kC, lane, r, result_bits, code);
      const Spot at = result_spot(n, lane, r);
      c[at.block][at.row][at.k] = n.c.value(code);
    }
  // Sparse: which two of each four k. Lanes without use hold noise.
  std::vector<std::vector<unsigned>> meets(n.m, std::vector<unsigned>(depth));
  if (n.sparse) {
    const unsigned set = o.cbsz == 0 && each_a < 16 ? o.abid % (16 / each_a) : 0;
    for (unsigned lane = 0; lane < 64; ++lane) {
      uint32_t word = random();
      for (unsigned pair = 0; pair < each_a / 2; ++pair) {
        const unsigned first = random() % 3, second = first + 1 + random() % (3 - first);
        const unsigned low = set * 2 * each_a + pair * 4;
        word = (word & ~(15u << low)) | (first | second << 2) << low;
        for (unsigned h = 0; h < 2; ++h) {
          const unsigned k = lane / n.m * each_a + 2 * pair + h;
          meets[lane % n.m][k] = k / 2 * 4 + (h ? second : first);
        }
      }
      s.wave.vgpr(MatrixProbe::kIndex)[lane] = word;
    }
  }
  std::vector<std::vector<double>> scale_a(n.m, std::vector<double>(n.k / 32, 1.0)),
      scale_b(n.n, std::vector<double>(n.k / 32, 1.0));
  if (o.scaled) {
    s.set(Field::opsel, 0b01);     // byte 1 + 2 * 1 = 3 of A's
    s.set(Field::opsel_hi, 0b11);  // byte 0 + 2 * 1 = 2 of B's
    for (unsigned lane = 0; lane < 64; ++lane) {
      const uint32_t ea = 125 + random() % 5, eb = 125 + random() % 5;
      s.wave.vgpr(MatrixProbe::kScaleA)[lane] = ea << 24 | 0x112233;
      s.wave.vgpr(MatrixProbe::kScaleB)[lane] = eb << 16 | 0x44005566;
      scale_a[lane % n.m][lane / n.m] = std::ldexp(1, static_cast<int>(ea) - 127);
      scale_b[lane % n.n][lane / n.n] = std::ldexp(1, static_cast<int>(eb) - 127);
    }
  }
  s.run();
  for (unsigned lane = 0; lane < 64; ++lane)
    for (unsigned r = 0; r < results; ++r) {
      const Spot at = result_spot(n, lane, r);
      double sum = c[at.block][at.row][at.k];
      for (unsigned k = 0; k < depth; ++k) {
        const unsigned kb = n.sparse ? meets[at.row][k] : k;
        double product = a[at.block][at.row][k] * b[at.block][at.k][kb];
        if (o.scaled) product *= scale_a[at.row][k / 32] * scale_b[at.k][k / 32];
        sum += product;
      }
      const uint64_t code = s.get(MatrixProbe::kD, lane, r, result_bits);
      ASSERT_EQ(n.c.value(code), sum) << id << " lane " << lane << " register " << r << " cbsz "
                                      << o.cbsz << " abid " << o.abid << " blgp " << o.blgp;
    }
}

std::vector<std::string> rows_on(isa::Isa isa, isa::Format format) {
  std::vector<std::string> ids;
  for (int i = 0; i < isa::kOpCount; ++i) {
    const auto op = static_cast<isa::Op>(i);
    const std::string id(isa::op_info(op).id);
    if (isa::op_info(op).format == format && isa::exists_on(op, isa) && id.find("acc") != 2)
      ids.push_back(id);
  }
  return ids;
}

class MfmaTest : public ::testing::TestWithParam<isa::Isa> {};

TEST_P(MfmaTest, EveryRowIsAnExactProductOfIntegers) {
  unsigned rows = 0;
  for (const std::string& id : rows_on(GetParam(), isa::Format::MAI)) {
    if (id.find("accvgpr") != std::string::npos) continue;
    check(id, GetParam(), {}, 1);
    check(id, GetParam(), {}, 2);
    ++rows;
  }
  EXPECT_GE(rows, 26u);
}

TEST_P(MfmaTest, BlockBroadcastAndLanePatterns) {
  for (const std::string& id : rows_on(GetParam(), isa::Format::MAI)) {
    if (id.find("v_mfma") != 0 || id.find("f8f6f4") != std::string::npos ||
        id.find("mfma_f64") != std::string::npos)
      continue;
    // All patterns on one row of each shape, two on the others.
    const bool all = id.find("_f16") != std::string::npos || id.ends_with("f16");
    for (unsigned blgp = 1; blgp < 8; blgp += all ? 1 : 4)
      check(id, GetParam(), {0, 0, blgp}, blgp);
    const unsigned widest = id.find("_4x4x") != std::string::npos      ? 4
                            : id.find("_32x32x1") != std::string::npos ? 1
                                                                       : 0;
    for (unsigned cbsz = 1; cbsz <= widest; ++cbsz) {
      if (id.find("_32x32x16") != std::string::npos) break;
      check(id, GetParam(), {cbsz, (1u << cbsz) - 1, 0}, cbsz);
    }
  }
}

TEST_P(MfmaTest, SparseIndexSets) {
  for (const std::string& id : rows_on(GetParam(), isa::Format::MAI)) {
    if (id.find("v_smfmac") != 0) continue;
    for (unsigned abid = 0; abid < 4; ++abid) check(id, GetParam(), {0, abid, 0}, abid);
    check(id, GetParam(), {1, 3, 0}, 9);
  }
}

INSTANTIATE_TEST_SUITE_P(Cdna, MfmaTest,
                         ::testing::Values(isa::Isa::kGfx90a, isa::Isa::kGfx942,
                                           isa::Isa::kGfx950));

TEST(MfmaSmallFloats, AllPairsOfFormats) {
  for (const char* id : {"v_mfma_f32_16x16x128_f8f6f4", "v_mfma_f32_32x32x64_f8f6f4"})
    for (unsigned a = 0; a < 5; ++a)
      for (unsigned b = 0; b < 5; ++b) check(id, isa::Isa::kGfx950, {a, 0, b}, a * 5 + b);
}
TEST(MfmaSmallFloats, Scales) {
  for (const char* id : {"v_mfma_scale_f32_16x16x128_f8f6f4", "v_mfma_scale_f32_32x32x64_f8f6f4"})
    for (unsigned a = 0; a < 5; ++a)
      for (unsigned b = 0; b < 5; ++b) check(id, isa::Isa::kGfx950, {a, 0, b, true}, a * 5 + b);
}

TEST(MfmaDetails, F64SignsAreInTheFieldOfTheLanePattern) {
  MatrixProbe s("v_mfma_f64_4x4x4_4b_f64", isa::Isa::kGfx950, 64);
  s.set(Field::blgp, 0b101);  // -A and -C
  for (unsigned lane = 0; lane < 64; ++lane) {
    s.put(MatrixProbe::kA, lane, 0, 64, std::bit_cast<uint64_t>(2.0));
    s.put(MatrixProbe::kB, lane, 0, 64, std::bit_cast<uint64_t>(3.0));
    s.put(MatrixProbe::kC, lane, 0, 64, std::bit_cast<uint64_t>(5.0));
  }
  s.run();
  EXPECT_EQ(std::bit_cast<double>(s.get(MatrixProbe::kD, 17, 0, 64)), -24.0 - 5.0);
}

TEST(MfmaDetails, InlineAccumulatorAndAccvgprs) {
  MatrixProbe s("v_mfma_f32_16x16x16_f16", isa::Isa::kGfx950, 64);
  s.set(Field::src2, 242);  // 1.0
  s.set(Field::acc, 0b11);
  s.set(Field::acc_cd, 1);
  constexpr uint32_t kTwo = 0x40004000;
  for (unsigned lane = 0; lane < 64; ++lane)
    for (unsigned r = 0; r < 2; ++r) {
      s.wave.agpr(MatrixProbe::kA + r)[lane] = kTwo;
      s.wave.agpr(MatrixProbe::kB + r)[lane] = kTwo;
    }
  s.run();
  EXPECT_EQ(std::bit_cast<float>(s.wave.agpr(MatrixProbe::kD)[5]), 65.0f);
  EXPECT_EQ(s.wave.vgpr(MatrixProbe::kD)[5], 0u);
}

TEST(MfmaDetails, TheResultMayOverlapTheAccumulatorByParts) {
  MatrixProbe s("v_mfma_i32_16x16x16i8", isa::Isa::kGfx90a, 64);
  s.set(Field::vdst, MatrixProbe::kC + 1);
  for (unsigned lane = 0; lane < 64; ++lane)
    for (unsigned r = 0; r < 4; ++r) s.wave.vgpr(MatrixProbe::kC + r)[lane] = 10 * r + lane;
  s.run();  // A and B are 0
  for (unsigned r = 0; r < 4; ++r) EXPECT_EQ(s.wave.vgpr(MatrixProbe::kC + 1 + r)[9], 10 * r + 9);
}

TEST(MfmaDetails, Gfx90aFlushesHalfDenormalsAndLaterTargetsKeepThem) {
  for (const auto& [id, isa, expected] :
       {std::tuple{"v_mfma_f32_4x4x4f16", isa::Isa::kGfx90a, 0.0f},
        std::tuple{"v_mfma_f32_4x4x4_16b_f16", isa::Isa::kGfx942, 0x1p-24f}}) {
    MatrixProbe s(id, isa, 64);
    for (unsigned lane = 0; lane < 64; ++lane) {
      s.put(MatrixProbe::kA, lane, 0, 16, 1);       // the smallest denormal
      s.put(MatrixProbe::kB, lane, 0, 16, 0x3c00);  // 1.0
    }
    s.run();
    EXPECT_EQ(std::bit_cast<float>(s.wave.vgpr(MatrixProbe::kD)[0]), expected) << id;
  }
}

TEST(MfmaDetails, Xf32MultipliesTenFractionBits) {
  MatrixProbe s("v_mfma_f32_16x16x8_xf32", isa::Isa::kGfx942, 64);
  for (unsigned lane = 0; lane < 64; ++lane) {
    s.put(MatrixProbe::kA, lane, 0, 32, std::bit_cast<uint32_t>(1.0f + 0x1p-10f + 0x1p-12f));
    s.put(MatrixProbe::kB, lane, 0, 32, lane < 16 ? std::bit_cast<uint32_t>(1.0f) : 0);
  }
  s.run();
  EXPECT_EQ(std::bit_cast<float>(s.wave.vgpr(MatrixProbe::kD)[0]), 1.0f + 0x1p-10f);
}

}  // namespace
}  // namespace lockstep::emu::testing
