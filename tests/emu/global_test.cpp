// SPDX-License-Identifier: MIT
// FLAT, GLOBAL and SCRATCH: address forms, element types, partial EXEC, precise faults.
#include "tests/emu/wave_fixture.h"

namespace lockstep::emu::testing {
namespace {

constexpr uint32_t kOffSaddr = isa::kNull;
constexpr uint32_t kExecSome = 0xa5f00f31;

class GlobalTest : public WaveTest {
 protected:
  GlobalTest() {
    fill_random(memory);
    for (unsigned r = 0; r < 32; ++r)
      for (unsigned lane = 0; lane < 32; ++lane) v(r, lane) = random();
  }
  bool active(unsigned lane) const { return wave.exec() >> lane & 1; }
  /// Byte offset that lane uses in these tests: distinct, unordered, unaligned.
  static uint32_t spread(unsigned lane) { return (lane * 37 % 32) * 61 + 100; }
  void set_addresses(unsigned reg, int64_t minus) {
    for (unsigned lane = 0; lane < 32; ++lane)
      set_v64(reg, lane, kBase + spread(lane) - static_cast<uint64_t>(minus));
  }
};

struct LoadCase {
  const char* name;
  unsigned bytes;
  bool is_signed;
  int half;  ///< -1 whole, 0 low, 1 high
};
constexpr LoadCase kLoads[] = {
    {"load_u8", 1, false, -1},      {"load_i8", 1, true, -1},
    {"load_u16", 2, false, -1},     {"load_i16", 2, true, -1},
    {"load_b32", 4, false, -1},     {"load_b64", 8, false, -1},
    {"load_b96", 12, false, -1},    {"load_b128", 16, false, -1},
    {"load_d16_u8", 1, false, 0},   {"load_d16_i8", 1, true, 0},
    {"load_d16_b16", 2, false, 0},  {"load_d16_hi_u8", 1, false, 1},
    {"load_d16_hi_i8", 1, true, 1}, {"load_d16_hi_b16", 2, false, 1},
};
struct StoreCase {
  const char* name;
  unsigned bytes;
  bool high;
};
constexpr StoreCase kStores[] = {{"store_b8", 1, false},       {"store_b16", 2, false},
                                 {"store_b32", 4, false},      {"store_b64", 8, false},
                                 {"store_b96", 12, false},     {"store_b128", 16, false},
                                 {"store_d16_hi_b8", 1, true}, {"store_d16_hi_b16", 2, true}};

/// Register i after a load of `bytes` at p, given its value before.
uint32_t loaded(const LoadCase& k, const uint8_t* p, unsigned i, uint32_t before) {
  int64_t value = 0;
  for (unsigned b = 0; b < std::min(k.bytes, 4u); ++b) value |= int64_t{p[4 * i + b]} << 8 * b;
  if (k.is_signed && value >> (8 * k.bytes - 1)) value -= int64_t{1} << 8 * k.bytes;
  const auto bits = static_cast<uint32_t>(value);
  if (k.half == 0) return (before & 0xffff0000) | (bits & 0xffff);
  if (k.half == 1) return (before & 0xffff) | bits << 16;
  return bits;
}

TEST_F(GlobalTest, EveryLoadInEveryForm) {
  constexpr unsigned kAddr = 2, kDst = 10;
  for (const LoadCase& k : kLoads) {
    for (const char* family : {"flat_", "global_"}) {
      for (int offset : {0, 4, 4095, -4096, -3}) {
        const bool flat = std::string(family) == "flat_";
        if (flat && offset < 0) continue;
        wave.write64(isa::kExecLo, kExecSome);
        set_addresses(kAddr, offset);
        std::vector<uint32_t> before(wave.vgpr(0), wave.vgpr(0) + 32 * 32);
        ASSERT_EQ(run(row(std::string(family) + k.name),
                      {{Field::vdst, kDst},
                       {Field::addr, kAddr},
                       {Field::saddr, kOffSaddr},
                       {Field::offset, static_cast<uint32_t>(offset) & 0x1fff}}),
                  Step::kNext);
        const unsigned n = (k.bytes + 3) / 4;
        for (unsigned r = 0; r < 32; ++r)
          for (unsigned lane = 0; lane < 32; ++lane) {
            const uint32_t old = before[r * 32 + lane];
            const bool written = active(lane) && r >= kDst && r < kDst + n;
            ASSERT_EQ(v(r, lane), written ? loaded(k, &memory[spread(lane)], r - kDst, old) : old)
                << family << k.name << " v" << r << " lane " << lane;
          }
      }
    }
  }
}

TEST_F(GlobalTest, ScalarBasePlusUnsignedVgprOffset) {
  constexpr uint64_t kFar = 0xf0000000;  // must not be taken as negative
  wave.write64(8, kBase - kFar);
  for (unsigned lane = 0; lane < 32; ++lane)
    v(5, lane) = static_cast<uint32_t>(kFar + spread(lane) + 8);
  ASSERT_EQ(run(Op::global_load_b32,
                {{Field::vdst, 6}, {Field::addr, 5}, {Field::saddr, 8}, {Field::offset, 0x1ff8}}),
            Step::kNext);
  for (unsigned lane = 0; lane < 32; ++lane) EXPECT_EQ(v(6, lane), peek<uint32_t>(spread(lane)));
}

TEST_F(GlobalTest, DestinationMayHoldTheAddress) {
  set_addresses(4, 0);
  ASSERT_EQ(
      run(Op::global_load_b128, {{Field::vdst, 3}, {Field::addr, 4}, {Field::saddr, kOffSaddr}}),
      Step::kNext);
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned i = 0; i < 4; ++i)
      EXPECT_EQ(v(3 + i, lane), peek<uint32_t>(spread(lane) + 4 * i));
}

TEST_F(GlobalTest, EveryStore) {
  constexpr unsigned kAddr = 2, kData = 10;
  for (const StoreCase& k : kStores) {
    for (const char* family : {"flat_", "global_"}) {
      wave.write64(isa::kExecLo, kExecSome);
      set_addresses(kAddr, 16);
      std::vector<uint8_t> want = memory;
      for (unsigned lane = 0; lane < 32; ++lane)
        for (unsigned b = 0; active(lane) && b < k.bytes; ++b)
          want[spread(lane) + b] =
              static_cast<uint8_t>(v(kData + b / 4, lane) >> (8 * (b % 4) + (k.high ? 16 : 0)));
      ASSERT_EQ(run(row(std::string(family) + k.name), {{Field::data, kData},
                                                        {Field::addr, kAddr},
                                                        {Field::saddr, kOffSaddr},
                                                        {Field::offset, 16}}),
                Step::kNext);
      ASSERT_EQ(memory, want) << family << k.name;
      for (unsigned lane = 0; lane < 32; ++lane) v(kData, lane) = random();
    }
  }
}

TEST_F(GlobalTest, Wave64) {
  restart(64);
  wave.write64(isa::kExecLo, 0x8000000180000001);
  for (unsigned lane = 0; lane < 64; ++lane) {
    set_v64(2, lane, kBase + lane * 8);
    set_v64(10, lane, 0);
  }
  ASSERT_EQ(
      run(Op::global_load_b64, {{Field::vdst, 10}, {Field::addr, 2}, {Field::saddr, kOffSaddr}}),
      Step::kNext);
  for (unsigned lane = 0; lane < 64; ++lane)
    EXPECT_EQ(v64(10, lane), active(lane) ? peek<uint64_t>(lane * 8) : 0) << lane;
}

TEST_F(GlobalTest, AddTid) {
  wave.write64(8, kBase + 64);
  ASSERT_EQ(
      run(Op::global_load_addtid_b32, {{Field::vdst, 6}, {Field::saddr, 8}, {Field::offset, 4}}),
      Step::kNext);
  for (unsigned lane = 0; lane < 32; ++lane) EXPECT_EQ(v(6, lane), peek<uint32_t>(68 + 4 * lane));
  ASSERT_EQ(
      run(Op::global_store_addtid_b32, {{Field::data, 7}, {Field::saddr, 8}, {Field::offset, 512}}),
      Step::kNext);
  for (unsigned lane = 0; lane < 32; ++lane) EXPECT_EQ(peek<uint32_t>(576 + 4 * lane), v(7, lane));
}

TEST_F(GlobalTest, LoadFaultIsPrecise) {
  wave.write64(isa::kExecLo, 0xfffffff0);
  for (unsigned lane = 0; lane < 32; ++lane) {
    set_v64(2, lane, kBase + lane * 8);
    v(10, lane) = 0x11111111;
  }
  set_v64(2, 1, 0);                  // inactive: never touched
  set_v64(2, 7, kBase + kSize - 4);  // reaches 4 bytes over the end
  set_v64(2, 9, 0);
  ASSERT_EQ(
      run(Op::global_load_b64, {{Field::vdst, 10}, {Field::addr, 2}, {Field::saddr, kOffSaddr}}),
      Step::kExit);
  expect_fault(FaultKind::kMemoryRead, 7, kBase + kSize - 4, 8);
  for (unsigned lane = 0; lane < 32; ++lane)
    EXPECT_EQ(v(10, lane), lane >= 4 && lane < 7 ? peek<uint32_t>(lane * 8) : 0x11111111u) << lane;
}

TEST_F(GlobalTest, StoreFaultWritesNothingOfTheLaneOrLaterOnes) {
  for (unsigned lane = 0; lane < 32; ++lane) set_v64(2, lane, kBase + lane * 16);
  set_v64(2, 3, kBase + kSize - 12);
  std::vector<uint8_t> want = memory;
  for (unsigned lane = 0; lane < 3; ++lane)
    for (unsigned i = 0; i < 4; ++i) std::memcpy(&want[lane * 16 + i * 4], &v(10 + i, lane), 4);
  ASSERT_EQ(
      run(Op::global_store_b128, {{Field::data, 10}, {Field::addr, 2}, {Field::saddr, kOffSaddr}}),
      Step::kExit);
  expect_fault(FaultKind::kMemoryWrite, 3, kBase + kSize - 12, 16);
  EXPECT_EQ(memory, want);
}

TEST_F(GlobalTest, NoLanesNoAccess) {
  wave.write64(isa::kExecLo, 0);
  for (unsigned lane = 0; lane < 32; ++lane) set_v64(2, lane, 0);
  EXPECT_EQ(
      run(Op::global_load_b32, {{Field::vdst, 10}, {Field::addr, 2}, {Field::saddr, kOffSaddr}}),
      Step::kNext);
  EXPECT_EQ(run(Op::global_atomic_add_u32,
                {{Field::data, 10}, {Field::addr, 2}, {Field::saddr, kOffSaddr}}),
            Step::kNext);
}

TEST_F(GlobalTest, FlatApertures) {
  fill_random(lds);
  fill_random(scratch);
  for (unsigned lane = 0; lane < 32; ++lane) {
    const uint64_t address = lane % 3 == 0   ? kBase + lane * 4
                             : lane % 3 == 1 ? c.shared_base + lane * 4
                                             : c.private_base + lane % 8 * 4;
    set_v64(2, lane, address);
  }
  ASSERT_EQ(
      run(Op::flat_load_b32,
          {{Field::vdst, 10}, {Field::addr, 2}, {Field::saddr, kOffSaddr}, {Field::offset, 4}}),
      Step::kNext);
  for (unsigned lane = 0; lane < 32; ++lane) {
    uint32_t want = 0;
    if (lane % 3 == 0) want = peek<uint32_t>(lane * 4 + 4);
    if (lane % 3 == 1) want = lds_at<uint32_t>(lane * 4 + 4);
    if (lane % 3 == 2) std::memcpy(&want, &scratch[(lane % 8 + 1) * 128 + lane * 4], 4);
    EXPECT_EQ(v(10, lane), want) << lane;
  }
  // LDS through a generic address obeys LDS's bounds rule.
  for (unsigned lane = 0; lane < 32; ++lane) set_v64(2, lane, c.shared_base + lds.size());
  ASSERT_EQ(
      run(Op::flat_load_b32, {{Field::vdst, 10}, {Field::addr, 2}, {Field::saddr, kOffSaddr}}),
      Step::kNext);
  EXPECT_EQ(v(10, 0), 0u);
  ASSERT_EQ(
      run(Op::flat_store_b32, {{Field::data, 10}, {Field::addr, 2}, {Field::saddr, kOffSaddr}}),
      Step::kNext);
}

TEST_F(GlobalTest, ScratchIsInterleavedByDword) {
  // Private address = vaddr + saddr + offset; dword d of lane l lies at d * 128 + l * 4.
  for (unsigned lane = 0; lane < 32; ++lane) {
    v(2, lane) = 6;
    v(11, lane) = 0x80 + lane;
    set_v64(12, lane, 0x0102030405060700 + lane);
  }
  wave.scalar[8] = 10;
  ASSERT_EQ(run(Op::scratch_store_b64, {{Field::data, 12},
                                        {Field::addr, 2},
                                        {Field::sve, 1},
                                        {Field::saddr, 8},
                                        {Field::offset, 0x1ff8}}),
            Step::kNext);
  for (unsigned lane = 0; lane < 32; ++lane) {
    uint32_t dword = 0;
    std::memcpy(&dword, &scratch[2 * 128 + lane * 4], 4);  // 6 + 10 - 8 = 8
    EXPECT_EQ(dword, 0x05060700 + lane);
    std::memcpy(&dword, &scratch[3 * 128 + lane * 4], 4);
    EXPECT_EQ(dword, 0x01020304u);
  }
  ASSERT_EQ(
      run(Op::scratch_store_b8, {{Field::data, 11}, {Field::saddr, kOffSaddr}, {Field::offset, 9}}),
      Step::kNext);
  EXPECT_EQ(scratch[2 * 128 + 5 * 4 + 1], 0x85);
  // A dword that straddles two of them, and sign extension.
  ASSERT_EQ(run(Op::scratch_load_b32,
                {{Field::vdst, 14}, {Field::saddr, kOffSaddr}, {Field::offset, 10}}),
            Step::kNext);
  EXPECT_EQ(v(14, 3), 0x03040506u);
  ASSERT_EQ(run(Op::scratch_load_i8, {{Field::vdst, 14},
                                      {Field::addr, 2},
                                      {Field::sve, 1},
                                      {Field::saddr, kOffSaddr},
                                      {Field::offset, 3}}),
            Step::kNext);
  EXPECT_EQ(v(14, 3), 0xffffff83u);
}

TEST_F(GlobalTest, ScratchEndsWhereTheKernelSays) {
  ASSERT_EQ(
      run(Op::scratch_load_b32,
          {{Field::vdst, 14}, {Field::saddr, kOffSaddr}, {Field::offset, kScratchPerLane - 4}}),
      Step::kNext);
  wave.write64(isa::kExecLo, 0xfffffffc);
  ASSERT_EQ(
      run(Op::scratch_load_b64,
          {{Field::vdst, 14}, {Field::saddr, kOffSaddr}, {Field::offset, kScratchPerLane - 4}}),
      Step::kExit);
  expect_fault(FaultKind::kMemoryRead, 2, kScratchPerLane - 4, 8);
  ASSERT_EQ(run(Op::scratch_store_b32,
                {{Field::data, 14}, {Field::saddr, kOffSaddr}, {Field::offset, 0x1fff}}),
            Step::kExit);
  expect_fault(FaultKind::kMemoryWrite, 2, 0xffffffff, 4);
}

}  // namespace
}  // namespace lockstep::emu::testing
