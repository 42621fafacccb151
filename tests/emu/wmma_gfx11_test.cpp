// SPDX-License-Identifier: MIT
// WMMA against plain matrix products on lane-distinct, non-uniform data, in every layout of gfx11.
#include <gtest/gtest.h>

#include <array>
#include <random>
#include <vector>

#include "emu/half.h"
#include "emu/handlers.h"
#include "isa/operand.h"

namespace lockstep::emu {
namespace {

using isa::Field;
using isa::Op;

constexpr unsigned kA = 8, kB = 24, kC = 40, kD = 64;

struct Case {
  WaveState wave;
  Context context;
  Uop uop;

  Case(Op op, unsigned wave_size) {
    wave.allocate(wave_size, 128, 0, 106);
    wave.write64(isa::kExecLo, wave.lane_mask());
    context.wave = &wave;
    auto inst = isa::make_inst(isa::Isa::kGfx11, op, isa::Format::VOP3P);
    EXPECT_TRUE(inst) << inst.error();
    uop.inst = *inst;
    set(Field::vdst, kD);
    set(Field::src0, isa::kSrcVgpr0 + kA);
    set(Field::src1, isa::kSrcVgpr0 + kB);
    set(Field::src2, isa::kSrcVgpr0 + kC);
  }
  void set(Field field, uint32_t value) { ASSERT_TRUE(uop.inst.set(field, value)); }
  void run() {
    uop.size = uop.inst.size;
    uop.clamp = uop.inst.get(Field::clamp);
    uop.ops = isa::operands_of(uop.inst, wave.wave_size);
    const ExecFn fn = handlers()[static_cast<size_t>(uop.inst.op)];
    ASSERT_NE(fn, nullptr);
    ASSERT_EQ(fn(context, uop), Step::kNext);
  }
  /// Writes element k of row (or column) `index` into every 16-lane group.
  void put(unsigned base, unsigned index, unsigned k, unsigned bits, uint32_t value) {
    const unsigned per = 32 / bits;
    const uint32_t mask = ((1u << bits) - 1) << (k % per * bits);
    for (unsigned lane = index; lane < wave.wave_size; lane += 16) {
      uint32_t& word = wave.vgpr(base + k / per)[lane];
      word = (word & ~mask) | (value << (k % per * bits) & mask);
    }
  }
  uint32_t& accumulator(unsigned base, unsigned row, unsigned column) {
    const unsigned groups = wave.wave_size / 16;
    return wave.vgpr(base + row / groups)[row % groups * 16 + column];
  }
};

class WmmaTest : public testing::TestWithParam<unsigned> {};

TEST_P(WmmaTest, F32FromF16IsExactOnSmallIntegers) {
  Case s(Op::v_wmma_f32_16x16x16_f16, GetParam());
  std::mt19937 random(11);
  int a[16][16], b[16][16], c[16][16];
  for (unsigned i = 0; i < 16; ++i)
    for (unsigned k = 0; k < 16; ++k) {
      a[i][k] = static_cast<int>(random() % 64) - 32;
      b[k][i] = static_cast<int>(random() % 64) - 32;
      c[i][k] = static_cast<int>(random() % 2048) - 1024;
      s.put(kA, i, k, 16, narrow_to_half(a[i][k]).bits);
      s.put(kB, i, k, 16, narrow_to_half(b[k][i]).bits);
      s.accumulator(kC, i, k) = std::bit_cast<uint32_t>(static_cast<float>(c[i][k]));
    }
  s.run();
  for (unsigned i = 0; i < 16; ++i)
    for (unsigned j = 0; j < 16; ++j) {
      int sum = c[i][j];
      for (unsigned k = 0; k < 16; ++k) sum += a[i][k] * b[k][j];
      EXPECT_EQ(std::bit_cast<float>(s.accumulator(kD, i, j)), static_cast<float>(sum))
          << i << "," << j;
    }
}

TEST_P(WmmaTest, Bf16ModifiersAndInlineAccumulator) {
  Case s(Op::v_wmma_f32_16x16x16_bf16, GetParam());
  s.set(Field::src2, 242);   // 1.0
  s.set(Field::neg, 0b101);  // even elements of A, and the accumulator
  for (unsigned i = 0; i < 16; ++i)
    for (unsigned k = 0; k < 16; ++k) {
      s.put(kA, i, k, 16, narrow_to_bfloat(static_cast<float>(i + 1)).bits);
      s.put(kB, i, k, 16, narrow_to_bfloat(static_cast<float>(k + 16 * (i % 2))).bits);
    }
  s.run();
  for (unsigned i = 0; i < 16; ++i)
    for (unsigned j = 0; j < 16; ++j) {
      float sum = -1.0f;
      for (unsigned k = 0; k < 16; ++k)
        sum += (k % 2 ? 1.0f : -1.0f) * static_cast<float>(i + 1) *
               static_cast<float>(k + 16 * (j % 2));
      EXPECT_EQ(std::bit_cast<float>(s.accumulator(kD, i, j)), sum) << i << "," << j;
    }
}

TEST_P(WmmaTest, SixteenBitResultsUseOneHalfAndKeepTheOther) {
  for (const bool high : {false, true}) {
    Case s(Op::v_wmma_f16_16x16x16_f16, GetParam());
    s.set(Field::opsel, high ? 4 : 0);
    for (unsigned i = 0; i < 16; ++i)
      for (unsigned k = 0; k < 16; ++k) {
        s.put(kA, i, k, 16, narrow_to_half(i).bits);
        s.put(kB, i, k, 16, narrow_to_half(k == i ? 1 : 0).bits);  // identity
        s.accumulator(kC, i, k) = high ? narrow_to_half(k).bits << 16 : narrow_to_half(k).bits;
        s.accumulator(kD, i, k) = 0xabcdabcd;
      }
    s.run();
    for (unsigned i = 0; i < 16; ++i)
      for (unsigned j = 0; j < 16; ++j) {
        const uint32_t word = s.accumulator(kD, i, j);
        EXPECT_EQ(high ? word >> 16 : word & 0xffff, narrow_to_half(i + j).bits) << i << "," << j;
        EXPECT_EQ(high ? word & 0xffff : word >> 16, 0xabcdu);
      }
  }
}

TEST_P(WmmaTest, IntegerSignednessAndClamp) {
  for (unsigned bits : {8u, 4u}) {
    for (unsigned signs = 0; signs < 4; ++signs) {
      Case s(bits == 8 ? Op::v_wmma_i32_16x16x16_iu8 : Op::v_wmma_i32_16x16x16_iu4, GetParam());
      s.set(Field::neg, signs);
      s.set(Field::clamp, 1);
      std::mt19937 random(signs);
      int64_t a[16][16], b[16][16];
      auto value = [&](uint32_t raw, bool is_signed) {
        return is_signed && raw >> (bits - 1) ? static_cast<int64_t>(raw) - (1 << bits)
                                              : static_cast<int64_t>(raw);
      };
      for (unsigned i = 0; i < 16; ++i)
        for (unsigned k = 0; k < 16; ++k) {
          const uint32_t ra = random() & ((1u << bits) - 1), rb = random() & ((1u << bits) - 1);
          a[i][k] = value(ra, signs & 1);
          b[k][i] = value(rb, signs & 2);
          s.put(kA, i, k, bits, ra);
          s.put(kB, i, k, bits, rb);
          s.accumulator(kC, i, k) = i == 3 ? 0x7fffffff : i == 4 ? 0x80000000 : i * 100 + k;
        }
      s.run();
      for (unsigned i = 0; i < 16; ++i)
        for (unsigned j = 0; j < 16; ++j) {
          int64_t sum = i == 3   ? int64_t{INT32_MAX}
                        : i == 4 ? int64_t{INT32_MIN}
                                 : int64_t{i * 100 + j};
          for (unsigned k = 0; k < 16; ++k) sum += a[i][k] * b[k][j];
          sum = std::min<int64_t>(std::max<int64_t>(sum, INT32_MIN), INT32_MAX);
          EXPECT_EQ(static_cast<int32_t>(s.accumulator(kD, i, j)), sum)
              << i << "," << j << " bits " << bits << " signs " << signs;
        }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Waves, WmmaTest, testing::Values(32u, 64u));

}  // namespace
}  // namespace lockstep::emu
