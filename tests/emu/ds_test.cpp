// SPDX-License-Identifier: MIT
// LDS: loads and stores of every width and address form, bounds, lane exchange, counters.
#include "tests/emu/wave_fixture.h"

namespace lockstep::emu::testing {
namespace {

constexpr uint32_t kExecSome = 0x9c3f0a71;

class DsTest : public WaveTest {
 protected:
  static constexpr unsigned kAddr = 2, kData = 8, kData1 = 12, kDst = 20;
  DsTest() { shuffle(); }
  void shuffle() {
    fill_random(lds);
    for (unsigned r = 0; r < 32; ++r)
      for (unsigned lane = 0; lane < wave.wave_size; ++lane) v(r, lane) = random();
  }
  bool active(unsigned lane) const { return wave.exec() >> lane & 1; }
  static uint32_t spread(unsigned lane) { return (lane * 21 % 32) * 17 + 3; }
  void set_addresses(uint32_t minus) {
    for (unsigned lane = 0; lane < wave.wave_size; ++lane) v(kAddr, lane) = spread(lane) - minus;
  }
  std::vector<uint32_t> registers_now() {
    return {wave.vgpr(0), wave.vgpr(0) + 32 * wave.wave_size};
  }
};

TEST_F(DsTest, Loads) {
  struct Case {
    const char* id;
    unsigned bytes;
    bool is_signed;
    int half;
  };
  static constexpr Case kCases[] = {
      {"ds_load_u8", 1, false, -1},      {"ds_load_i8", 1, true, -1},
      {"ds_load_u16", 2, false, -1},     {"ds_load_i16", 2, true, -1},
      {"ds_load_b32", 4, false, -1},     {"ds_load_b64", 8, false, -1},
      {"ds_load_b96", 12, false, -1},    {"ds_load_b128", 16, false, -1},
      {"ds_load_u8_d16", 1, false, 0},   {"ds_load_i8_d16", 1, true, 0},
      {"ds_load_u16_d16", 2, false, 0},  {"ds_load_u8_d16_hi", 1, false, 1},
      {"ds_load_i8_d16_hi", 1, true, 1}, {"ds_load_u16_d16_hi", 2, false, 1},
  };
  for (const Case& k : kCases) {
    wave.write64(isa::kExecLo, kExecSome);
    set_addresses(0x1234);  // base + offset wraps at 32 bits
    const auto before = registers_now();
    ASSERT_EQ(run(row(k.id), {{Field::vdst, kDst},
                              {Field::addr, kAddr},
                              {Field::offset0, 0x34},
                              {Field::offset1, 0x12}}),
              Step::kNext);
    for (unsigned r = 0; r < 32; ++r)
      for (unsigned lane = 0; lane < 32; ++lane) {
        const uint32_t old = before[r * 32 + lane];
        uint32_t want = old;
        if (active(lane) && r >= kDst && r < kDst + (k.bytes + 3) / 4) {
          int64_t value = 0;
          for (unsigned b = 0; b < std::min(k.bytes, 4u); ++b)
            value |= int64_t{lds[spread(lane) + 4 * (r - kDst) + b]} << 8 * b;
          if (k.is_signed && value >> (8 * k.bytes - 1)) value -= int64_t{1} << 8 * k.bytes;
          want = static_cast<uint32_t>(value);
          if (k.half == 0) want = (old & 0xffff0000) | (want & 0xffff);
          if (k.half == 1) want = (old & 0xffff) | want << 16;
        }
        ASSERT_EQ(v(r, lane), want) << k.id << " v" << r << " lane " << lane;
      }
  }
}

TEST_F(DsTest, Stores) {
  struct Case {
    const char* id;
    unsigned bytes;
    unsigned shift;
  };
  static constexpr Case kCases[] = {{"ds_store_b8", 1, 0},         {"ds_store_b16", 2, 0},
                                    {"ds_store_b32", 4, 0},        {"ds_store_b64", 8, 0},
                                    {"ds_store_b96", 12, 0},       {"ds_store_b128", 16, 0},
                                    {"ds_store_b8_d16_hi", 1, 16}, {"ds_store_b16_d16_hi", 2, 16}};
  for (const Case& k : kCases) {
    shuffle();
    wave.write64(isa::kExecLo, kExecSome);
    set_addresses(0);
    for (unsigned lane = 0; lane < 32; ++lane) v(kAddr, lane) = lane * 17;
    std::vector<uint8_t> want = lds;
    for (unsigned lane = 0; lane < 32; ++lane)
      for (unsigned b = 0; active(lane) && b < k.bytes; ++b)
        want[lane * 17 + 1 + b] =
            static_cast<uint8_t>(v(kData + b / 4, lane) >> (8 * (b % 4) + k.shift));
    ASSERT_EQ(run(row(k.id), {{Field::data0, kData}, {Field::addr, kAddr}, {Field::offset0, 1}}),
              Step::kNext);
    ASSERT_EQ(lds, want) << k.id;
  }
}

TEST_F(DsTest, TwoAddresses) {
  for (const char* w : {"b32", "b64"}) {
    for (bool stride64 : {false, true}) {
      const unsigned bytes = std::string(w) == "b32" ? 4 : 8, n = bytes / 4;
      const unsigned unit = bytes * (stride64 ? 64 : 1);
      const unsigned o0 = stride64 ? 1 : 20, o1 = stride64 ? 0 : 3;
      const std::string tail = std::string("2addr_") + (stride64 ? "stride64_" : "") + w;
      wave.write64(isa::kExecLo, kExecSome);
      for (unsigned lane = 0; lane < 32; ++lane) v(kAddr, lane) = lane * 8;
      const auto before = registers_now();
      ASSERT_EQ(run(row("ds_load_" + tail), {{Field::vdst, kDst},
                                             {Field::addr, kAddr},
                                             {Field::offset0, o0},
                                             {Field::offset1, o1}}),
                Step::kNext);
      for (unsigned lane = 0; lane < 32; ++lane)
        for (unsigned i = 0; i < 2 * n; ++i) {
          const uint32_t at = lane * 8 + (i < n ? o0 : o1) * unit + i % n * 4;
          ASSERT_EQ(v(kDst + i, lane),
                    active(lane) ? lds_at<uint32_t>(at) : before[(kDst + i) * 32 + lane])
              << tail;
        }
      std::vector<uint8_t> want = lds;
      for (unsigned lane = 0; lane < 32; ++lane)
        for (unsigned i = 0; active(lane) && i < 2 * n; ++i)
          std::memcpy(&want[lane * 8 + (i < n ? o0 : o1) * unit + i % n * 4],
                      &v((i < n ? kData : kData1) + i % n, lane), 4);
      ASSERT_EQ(run(row("ds_store_" + tail), {{Field::data0, kData},
                                              {Field::data1, kData1},
                                              {Field::addr, kAddr},
                                              {Field::offset0, o0},
                                              {Field::offset1, o1}}),
                Step::kNext);
      ASSERT_EQ(lds, want) << tail;
    }
  }
}

TEST_F(DsTest, TwoAddressExchange) {
  for (unsigned n : {1u, 2u}) {
    for (unsigned lane = 0; lane < 32; ++lane) v(kAddr, lane) = lane * 8;
    const std::vector<uint8_t> before = lds;
    const std::string w = n == 1 ? "b32" : "b64";
    ASSERT_EQ(run(row("ds_storexchg_2addr_rtn_" + w), {{Field::vdst, kDst},
                                                       {Field::addr, kAddr},
                                                       {Field::data0, kData},
                                                       {Field::data1, kData1},
                                                       {Field::offset0, 0},
                                                       {Field::offset1, 64}}),
              Step::kNext);
    for (unsigned lane = 0; lane < 32; ++lane)
      for (unsigned i = 0; i < 2 * n; ++i) {
        const uint32_t at = lane * 8 + (i < n ? 0 : 64 * 4 * n) + i % n * 4;
        uint32_t old = 0;
        std::memcpy(&old, &before[at], 4);
        EXPECT_EQ(v(kDst + i, lane), old);
        EXPECT_EQ(lds_at<uint32_t>(at), v((i < n ? kData : kData1) + i % n, lane));
      }
  }
}

TEST_F(DsTest, OutOfRangeReadsGiveZeroAndWritesAreDropped) {
  const auto end = static_cast<uint32_t>(lds.size());
  wave.write64(isa::kExecLo, 0xf);
  v(kAddr, 0) = end - 8;  // the first two dwords are inside
  v(kAddr, 1) = end;
  v(kAddr, 2) = 0xfffffffc;
  v(kAddr, 3) = end - 2;  // a dword that straddles the end is outside
  ASSERT_EQ(run(Op::ds_load_b128, {{Field::vdst, kDst}, {Field::addr, kAddr}}), Step::kNext);
  EXPECT_EQ(v64(kDst, 0), lds_at<uint64_t>(end - 8));
  EXPECT_EQ(v64(kDst + 2, 0), 0u);
  for (unsigned lane : {1u, 2u, 3u})
    for (unsigned i = 0; i < 4; ++i) EXPECT_EQ(v(kDst + i, lane), 0u) << lane;
  std::vector<uint8_t> want = lds;
  std::memcpy(&want[end - 8], &v(kData, 0), 4);
  std::memcpy(&want[end - 4], &v(kData + 1, 0), 4);
  ASSERT_EQ(run(Op::ds_store_b128, {{Field::data0, kData}, {Field::addr, kAddr}}), Step::kNext);
  EXPECT_EQ(lds, want);
  c.lds_size = 0;  // a kernel without LDS
  c.lds = nullptr;
  ASSERT_EQ(run(Op::ds_load_b32, {{Field::vdst, kDst}, {Field::addr, kAddr}}), Step::kNext);
  EXPECT_EQ(v(kDst, 0), 0u);
}

TEST_F(DsTest, AddTid) {
  wave.scalar[isa::kM0] = 0xabcd0010;  // only 15:0 count
  ASSERT_EQ(run(Op::ds_load_addtid_b32, {{Field::vdst, kDst}, {Field::offset0, 8}}), Step::kNext);
  for (unsigned lane = 0; lane < 32; ++lane)
    EXPECT_EQ(v(kDst, lane), lds_at<uint32_t>(0x18 + 4 * lane));
  ASSERT_EQ(run(Op::ds_store_addtid_b32, {{Field::data0, kData}, {Field::offset1, 1}}),
            Step::kNext);
  for (unsigned lane = 0; lane < 32; ++lane)
    EXPECT_EQ(lds_at<uint32_t>(0x110 + 4 * lane), v(kData, lane));
}

TEST_F(DsTest, AppendAndConsumeCountActiveLanes) {
  wave.write64(isa::kExecLo, 0xff0f);
  wave.scalar[isa::kM0] = 32;
  set_lds(40, 1000u);
  v(kDst, 5) = 77;
  ASSERT_EQ(run(Op::ds_append, {{Field::vdst, kDst}, {Field::offset0, 8}}), Step::kNext);
  EXPECT_EQ(lds_at<uint32_t>(40), 1012u);
  EXPECT_EQ(v(kDst, 0), 1000u);
  EXPECT_EQ(v(kDst, 15), 1000u);
  EXPECT_EQ(v(kDst, 5), 77u);
  ASSERT_EQ(run(Op::ds_consume, {{Field::vdst, kDst}, {Field::offset0, 8}}), Step::kNext);
  EXPECT_EQ(lds_at<uint32_t>(40), 1000u);
  EXPECT_EQ(v(kDst, 0), 1012u);
}

TEST_F(DsTest, BackwardPermute) {
  for (unsigned lanes : {32u, 64u}) {
    restart(lanes);
    shuffle();
    wave.write64(isa::kExecLo, 0xfffffff0fffffff5);
    const auto before = registers_now();
    ASSERT_EQ(run(Op::ds_bpermute_b32, {{Field::vdst, kDst},
                                        {Field::addr, kAddr},
                                        {Field::data0, kData},
                                        {Field::offset0, 8}}),
              Step::kNext);
    for (unsigned lane = 0; lane < lanes; ++lane) {
      const unsigned from = ((before[kAddr * lanes + lane] + 8) / 4) % 32 +
                            lane / 32 * 32;  // inside the half of the wave
      const uint32_t want = !active(lane)  ? before[kDst * lanes + lane]
                            : active(from) ? before[kData * lanes + from]
                                           : 0;
      EXPECT_EQ(v(kDst, lane), want) << lane;
    }
  }
}

TEST_F(DsTest, ForwardPermuteHighestSenderWins) {
  wave.write64(isa::kExecLo, 0xfffffffb);
  for (unsigned lane = 0; lane < 32; ++lane) {
    v(kAddr, lane) = 4 * (lane == 9 || lane == 4 ? 20
                          : lane == 2            ? 21
                                                 : (lane + 1) % 16) +
                     0x1000;  // high bits are ignored
    v(kData, lane) = 100 + lane;
  }
  v(kDst, 2) = 5;
  ASSERT_EQ(
      run(Op::ds_permute_b32, {{Field::vdst, kDst}, {Field::addr, kAddr}, {Field::data0, kData}}),
      Step::kNext);
  EXPECT_EQ(v(kDst, 20), 109u);
  EXPECT_EQ(v(kDst, 21), 0u);  // its sender is inactive
  EXPECT_EQ(v(kDst, 2), 5u);   // inactive lanes keep their value
  EXPECT_EQ(v(kDst, 0), 131u);
  EXPECT_EQ(v(kDst, 30), 0u);
}

TEST_F(DsTest, SwizzleModes) {
  const auto go = [&](uint32_t offset) {
    for (unsigned lane = 0; lane < 32; ++lane) v(kAddr, lane) = lane;
    EXPECT_EQ(run(Op::ds_swizzle_b32, {{Field::vdst, kDst},
                                       {Field::addr, kAddr},
                                       {Field::offset0, offset & 255},
                                       {Field::offset1, offset >> 8}}),
              Step::kNext);
    return std::vector<uint32_t>(wave.vgpr(kDst), wave.vgpr(kDst) + 32);
  };
  auto out = go(0x041f);  // swap neighbours: xor 1
  for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(out[i], i ^ 1);
  out = go(0x0018 | 0x3 << 5);  // broadcast lane 3 of each group of 8
  for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(out[i], i / 8 * 8 + 3);
  out = go(0x8000 | 0b00011011);  // quad reversed
  for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(out[i], i ^ 3);
  out = go(0xc000 | 5 << 5);  // rotate all 32
  for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(out[i], (i + 5) % 32);
  out = go(0xc000 | 0x400 | 5 << 5);
  for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(out[i], (i + 27) % 32);
  out = go(0xc000 | 3 << 5 | 0x18);  // rotate inside groups of 8
  for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(out[i], i / 8 * 8 + (i + 3) % 8);
  out = go(0xe000);  // all bits reversed
  EXPECT_EQ(out[1], 16u);
  EXPECT_EQ(out[6], 12u);
  out = go(0xe01f);  // nothing moves
  for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(out[i], i);
  out = go(0xe010);  // two independent groups of 16
  EXPECT_EQ(out[1], 8u);
  EXPECT_EQ(out[17], 24u);
  wave.write64(isa::kExecLo, 0xfffffffd);
  v(kDst, 1) = 99;
  out = go(0x041f);
  EXPECT_EQ(out[0], 0u);  // lane 1 is off
  EXPECT_EQ(out[1], 99u);
}

TEST_F(DsTest, GlobalDataShareIsRefused) {
  EXPECT_EQ(run(Op::ds_load_b32, {{Field::vdst, kDst}, {Field::addr, kAddr}, {Field::gds, 1}}),
            Step::kExit);
  EXPECT_EQ(c.fault.kind, FaultKind::kUnsupportedInstruction);
}

}  // namespace
}  // namespace lockstep::emu::testing
