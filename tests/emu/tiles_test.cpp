// SPDX-License-Identifier: MIT
// Transposing loads, blocks of registers, loads that go to LDS, scalar atomics.
#include "tests/emu/wave_fixture.h"

namespace lockstep::emu::testing {
namespace {

class Gfx12Tiles : public WaveTest {
 protected:
  static constexpr unsigned kAddress = 4, kData = 40;
  Gfx12Tiles() : WaveTest(32, isa::Isa::kGfx12) { resize(32); }
  void resize(uint32_t lanes) {
    restart(lanes);
    wave.allocate(lanes, 128, 0, 106);
    wave.pc = 0x2000;
    wave.flat_scratch = kScratchBase;
    wave.write64(isa::kExecLo, wave.lane_mask());
    fill_random(memory);
  }
};

TEST_F(Gfx12Tiles, TransposedTilesAreColumnsOfWhatPlainLoadsGive) {
  for (const uint32_t lanes : {32u, 64u})
    for (const unsigned bytes : {1u, 2u}) {
      resize(lanes);
      // A 16 x 16 tile with rows of `pitch` bytes; a lane points at its part of row lane % 16.
      const unsigned each = 256 / lanes, pitch = 16 * bytes + 32;
      for (unsigned lane = 0; lane < lanes; ++lane)
        set_v64(kAddress, lane, kBase + lane % 16 * pitch + lane / 16 * each * bytes);
      ASSERT_EQ(run(bytes == 2 ? Op::global_load_tr_b128 : Op::global_load_tr_b64,
                    {{Field::vdst, kData}, {Field::addr, kAddress}, {Field::saddr, isa::kNull}}),
                Step::kNext);
      for (unsigned lane = 0; lane < lanes; ++lane)
        for (unsigned e = 0; e < each; ++e) {
          const unsigned row = lane / 16 * each + e, column = lane % 16;
          const uint32_t word = v(kData + e * bytes / 4, lane);
          const uint32_t got = word >> e * bytes % 4 * 8 & ((1u << 8 * bytes) - 1);
          const uint32_t wanted = bytes == 2 ? peek<uint16_t>(row * pitch + column * 2)
                                             : peek<uint8_t>(row * pitch + column);
          ASSERT_EQ(got, wanted) << lanes << " lane " << lane << " element " << e;
        }
    }
}

TEST_F(Gfx12Tiles, BlocksMoveTheRegistersThatM0Names) {
  const uint32_t mask = 0x80000105;
  wave.scalar[isa::kM0] = mask;
  wave.write64(isa::kExecLo, 0b101);
  for (unsigned lane = 0; lane < 3; ++lane) {
    set_v64(kAddress, lane, kBase + 256 * lane);
    for (unsigned r = 0; r < 32; ++r) v(kData + r, lane) = 0xcc;
  }
  ASSERT_EQ(run(Op::global_load_block, {{Field::vdst, kData},
                                        {Field::addr, kAddress},
                                        {Field::saddr, isa::kNull},
                                        {Field::offset, 16}}),
            Step::kNext);
  for (unsigned lane = 0; lane < 3; ++lane)
    for (unsigned r = 0; r < 32; ++r)
      EXPECT_EQ(v(kData + r, lane),
                lane != 1 && mask >> r & 1 ? peek<uint32_t>(256 * lane + 16 + 4 * r) : 0xccu)
          << lane << " " << r;
  // Scratch: out and back in.
  wave.scalar[isa::kM0] = 0b1011;
  for (unsigned lane = 0; lane < 3; ++lane) v(kAddress, lane) = 8;
  const FieldValues out = {
      {Field::data, kData}, {Field::addr, kAddress}, {Field::saddr, isa::kNull}, {Field::sve, 1}};
  const FieldValues in = {
      {Field::vdst, 80}, {Field::addr, kAddress}, {Field::saddr, isa::kNull}, {Field::sve, 1}};
  ASSERT_EQ(run(Op::scratch_store_block, out), Step::kNext);
  ASSERT_EQ(run(Op::scratch_load_block, in), Step::kNext);
  for (const unsigned r : {0u, 1u, 3u}) EXPECT_EQ(v(80 + r, 2), v(kData + r, 2)) << r;
  EXPECT_EQ(v(82, 2), 0u);
}

class Gfx950Tiles : public WaveTest {
 protected:
  static constexpr unsigned kAddress = 4, kData = 10;
  Gfx950Tiles() : WaveTest(64, isa::Isa::kGfx950) {
    lds.resize(4096);
    c.lds = lds.data();
    c.lds_size = 4096;
    fill_random(memory);
  }
};

TEST_F(Gfx950Tiles, TransposedLdsReads) {
  struct Shape {
    Op op;
    unsigned bits, dwords;
  };
  for (const Shape& s :
       {Shape{Op::ds_load_b64_tr_b4, 4, 2}, Shape{Op::ds_load_b96_tr_b6, 6, 3},
        Shape{Op::ds_load_b64_tr_b8, 8, 2}, Shape{Op::ds_load_b64_tr_b16, 16, 2}}) {
    // Each group of 16 lanes reads a matrix of 16 columns; element (row, column) is row * 16 +
    // column, cut to its width and turned by the group.
    const unsigned bytes = s.dwords * 4, each = bytes * 8 / s.bits;
    const auto element = [&](unsigned group, unsigned row, unsigned column) {
      return (row * 37 + column * 11 + group * 5) & ((1u << s.bits) - 1);
    };
    std::fill(lds.begin(), lds.end(), uint8_t{0});
    for (unsigned lane = 0; lane < 64; ++lane) {
      v(kAddress, lane) = lane * bytes;
      for (unsigned e = 0; e < each; ++e) {
        const unsigned flat = lane % 16 * each + e;  // rows of 16, one after the other
        const uint32_t value = element(lane / 16, flat / 16, flat % 16);
        for (unsigned bit = 0; bit < s.bits; ++bit) {
          const unsigned at = e * s.bits + bit;
          lds[16 + lane * bytes + at / 8] |= static_cast<uint8_t>((value >> bit & 1) << at % 8);
        }
      }
    }
    ASSERT_EQ(run(s.op, {{Field::vdst, kData}, {Field::addr, kAddress}, {Field::offset0, 16}}),
              Step::kNext);
    for (unsigned lane = 0; lane < 64; ++lane)
      for (unsigned e = 0; e < each; ++e) {
        uint32_t got = 0;
        for (unsigned bit = 0; bit < s.bits; ++bit) {
          const unsigned at = e * s.bits + bit;
          got |= (v(kData + at / 32, lane) >> at % 32 & 1) << bit;
        }
        ASSERT_EQ(got, element(lane / 16, e, lane % 16)) << s.bits << " " << lane << " " << e;
      }
  }
}

TEST_F(Gfx950Tiles, GlobalLoadsToLds) {
  wave.scalar[isa::kM0] = 256;
  wave.write64(isa::kExecLo, 0xfffffffffffffffd);
  for (unsigned lane = 0; lane < 64; ++lane) set_v64(kAddress, lane, kBase + 16 * lane);
  const FieldValues fields = {{Field::addr, kAddress}, {Field::saddr, 127}, {Field::offset, 8}};
  set_lds<uint32_t>(256 + 8 + 4, 0x77);
  ASSERT_EQ(run(Op::global_load_lds_i8, fields), Step::kNext);
  for (unsigned lane = 0; lane < 64; ++lane)
    EXPECT_EQ(lds_at<uint32_t>(264 + 4 * lane),
              lane == 1 ? 0x77u : static_cast<uint32_t>(peek<int8_t>(16 * lane + 8)));
  ASSERT_EQ(run(Op::global_load_lds_b128, fields), Step::kNext);
  for (unsigned lane = 2; lane < 64; ++lane)
    for (unsigned i = 0; i < 4; ++i)
      EXPECT_EQ(lds_at<uint32_t>(264 + 16 * lane + 4 * i), peek<uint32_t>(16 * lane + 8 + 4 * i));
}

class ScalarAtomics : public WaveTest {
 protected:
  ScalarAtomics() : WaveTest(64, isa::Isa::kGfx90a) {}
};

TEST_F(ScalarAtomics, ReturnTheOldValueAndCompare) {
  wave.write64(4, kBase + 64);
  poke<uint32_t>(64, 100);
  wave.scalar[10] = 7;
  const FieldValues returning = {
      {Field::sdata, 10}, {Field::sbase, 2}, {Field::imm, 1}, {Field::glc, 1}};
  ASSERT_EQ(run(Op::s_atomic_add_u32, returning), Step::kNext);
  EXPECT_EQ(peek<uint32_t>(64), 107u);
  EXPECT_EQ(wave.scalar[10], 100u);
  poke<uint64_t>(64, 5);
  wave.write64(12, 9);  // new value
  wave.write64(14, 5);  // expected
  ASSERT_EQ(run(Op::s_atomic_cmpswap_b64, {{Field::sdata, 12}, {Field::sbase, 2}, {Field::imm, 1}}),
            Step::kNext);
  EXPECT_EQ(peek<uint64_t>(64), 9u);
  EXPECT_EQ(wave.read64(12), 9u);
  // A buffer's end.
  wave.write64(20, kBase);
  wave.scalar[22] = 64;
  wave.scalar[23] = 0;
  ASSERT_EQ(run(Op::s_buffer_atomic_or_b32, {{Field::sdata, 10},
                                             {Field::sbase, 10},
                                             {Field::imm, 1},
                                             {Field::offset, 64},
                                             {Field::glc, 1}}),
            Step::kNext);
  EXPECT_EQ(peek<uint64_t>(64), 9u);
  EXPECT_EQ(wave.scalar[10], 0u);
}

}  // namespace
}  // namespace lockstep::emu::testing
