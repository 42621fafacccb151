// SPDX-License-Identifier: MIT
// Atomics of global memory and LDS: every operation and type against a second formulation, lanes in
// order, with and without the old value, through generic addresses, misaligned and missing.
#include <cmath>
#include <functional>

#include "tests/emu/wave_fixture.h"

namespace lockstep::emu::testing {
namespace {

using Model = std::function<uint64_t(uint64_t old, uint64_t data, uint64_t cmp)>;
struct AtomicCase {
  std::string stem;  ///< add_u32
  unsigned bytes;
  Model model;
};

float f32(uint64_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits)); }
double f64(uint64_t bits) { return std::bit_cast<double>(bits); }
uint64_t bits_of(double f) { return std::bit_cast<uint64_t>(f); }

std::vector<AtomicCase> integer_cases() {
  std::vector<AtomicCase> list;
  for (unsigned bytes : {4u, 8u}) {
    const std::string w = bytes == 4 ? "32" : "64";
    const uint64_t all = bytes == 4 ? 0xffffffff : ~uint64_t{0};
    const uint64_t sign = (all >> 1) + 1;
    const auto add = [&](const std::string& stem, Model m) {
      list.push_back({stem + w, bytes, std::move(m)});
    };
    add("add_u", [=](uint64_t o, uint64_t d, uint64_t) { return (o + d) & all; });
    add("sub_u", [=](uint64_t o, uint64_t d, uint64_t) { return (o - d) & all; });
    // Flipping the sign bit turns signed order into unsigned order.
    add("min_i", [=](uint64_t o, uint64_t d, uint64_t) { return (o ^ sign) < (d ^ sign) ? o : d; });
    add("max_i", [=](uint64_t o, uint64_t d, uint64_t) { return (o ^ sign) > (d ^ sign) ? o : d; });
    add("min_u", [](uint64_t o, uint64_t d, uint64_t) { return std::min(o, d); });
    add("max_u", [](uint64_t o, uint64_t d, uint64_t) { return std::max(o, d); });
    add("and_b", [](uint64_t o, uint64_t d, uint64_t) { return o & d; });
    add("or_b", [](uint64_t o, uint64_t d, uint64_t) { return o | d; });
    add("xor_b", [](uint64_t o, uint64_t d, uint64_t) { return o ^ d; });
    add("inc_u", [](uint64_t o, uint64_t d, uint64_t) { return o < d ? o + 1 : 0; });
    add("dec_u", [](uint64_t o, uint64_t d, uint64_t) { return o != 0 && o <= d ? o - 1 : d; });
  }
  return list;
}

class AtomicTest : public WaveTest {
 protected:
  static constexpr unsigned kAddr = 2, kData = 10, kCmp = 14, kDst = 20;

  uint64_t sample(unsigned bytes, uint64_t near) {
    static constexpr uint64_t kEdges[] = {0,
                                          1,
                                          2,
                                          7,
                                          0x7fffffff,
                                          0x80000000,
                                          0xffffffff,
                                          0x7fffffffffffffff,
                                          0x8000000000000000,
                                          ~uint64_t{0}};
    const uint64_t value = random() % 2   ? kEdges[random() % std::size(kEdges)]
                           : random() % 2 ? near + random() % 3 - 1
                                          : uint64_t{random()} << 32 | random();
    return bytes == 4 ? value & 0xffffffff : value;
  }
  /// Groups of 8 lanes share one element of memory or LDS.
  static uint32_t place(unsigned lane) { return 256 + lane / 8 * 8; }

