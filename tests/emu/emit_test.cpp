// SPDX-License-Identifier: MIT
// The two machines agree: every row that Emit covers, on special and random values, with random
// EXEC, against Lane.
#include <gtest/gtest.h>

#include <random>

#include "emu/emit/rows.h"
#include "emu/handlers.h"

namespace lockstep::emu {
namespace {

using isa::Field;
using isa::Format;

constexpr unsigned kRegisters = 8;
constexpr uint32_t kKeepDenormals = 0xf0;
constexpr uint32_t kSeed = 20261202;

uint32_t interesting(std::mt19937& random) {
  static constexpr uint32_t kSpecial[] = {0,          0x80000000, 1,          0x80000001,
                                          0x007fffff, 0x00800000, 0x3f800000, 0xbf800000,
                                          0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000,
                                          0x7fc00000, 0x7fffffff, 0xffffffff};
  return random() % 3 == 0 ? kSpecial[random() % std::size(kSpecial)] : random();
}

/// NaN payloads of two-NaN operations are a matter of operand order; both machines must still agree
/// that it is a NaN.
bool is_nan(uint32_t v) { return (v & 0x7fffffff) > 0x7f800000; }

Uop make_uop(isa::Op op, std::mt19937& random) {
  const isa::OpInfo& info = isa::op_info(op);
  const bool long_form = info.format == Format::VOP3 || random() % 2;
  auto inst = isa::make_inst(isa::Isa::kGfx11, op, long_form ? Format::VOP3 : info.format);
  EXPECT_TRUE(inst) << inst.error();
  const uint32_t sources[] = {isa::kSrcVgpr0 + 1, isa::kSrcVgpr0 + 2, 4, 242, 193,
                              isa::kSrcVgpr0 + 0};
  inst->set(Field::vdst, info.dsts[0].type == isa::Type::MASK ? 20 : 0);
  inst->set(Field::src0, sources[random() % std::size(sources)]);
  inst->set(Field::vsrc1, 3);
  inst->set(Field::src1, sources[random() % 2]);
  inst->set(Field::src2,
            info.n_srcs > 2 && info.srcs[2].type == isa::Type::MASK ? 22 : isa::kSrcVgpr0 + 5);
  Uop u;
  u.inst = *inst;
  u.size = u.inst.size;
  u.ops = isa::operands_of(u.inst, 32);
  u.exec = handlers()[static_cast<size_t>(op)];
  return u;
}

TEST(EmitTest, AgreesWithLaneOnEveryCoveredRow) {
  if (!emit_supported())
    GTEST_SKIP() << "this host has no AVX-512: the interpreter runs everything";
  std::mt19937 random(kSeed);
  for (const isa::Op op : emitted_rows()) {
    for (int round = 0; round < 200; ++round) {
      const Uop u = make_uop(op, random);
      ASSERT_NE(u.exec, nullptr) << isa::op_info(op).id;
      const CompiledRow compiled = compile_row(u);
      ASSERT_TRUE(compiled) << isa::op_info(op).id;
      WaveState lane, emit;
      lane.allocate(32, kRegisters, 0, 106);
      emit.allocate(32, kRegisters, 0, 106);
      for (unsigned i = 0; i < kRegisters * 32; ++i)
        lane.vgprs[i] = emit.vgprs[i] = interesting(random);
      for (unsigned i = 0; i < 106; ++i) lane.scalar[i] = emit.scalar[i] = interesting(random);
      lane.scalar[isa::kVccLo] = emit.scalar[isa::kVccLo] = random();
      lane.scalar[isa::kExecLo] = emit.scalar[isa::kExecLo] = round % 4 == 0 ? ~0u : random();
      lane.mode = emit.mode = kKeepDenormals;
      Context context;
      context.wave = &lane;
      ASSERT_EQ(u.exec(context, u), Step::kNext);
      compiled.run(emit);
      for (unsigned r = 0; r < kRegisters; ++r)
        for (unsigned l = 0; l < 32; ++l) {
          const uint32_t a = lane.vgpr(r)[l], b = emit.vgpr(r)[l];
          if (is_nan(a) && is_nan(b)) continue;
          ASSERT_EQ(a, b) << isa::op_info(op).id << " seed " << kSeed << " round " << round << " v"
                          << r << " lane " << l << " " << u.inst.hex();
        }
      for (unsigned i = 0; i < 128; ++i)
        ASSERT_EQ(lane.scalar[i], emit.scalar[i])
            << isa::op_info(op).id << " scalar " << i << " " << u.inst.hex();
    }
  }
}

TEST(EmitTest, DeclinesWhatItDoesNotCover) {
  std::mt19937 random(1);
  Uop u = make_uop(isa::Op::v_add_f32, random);
  u.omod = 1;
  EXPECT_FALSE(compile_row(u));
  Uop other = make_uop(isa::Op::v_mul_i32_i24, random);
  EXPECT_FALSE(compile_row(other));
}

}  // namespace
}  // namespace lockstep::emu
