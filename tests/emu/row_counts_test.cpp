// SPDX-License-Identifier: MIT
// Both engines count the same rows, as often as they ran; all of them together are the instructions.
#include "emu/row_counts.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <numeric>

#include "asm/dsl/program.h"
#include "emu/dispatch.h"
#include "isa/op_class.h"

namespace lockstep::emu {
namespace {

using namespace dsl;

constexpr uint32_t kWaves = 40, kRounds = 7;

std::vector<uint8_t> kernel() {
  Program p(isa::Target::kGfx1100);
  p.s_mov_b32(s[4], kRounds);
  const Label again = p.label();
  p.bind(again);
  p.v_dual_add_f32(v[1], v[1], v[2]);
  p.v_dual_mul_f32(v[4], v[4], v[5]);
  p.v_exp_f32(v[3], v[3]);
  p.s_sub_u32(s[4], s[4], 1);
  p.s_cmp_lg_u32(s[4], 0);
  p.s_cbranch_scc1(again);
  p.s_barrier();
  p.s_endpgm();
  const auto bytes = p.assemble();
  EXPECT_TRUE(bytes) << bytes.error();
  return bytes ? *bytes : std::vector<uint8_t>();
}

struct Counted {
  std::map<std::string, uint64_t> rows;
  uint64_t instructions = 0;
};

Counted run(Engine engine, int threads) {
  std::vector<uint8_t> code = kernel();
  MemoryMap memory;
  const auto address = reinterpret_cast<uint64_t>(code.data());
  memory.add({address, code.size(), code.data(), false, "code"});
  DispatchRequest request;
  request.rsrc1 = 0xf << 16 | 7;
  request.grid = {kWaves * 32, 1, 1};
  request.block = {64, 1, 1};
  request.entry = address;
  request.memory = &memory;
  DispatcherOptions options;
  options.threads = threads;
  options.engine = engine;
  options.row_counts = std::make_shared<RowCounts>();
  Dispatcher dispatcher(options);
  Counted counted;
  for (int i = 0; i < 3; ++i) {
    const DispatchResult result = dispatcher.run(request);
    EXPECT_TRUE(result.ok) << result.fault.describe();
    counted.instructions += result.stats.wave_instructions;
  }
  for (const auto& [isa, by_op] : options.row_counts->all())
    for (size_t i = 0; i < by_op.size(); ++i)
      if (by_op[i]) counted.rows[std::string(isa::op_info(static_cast<isa::Op>(i)).id)] += by_op[i];
  return counted;
}

TEST(RowCountsTest, EnginesAgree) {
  const uint64_t waves = uint64_t{3} * kWaves, rounds = waves * kRounds;
  for (const Engine engine : {Engine::kInterp, Engine::kJit, Engine::kVerify}) {
    if (!check_engine(engine)) continue;  // a host without generated code has one engine to count
    for (const int threads : {1, 2}) {
      const Counted counted = run(engine, threads);
      uint64_t sum = 0;
      for (const auto& [name, count] : counted.rows) sum += count;
      EXPECT_EQ(sum, counted.instructions + rounds);  // a pair is one instruction, but two rows
      EXPECT_EQ(counted.rows.at("v_exp_f32"), rounds);
      EXPECT_EQ(counted.rows.at("s_cbranch_scc1"), rounds);
      EXPECT_EQ(counted.rows.at("s_barrier"), waves);
      EXPECT_EQ(counted.rows.at("s_endpgm"), waves);
      EXPECT_EQ(counted.rows.size(), 9u);
    }
  }
}

}  // namespace
}  // namespace lockstep::emu
