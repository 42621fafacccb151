// SPDX-License-Identifier: MIT
// Program control: branches, calls, exits, hardware registers, messages.
#include "tests/emu/wave_fixture.h"

namespace lockstep::emu::testing {
namespace {

class ControlTest : public WaveTest {
 protected:
  static constexpr uint64_t kPc = 0x2000;
  static constexpr uint32_t kBack3 = 0xfffd;  ///< simm16 = -3
};

TEST_F(ControlTest, BranchTargetsCountFromTheNextInstruction) {
  EXPECT_EQ(run(Op::s_branch, {{Field::simm16, 5}}), Step::kJumped);
  EXPECT_EQ(wave.pc, kPc + 4 + 20);
  wave.pc = kPc;
  EXPECT_EQ(run(Op::s_branch, {{Field::simm16, kBack3}}), Step::kJumped);
  EXPECT_EQ(wave.pc, kPc + 4 - 12);
}

TEST_F(ControlTest, ConditionalBranches) {
  struct Case {
    Op op;
    bool scc;
    uint64_t vcc, exec;
    bool taken;
  };
  // In wave32 the high halves count for nothing.
  const Case kCases[] = {
      {Op::s_cbranch_scc0, false, 0, 1, true},
      {Op::s_cbranch_scc0, true, 0, 1, false},
      {Op::s_cbranch_scc1, true, 0, 1, true},
      {Op::s_cbranch_scc1, false, 0, 1, false},
      {Op::s_cbranch_vccz, false, 0, 1, true},
      {Op::s_cbranch_vccz, false, 0x80000000, 1, false},
      {Op::s_cbranch_vccz, false, 0x100000000, 1, true},
      {Op::s_cbranch_vccnz, false, 0x100000000, 1, false},
      {Op::s_cbranch_vccnz, false, 4, 1, true},
      {Op::s_cbranch_execz, false, 1, 0, true},
      {Op::s_cbranch_execz, false, 1, 0x100000000, true},
      {Op::s_cbranch_execz, false, 1, 2, false},
      {Op::s_cbranch_execnz, false, 1, 2, true},
      {Op::s_cbranch_execnz, false, 1, 0x100000000, false},
      {Op::s_cbranch_cdbguser, false, 1, 2, false},
      {Op::s_cbranch_cdbgsys, false, 1, 2, false},
  };
  for (const Case& k : kCases) {
    wave.pc = kPc;
    wave.scc = k.scc;
    wave.write64(isa::kVccLo, k.vcc);
    wave.write64(isa::kExecLo, k.exec);
    EXPECT_EQ(run(k.op, {{Field::simm16, 2}}), k.taken ? Step::kJumped : Step::kNext)
        << isa::op_info(k.op).id;
    EXPECT_EQ(wave.pc, k.taken ? kPc + 12 : kPc) << isa::op_info(k.op).id;
    EXPECT_EQ(wave.scc, k.scc);
  }
}

TEST_F(ControlTest, Wave64ConditionsSeeAllLanes) {
  restart(64);
  wave.write64(isa::kVccLo, uint64_t{1} << 63);
  EXPECT_EQ(run(Op::s_cbranch_vccnz, {{Field::simm16, 2}}), Step::kJumped);
  wave.write64(isa::kExecLo, uint64_t{1} << 40);
  EXPECT_EQ(run(Op::s_cbranch_execz, {{Field::simm16, 2}}), Step::kNext);
}

TEST_F(ControlTest, CallsAndIndirectJumps) {
  EXPECT_EQ(run(Op::s_getpc_b64, {{Field::sdst, 10}}), Step::kNext);
  EXPECT_EQ(wave.read64(10), kPc + 4);
  wave.write64(12, 0x123456780);
  EXPECT_EQ(run(Op::s_swappc_b64, {{Field::sdst, 30}, {Field::ssrc0, 12}}), Step::kJumped);
  EXPECT_EQ(wave.pc, 0x123456780u);
  EXPECT_EQ(wave.read64(30), kPc + 4);
  EXPECT_EQ(run(Op::s_setpc_b64, {{Field::ssrc0, 30}}), Step::kJumped);
  EXPECT_EQ(wave.pc, kPc + 4);
  EXPECT_EQ(run(Op::s_swappc_b64, {{Field::sdst, 12}, {Field::ssrc0, 12}}),
            Step::kJumped);  // the same pair
  EXPECT_EQ(wave.pc, 0x123456780u);
  EXPECT_EQ(wave.read64(12), kPc + 8);
  wave.pc = kPc;
  EXPECT_EQ(run(Op::s_call_b64, {{Field::sdst, 30}, {Field::simm16, kBack3}}), Step::kJumped);
  EXPECT_EQ(wave.pc, kPc + 4 - 12);
  EXPECT_EQ(wave.read64(30), kPc + 4);
}

TEST_F(ControlTest, Exits) {
  EXPECT_EQ(run(Op::s_endpgm, {}), Step::kExit);
  EXPECT_EQ(c.exit, ExitReason::kEnd);
  EXPECT_EQ(run(Op::s_barrier, {}), Step::kExit);
  EXPECT_EQ(c.exit, ExitReason::kBarrier);
  EXPECT_EQ(wave.pc, kPc + 4);
  EXPECT_EQ(run(Op::s_sleep, {{Field::simm16, 1}}), Step::kExit);
  EXPECT_EQ(c.exit, ExitReason::kYield);
  EXPECT_EQ(wave.pc, kPc + 8);
  EXPECT_EQ(run(Op::s_trap, {{Field::simm16, 2}}), Step::kExit);
  EXPECT_EQ(c.exit, ExitReason::kTrap);
  EXPECT_EQ(wave.pc, kPc + 8);
  EXPECT_EQ(run(Op::s_code_end, {}), Step::kExit);
  EXPECT_EQ(c.exit, ExitReason::kFault);
  EXPECT_EQ(c.fault.kind, FaultKind::kIllegalInstruction);
  EXPECT_EQ(run(Op::s_setkill, {{Field::simm16, 0}}), Step::kNext);
  EXPECT_EQ(run(Op::s_setkill, {{Field::simm16, 1}}), Step::kExit);
  EXPECT_EQ(c.exit, ExitReason::kEnd);
}

TEST_F(ControlTest, WaitsAndHintsChangeNothing) {
  WaveState before;
  std::memcpy(before.scalar, wave.scalar, sizeof before.scalar);
  for (Op op : {Op::s_nop, Op::s_clause, Op::s_delay_alu, Op::s_waitcnt, Op::s_waitcnt_depctr,
                Op::s_setprio, Op::s_wakeup, Op::s_set_inst_prefetch_distance, Op::s_wait_idle,
                Op::s_ttracedata}) {
    EXPECT_EQ(run(op, {{Field::simm16, 0x1234}}), Step::kNext) << isa::op_info(op).id;
    EXPECT_EQ(std::memcmp(before.scalar, wave.scalar, sizeof before.scalar), 0);
    EXPECT_EQ(wave.pc, kPc);
  }
  EXPECT_EQ(run(Op::s_waitcnt_vscnt, {{Field::sdst, isa::kNull}, {Field::simm16, 0}}), Step::kNext);
  EXPECT_FALSE(c.code_changed);
  EXPECT_EQ(run(Op::s_icache_inv, {}), Step::kNext);
  EXPECT_TRUE(c.code_changed);
}

constexpr uint32_t hwreg(unsigned id, unsigned offset, unsigned size) {
  return id | offset << 6 | (size - 1) << 11;
}

TEST_F(ControlTest, ModeRegister) {
  wave.mode = 0x3f0;
  run(Op::s_getreg_b32, {{Field::sdst, 4}, {Field::simm16, hwreg(1, 0, 32)}});
  EXPECT_EQ(wave.scalar[4], 0x3f0u);
  run(Op::s_getreg_b32, {{Field::sdst, 4}, {Field::simm16, hwreg(1, 4, 4)}});
  EXPECT_EQ(wave.scalar[4], 0xfu);
  wave.scalar[5] = 0xffffffa5;
  run(Op::s_setreg_b32, {{Field::sdst, 5}, {Field::simm16, hwreg(1, 4, 4)}});
  EXPECT_EQ(wave.mode, 0x350u);
  EXPECT_EQ(wave.scalar[5], 0xffffffa5u);
  run(Op::s_setreg_imm32_b32, {{Field::simm16, hwreg(1, 0, 2)}}, 3, true);
  EXPECT_EQ(wave.mode, 0x353u);
  run(Op::s_round_mode, {{Field::simm16, 0x9}});
  EXPECT_EQ(wave.mode, 0x359u);
  run(Op::s_denorm_mode, {{Field::simm16, 0xc}});
  EXPECT_EQ(wave.mode, 0x3c9u);
}

TEST_F(ControlTest, OtherHardwareRegisters) {
  wave.scc = true;
  wave.write64(isa::kVccLo, 0);
  run(Op::s_getreg_b32, {{Field::sdst, 4}, {Field::simm16, hwreg(2, 0, 32)}});
  EXPECT_TRUE(wave.scalar[4] & 1);
  EXPECT_TRUE(wave.scalar[4] >> 10 & 1);  // VCCZ
  EXPECT_FALSE(wave.scalar[4] >> 9 & 1);  // EXECZ
  run(Op::s_getreg_b32, {{Field::sdst, 4}, {Field::simm16, hwreg(20, 0, 32)}});
  run(Op::s_getreg_b32, {{Field::sdst, 5}, {Field::simm16, hwreg(21, 0, 32)}});
  EXPECT_EQ(wave.read64(4), kScratchBase);
  run(Op::s_getreg_b32, {{Field::sdst, 4}, {Field::simm16, hwreg(15, 16, 16)}});
  EXPECT_EQ(wave.scalar[4], c.shared_base >> 48);
  // Read-only registers ignore writes.
  run(Op::s_setreg_imm32_b32, {{Field::simm16, hwreg(20, 0, 32)}}, 1, true);
  EXPECT_EQ(wave.flat_scratch, kScratchBase);
  // 20 bits of a running clock.
  run(Op::s_getreg_b32, {{Field::sdst, 4}, {Field::simm16, hwreg(29, 0, 32)}});
  EXPECT_LT(wave.scalar[4], 1u << 20);
  EXPECT_EQ(run(Op::s_getreg_b32, {{Field::sdst, 4}, {Field::simm16, hwreg(60, 0, 32)}}),
            Step::kExit);
  EXPECT_EQ(c.fault.kind, FaultKind::kIllegalInstruction);
}

TEST_F(ControlTest, Messages) {
  EXPECT_EQ(run(Op::s_sendmsg, {{Field::simm16, 3}}), Step::kNext);  // dealloc_vgprs
  EXPECT_EQ(run(Op::s_sendmsg, {{Field::simm16, 1}}), Step::kNext);  // interrupt
  EXPECT_EQ(run(Op::s_sendmsg, {{Field::simm16, 9}}), Step::kExit);  // a geometry message
  EXPECT_EQ(c.fault.kind, FaultKind::kIllegalInstruction);
  EXPECT_EQ(run(Op::s_sendmsghalt, {{Field::simm16, 1}}), Step::kExit);
  EXPECT_EQ(c.fault.kind, FaultKind::kUnsupportedInstruction);
  EXPECT_EQ(run(Op::s_sendmsg_rtn_b64, {{Field::sdst, 10}, {Field::ssrc0, 0x83}}), Step::kNext);
  const uint64_t first = wave.read64(10);
  EXPECT_GT(first, 0u);
  do {
    ASSERT_EQ(run(Op::s_sendmsg_rtn_b64, {{Field::sdst, 10}, {Field::ssrc0, 0x83}}), Step::kNext);
  } while (wave.read64(10) == first);
  EXPECT_GT(wave.read64(10), first);
  EXPECT_EQ(run(Op::s_sendmsg_rtn_b32, {{Field::sdst, 10}, {Field::ssrc0, 0x80}}), Step::kExit);
  EXPECT_EQ(c.fault.kind, FaultKind::kUnsupportedInstruction);
}

TEST_F(ControlTest, SubvectorLoopRunsBothHalvesOnce) {
  restart(64);
  wave.write64(isa::kExecLo, 0x00000003'0000000c);
  ASSERT_EQ(run(Op::s_subvector_loop_begin, {{Field::sdst, 7}, {Field::simm16, 8}}), Step::kNext);
  EXPECT_EQ(wave.read64(isa::kExecLo), 0xcu);  // low half first
  ASSERT_EQ(run(Op::s_subvector_loop_end, {{Field::sdst, 7}, {Field::simm16, 0xfff0}}),
            Step::kJumped);
  EXPECT_EQ(wave.read64(isa::kExecLo), 0x00000003'00000000u);
  ASSERT_EQ(run(Op::s_subvector_loop_end, {{Field::sdst, 7}, {Field::simm16, 0xfff0}}),
            Step::kNext);
  EXPECT_EQ(wave.read64(isa::kExecLo), 0x00000003'0000000cu);
}

}  // namespace
}  // namespace lockstep::emu::testing
