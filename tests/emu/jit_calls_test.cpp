// SPDX-License-Identifier: MIT
// Calls and jumps to addresses in registers: from unit to unit without leaving generated code, with
// the same results, counts and faults as the interpreter's.
#include <gtest/gtest.h>

#include <cstring>

#include "asm/dsl/program.h"
#include "emu/dispatch.h"
#include "emu/jit/tier.h"
#include "tests/emu/torn_pages.h"

namespace lockstep::emu {
namespace {

using namespace dsl;

constexpr uint32_t kLanes = 32;
constexpr size_t kAlign = 256;
/// The code's, whose low word is a mask too: not the host address, which differs by run.
constexpr uint64_t kCodeBase = 0x71a5c3e000;

struct Variant {
  const char* name;
  Engine engine;
  jit::Tier tier;
};

/// s(0,1): the data. s(2,3), s(4,5): addresses of `functions`.
struct Outcome {
  DispatchResult result;
  uint64_t function = 0;  ///< address of the first one
  std::vector<uint32_t> out;
};

Outcome run(const Variant& variant, Program& main, std::initializer_list<Program*> functions) {
  std::vector<uint8_t> code;
  std::vector<size_t> starts;
  const auto append = [&](Program& p) {
    code.resize((code.size() + kAlign - 1) / kAlign * kAlign);
    starts.push_back(code.size());
    const auto bytes = p.assemble();
    EXPECT_TRUE(bytes) << bytes.error();
    code.insert(code.end(), bytes->begin(), bytes->end());
  };
  append(main);
  for (Program* f : functions) append(*f);
  code.resize(code.size() + kAlign);
  const TornPages data;
  MemoryMap memory;
  memory.add({kCodeBase, code.size(), code.data(), false, "code"});
  memory.add({reinterpret_cast<uint64_t>(data.host()), 2 * kPage, data.host(), true, "data"});
  DispatchRequest r;
  r.kernel_name = "calls";
  r.rsrc1 = 0xf0 << 12 | 3;
  r.grid = r.block = {kLanes, 1, 1};
  const auto add_pointer = [&](uint64_t p) {
    r.user_sgprs.push_back(static_cast<uint32_t>(p));
    r.user_sgprs.push_back(static_cast<uint32_t>(p >> 32));
  };
  add_pointer(reinterpret_cast<uint64_t>(data.host()));
  for (size_t i = 1; i < starts.size(); ++i) add_pointer(kCodeBase + starts[i]);
  r.rsrc2 = static_cast<uint32_t>(r.user_sgprs.size()) << 1;
  r.entry = kCodeBase;
  r.memory = &memory;
  DispatcherOptions options;
  options.threads = 1;
  options.engine = variant.engine;
  options.tier = variant.tier;
  options.max_instructions = 1'000'000;
  Outcome o;
  o.result = Dispatcher(options).run(r);
  if (starts.size() > 1) o.function = kCodeBase + starts[1];
  o.out.resize(kLanes);
  std::memcpy(o.out.data(), data.host(), kLanes * sizeof(uint32_t));
  return o;
}

void finish(Program& p, int value) {
  p.v_lshlrev_b32(v[9], 2, v[0]);
  p.global_store_b32(v[9], v[value], s(0, 1));
  p.s_endpgm();
}

/// A loop that counts in s10.
template <class Body>
void repeat(Program& p, int times, const Body& body) {
  p.s_movk_i32(s[10], times);
  const Label top = p.here();
  body();
  p.s_sub_u32(s[10], s[10], 1);
  p.s_cmp_lg_u32(s[10], 0);
  p.s_cbranch_scc1(top);
}

class JitCalls : public ::testing::TestWithParam<Variant> {
 protected:
  void SetUp() override {
    if (!check_engine(GetParam().engine) || !jit::host_can(GetParam().tier))
      GTEST_SKIP() << "this host has no such engine";
  }
  /// Runs on the engine and on the interpreter: the same data, the same count.
  std::vector<uint32_t> both(Program& main, std::initializer_list<Program*> functions) {
    const Outcome o = run(GetParam(), main, functions);
    EXPECT_TRUE(o.result.ok) << o.result.fault.describe();
    const Outcome expected = run({"interp", Engine::kInterp, GetParam().tier}, main, functions);
    EXPECT_EQ(o.out, expected.out);
    EXPECT_EQ(o.result.stats.wave_instructions, expected.result.stats.wave_instructions);
    return o.out;
  }
};

TEST_P(JitCalls, OneFunctionFromTwoPlaces) {
  Program f(isa::Target::kGfx1100), main(isa::Target::kGfx1100);
  f.v_mul_lo_u32(v[1], v[1], 3);
  f.v_add_nc_u32(v[1], v[0], v[1]);
  f.s_setpc_b64(s(12, 13));
  main.v_mov_b32(v[1], 1);
  repeat(main, 300, [&] {
    main.s_swappc_b64(s(12, 13), s(2, 3));
    main.v_xor_b32(v[1], 5, v[1]);
    main.s_swappc_b64(s(12, 13), s(2, 3));
  });
  finish(main, 1);
  const auto out = both(main, {&f});
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    uint32_t x = 1;
    for (int i = 0; i < 300; ++i) x = (((x * 3 + lane) ^ 5) * 3) + lane;
    EXPECT_EQ(out[lane], x) << "lane " << lane;
  }
}

TEST_P(JitCalls, TwoFunctionsThatShareAPlaceInTheTable) {
  // Their addresses are 256 bytes apart, and so on: both ways are replaced again and again.
  Program f(isa::Target::kGfx1100), g(isa::Target::kGfx1100), main(isa::Target::kGfx1100);
  f.v_add_nc_u32(v[1], 1, v[1]);
  f.s_setpc_b64(s(12, 13));
  g.v_lshlrev_b32(v[1], 1, v[1]);
  for (int i = 0; i < 16384 / 4 - 64 - 2; ++i) g.s_nop(0);
  g.s_setpc_b64(s(12, 13));
  main.v_mov_b32(v[1], v[0]);
  repeat(main, 8, [&] {
    main.s_swappc_b64(s(12, 13), s(2, 3));
    main.s_swappc_b64(s(12, 13), s(4, 5));
  });
  finish(main, 1);
  const auto out = both(main, {&f, &g});
  for (uint32_t lane = 0; lane < kLanes; ++lane) EXPECT_EQ(out[lane], (lane << 8) + 510);
}

TEST_P(JitCalls, Recursion) {
  Program f(isa::Target::kGfx1100), main(isa::Target::kGfx1100);
  const Label leave = f.label();
  f.s_cmp_eq_u32(s[20], 0);
  f.s_cbranch_scc1(leave);
  f.v_writelane_b32(v[10], s[12], s[20]);
  f.v_writelane_b32(v[11], s[13], s[20]);
  f.v_add_nc_u32(v[1], s[20], v[1]);
  f.s_sub_u32(s[20], s[20], 1);
  f.s_swappc_b64(s(12, 13), s(2, 3));
  f.s_add_u32(s[20], s[20], 1);
  f.v_readlane_b32(s[12], v[10], s[20]);
  f.v_readlane_b32(s[13], v[11], s[20]);
  f.bind(leave);
  f.s_setpc_b64(s(12, 13));
  main.v_mov_b32(v[1], v[0]);
  main.s_movk_i32(s[20], 30);
  main.s_swappc_b64(s(12, 13), s(2, 3));
  finish(main, 1);
  const auto out = both(main, {&f});
  for (uint32_t lane = 0; lane < kLanes; ++lane) EXPECT_EQ(out[lane], lane + 465);
}

TEST_P(JitCalls, LowBitsOfAnAddressDoNotCount) {
  Program f(isa::Target::kGfx1100), main(isa::Target::kGfx1100);
  f.v_add_nc_u32(v[1], 7, v[1]);
  f.s_or_b32(s[12], s[12], 2);
  f.s_setpc_b64(s(12, 13));
  main.v_mov_b32(v[1], 0);
  main.s_or_b32(s[2], s[2], 3);
  repeat(main, 5, [&] { main.s_swappc_b64(s(12, 13), s(2, 3)); });
  finish(main, 1);
  EXPECT_EQ(both(main, {&f}), std::vector<uint32_t>(kLanes, 35));
}

TEST_P(JitCalls, AnAddressInTheRegistersOfTheResult) {
  Program f(isa::Target::kGfx1100), main(isa::Target::kGfx1100);
  f.v_mov_b32(v[1], 4);
  f.s_swappc_b64(s(2, 3), s(2, 3));  // as main's: comes back behind itself when main calls again
  f.v_add_nc_u32(v[1], 9, v[1]);
  f.s_setpc_b64(s(2, 3));
  main.s_swappc_b64(s(2, 3), s(2, 3));
  main.s_swappc_b64(s(2, 3), s(2, 3));
  finish(main, 1);
  EXPECT_EQ(both(main, {&f}), std::vector<uint32_t>(kLanes, 13));
}

TEST_P(JitCalls, CallsOfALabel) {
  Program main(isa::Target::kGfx1100);
  const Label f = main.label();
  main.v_mov_b32(v[1], v[0]);
  repeat(main, 100, [&] {
    main.s_call_b64(s(12, 13), f);
    main.v_xor_b32(v[1], 3, v[1]);
  });
  finish(main, 1);
  main.bind(f);
  main.v_add_nc_u32(v[1], 2, v[1]);
  main.s_setpc_b64(s(12, 13));
  const auto out = both(main, {});
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    uint32_t x = lane;
    for (int i = 0; i < 100; ++i) x = (x + 2) ^ 3;
    EXPECT_EQ(out[lane], x);
  }
}