  /// Runs an atomic row on both sides and compares memory and returned values. data and cmp are set
  /// up by the caller.
  template <class Run>
  void check(const AtomicCase& k, bool returns, std::vector<uint8_t>& bytes, Run&& run_it,
             bool cmp_first_register) {
    std::vector<uint8_t> want = bytes;
    uint64_t old[32] = {};
    const unsigned cmp_reg = cmp_first_register ? kCmp : kData + k.bytes / 4;
    for (unsigned lane = 0; lane < 32; ++lane) {
      if (!(wave.exec() >> lane & 1)) continue;
      std::memcpy(&old[lane], &want[place(lane)], k.bytes);
      const auto reg = [&](unsigned r) { return k.bytes == 4 ? v(r, lane) : v64(r, lane); };
      const uint64_t fresh = k.model(old[lane], reg(kData), reg(cmp_reg));
      std::memcpy(&want[place(lane)], &fresh, k.bytes);
    }
    for (unsigned lane = 0; lane < 32; ++lane) set_v64(kDst, lane, 0x5555555566666666);
    ASSERT_EQ(run_it(), Step::kNext) << k.stem;
    ASSERT_EQ(bytes, want) << k.stem;
    for (unsigned lane = 0; lane < 32; ++lane) {
      uint64_t expected = 0x5555555566666666;
      if (returns && wave.exec() >> lane & 1)
        expected = k.bytes == 4 ? (expected >> 32 << 32) | old[lane] : old[lane];
      ASSERT_EQ(v64(kDst, lane), expected) << k.stem << " lane " << lane;
    }
  }

  void randomise(unsigned bytes, std::vector<uint8_t>& space) {
    wave.write64(isa::kExecLo, random() | random());
    for (unsigned group = 0; group < 4; ++group) {
      const uint64_t value = sample(bytes, 3);
      std::memcpy(&space[place(group * 8)], &value, bytes);
    }
    for (unsigned lane = 0; lane < 32; ++lane) {
      uint64_t near = 0;
      std::memcpy(&near, &space[place(lane)], bytes);
      for (unsigned r : {kData, kData + 1, kData + 2, kData + 3, kCmp, kCmp + 1})
        v(r, lane) = random();
      const auto put = [&](unsigned r, uint64_t value) {
        bytes == 4 ? void(v(r, lane) = static_cast<uint32_t>(value)) : set_v64(r, lane, value);
      };
      put(kData, sample(bytes, near));
      put(kData + bytes / 4, sample(bytes, near));
      put(kCmp, sample(bytes, near));
    }
  }

  void global_case(const AtomicCase& k) {
    for (int round = 0; round < 40; ++round) {
      const bool generic = round & 1, returns = round & 2, through_lds = generic && (round & 4);
      std::vector<uint8_t>& space = through_lds ? lds : memory;
      randomise(k.bytes, space);
      for (unsigned lane = 0; lane < 32; ++lane)
        set_v64(kAddr, lane, (through_lds ? c.shared_base : kBase) + place(lane) - 64);
      const Op op = row((generic ? "flat_atomic_" : "global_atomic_") + k.stem);
      check(
          k, returns, space,
          [&] {
            return run(op, {{Field::vdst, kDst},
                            {Field::addr, kAddr},
                            {Field::data, kData},
                            {Field::saddr, isa::kNull},
                            {Field::offset, 64},
                            {Field::glc, returns}});
          },
          false);
    }
  }
  void ds_case(const AtomicCase& k, const std::string& stem) {
    for (bool returns : {false, true}) {
      std::string id = "ds_" + stem;
      if (returns) id.insert(id.find_last_of('_'), "_rtn");
      if (stem.starts_with("storexchg") && !returns) continue;
      if (stem.starts_with("wrap") && !returns) continue;
      for (int round = 0; round < 20; ++round) {
        randomise(k.bytes, lds);
        for (unsigned lane = 0; lane < 32; ++lane) v(kAddr, lane) = place(lane) - 0xf8;
        check(
            k, returns, lds,
            [&] {
              return run(row(id), {{Field::vdst, kDst},
                                   {Field::addr, kAddr},
                                   {Field::data0, kData},
                                   {Field::data1, kCmp},
                                   {Field::offset0, 0xf8}});
            },
            true);
      }
    }
  }
};

TEST_F(AtomicTest, GlobalIntegers) {
  for (const AtomicCase& k : integer_cases()) global_case(k);
  for (unsigned bytes : {4u, 8u}) {
    const std::string w = bytes == 4 ? "_b32" : "_b64";
    global_case({"swap" + w, bytes, [](uint64_t, uint64_t d, uint64_t) { return d; }});
    global_case({"cmpswap" + w, bytes,
                 [](uint64_t o, uint64_t d, uint64_t cmp) { return o == cmp ? d : o; }});
  }
}

