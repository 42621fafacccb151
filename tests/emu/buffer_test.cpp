// SPDX-License-Identifier: MIT
// Buffer instructions: addressing, swizzle, range checks, typed formats, atomics.
#include <cmath>

#include "emu/buffer_format.h"
#include "tests/emu/wave_fixture.h"

namespace lockstep::emu::testing {
namespace {

constexpr uint32_t kStructured = 0, kIndexOnly = 1, kNotEmpty = 2, kRaw = 3;
constexpr uint64_t kStart = 0x100000000 + 512;

struct Shape {
  uint32_t stride = 0, records = 1024, check = kRaw, swizzle = 0, index_stride = 0;
  bool add_tid = false;
  uint32_t format = 0, select = 4 | 5 << 3 | 6 << 6 | 7 << 9;
  uint64_t base = kStart;
};
struct Form {
  bool idxen = false, offen = false;
  uint32_t offset = 0, soffset = kInlineZero;
};

class BufferTest : public WaveTest {
 protected:
  static constexpr unsigned kRsrc = 8, kAddr = 2, kData = 6, kDst = 14;

  BufferTest() { fill_random(memory); }
  void set_resource(const Shape& s) {
    wave.scalar[kRsrc] = static_cast<uint32_t>(s.base);
    wave.scalar[kRsrc + 1] = static_cast<uint32_t>(s.base >> 32) | s.stride << 16 | s.swizzle << 30;
    wave.scalar[kRsrc + 2] = s.records;
    wave.scalar[kRsrc + 3] = s.select | s.format << 12 | s.index_stride << 21 |
                             uint32_t{s.add_tid} << 23 | s.check << 28;
  }
  Step go(Op op, unsigned reg, const Form& f = {}, FieldValues more = {}) {
    std::vector<std::pair<Field, uint32_t>> fields = {
        {Field::vdata, reg},        {Field::vaddr, kAddr},   {Field::srsrc, kRsrc / 4},
        {Field::idxen, f.idxen},    {Field::offen, f.offen}, {Field::offset, f.offset},
        {Field::soffset, f.soffset}};
    fields.insert(fields.end(), more.begin(), more.end());
    return run_fields(op, fields);
  }
  Step run_fields(Op op, const std::vector<std::pair<Field, uint32_t>>& fields) {
    isa::Inst inst = *isa::make_inst(isa_, op, isa::op_info(op).format);
    for (const auto& [field, value] : fields) EXPECT_TRUE(inst.set(field, value));
    Uop u;
    u.inst = inst;
    u.ops = isa::operands_of(inst, wave.wave_size);
    u.size = inst.size;
    return handlers()[static_cast<size_t>(op)](c, u);
  }
};

TEST_F(BufferTest, OffsetsAdd) {
  set_resource({});
  wave.scalar[20] = 64;
  for (unsigned lane = 0; lane < 32; ++lane) v(kAddr, lane) = lane * 12;
  ASSERT_EQ(go(Op::buffer_load_b32, kDst, {.offen = true, .offset = 8, .soffset = 20}),
            Step::kNext);
  for (unsigned lane = 0; lane < 32; ++lane)
    EXPECT_EQ(v(kDst, lane), peek<uint32_t>(512 + lane * 12 + 72));
}

TEST_F(BufferTest, IndexTimesStride) {
  set_resource({.stride = 20, .records = 32, .check = kStructured});
  for (unsigned lane = 0; lane < 32; ++lane) {
    v(kAddr, lane) = 31 - lane;
    v(kAddr + 1, lane) = 4;
  }
  ASSERT_EQ(go(Op::buffer_load_b64, kDst, {.idxen = true, .offen = true, .offset = 8}),
            Step::kNext);
  for (unsigned lane = 0; lane < 32; ++lane)
    EXPECT_EQ(v64(kDst, lane), peek<uint64_t>(512 + (31 - lane) * 20 + 12)) << lane;
}

TEST_F(BufferTest, ThreadIdAsIndex) {
  set_resource({.stride = 16, .records = 32, .check = kStructured, .add_tid = true});
  ASSERT_EQ(go(Op::buffer_load_u8, kDst, {.offset = 3}), Step::kNext);
  for (unsigned lane = 0; lane < 32; ++lane) EXPECT_EQ(v(kDst, lane), memory[512 + lane * 16 + 3]);
}

TEST_F(BufferTest, Swizzle) {
  // Elements of 4 bytes, groups of 8 records: dword d of record i lies at (i / 8 * stride + d * 4)
  // * 8 + i % 8 * 4.
  set_resource(
      {.stride = 16, .records = 32, .check = kStructured, .swizzle = 1, .index_stride = 0});
  for (unsigned lane = 0; lane < 32; ++lane) v(kAddr, lane) = lane;
  ASSERT_EQ(go(Op::buffer_load_b32, kDst, {.idxen = true, .offset = 8}), Step::kNext);
  for (unsigned lane = 0; lane < 32; ++lane)
    EXPECT_EQ(v(kDst, lane), peek<uint32_t>(512 + (lane / 8 * 16 + 8) * 8 + lane % 8 * 4)) << lane;
  // Elements of 16 bytes, groups of 16.
  set_resource({.stride = 32, .records = 32, .check = kRaw, .swizzle = 3, .index_stride = 1});
  ASSERT_EQ(go(Op::buffer_load_b32, kDst, {.idxen = true, .offset = 20}), Step::kNext);
  for (unsigned lane = 0; lane < 32; ++lane)
    EXPECT_EQ(v(kDst, lane), peek<uint32_t>(512 + (lane / 16 * 32 + 16) * 16 + lane % 16 * 16 + 4))
        << lane;
}

TEST_F(BufferTest, RangeChecks) {
  struct Case {
    uint32_t check, stride, records, index, offset;
    unsigned dwords_read;  ///< of a b64 load
  };
  constexpr Case kCases[] = {
      {kRaw, 0, 24, 0, 16, 2},         {kRaw, 0, 24, 0, 20, 1},
      {kRaw, 0, 24, 0, 24, 0},         {kRaw, 0, 0, 0, 0, 0},
      {kRaw, 0, 24, 0, 0xfffffff0, 0}, {kStructured, 16, 3, 2, 8, 2},
      {kStructured, 16, 3, 2, 12, 0},  {kStructured, 16, 3, 3, 0, 0},
      {kIndexOnly, 16, 3, 2, 40, 2},   {kIndexOnly, 16, 3, 3, 0, 0},
      {kNotEmpty, 16, 1, 9, 40, 2},    {kNotEmpty, 16, 0, 0, 0, 0},
  };
  wave.write64(isa::kExecLo, 1);
  for (const Case& k : kCases) {
    set_resource({.stride = k.stride, .records = k.records, .check = k.check});
    v(kAddr, 0) = k.index;
    v(kAddr + 1, 0) = k.offset;
    set_v64(kDst, 0, ~uint64_t{0});
    ASSERT_EQ(go(Op::buffer_load_b64, kDst, {.idxen = true, .offen = true}), Step::kNext);
    const uint64_t at = 512 + k.index * k.stride + k.offset;
    for (unsigned i = 0; i < 2; ++i)
      EXPECT_EQ(v(kDst + i, 0), i < k.dwords_read ? peek<uint32_t>(at + 4 * i) : 0)
          << "check " << k.check << " records " << k.records << " offset " << k.offset;
    std::vector<uint8_t> want = memory;
    set_v64(kData, 0, 0x0102030405060708);
    for (unsigned i = 0; i < k.dwords_read; ++i)
      std::memcpy(&want[at + 4 * i], &v(kData + i, 0), 4);
    ASSERT_EQ(go(Op::buffer_store_b64, kData, {.idxen = true, .offen = true}), Step::kNext);
    EXPECT_EQ(memory, want);
  }
}

TEST_F(BufferTest, SoffsetIsOutsideTheRangeCheck) {
  set_resource({.records = 16});
  wave.scalar[20] = 256;
  wave.write64(isa::kExecLo, 1);
  ASSERT_EQ(go(Op::buffer_load_b32, kDst, {.offset = 12, .soffset = 20}), Step::kNext);
  EXPECT_EQ(v(kDst, 0), peek<uint32_t>(512 + 268));
}

TEST_F(BufferTest, SubDwordsKeepTheOtherHalf) {
  set_resource({});
  wave.write64(isa::kExecLo, 1);
  poke(512, uint16_t{0x8f91});
  const auto load = [&](Op op) {
    v(kDst, 0) = 0x12345678;
    EXPECT_EQ(go(op, kDst), Step::kNext);
    return v(kDst, 0);
  };
  EXPECT_EQ(load(Op::buffer_load_i8), 0xffffff91u);
  EXPECT_EQ(load(Op::buffer_load_i16), 0xffff8f91u);
  EXPECT_EQ(load(Op::buffer_load_d16_u8), 0x12340091u);
  EXPECT_EQ(load(Op::buffer_load_d16_hi_i8), 0xff915678u);
  EXPECT_EQ(load(Op::buffer_load_d16_hi_b16), 0x8f915678u);
  v(kData, 0) = 0xaabbccdd;
  go(Op::buffer_store_d16_hi_b8, kData, {.offset = 1});
  EXPECT_EQ(peek<uint16_t>(512), 0xbb91);
}

TEST_F(BufferTest, AtomicsAndFaults) {
  set_resource({.records = 64});
  for (unsigned lane = 0; lane < 32; ++lane) {
    v(kAddr, lane) = lane < 31 ? 4 : 64;  // the last one is out of range
    v(kData, lane) = 1;
  }
  poke(516, 100u);
  ASSERT_EQ(go(Op::buffer_atomic_add_u32, kData, {.offen = true}, {{Field::glc, 1}}), Step::kNext);
  EXPECT_EQ(peek<uint32_t>(516), 131u);
  for (unsigned lane = 0; lane < 31; ++lane) EXPECT_EQ(v(kData, lane), 100 + lane);
  EXPECT_EQ(v(kData, 31), 0u);
  set_resource({.records = 64, .base = 0x1000});
  ASSERT_EQ(go(Op::buffer_load_b32, kDst, {.offset = 4}), Step::kExit);
  expect_fault(FaultKind::kMemoryRead, 0, 0x1004, 4);
}

TEST_F(BufferTest, LoadToLds) {
  set_resource({.stride = 4, .records = 32, .check = kStructured, .add_tid = true});
  wave.scalar[isa::kM0] = 16;
  ASSERT_EQ(go(Op::buffer_load_lds_b32, 0), Step::kNext);
  for (unsigned lane = 0; lane < 32; ++lane)
    EXPECT_EQ(lds_at<uint32_t>(16 + lane * 4), peek<uint32_t>(512 + lane * 4));
}

constexpr uint32_t kFmt8888Unorm = 42, kFmt16Float = 13, kFmt3232Uint = 48, kFmt11Float = 30,
                   kFmt2_10Snorm = 37;

TEST_F(BufferTest, FormatOfTheResourceWithSelect) {
  wave.write64(isa::kExecLo, 1);
  poke(512, uint32_t{0x00ff8040});
  set_resource({.format = kFmt8888Unorm, .select = 6 | 5 << 3 | 4 << 6 | 1 << 9});  // z y x 1
  ASSERT_EQ(go(Op::buffer_load_format_xyzw, kDst), Step::kNext);
  const float want[] = {1.0f, 128 / 255.0f, 64 / 255.0f, 1.0f};
  for (unsigned i = 0; i < 4; ++i) EXPECT_EQ(std::bit_cast<float>(v(kDst + i, 0)), want[i]) << i;
  const float stored[] = {0.5f, -3.0f, 7.0f, 1.0f};
  for (unsigned i = 0; i < 4; ++i) v(kData + i, 0) = std::bit_cast<uint32_t>(stored[i]);
  ASSERT_EQ(go(Op::buffer_store_format_xyzw, kData), Step::kNext);
  EXPECT_EQ(peek<uint32_t>(512), 0xffff0080u);  // 127.5 rounds to even
  set_resource({});                             // format 0
  ASSERT_EQ(go(Op::buffer_load_format_x, kDst), Step::kExit);
  EXPECT_EQ(c.fault.kind, FaultKind::kIllegalInstruction);
}

TEST_F(BufferTest, FormatOfTheInstruction) {
  wave.write64(isa::kExecLo, 1);
  set_resource({.select = 0});
  poke(512, uint64_t{0x8000000000000007});
  ASSERT_EQ(go(Op::tbuffer_load_format_xyzw, kDst, {}, {{Field::format, kFmt3232Uint}}),
            Step::kNext);
  EXPECT_EQ(v64(kDst, 0), 0x8000000000000007u);
  EXPECT_EQ(v(kDst + 2, 0), 0u);
  EXPECT_EQ(v(kDst + 3, 0), 1u);  // components that the format lacks: 0, 0, 0, 1
  poke(512, uint32_t{1u << 9 | 511u << 10 | 2u << 30});
  ASSERT_EQ(go(Op::tbuffer_load_d16_format_xyzw, kDst, {}, {{Field::format, kFmt2_10Snorm}}),
            Step::kNext);
  EXPECT_EQ(v(kDst, 0), 0x3c00bc00u);      // -512 clamps to -1; 511 is 1
  EXPECT_EQ(v(kDst + 1, 0), 0xbc000000u);  // w: -2 of 2 bits clamps to -1
  v(kData, 0) = 0x4500;
  ASSERT_EQ(go(Op::tbuffer_store_d16_format_x, kData, {}, {{Field::format, kFmt16Float}}),
            Step::kNext);
  EXPECT_EQ(peek<uint16_t>(512), 0x4500);
  v(kDst, 0) = 0x11112222;
  ASSERT_EQ(go(Op::tbuffer_load_d16_format_x, kDst, {}, {{Field::format, kFmt16Float}}),
            Step::kNext);
  EXPECT_EQ(v(kDst, 0), 0x11114500u);
}

TEST(BufferFormat, SmallFloatsGoThereAndBack) {
  const auto format = unified_format(kFmt11Float);
  ASSERT_TRUE(format);
  EXPECT_EQ(format->bits, (std::array<uint8_t, 4>{11, 11, 10, 0}));
  for (unsigned bits : {10u, 11u}) {
    const unsigned fraction = bits - 5;
    for (uint32_t raw = 0; raw < 31u << fraction; ++raw) {
      const float value = std::bit_cast<float>(to_register(NumberType::kFloat, bits, raw, false));
      const int exponent = static_cast<int>(raw >> fraction);
      const double mantissa = raw & ((1u << fraction) - 1);
      const double want = exponent ? std::ldexp(1 + mantissa / (1 << fraction), exponent - 15)
                                   : std::ldexp(mantissa, -14 - static_cast<int>(fraction));
      ASSERT_EQ(value, want) << bits << " " << raw;
      ASSERT_EQ(from_register(NumberType::kFloat, bits, std::bit_cast<uint32_t>(value), false), raw)
          << bits;
    }
  }
  EXPECT_EQ(from_register(NumberType::kFloat, 11, std::bit_cast<uint32_t>(-1.0f), false), 0u);
  EXPECT_EQ(from_register(NumberType::kFloat, 11, std::bit_cast<uint32_t>(1e30f), false), 31u << 6);
}

TEST(BufferFormat, NormalisedAndScaledGoThereAndBack) {
  for (unsigned bits : {2u, 8u, 10u, 16u})
    for (NumberType type : {NumberType::kUnorm, NumberType::kSnorm, NumberType::kUscaled,
                            NumberType::kSscaled, NumberType::kUint, NumberType::kSint})
      for (uint32_t raw = 0; raw < 1u << bits; ++raw) {
        const uint32_t value = to_register(type, bits, raw, false);
        const uint32_t lowest = 1u << (bits - 1);  // snorm has two codes for -1
        const uint32_t want = type == NumberType::kSnorm && raw == lowest ? lowest + 1 : raw;
        ASSERT_EQ(from_register(type, bits, value, false), want)
            << int(type) << " " << bits << " " << raw;
      }
  EXPECT_EQ(to_register(NumberType::kSint, 8, 0x80, false), 0xffffff80u);
  EXPECT_EQ(std::bit_cast<float>(to_register(NumberType::kSscaled, 8, 0x80, false)), -128.0f);
  EXPECT_EQ(std::bit_cast<float>(to_register(NumberType::kUnorm, 16, 0xffff, false)), 1.0f);
  EXPECT_EQ(from_register(NumberType::kUnorm, 8, 0x7fc00000, false), 0u);  // NaN
}

TEST(BufferFormat, TablesOfBothGenerations) {
  EXPECT_FALSE(unified_format(0));
  EXPECT_FALSE(unified_format(64));
  EXPECT_FALSE(split_format(15, 4));
  EXPECT_FALSE(split_format(1, 6));
  for (unsigned i = 1; i < 64; ++i)
    EXPECT_TRUE(unified_format(i)->bytes() == 1 || unified_format(i)->bytes() % 2 == 0) << i;
  EXPECT_EQ(split_format(14, 7)->bytes(), 16u);
  EXPECT_EQ(unified_format(63)->bytes(), 16u);
}

}  // namespace
}  // namespace lockstep::emu::testing