TEST_P(JitCalls, ACallThatKeepsItsPlaceInExecChangesTheActiveLanes) {
  Program main(isa::Target::kGfx1100);
  const Label f = main.label();
  main.v_mov_b32(v[1], 1);
  main.s_mov_b64(s(14, 15), exec);
  main.s_call_b64(exec, f);
  main.bind(f);
  main.v_mov_b32(v[1], 2);
  main.s_mov_b64(exec, s(14, 15));
  finish(main, 1);
  const auto out = both(main, {});
  constexpr uint32_t kBehindTheCall = static_cast<uint32_t>(kCodeBase) + 12;
  for (uint32_t lane = 0; lane < kLanes; ++lane)
    EXPECT_EQ(out[lane], 1 + (kBehindTheCall >> lane & 1)) << "lane " << lane;
}

TEST_P(JitCalls, AFunctionThatChangesModeAndBack) {
  Program f(isa::Target::kGfx1100), main(isa::Target::kGfx1100);
  f.s_round_mode(0xf);  // to zero
  f.v_add_f32(v[1], v[3], v[4]);
  f.s_round_mode(0);
  f.v_add_f32(v[2], v[3], v[4]);
  f.s_setpc_b64(s(12, 13));
  main.v_mov_b32(v[3], 0x3f800001);
  main.v_mov_b32(v[4], 0x33c00000);  // three quarters of the last place of v3
  main.v_mov_b32(v[5], 0);
  repeat(main, 50, [&] {
    main.s_swappc_b64(s(12, 13), s(2, 3));
    main.v_sub_nc_u32(v[2], v[2], v[1]);
    main.v_add_nc_u32(v[5], v[2], v[5]);
  });
  finish(main, 5);
  EXPECT_EQ(both(main, {&f}), std::vector<uint32_t>(kLanes, 50));
}

