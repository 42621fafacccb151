// SPDX-License-Identifier: MIT
// Speed of the reference interpreter: a plain VALU loop, with full and partial EXEC.
#include <benchmark/benchmark.h>

#include "emu/dispatch.h"
#include "tests/support/program.h"

namespace lockstep::bench {

using isa::Field;
using isa::Format;
using isa::Op;
using test::Program;
namespace {

constexpr uint32_t kVgpr = isa::kSrcVgpr0;
constexpr uint32_t kInlineOne = 129;  // inline constant 1
constexpr uint32_t kFloatOne = 242;   // inline constant 1.0
constexpr uint32_t kIterations = 2000;
constexpr uint32_t kSaveExecMask = 126;

/// for (s0 = kIterations; s0 != 0; --s0) { 12 VALU operations on 12 hot registers }
Program valu_loop(uint32_t exec_mask) {
  Program p(isa::Isa::kGfx11);
  p.add(Op::s_movk_i32, Format::SOPK, {{Field::sdst, 0}, {Field::simm16, kIterations}});
  p.add(Op::s_movk_i32, Format::SOPK, {{Field::sdst, kSaveExecMask}, {Field::simm16, exec_mask}});
  const size_t top = p.position();
  for (uint32_t r = 0; r < 12; r += 6) {
    p.add(Op::v_add_f32, Format::VOP2,
          {{Field::vdst, r}, {Field::src0, kVgpr + r + 1}, {Field::vsrc1, r + 2}});
    p.add(Op::v_mul_f32, Format::VOP2,
          {{Field::vdst, r + 1}, {Field::src0, kFloatOne}, {Field::vsrc1, r + 3}});
    p.add(Op::v_fma_f32, Format::VOP3,
          {{Field::vdst, r + 2},
           {Field::src0, kVgpr + r},
           {Field::src1, kVgpr + r + 1},
           {Field::src2, kVgpr + r + 4}});
    p.add(Op::v_and_b32, Format::VOP2,
          {{Field::vdst, r + 3}, {Field::src0, kVgpr + r + 5}, {Field::vsrc1, r + 2}});
    p.add(Op::v_add_nc_u32, Format::VOP2,
          {{Field::vdst, r + 4}, {Field::src0, kVgpr + r + 4}, {Field::vsrc1, r + 3}});
    p.add(Op::v_max_f32, Format::VOP2,
          {{Field::vdst, r + 5}, {Field::src0, kVgpr + r}, {Field::vsrc1, r + 1}});
  }
  p.add(Op::s_sub_u32, Format::SOP2,
        {{Field::sdst, 0}, {Field::ssrc0, 0}, {Field::ssrc1, kInlineOne}});
  p.add(Op::s_cmp_lg_u32, Format::SOPC, {{Field::ssrc0, 0}, {Field::ssrc1, 128}});
  const auto offset = static_cast<int32_t>(top) - static_cast<int32_t>(p.position()) - 1;
  p.add(Op::s_cbranch_scc1, Format::SOPP, {{Field::simm16, static_cast<uint16_t>(offset)}});
  p.add(Op::s_endpgm, Format::SOPP, {});
  return p;
}

void run_loop(benchmark::State& state, uint32_t exec_mask) {
  Program p = valu_loop(exec_mask);
  emu::MemoryMap memory;
  auto* code = reinterpret_cast<uint8_t*>(p.words().data());
  memory.add({reinterpret_cast<uint64_t>(code), p.words().size() * 4, code, false, "code"});
  emu::DispatchRequest request;
  request.entry = reinterpret_cast<uint64_t>(code);
  request.kernel_name = "valu_loop";
  request.grid = request.block = {32, 1, 1};
  request.memory = &memory;
  request.grant_all_registers = true;
  request.rsrc1 = 0xf << 16;  // keep denormals
  emu::DispatcherOptions options;
  options.threads = 1;
  emu::Dispatcher dispatcher(options);
  uint64_t instructions = 0;
  for (auto _ : state) {
    const emu::DispatchResult result = dispatcher.run(request);
    if (!result.ok) {
      state.SkipWithError(result.fault.describe().c_str());
      return;
    }
    instructions += result.stats.wave_instructions;
  }
  state.counters["wave_instructions/s"] =
      benchmark::Counter(static_cast<double>(instructions), benchmark::Counter::kIsRate);
}

void valu_loop_full_exec(benchmark::State& state) {
  run_loop(state, 0xffff);
}  // sign-extended: all 32 lanes
void valu_loop_partial_exec(benchmark::State& state) { run_loop(state, 0x5555); }  // 8 of 32 lanes

BENCHMARK(valu_loop_full_exec);
BENCHMARK(valu_loop_partial_exec);

}  // namespace
}  // namespace lockstep::bench

BENCHMARK_MAIN();
