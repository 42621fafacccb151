// SPDX-License-Identifier: MIT
// Scalar memory: widths, offsets, alignment, buffer bounds, faults.
#include "tests/emu/wave_fixture.h"

namespace lockstep::emu::testing {
namespace {

class SmemTest : public WaveTest {
 protected:
  static constexpr unsigned kPtr = 4, kOff = 9, kDst = 20, kRsrc = 40;
  SmemTest() {
    fill_random(memory);
    wave.write64(kPtr, kBase + 256);
  }
  void expect_registers(unsigned first, unsigned n, uint64_t offset) {
    for (unsigned i = 0; i < n; ++i)
      EXPECT_EQ(wave.scalar[first + i], peek<uint32_t>(offset + 4 * i)) << "dword " << i;
  }
  void set_buffer(uint64_t base, uint32_t stride, uint32_t records) {
    wave.write64(kRsrc, base | uint64_t{stride} << 48);
    wave.scalar[kRsrc + 2] = records;
    wave.scalar[kRsrc + 3] = 0;
  }
};

TEST_F(SmemTest, Widths) {
  const std::pair<Op, unsigned> kLoads[] = {{Op::s_load_b32, 1},
                                            {Op::s_load_b64, 2},
                                            {Op::s_load_b128, 4},
                                            {Op::s_load_b256, 8},
                                            {Op::s_load_b512, 16}};
  for (const auto& [op, n] : kLoads) {
    std::fill_n(wave.scalar + kDst, 20, 0xcccccccc);
    ASSERT_EQ(run(op, {{Field::sdata, kDst},
                       {Field::sbase, kPtr / 2},
                       {Field::soffset, isa::kNull},
                       {Field::offset, 32}}),
              Step::kNext);
    expect_registers(kDst, n, 288);
    EXPECT_EQ(wave.scalar[kDst + n], 0xccccccccu);
    EXPECT_EQ(wave.scalar[kDst - 1], 0u);
  }
}

TEST_F(SmemTest, OffsetsAddAndLowBitsAreIgnored) {
  wave.scalar[kOff] = 64 + 2;
  run(Op::s_load_b64, {{Field::sdata, kDst},
                       {Field::sbase, kPtr / 2},
                       {Field::soffset, kOff},
                       {Field::offset, 0x1fffff - 7}});
  expect_registers(kDst, 2, 256 + 64 - 8);  // 64 + 2 - 8 = 58, aligned down to 56
  run(Op::s_load_b32, {{Field::sdata, kDst},
                       {Field::sbase, kPtr / 2},
                       {Field::soffset, isa::kNull},
                       {Field::offset, 0x1fff00}});
  expect_registers(kDst, 1, 0);
  wave.scalar[kOff] = 0x80000000;  // the register offset is unsigned
  wave.write64(kPtr, kBase - 0x80000000);
  run(Op::s_load_b32, {{Field::sdata, kDst},
                       {Field::sbase, kPtr / 2},
                       {Field::soffset, kOff},
                       {Field::offset, 12}});
  expect_registers(kDst, 1, 12);
}

TEST_F(SmemTest, MayOverwriteItsOwnBase) {
  run(Op::s_load_b128, {{Field::sdata, kPtr},
                        {Field::sbase, kPtr / 2},
                        {Field::soffset, isa::kNull},
                        {Field::offset, 16}});
  expect_registers(kPtr, 4, 272);
}

TEST_F(SmemTest, ReachesVccAndIgnoresExec) {
  wave.write64(isa::kExecLo, 0);
  run(Op::s_load_b64,
      {{Field::sdata, isa::kVccLo}, {Field::sbase, kPtr / 2}, {Field::soffset, isa::kNull}});
  EXPECT_EQ(wave.read64(isa::kVccLo), peek<uint64_t>(256));
}

TEST_F(SmemTest, Faults) {
  std::fill_n(wave.scalar + kDst, 4, 5);
  EXPECT_EQ(run(Op::s_load_b128, {{Field::sdata, kDst},
                                  {Field::sbase, kPtr / 2},
                                  {Field::soffset, isa::kNull},
                                  {Field::offset, kSize - 256 - 8}}),
            Step::kExit);
  expect_fault(FaultKind::kMemoryRead, -1, kBase + kSize - 8, 16);
  EXPECT_EQ(wave.scalar[kDst], 5u);
  wave.write64(kPtr, 0);
  EXPECT_EQ(run(Op::s_load_b32, {{Field::sdata, kDst},
                                 {Field::sbase, kPtr / 2},
                                 {Field::soffset, isa::kNull},
                                 {Field::offset, 16}}),
            Step::kExit);
  expect_fault(FaultKind::kMemoryRead, -1, 16, 4);
}

TEST_F(SmemTest, BufferBounds) {
  set_buffer(kBase + 128, 0, 24);
  run(Op::s_buffer_load_b128, {{Field::sdata, kDst},
                               {Field::sbase, kRsrc / 2},
                               {Field::soffset, isa::kNull},
                               {Field::offset, 16}});
  expect_registers(kDst, 2, 144);
  EXPECT_EQ(wave.read64(kDst + 2), 0u);
  run(Op::s_buffer_load_b64, {{Field::sdata, kDst},
                              {Field::sbase, kRsrc / 2},
                              {Field::soffset, isa::kNull},
                              {Field::offset, 24}});
  EXPECT_EQ(wave.read64(kDst), 0u);
  set_buffer(kBase + 128, 8, 3);  // with a stride, records count elements
  run(Op::s_buffer_load_b64, {{Field::sdata, kDst},
                              {Field::sbase, kRsrc / 2},
                              {Field::soffset, isa::kNull},
                              {Field::offset, 16}});
  expect_registers(kDst, 2, 144);
  set_buffer(kBase + 128, 0, 0);  // empty, not unlimited
  run(Op::s_buffer_load_b32,
      {{Field::sdata, kDst}, {Field::sbase, kRsrc / 2}, {Field::soffset, isa::kNull}});
  EXPECT_EQ(wave.scalar[kDst], 0u);
  set_buffer(0, 0, 16);  // inside the bounds, but no memory there
  EXPECT_EQ(run(Op::s_buffer_load_b32,
                {{Field::sdata, kDst}, {Field::sbase, kRsrc / 2}, {Field::soffset, isa::kNull}}),
            Step::kExit);
  EXPECT_EQ(c.fault.kind, FaultKind::kMemoryRead);
}

TEST_F(SmemTest, CacheControlIsSilent) {
  EXPECT_EQ(run(Op::s_dcache_inv, {}), Step::kNext);
  EXPECT_EQ(run(Op::s_gl1_inv, {}), Step::kNext);
}

class SmemGfx12Test : public SmemTest {
 protected:
  SmemGfx12Test() { isa_ = isa::Isa::kGfx12, restart(32), wave.write64(kPtr, kBase + 256); }
};

TEST_F(SmemGfx12Test, SubDwords) {
  poke(256 + 5, uint8_t{0x91});
  poke(256 + 6, uint16_t{0x8234});
  const auto go = [&](Op op, uint32_t offset) {
    EXPECT_EQ(run(op, {{Field::sdata, kDst},
                       {Field::sbase, kPtr / 2},
                       {Field::soffset, isa::kNull},
                       {Field::offset, offset}}),
              Step::kNext);
    return wave.scalar[kDst];
  };
  EXPECT_EQ(go(Op::s_load_u8, 5), 0x91u);
  EXPECT_EQ(go(Op::s_load_i8, 5), 0xffffff91u);
  EXPECT_EQ(go(Op::s_load_u16, 7), 0x8234u);
  EXPECT_EQ(go(Op::s_load_i16, 6), 0xffff8234u);
  wave.scalar[kDst + 3] = 77;
  go(Op::s_load_b96, 32);
  expect_registers(kDst, 3, 288);
  EXPECT_EQ(wave.scalar[kDst + 3], 77u);
}

}  // namespace
}  // namespace lockstep::emu::testing