TEST_F(AtomicTest, DsIntegers) {
  for (const AtomicCase& k : integer_cases()) ds_case(k, k.stem);
  for (unsigned bytes : {4u, 8u}) {
    const std::string w = bytes == 4 ? "32" : "64";
    const uint64_t all = bytes == 4 ? 0xffffffff : ~uint64_t{0};
    ds_case({"", bytes, [all](uint64_t o, uint64_t d, uint64_t) { return (d - o) & all; }},
            "rsub_u" + w);
    ds_case({"", bytes, [](uint64_t o, uint64_t d, uint64_t second) { return (o & ~d) | second; }},
            "mskor_b" + w);
    ds_case({"", bytes, [](uint64_t, uint64_t d, uint64_t) { return d; }}, "storexchg_b" + w);
    ds_case({"", bytes, [](uint64_t o, uint64_t d, uint64_t cmp) { return o == cmp ? d : o; }},
            "cmpstore_b" + w);
  }
  ds_case({"", 4,
           [](uint64_t o, uint64_t d, uint64_t second) {
             return (o >= d ? o - d : o + second) & 0xffffffff;
           }},
          "wrap_b32");
}

TEST_F(AtomicTest, FloatOperations) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN(),
                  kInf = std::numeric_limits<float>::infinity(), kTiny = 1e-40f;
  constexpr float kValues[] = {0.0f, -0.0f, 1.5f, -1.5f, kInf, -kInf, kNan, kTiny, 3e38f, 1e-20f};
  struct Case {
    const char *global, *ds;
    float (*f)(float old, float data);
  };
  static constexpr Case kCases[] = {
      {"global_atomic_add_f32", "ds_add_rtn_f32", [](float o, float d) { return o + d; }},
      {"global_atomic_min_f32", "ds_min_rtn_f32",
       [](float o, float d) {
         return std::isnan(o)   ? d
                : std::isnan(d) ? o
                : o == d        ? (std::signbit(o) ? o : d)
                                : std::min(o, d);
       }},
      {"global_atomic_max_f32", "ds_max_rtn_f32",
       [](float o, float d) {
         return std::isnan(o)   ? d
                : std::isnan(d) ? o
                : o == d        ? (std::signbit(o) ? d : o)
                                : std::max(o, d);
       }},
  };
  wave.write64(isa::kExecLo, 1);
  const auto same = [](float a, float b) {
    return std::isnan(a) ? std::isnan(b) : std::bit_cast<uint32_t>(a) == std::bit_cast<uint32_t>(b);
  };
  for (const Case& k : kCases)
    for (float old : kValues)
      for (float data : kValues) {
        poke(0, old);
        set_lds(0, old);
        set_v64(kAddr, 0, kBase);
        v(kData, 0) = std::bit_cast<uint32_t>(data);
        ASSERT_EQ(run(row(k.global), {{Field::vdst, kDst},
                                      {Field::addr, kAddr},
                                      {Field::data, kData},
                                      {Field::saddr, isa::kNull},
                                      {Field::glc, 1}}),
                  Step::kNext);
        EXPECT_TRUE(same(k.f(old, data), peek<float>(0)))
            << k.global << " " << old << " " << data << " gives " << peek<float>(0);
        EXPECT_TRUE(same(f32(v(kDst, 0)), old));
        v(kAddr, 0) = 0;
        ASSERT_EQ(
            run(row(k.ds), {{Field::vdst, kDst}, {Field::addr, kAddr}, {Field::data0, kData}}),
            Step::kNext);
        EXPECT_TRUE(same(k.f(old, data), lds_at<float>(0))) << k.ds << " " << old << " " << data;
        EXPECT_TRUE(same(f32(v(kDst, 0)), old));
      }
}

