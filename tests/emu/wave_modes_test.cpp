// SPDX-License-Identifier: MIT
// gfx9's relative VGPR numbers, skipping and forks; gfx12's split barriers; LDS-direct; exchanges
// of rows of lanes.
#include "emu/barriers.h"
#include "emu/special_modes.h"
#include "tests/emu/row_fixture.h"

namespace lockstep::emu::testing {
namespace {

class Gfx9Modes : public RowTest {
 protected:
  Gfx9Modes() : RowTest(64, isa::Isa::kGfx90a) { c.special_modes = kSpecialModes; }
  Step run_in_mode(Uop& u) {
    u.ops = isa::operands_of(u.inst, wave.wave_size);
    u.size = u.inst.size;
    u.exec = handlers()[static_cast<size_t>(u.inst.op)];
    return wave.mode & c.special_modes ? execute_in_special_mode(c, u) : u.exec(c, u);
  }
};

TEST_F(Gfx9Modes, IndexIsAddedToTheNamedOperands) {
  for (unsigned r = 0; r < 32; ++r) v(r, 0) = 100 + r;
  wave.scalar[2] = 3;
  // src0 and the destination.
  ASSERT_EQ(run(Op::s_set_gpr_idx_on, {{Field::ssrc0, 2}, {Field::ssrc1, 0b1001}}), Step::kNext);
  EXPECT_EQ(wave.scalar[isa::kM0] & 0xf0ff, 0x9003u);
  Uop u = prepare("v_sub_nc_u32");  // kRegA - kRegB to kRegD
  ASSERT_EQ(run_in_mode(u), Step::kNext);
  EXPECT_EQ(v(kRegD + 3, 0), (100u + kRegA + 3) - (100u + kRegB));
  EXPECT_EQ(v(kRegD, 0), 100u + kRegD);
  wave.scalar[2] = 1;
  ASSERT_EQ(run(Op::s_set_gpr_idx_idx, {{Field::ssrc0, 2}}), Step::kNext);
  ASSERT_EQ(run(Op::s_set_gpr_idx_mode, {{Field::simm16, 0b0010}}), Step::kNext);
  ASSERT_EQ(run_in_mode(u), Step::kNext);
  EXPECT_EQ(v(kRegD, 0), (100u + kRegA) - (100u + kRegB + 1));
  wave.scalar[isa::kM0] = 0x20ff;
  EXPECT_EQ(run_in_mode(u), Step::kExit);
  EXPECT_EQ(c.fault.kind, FaultKind::kRegisterOutOfRange);
  ASSERT_EQ(run(Op::s_set_gpr_idx_off, {}), Step::kNext);
  ASSERT_EQ(run_in_mode(u), Step::kNext);
}

TEST_F(Gfx9Modes, SkippedVectorInstructionsDoNothing) {
  v(kRegD, 0) = 5;
  wave.scalar[2] = 4;
  ASSERT_EQ(run(Op::s_setvskip, {{Field::ssrc0, 2}, {Field::ssrc1, 130}}), Step::kNext);
  Uop u = prepare("v_add_nc_u32");
  ASSERT_EQ(run_in_mode(u), Step::kNext);
  EXPECT_EQ(v(kRegD, 0), 5u);
  ASSERT_EQ(run(Op::s_setvskip, {{Field::ssrc0, 2}, {Field::ssrc1, 128}}), Step::kNext);
  ASSERT_EQ(run_in_mode(u), Step::kNext);
  EXPECT_EQ(v(kRegD, 0), 0u);
}

TEST_F(Gfx9Modes, ForksRunTheSmallerSideFirstAndJoin) {
  wave.mode &= 0x1fffffff;
  wave.write64(10, 0x7);  // three lanes go to the target
  wave.pc = 0x2000;
  wave.write64(isa::kExecLo, 0xff);
  ASSERT_EQ(run(Op::s_cbranch_i_fork, {{Field::sdst, 10}, {Field::simm16, 4}}), Step::kJumped);
  EXPECT_EQ(wave.pc, 0x2014u);
  EXPECT_EQ(wave.exec(), 0x7u);
  wave.scalar[20] = 0;  // depth to join at
  ASSERT_EQ(run(Op::s_cbranch_join, {{Field::ssrc0, 20}}), Step::kJumped);
  EXPECT_EQ(wave.pc, 0x2004u);
  EXPECT_EQ(wave.exec(), 0xf8u);
  EXPECT_EQ(run(Op::s_cbranch_join, {{Field::ssrc0, 20}}), Step::kNext);
  // All lanes one way: nothing is kept.
  wave.write64(10, 0xff);
  EXPECT_EQ(run(Op::s_cbranch_i_fork, {{Field::sdst, 10}, {Field::simm16, 4}}), Step::kJumped);
  EXPECT_EQ(wave.mode >> 29, 0u);
}

class Gfx12Barriers : public WaveTest {
 protected:
  Gfx12Barriers() : WaveTest(32, isa::Isa::kGfx12) {
    other.allocate(32, 8, 0, 106);
    c.barriers = &barriers;
    barriers.add(&wave);
    barriers.add(&other);
  }
  GroupBarriers barriers;
  WaveState other;
};

TEST_F(Gfx12Barriers, WaitsUntilEveryWaveHasSignalled) {
  ASSERT_EQ(run(Op::s_barrier_signal_isfirst, {{Field::ssrc0, 193}}), Step::kNext);
  EXPECT_TRUE(wave.scc);
  ASSERT_EQ(run(Op::s_get_barrier_state, {{Field::sdst, 5}, {Field::ssrc0, 193}}), Step::kNext);
  EXPECT_EQ(wave.scalar[5], 1u << 16 | 2u << 4 | 1);
  const uint64_t pc = wave.pc;
  EXPECT_EQ(run(Op::s_barrier_wait, {{Field::simm16, 0xffff}}), Step::kExit);
  EXPECT_EQ(c.exit, ExitReason::kWait);
  EXPECT_EQ(wave.pc, pc);  // it will be tried again
  EXPECT_FALSE(barriers.signal(-1));
  EXPECT_EQ(run(Op::s_barrier_wait, {{Field::simm16, 0xffff}}), Step::kNext);
  EXPECT_NE(other.barrier_done, 0u);
  EXPECT_EQ(run(Op::s_barrier_wait, {{Field::simm16, 0xffff}}), Step::kExit);
}

TEST_F(Gfx12Barriers, AWaveThatEndsIsNotWaitedFor) {
  run(Op::s_barrier_signal, {{Field::ssrc0, 193}});
  barriers.remove(&other);
  EXPECT_EQ(run(Op::s_barrier_wait, {{Field::simm16, 0xffff}}), Step::kNext);
}

TEST_F(Gfx12Barriers, NamedBarriers) {
  wave.scalar[isa::kM0] = 3 | 2 << 16;  // number 3, two members
  ASSERT_EQ(run(Op::s_barrier_init, {{Field::ssrc0, isa::kM0}}), Step::kNext);
  ASSERT_EQ(run(Op::s_barrier_join, {{Field::ssrc0, isa::kM0}}), Step::kNext);
  barriers.join(other, 3);
  run(Op::s_barrier_signal, {{Field::ssrc0, isa::kM0}});
  EXPECT_EQ(run(Op::s_barrier_wait, {{Field::simm16, 1}}), Step::kExit);
  barriers.signal(3);
  EXPECT_EQ(run(Op::s_barrier_wait, {{Field::simm16, 1}}), Step::kNext);
  run(Op::s_barrier_leave, {});
  EXPECT_TRUE(wave.scc);
  run(Op::s_barrier_leave, {});
  EXPECT_FALSE(wave.scc);
}

TEST_F(Gfx12Barriers, RegistersCannotGrow) {
  run(Op::s_alloc_vgpr, {{Field::ssrc0, 128 + 32}});
  EXPECT_TRUE(wave.scc);
  run(Op::s_alloc_vgpr, {{Field::ssrc0, 128 + 33}});
  EXPECT_FALSE(wave.scc);
}

TEST_F(Gfx12Barriers, LdsDirectGivesOneElementToAllActiveLanes) {
  set_lds<uint32_t>(16, 0x8899aabb);
  struct Kind {
    uint32_t type, expected;
  };
  for (const Kind& k : {Kind{0, 0xbb}, Kind{1, 0xaabb}, Kind{2, 0x8899aabb}, Kind{4, 0xffffffbb},
                        Kind{5, 0xffffaabb}}) {
    wave.scalar[isa::kM0] = k.type << 16 | 16;
    wave.write64(isa::kExecLo, 0b101);
    v(9, 1) = 7;
    ASSERT_EQ(run(Op::ds_direct_load, {{Field::vdst, 9}}), Step::kNext);
    EXPECT_EQ(v(9, 0), k.expected);
    EXPECT_EQ(v(9, 1), 7u);
    EXPECT_EQ(v(9, 2), k.expected);
  }
}

class RowSwaps : public RowTest {
 protected:
  RowSwaps() : RowTest(64, isa::Isa::kGfx950) {}
};

TEST_F(RowSwaps, UpperRowsOfTheDestinationChangeWithLowerRowsOfTheSource) {
  for (const unsigned distance : {16u, 32u}) {
    for (unsigned lane = 0; lane < 64; ++lane) v(kRegA, lane) = lane, v(kRegD, lane) = 100 + lane;
    Form form;
    form.long_form = false;
    Uop u = prepare(distance == 16 ? "v_permlane16_swap_b32" : "v_permlane32_swap_b32", form);
    ASSERT_EQ(execute(u), Step::kNext);
    for (unsigned lane = 0; lane < 64; ++lane) {
      EXPECT_EQ(v(kRegA, lane), lane & distance ? lane : 100 + lane + distance);
      EXPECT_EQ(v(kRegD, lane), lane & distance ? lane - distance : 100 + lane);
    }
  }
}

TEST_F(RowSwaps, TruthTablesAndPackedShifts) {
  std::mt19937 random(4);
  for (unsigned table = 0; table < 256; ++table) {
    Form form;
    form.omod = table >> 6;
    form.abs = table >> 3 & 7;
    form.neg = table & 7;
    const uint32_t a = random(), b = random(), d = random();
    uint32_t expected = 0;
    for (unsigned bit = 0; bit < 32; ++bit)
      expected |= (table >> ((a >> bit & 1) * 4 + (b >> bit & 1) * 2 + (d >> bit & 1)) & 1) << bit;
    EXPECT_EQ(one("v_bitop3_b32", a, b, d, form), expected) << table;
    EXPECT_EQ(one("v_bitop3_b16", a, b, d, form), expected & 0xffff) << table;
  }
  EXPECT_EQ(one("v_ashr_pk_i8_i32", 0x7fffffff, static_cast<uint32_t>(-300), 1), 0x807fu);
  EXPECT_EQ(one("v_ashr_pk_u8_i32", 510, static_cast<uint32_t>(-300), 1), 0x00ffu);
}

}  // namespace
}  // namespace lockstep::emu::testing
