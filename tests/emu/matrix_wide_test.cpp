// SPDX-License-Identifier: MIT
// Matrix products in wide vectors against the plain loops, bit for bit: every matrix operation on
// every generation that has it, all modifiers, special values, overlapping operands.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "emu/matrix/call.h"
#include "isa/op.h"

namespace lockstep::emu {
namespace {

constexpr unsigned kRegisters = 128, kRounds = 24;

struct Registers {
  std::vector<uint32_t> word = std::vector<uint32_t>(kRegisters * 64);
};

/// Words made of numbers of moderate size, special values of f32, f16 and bf16, and anything.
uint32_t random_word(std::mt19937& random, unsigned kind) {
  constexpr uint32_t kSpecial[] = {0,          0x80000000, 0x7f800000, 0xff800000, 0x00000001,
                                   0x807fffff, 0x7f7fffff, 0x7c00fc00, 0x00010001, 0x83ff03ff,
                                   0x7bff7bff, 0x3f803f80, 0x00400040, 0x80808080, 0x7f7f7f7f};
  switch (kind) {
    case 0:  // f16 near 1, also reasonable as f32 and integers
      return 0x38003800 + (random() & 0x07ff07ff) + (random() & 0x80008000);
    case 1:
      return random() % 4 ? 0x3f000000 + (random() & 0x80ffffff) : kSpecial[random() % 15];
    case 2:
      return kSpecial[random() % 15];
    default:
      return random();
  }
}

bool is_nan32(uint32_t bits) { return (bits & 0x7fffffff) > 0x7f800000; }

TEST(MatrixWide, EqualsThePlainLoops) {
  std::mt19937 random(5);
  unsigned operations = 0;
  for (size_t i = 0; i < isa::kOpCount; ++i) {
    const auto op = static_cast<isa::Op>(i);
    const MatrixFn run = matrix_function(op);
    if (!run) continue;
    ++operations;
    const std::string name(isa::op_info(op).id);
    const bool wmma = name.find("wmma") != std::string::npos;
    const bool gfx12_only =
        name.find("swmmac") != std::string::npos || name.find("fp8") != std::string::npos;
    for (unsigned round = 0; round < kRounds; ++round) {
      Registers start, wide;
      for (uint32_t& w : start.word) w = random_word(random, round % 4);
      MatrixCall call;
      if (wmma) {
        call.isa = gfx12_only || random() % 2 ? isa::Isa::kGfx12 : isa::Isa::kGfx11;
        call.wave_size = random() % 2 ? 32 : 64;
        call.neg = random() & 7;
        call.neg_hi = random() & 7;
        call.opsel = random() & 7;
      } else {
        constexpr isa::Isa kCdna[] = {isa::Isa::kGfx90a, isa::Isa::kGfx942, isa::Isa::kGfx950};
        call.isa = kCdna[random() % 3];
        call.wave_size = 64;
        call.cbsz = random() & 3;
        call.abid = random() & 3;
        call.blgp = random() & 7;
      }
      call.clamp = random() % 2;
      call.c_constant = random_word(random, 1);
      const bool constant = random() % 4 == 0;
      // D stands beside the others, on C, or across A and C.
      const unsigned d = random() % 3 == 0 ? 96 : random() % 2 ? 32 : 28;
      const auto execute = [&](Registers& r, bool plain) {
        const auto at = [&](unsigned n) { return r.word.data() + n * call.wave_size; };
        call.a = at(0);
        call.b = at(16);
        call.c = constant ? nullptr : at(32);
        call.d = at(d);
        call.index = at(70);
        call.scale_a = at(71);
        call.scale_b = at(72);
        call.plain = plain;
        run(call);
      };
      Registers plain = start;
      wide = start;
      execute(plain, true);
      execute(wide, false);
      for (size_t w = 0; w < plain.word.size(); ++w) {
        if (plain.word[w] == wide.word[w]) continue;
        ASSERT_TRUE(is_nan32(plain.word[w]) && is_nan32(wide.word[w]))
            << name << " isa " << static_cast<int>(call.isa) << " wave" << call.wave_size
            << " register " << w / call.wave_size << " (D is " << d << ") lane "
            << w % call.wave_size << std::hex << ": plain " << plain.word[w] << ", wide "
            << wide.word[w] << ", neg " << +call.neg << " neg_hi " << +call.neg_hi << " opsel "
            << +call.opsel << " blgp " << +call.blgp;
        ADD_FAILURE() << name << " NaNs differ: " << std::hex << plain.word[w] << ' '
                      << wide.word[w];
        break;
      }
    }
  }
  EXPECT_GT(operations, 60u);
}

}  // namespace
}  // namespace lockstep::emu