TEST_F(AtomicTest, FloatCompareIsNoBitCompare) {
  wave.write64(isa::kExecLo, 1);
  set_v64(kAddr, 0, kBase);
  poke(0, -0.0f);
  v(kData, 0) = std::bit_cast<uint32_t>(2.0f);
  v(kData + 1, 0) = 0;  // +0
  run(Op::global_atomic_cmpswap_f32,
      {{Field::addr, kAddr}, {Field::data, kData}, {Field::saddr, isa::kNull}});
  EXPECT_EQ(peek<float>(0), 2.0f);
  poke(0, uint32_t{0x7fc00000});
  v(kData + 1, 0) = 0x7fc00000;
  run(Op::global_atomic_cmpswap_f32,
      {{Field::addr, kAddr}, {Field::data, kData}, {Field::saddr, isa::kNull}});
  EXPECT_EQ(peek<uint32_t>(0), 0x7fc00000u);
  set_lds(0, -0.0);
  v(kAddr, 0) = 0;
  set_v64(kData, 0, bits_of(4.0));
  set_v64(kCmp, 0, 0);
  run(Op::ds_cmpstore_rtn_f64,
      {{Field::vdst, kDst}, {Field::addr, kAddr}, {Field::data0, kData}, {Field::data1, kCmp}});
  EXPECT_EQ(lds_at<double>(0), 4.0);
  EXPECT_EQ(v64(kDst, 0), bits_of(-0.0));
  set_v64(kData, 0, bits_of(3.0));
  run(Op::ds_min_f64, {{Field::addr, kAddr}, {Field::data0, kData}});
  EXPECT_EQ(lds_at<double>(0), 3.0);
  set_v64(kData, 0, bits_of(5.0));
  run(Op::ds_max_rtn_f64, {{Field::vdst, kDst}, {Field::addr, kAddr}, {Field::data0, kData}});
  EXPECT_EQ(lds_at<double>(0), 5.0);
  EXPECT_EQ(f64(v64(kDst, 0)), 3.0);
}

TEST_F(AtomicTest, SubtractClamped) {
  wave.write64(isa::kExecLo, 3);
  for (unsigned lane = 0; lane < 2; ++lane) set_v64(kAddr, lane, kBase + lane * 4);
  poke(0, 10u);
  poke(4, 10u);
  v(kData, 0) = 11;
  v(kData, 1) = 4;
  run(Op::global_atomic_csub_u32, {{Field::vdst, kDst},
                                   {Field::addr, kAddr},
                                   {Field::data, kData},
                                   {Field::saddr, isa::kNull},
                                   {Field::glc, 1}});
  EXPECT_EQ(peek<uint32_t>(0), 0u);
  EXPECT_EQ(peek<uint32_t>(4), 6u);
  EXPECT_EQ(v(kDst, 0), 10u);
}

