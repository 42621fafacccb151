// SPDX-License-Identifier: MIT
// Transcendental rows, compiled against interpreted to the bit: every half, and a spread of floats;
// all floats with LOCKSTEP_LONG=1. (valu_trans_test.cpp says that the interpreter is right.)
#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>

#include "emu/interp.h"
#include "emu/jit/engine.h"

namespace lockstep::emu {
namespace {

constexpr unsigned kVgprs = 64, kLanesOfWave = 64;
constexpr uint64_t kCode = 0x400000000;
constexpr uint32_t kEndpgm = 0xbf810000;
constexpr isa::Isa kIsa = isa::Isa::kGfx942;

/// One instruction for each VGPR: op v, v.
class Program {
 public:
  Program(isa::Op op, jit::Tier tier)
      : runner_(std::make_shared<jit::UnitCaches>(JitObservers{}, tier)) {
    for (unsigned v = 0; v < kVgprs; ++v) {
      auto inst = isa::make_inst(kIsa, op, isa::Format::VOP1);
      inst->set(isa::Field::src0, isa::kSrcVgpr0 + v);
      inst->set(isa::Field::vdst, v);
      code_.push_back(inst->words[0]);
    }
    code_.push_back(kEndpgm);
    map_.add({kCode, code_.size() * 4, reinterpret_cast<uint8_t*>(code_.data()), false, "code"});
    view_.emplace(map_);
    wave_.allocate(kLanesOfWave, kVgprs, 0, 106);
  }
  uint32_t* lanes() { return wave_.vgprs.get(); }
  void run(bool compiled, uint32_t mode) {
    wave_.pc = kCode;
    wave_.mode = mode;
    wave_.write64(isa::kExecLo, ~uint64_t{0});
    Context c;
    c.wave = &wave_;
    c.memory = &*view_;
    c.request = &request_;
    c.isa = kIsa;
    const CodeKey key{kIsa, kLanesOfWave, kVgprs, 0};
    uint64_t ran = 0;
    code_cache_.begin(key);
    runner_.begin(key);
    const ExitReason why = compiled ? runner_.run(c, code_cache_, kVgprs + 1, ran)
                                    : interpret(c, code_cache_, kVgprs + 1, ran);
    ASSERT_EQ(why, ExitReason::kEnd);
  }

 private:
  std::vector<uint32_t> code_;
  MemoryMap map_;
  std::optional<MemoryView> view_;
  WaveState wave_;
  DispatchRequest request_;
  CodeCache code_cache_;
  jit::Runner runner_;
};

void compare(isa::Op op, uint64_t inputs, uint64_t step, uint32_t mode, jit::Tier tier) {
  constexpr uint64_t kOfRun = kVgprs * kLanesOfWave;
  Program interpreted(op, tier), compiled(op, tier);
  for (uint64_t first = 0; first < inputs; first += kOfRun * step) {
    for (uint64_t i = 0; i < kOfRun; ++i)
      interpreted.lanes()[i] = compiled.lanes()[i] = static_cast<uint32_t>(first + i * step);
    interpreted.run(false, mode);
    compiled.run(true, mode);
    for (uint64_t i = 0; i < kOfRun; ++i)
      ASSERT_EQ(interpreted.lanes()[i], compiled.lanes()[i])
          << isa::op_info(op).id << " of " << std::hex << static_cast<uint32_t>(first + i * step)
          << ", MODE " << mode << ", " << jit::tier_name(tier);
  }
}

constexpr uint32_t kModes[] = {0xf0 | ModeBits::kIeee | ModeBits::kDx10Clamp, 0, 0xc0, 0x30};

class Functions : public ::testing::TestWithParam<jit::Tier> {
 protected:
  void SetUp() override {
    if (!jit::host_can(GetParam()))
      GTEST_SKIP() << "this host cannot run " << jit::tier_name(GetParam()) << " code";
  }
};
INSTANTIATE_TEST_SUITE_P(Tiers, Functions, ::testing::Values(jit::Tier::kAvx512, jit::Tier::kAvx2));

TEST_P(Functions, CompiledHalves) {
  for (const isa::Op op :
       {isa::Op::v_exp_f16, isa::Op::v_log_f16, isa::Op::v_sin_f16, isa::Op::v_cos_f16,
        isa::Op::v_rsq_f16, isa::Op::v_rcp_f16, isa::Op::v_sqrt_f16, isa::Op::v_fract_f16,
        isa::Op::v_frexp_mant_f16, isa::Op::v_frexp_exp_i16_f16, isa::Op::v_rndne_f16,
        isa::Op::v_floor_f16, isa::Op::v_ceil_f16, isa::Op::v_trunc_f16, isa::Op::v_cvt_u16_f16,
        isa::Op::v_cvt_i16_f16, isa::Op::v_cvt_f16_u16, isa::Op::v_cvt_f16_i16,
        isa::Op::v_cvt_f32_f16})
    for (const uint32_t mode : kModes) compare(op, 1 << 16, 1, mode, GetParam());
}

TEST_P(Functions, CompiledFloats) {
  constexpr uint64_t kAll = uint64_t{1} << 32;
  const uint64_t step = std::getenv("LOCKSTEP_LONG") ? 1 : 16411;  // prime
  for (const isa::Op op :
       {isa::Op::v_exp_f32, isa::Op::v_log_f32, isa::Op::v_sin_f32, isa::Op::v_cos_f32,
        isa::Op::v_rsq_f32, isa::Op::v_rcp_f32, isa::Op::v_sqrt_f32, isa::Op::v_fract_f32,
        isa::Op::v_frexp_mant_f32, isa::Op::v_frexp_exp_i32_f32, isa::Op::v_cvt_nearest_i32_f32,
        isa::Op::v_cvt_floor_i32_f32, isa::Op::v_cvt_f16_f32})
    compare(op, kAll, step, kModes[0], GetParam());
  for (const uint32_t mode : kModes) compare(isa::Op::v_sin_f32, kAll, step * 7, mode, GetParam());
}

}  // namespace
}  // namespace lockstep::emu
