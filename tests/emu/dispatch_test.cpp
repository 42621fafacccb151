// SPDX-License-Identifier: MIT
// Launches: entry state, partial groups, barriers, forward progress between groups, limits and
// faults.
#include "emu/dispatch.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <tuple>

#include "asm/dsl/program.h"

namespace lockstep::emu {
namespace {

using namespace dsl;

std::vector<uint32_t> words_of(const Program& program) {
  const auto bytes = program.assemble();
  EXPECT_TRUE(bytes) << bytes.error();
  std::vector<uint32_t> words(bytes ? bytes->size() / 4 : 0);
  if (bytes) std::memcpy(words.data(), bytes->data(), bytes->size());
  return words;
}

/// A launch with one output buffer; s[0:1] holds its address, workgroup ids follow in s2...
struct Launch {
  Program code{isa::Target::kGfx1100};
  std::vector<uint32_t> words;  ///< made of `code` unless they are there
  MemoryMap memory;
  std::vector<uint32_t> out;
  DispatchRequest request;
  DispatcherOptions options;

  explicit Launch(size_t words) : out(words, 0xeeeeeeee) {
    request.kernel_name = "test_kernel";
    request.rsrc1 = 0xf << 16 | 7;              // keep denormals, 64 VGPRs
    request.rsrc2 = 2 << 1 | 7 << 7 | 2 << 11;  // two user SGPRs, ids x y z, work-item ids x y z
    options.threads = 1;
  }
  DispatchResult run() {
    if (words.empty()) words = words_of(code);
    auto* bytes = reinterpret_cast<uint8_t*>(words.data());
    auto* data = reinterpret_cast<uint8_t*>(out.data());
    memory.add({reinterpret_cast<uint64_t>(bytes), words.size() * 4, bytes, false, "code"});
    memory.add({reinterpret_cast<uint64_t>(data), out.size() * 4, data, true, "out buffer"});
    const auto address = reinterpret_cast<uint64_t>(data);
    request.user_sgprs = {static_cast<uint32_t>(address), static_cast<uint32_t>(address >> 32)};
    request.entry = reinterpret_cast<uint64_t>(bytes);
    request.memory = &memory;
    Dispatcher dispatcher(options);
    return dispatcher.run(request);
  }
  // Shorthands.
  void endpgm() { code.s_endpgm(); }
  /// v1 = linear index of the work-item in a one-dimensional grid, times 4: s2 * block + v0.
  void linear_offset(int block) {
    code.s_mul_i32(s[6], s[2], block);
    code.v_and_b32(v[2], 63, v[0]);  // & 63
    code.v_add_nc_u32(v[1], s[6], v[2]);
    code.v_lshlrev_b32(v[1], 2, v[1]);
  }
  void store(int value_vgpr, int offset_vgpr = 1) {
    code.global_store_b32(v[offset_vgpr], v[value_vgpr], s(0, 1));
  }
};

TEST(DispatchTest, EveryWorkItemOfAPartialGridRunsOnce) {
  for (const uint32_t wave_size : {32u, 64u}) {
    for (const uint32_t items : {1u, 31u, 32u, 33u, 63u, 64u, 1000u}) {
      Launch l(items + 64);
      l.request.wave_size = wave_size;
      l.request.grid = {items, 1, 1};
      l.request.block = {48, 1, 1};
      l.linear_offset(48);
      l.store(1);
      l.endpgm();
      const DispatchResult result = l.run();
      ASSERT_TRUE(result.ok) << result.fault.describe();
      for (uint32_t i = 0; i < items; ++i)
        ASSERT_EQ(l.out[i], i * 4) << items << " wave" << wave_size;
      for (uint32_t i = items; i < items + 64; ++i) ASSERT_EQ(l.out[i], 0xeeeeeeee);
      EXPECT_EQ(result.stats.workgroups, (items + 47) / 48);
    }
  }
}

TEST(DispatchTest, IdsOfThreeDimensions) {
  Launch l(2 * 3 * 2 * 8);
  l.request.grid = {4, 3, 4};
  l.request.block = {2, 1, 4};  // groups 2 x 3 x 1, eight items each
  // offset = (((s4 * 3 + s3) * 2 + s2) * 8 + z * 2 + x) * 4; store v0 with the group in the top
  // bits
  l.code.s_mul_i32(s[6], s[4], 3);
  l.code.s_add_u32(s[6], s[6], s[3]);
  l.code.s_lshl_b32(s[6], s[6], 1);
  l.code.s_add_u32(s[6], s[6], s[2]);
  l.code.s_lshl_b32(s[6], s[6], 3);
  l.code.v_bfe_u32(v[2], v[0], 20, 10);
  l.code.v_lshlrev_b32(v[2], 1, v[2]);
  l.code.v_bfe_u32(v[3], v[0], 0, 10);
  l.code.v_add_nc_u32(v[2], v[2], v[3]);
  l.code.v_add_nc_u32(v[1], s[6], v[2]);
  l.code.v_lshlrev_b32(v[1], 2, v[1]);
  l.store(0);
  l.endpgm();
  const DispatchResult result = l.run();
  ASSERT_TRUE(result.ok) << result.fault.describe();
  for (uint32_t group = 0; group < 6; ++group)
    for (uint32_t z = 0; z < 4; ++z)
      for (uint32_t x = 0; x < 2; ++x) EXPECT_EQ(l.out[group * 8 + z * 2 + x], x | z << 20);
}

TEST(DispatchTest, BarrierOrdersLdsTrafficBetweenWaves) {
  Launch l(64);
  l.request.grid = l.request.block = {64, 1, 1};
  l.request.lds_bytes = 512;
  l.linear_offset(1);
  // LDS[i] = i; barrier; out[i] = LDS[63 - i]
  l.code.v_lshlrev_b32(v[4], 2, v[0]);
  l.code.ds_store_b32(v[4], v[0]);
  l.code.s_barrier();
  l.code.v_sub_nc_u32(v[5], 63, v[0]);
  l.code.v_lshlrev_b32(v[5], 2, v[5]);
  l.code.ds_load_b32(v[6], v[5]);
  l.store(6, 4);
  l.endpgm();
  for (const uint64_t seed : {0, 1, 2, 3}) {
    l.options.schedule_seed = seed;
    const DispatchResult result = l.run();
    ASSERT_TRUE(result.ok) << result.fault.describe();
    for (uint32_t i = 0; i < 64; ++i) EXPECT_EQ(l.out[i], 63 - i);
    EXPECT_EQ(result.stats.waves, 2u);
  }
}

TEST(DispatchTest, AGroupMayWaitForALaterGroup) {
  // Group 0 spins until group 1 has stored; with one thread this needs parking of the spinning
  // group.
  Launch l(4);
  l.out = {0, 0, 0, 0};
  l.request.grid = {2, 1, 1};
  l.request.block = {1, 1, 1};
  l.code.v_mov_b32(v[1], 0);
  l.code.v_mov_b32(v[2], 1);
  l.code.s_cmp_eq_u32(s[2], 0);
  const Label store = l.code.label();
  l.code.s_cbranch_scc0(store);
  const Label wait = l.code.here();
  l.code.global_load_b32(v[3], v[1], s(0, 1));  // two dwords
  l.code.v_readfirstlane_b32(s[8], v[3]);
  l.code.s_cmp_eq_u32(s[8], 1);
  l.code.s_cbranch_scc0(wait);
  l.code.bind(store);
  l.store(2);  // group 1 stores 1 (and group 0 the same, after its wait)
  l.endpgm();
  const DispatchResult result = l.run();
  ASSERT_TRUE(result.ok) << result.fault.describe();
  EXPECT_EQ(l.out[0], 1u);
}

/// What a wave that ends leaves in its registers, by different ways through compiled code, is not there
/// for the wave that comes to the same place.
TEST(DispatchTest, RegistersOfEarlierWavesAreGone) {
  using Leave = void (*)(Program& p);
  const std::pair<const char*, Leave> ways[] = {
      {"straight", [](Program&) {}},
      {"blocks",
       [](Program& p) {
         p.s_cmp_eq_u32(s[6], 0);
         const Label on = p.label();
         p.s_cbranch_scc0(on);
         p.v_mov_b32(v[5], 3);
         p.bind(on);
         p.v_mov_b32(v[6], 1);
       }},
      {"a loop",
       [](Program& p) {
         p.s_mov_b32(s[9], 3);
         p.do_while_scc1([&] {
           p.v_add_nc_u32(v[7], v[7], 1);
           p.s_sub_u32(s[9], s[9], 1);
           p.s_cmp_lg_u32(s[9], 0);
         });
       }},
      {"the interpreter's handler", [](Program& p) { p.s_getreg_b32(s[41], 1); }},
      {"scattered addresses",
       [](Program& p) {
         p.v_mul_u32_u24(v[9], 12, v[2]);
         p.v_and_b32(v[9], 60, v[9]);
         p.global_load_b32(v[5], v[9], s(0, 1));
         p.global_load_b128(v(10, 13), v[9], s(0, 1));
       }},
      {"a call", [](Program& p) {
         const Label on = p.label();
         p.s_getpc_b64(s(60, 61));
         p.s_add_u32(s[60], s[60], 12);
         p.s_addc_u32(s[61], s[61], 0);
         p.s_setpc_b64(s(60, 61));
         p.bind(on);
         p.v_mov_b32(v[8], 1);
       }}};
  for (const auto& [name, leave] : ways)
    for (const jit::Tier tier : {jit::Tier::kNone, jit::Tier::kAvx2, jit::Tier::kAvx512})
      for (const int block : {32, 48}) {
        if (!jit::host_can(tier)) continue;
        constexpr uint32_t kGroups = 30;
        Launch l(kGroups * 64 + 64);
        l.options.engine = tier == jit::Tier::kNone ? Engine::kInterp : Engine::kJit;
        l.options.tier = tier;
        l.request.grid = {kGroups * static_cast<uint32_t>(block), 1, 1};
        l.request.block = {static_cast<uint32_t>(block), 1, 1};
        l.linear_offset(64);
        l.code.v_mov_b32(v[3], vcc_lo);
        for (const int scalar : {20, 40, 41, 90}) l.code.v_or_b32(v[3], s[scalar], v[3]);
        for (int vector = 4; vector < 16; ++vector) l.code.v_or_b32(v[3], v[vector], v[3]);
        l.store(3);
        for (const int scalar : {20, 40, 41, 90}) l.code.s_mov_b32(s[scalar], 5);
        l.code.s_mov_b32(vcc_lo, -1);
        for (int vector = 4; vector < 16; ++vector) l.code.v_mov_b32(v[vector], v[1]);
        leave(l.code);
        l.endpgm();
        const DispatchResult result = l.run();
        ASSERT_TRUE(result.ok) << name << ": " << result.fault.describe();
        for (uint32_t group = 0; group < kGroups; ++group)
          for (int item = 0; item < block; ++item)
            ASSERT_EQ(l.out[group * 64 + static_cast<uint32_t>(item)], 0u)
                << name << ", " << jit::tier_name(tier) << ", group " << group << ", item " << item;
      }
}

/// A load and the store of what it loaded at the end of a kernel: contiguous, scattered, of partial
/// waves, onto each other, out of bounds.
TEST(DispatchTest, CopiesAreAsTheInterpreterMakesThem) {
  enum Way { kPlain, kSameAddress, kBackwards, kOverlapping, kOutside };
  constexpr uint32_t kWords = 8192;
  for (const int way : {kPlain, kSameAddress, kBackwards, kOverlapping, kOutside})
    for (const int words : {2, 3, 4})
      for (const uint32_t block : {64u, 48u}) {
        std::vector<uint32_t> expected;
        std::tuple<FaultKind, uint64_t, int, uint32_t, uint32_t> expected_fault;
        for (const jit::Tier tier : {jit::Tier::kNone, jit::Tier::kAvx2, jit::Tier::kAvx512}) {
          if (!jit::host_can(tier)) continue;
          Launch l(kWords);
          for (uint32_t i = 0; i < kWords; ++i) l.out[i] = i * 0x9e3779b1;
          l.options.engine = tier == jit::Tier::kNone ? Engine::kInterp : Engine::kJit;
          l.options.tier = tier;
          l.request.grid = {block * 12, 1, 1};
          l.request.block = {block, 1, 1};
          Program& p = l.code;
          l.linear_offset(static_cast<int>(block));
          p.v_mul_u32_u24(v[1], words, v[1]);
          if (way == kBackwards) p.v_sub_nc_u32(v[1], 768 * 16, v[1]);
          const int distance = way == kOverlapping ? 4 * words
                               : way == kOutside   ? kWords * 4 - 2000
                                                   : kWords * 2;
          p.v_add_nc_u32(v[20], distance, v[1]);
          if (way == kSameAddress) {
            p.s_add_u32(s[8], s[0], distance);
            p.s_addc_u32(s[9], s[1], 0);
          } else {
            p.s_mov_b64(s(8, 9), s(0, 1));
          }
          const auto to = v[way == kSameAddress ? 1 : 20];
          if (words == 2) {
            p.global_load_b64(v(4, 5), v[1], s(0, 1));
            p.s_waitcnt(0);
            p.global_store_b64(to, v(4, 5), s(8, 9));
          } else if (words == 3) {
            p.global_load_b96(v(4, 6), v[1], s(0, 1));
            p.global_store_b96(to, v(4, 6), s(8, 9));
          } else {
            p.global_load_b128(v(4, 7), v[1], s(0, 1));
            p.s_waitcnt(0);
            p.global_store_b128(to, v(4, 7), s(8, 9));
          }
          l.endpgm();
          const DispatchResult result = l.run();
          EXPECT_EQ(result.ok, way != kOutside);
          const std::tuple fault(result.fault.kind, result.fault.pc_offset, result.fault.lane,
                                 result.fault.workgroup[0], result.fault.wave);
          if (tier == jit::Tier::kNone) {
            expected = l.out;
            expected_fault = fault;
          }
          ASSERT_EQ(l.out == expected, true)
              << "way " << way << ", " << words << " words, groups of " << block << ", "
              << jit::tier_name(tier);
          EXPECT_EQ(fault, expected_fault);
        }
      }
}

TEST(DispatchTest, AnEndlessLoopMeetsTheLimit) {
  for (const int threads : {1, 2}) {
    Launch l(1);
    l.request.grid = {1024, 1, 1};
    l.request.block = {32, 1, 1};
    l.options.threads = threads;
    l.options.max_instructions = 100000;
    l.code.s_branch(l.code.here());
    const DispatchResult result = l.run();
    ASSERT_FALSE(result.ok);
    EXPECT_EQ(result.fault.kind, FaultKind::kInstructionLimit);
    EXPECT_LE(result.stats.wave_instructions, 100000u);
    EXPECT_NE(result.fault.describe().find("--max-instructions"), std::string::npos);
  }
}

TEST(DispatchTest, ABarrierThatNobodySignalsIsADeadlock) {
  for (const Engine engine : {Engine::kInterp, default_engine()}) {
    Launch l(1);
    l.request.target = isa::Target::kGfx1201;
    l.code = Program(isa::Target::kGfx1201);
    l.request.grid = {128, 1, 1};
    l.request.block = {64, 1, 1};
    l.options.engine = engine;
    l.code.s_barrier_wait(-1);
    l.endpgm();
    const DispatchResult result = l.run();
    ASSERT_FALSE(result.ok);
    EXPECT_EQ(result.fault.kind, FaultKind::kDeadlock);
    EXPECT_NE(result.fault.describe().find("s_barrier_wait"), std::string::npos);
  }
}

TEST(DispatchTest, FaultsNameTheirPlace) {
  Launch l(4);
  l.request.grid = l.request.block = {32, 1, 1};
  l.code.v_lshlrev_b32(v[1], 2, v[0]);
  l.store(0);  // lanes 4.. are past the buffer
  l.endpgm();
  const DispatchResult result = l.run();
  ASSERT_FALSE(result.ok);
  const Fault& f = result.fault;
  EXPECT_EQ(f.kind, FaultKind::kMemoryWrite);
  EXPECT_EQ(f.lane, 4);
  EXPECT_EQ(f.address, reinterpret_cast<uint64_t>(l.out.data()) + 16);
  EXPECT_EQ(f.pc_offset, 4u);
  EXPECT_EQ(f.kernel, "test_kernel");
  const std::string text = f.describe();
  for (const char* part : {"global_store_b32", "lane 4", "out buffer", "right at the end"})
    EXPECT_NE(text.find(part), std::string::npos) << text;
  for (uint32_t i = 0; i < 4; ++i) EXPECT_EQ(l.out[i], i);  // lanes before the fault took effect
}

TEST(DispatchTest, IllegalWordsAndRunawayCode) {
  {
    Launch l(1);
    l.words = {0xffffffff};
    const DispatchResult result = l.run();
    ASSERT_FALSE(result.ok);
    EXPECT_EQ(result.fault.kind, FaultKind::kIllegalInstruction);
    EXPECT_EQ(result.fault.bytes, "ffffffff");
  }
  {
    Launch l(1);
    l.code.s_nop(0);  // runs off the end of the code
    const DispatchResult result = l.run();
    ASSERT_FALSE(result.ok);
    EXPECT_EQ(result.fault.kind, FaultKind::kInstructionFetch);
    EXPECT_EQ(result.fault.pc_offset, 4u);
  }
  {
    Launch l(1);
    l.code.v_mov_b32(v[200], 0);
    const DispatchResult result = l.run();
    ASSERT_FALSE(result.ok);
    EXPECT_EQ(result.fault.kind, FaultKind::kRegisterOutOfRange);
  }
}

TEST(DispatchTest, ImpossibleLaunchesAreRefusedInWords) {
  const auto refused = [](auto change, const char* word) {
    Launch l(1);
    l.endpgm();
    change(l.request);
    const DispatchResult result = l.run();
    EXPECT_FALSE(result.ok);
    EXPECT_EQ(result.fault.kind, FaultKind::kBadDispatch);
    EXPECT_NE(result.fault.describe().find(word), std::string::npos) << result.fault.describe();
  };
  refused([](DispatchRequest& r) { r.lds_bytes = 65537; }, "65537 bytes of LDS");
  refused([](DispatchRequest& r) { r.block = {1024, 2, 1}; }, "2048 work-items");
  refused([](DispatchRequest& r) { r.grid = {0, 1, 1}; }, "0x1x1");
  refused([](DispatchRequest& r) { r.wave_size = 16; }, "wave size 16");
  refused([](DispatchRequest& r) { r.target = isa::Target::kGfx942; }, "wave size 32");
}

TEST(DispatchTest, ChangedCodeIsSeenByTheNextLaunch) {
  MemoryMap memory;
  alignas(64) std::array<uint32_t, 16> code = {};
  uint32_t out = 0;
  auto* bytes = reinterpret_cast<uint8_t*>(code.data());
  memory.add({reinterpret_cast<uint64_t>(bytes), sizeof code, bytes, false, "code"});
  memory.add({reinterpret_cast<uint64_t>(&out), 4, reinterpret_cast<uint8_t*>(&out), true, "out"});
  DispatcherOptions options;
  options.threads = 1;
  Dispatcher dispatcher(options);
  DispatchRequest request;
  request.memory = &memory;
  request.entry = reinterpret_cast<uint64_t>(bytes);
  const auto address = reinterpret_cast<uint64_t>(&out);
  request.user_sgprs = {static_cast<uint32_t>(address), static_cast<uint32_t>(address >> 32)};
  for (const uint32_t value : {5u, 6u}) {
    Program p(isa::Target::kGfx1100);
    p.v_mov_b32(v[1], 0);
    p.v_mov_b32(v[2], value);
    p.global_store_b32(v[1], v[2], s(0, 1));
    p.s_endpgm();
    const auto words = words_of(p);
    std::copy(words.begin(), words.end(), code.begin());
    const DispatchResult result = dispatcher.run(request);
    ASSERT_TRUE(result.ok) << result.fault.describe();
    EXPECT_EQ(out, value);
  }
}

}  // namespace
}  // namespace lockstep::emu