TEST_F(AtomicTest, ExchangeMarkedHalves) {
  wave.write64(isa::kExecLo, 1);
  v(kAddr, 0) = 16;
  set_lds(16, uint64_t{0x1111111122222222});
  set_v64(kData, 0, 0x80000005'00000007);
  run(Op::ds_condxchg32_rtn_b64,
      {{Field::vdst, kDst}, {Field::addr, kAddr}, {Field::data0, kData}});
  EXPECT_EQ(lds_at<uint64_t>(16), 0x0000000522222222u);
  EXPECT_EQ(v64(kDst, 0), 0x1111111122222222u);
}

TEST_F(AtomicTest, MisalignedAndMissing) {
  for (unsigned lane = 0; lane < 32; ++lane) {
    set_v64(kAddr, lane, kBase + lane * 8);
    v(kData, lane) = 1;
    set_v64(kDst, lane, 0);
  }
  set_v64(kAddr, 2, kBase + 18);
  std::fill(memory.begin(), memory.end(), uint8_t{0});
  const auto go = [&](Op op) {
    return run(op, {{Field::vdst, kDst},
                    {Field::addr, kAddr},
                    {Field::data, kData},
                    {Field::saddr, isa::kNull},
                    {Field::glc, 1}});
  };
  ASSERT_EQ(go(Op::global_atomic_add_u32), Step::kExit);
  expect_fault(FaultKind::kMisaligned, 2, kBase + 18, 4);
  EXPECT_EQ(peek<uint32_t>(0), 1u);
  EXPECT_EQ(peek<uint32_t>(8), 1u);
  EXPECT_EQ(peek<uint32_t>(24), 0u);
  set_v64(kAddr, 2, kBase + 20);
  ASSERT_EQ(go(Op::global_atomic_add_u64), Step::kExit);
  expect_fault(FaultKind::kMisaligned, 2, kBase + 20, 8);
  set_v64(kAddr, 2, kBase - 8);
  ASSERT_EQ(go(Op::flat_atomic_or_b64), Step::kExit);
  expect_fault(FaultKind::kMemoryWrite, 2, kBase - 8, 8);
  // LDS: misaligned faults, out of range does nothing and returns 0.
  wave.write64(isa::kExecLo, 1);
  v(kAddr, 0) = 2;
  ASSERT_EQ(run(Op::ds_add_u32, {{Field::addr, kAddr}, {Field::data0, kData}}), Step::kExit);
  expect_fault(FaultKind::kMisaligned, 0, 2, 4);
  v(kAddr, 0) = static_cast<uint32_t>(lds.size());
  v(kDst, 0) = 9;
  const std::vector<uint8_t> before = lds;
  ASSERT_EQ(
      run(Op::ds_add_rtn_u32, {{Field::vdst, kDst}, {Field::addr, kAddr}, {Field::data0, kData}}),
      Step::kNext);
  EXPECT_EQ(v(kDst, 0), 0u);
  EXPECT_EQ(lds, before);
}

TEST_F(AtomicTest, PrivateMemory) {
  for (unsigned lane = 0; lane < 32; ++lane) {
    set_v64(kAddr, lane, c.private_base + 8);
    set_v64(kData, lane, (uint64_t{1} << 32) + lane);
  }
  for (int i = 0; i < 2; ++i)
    ASSERT_EQ(run(Op::flat_atomic_add_u64, {{Field::vdst, kDst},
                                            {Field::addr, kAddr},
                                            {Field::data, kData},
                                            {Field::saddr, isa::kNull},
                                            {Field::glc, 1}}),
              Step::kNext);
  for (unsigned lane = 0; lane < 32; ++lane) {
    uint32_t low = 0, high = 0;
    std::memcpy(&low, &scratch[2 * 128 + lane * 4], 4);
    std::memcpy(&high, &scratch[3 * 128 + lane * 4], 4);
    EXPECT_EQ(low, 2 * lane);
    EXPECT_EQ(high, 2u);
    EXPECT_EQ(v64(kDst, lane), (uint64_t{1} << 32) + lane);
  }
}

class PackedAtomicTest : public AtomicTest {
 protected:
  PackedAtomicTest() { isa_ = isa::Isa::kGfx12, restart(32); }
};

TEST_F(PackedAtomicTest, HalvesRoundOnTheirOwn) {
  wave.write64(isa::kExecLo, 1);
  v(kAddr, 0) = 0;
  set_lds(0, uint32_t{0x3c00'7bff});  // 1.0, 65504
  v(kData, 0) = 0x1000'4c00;          // 2^-11 (half an ulp of 1.0), 16 (half an ulp of 65504)
  ASSERT_EQ(run(Op::ds_pk_add_f16, {{Field::addr, kAddr}, {Field::data0, kData}}), Step::kNext);
  EXPECT_EQ(lds_at<uint32_t>(0), 0x3c007c00u);  // ties to even: 1.0, and infinity
  set_lds(0, uint32_t{0x3f81'3f80});
  v(kData, 0) = 0x3b80'3b80;  // 2^-8, half an ulp of 1.0 in bf16
  ASSERT_EQ(run(Op::ds_pk_add_rtn_bf16,
                {{Field::vdst, kDst}, {Field::addr, kAddr}, {Field::data0, kData}}),
            Step::kNext);
  EXPECT_EQ(lds_at<uint32_t>(0), 0x3f823f80u);
  EXPECT_EQ(v(kDst, 0), 0x3f813f80u);
}

}  // namespace
}  // namespace lockstep::emu::testing