TEST_P(JitCalls, AJumpToNowhereIsAFaultThere) {
  Program f(isa::Target::kGfx1100), main(isa::Target::kGfx1100);
  f.s_setpc_b64(s(12, 13));
  main.s_swappc_b64(s(12, 13), s(2, 3));
  main.s_swappc_b64(s(12, 13), s(2, 3));
  main.s_mov_b32(s[2], 0x1000);
  main.s_mov_b32(s[3], 0);
  main.s_swappc_b64(s(12, 13), s(2, 3));
  main.s_endpgm();
  const Outcome o = run(GetParam(), main, {&f});
  ASSERT_FALSE(o.result.ok);
  EXPECT_EQ(o.result.fault.pc, 0x1000u) << o.result.fault.describe();
}

TEST_P(JitCalls, LostMemoryNamesTheInstructionOfTheCalledFunction) {
  Program f(isa::Target::kGfx1100), main(isa::Target::kGfx1100);
  f.v_lshlrev_b32(v[2], 2, v[0]);
  f.global_load_b32(v[3], v[2], s(0, 1));
  f.s_setpc_b64(s(12, 13));
  for (int i = 0; i < 3; ++i) main.s_swappc_b64(s(12, 13), s(2, 3));
  main.s_add_u32(s[0], s[0], static_cast<int>(kPage));
  main.s_addc_u32(s[1], s[1], 0);
  main.s_swappc_b64(s(12, 13), s(2, 3));
  main.s_endpgm();
  const Outcome o = run(GetParam(), main, {&f});
  ASSERT_FALSE(o.result.ok);
  EXPECT_EQ(o.result.fault.pc, o.function + 4) << o.result.fault.describe();
  EXPECT_TRUE(o.result.fault.instruction.starts_with("global_load_b32"));
}

TEST_P(JitCalls, ALoopOfJumpsEndsWithTheBudget) {
  Program f(isa::Target::kGfx1100), main(isa::Target::kGfx1100);
  f.s_setpc_b64(s(2, 3));
  main.s_setpc_b64(s(2, 3));
  const Outcome o = run(GetParam(), main, {&f});
  ASSERT_FALSE(o.result.ok);
  EXPECT_EQ(o.result.fault.kind, FaultKind::kInstructionLimit) << o.result.fault.describe();
}

INSTANTIATE_TEST_SUITE_P(Engines, JitCalls,
                         ::testing::Values(Variant{"jit_avx512", Engine::kJit, jit::Tier::kAvx512},
                                           Variant{"jit_avx2", Engine::kJit, jit::Tier::kAvx2},
                                           Variant{"verify", Engine::kVerify, jit::host_tier()}),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace lockstep::emu
