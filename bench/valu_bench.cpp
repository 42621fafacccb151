// SPDX-License-Identifier: MIT
// Speed of both engines on a loop of vector arithmetic: hot and many registers, full and partial
// EXEC.
#include <benchmark/benchmark.h>

#include <algorithm>

#include "emu/dispatch.h"
#include "emu/jit/engine.h"
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
constexpr uint32_t kIterations = 20000, kOperations = 48;
constexpr uint32_t kSaveExecMask = 126;

/// for (s0 = kIterations; s0 != 0; --s0) { vector operations on `registers` registers, 48 or as many }
Program valu_loop(uint32_t exec_mask, uint32_t registers) {
  Program p(isa::Isa::kGfx11);
  p.add(Op::s_movk_i32, Format::SOPK, {{Field::sdst, 0}, {Field::simm16, kIterations}});
  p.add(Op::s_movk_i32, Format::SOPK, {{Field::sdst, kSaveExecMask}, {Field::simm16, exec_mask}});
  const size_t top = p.position();
  for (uint32_t i = 0; i < kOperations; i += 6) {
    const uint32_t r = i % registers;
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

emu::DispatchRequest one_wave(Program& p, emu::MemoryMap& memory) {
  auto* code = reinterpret_cast<uint8_t*>(p.words().data());
  memory.add({reinterpret_cast<uint64_t>(code), p.words().size() * 4, code, false, "code"});
  emu::DispatchRequest request;
  request.entry = reinterpret_cast<uint64_t>(code);
  request.kernel_name = "valu_loop";
  request.grid = request.block = {32, 1, 1};
  request.memory = &memory;
  request.grant_all_registers = true;
  request.rsrc1 = 0xf << 16;  // keep denormals
  return request;
}

void run_loop(benchmark::State& state, emu::Engine engine, uint32_t exec_mask, uint32_t registers,
              emu::jit::Tier tier = emu::jit::host_tier()) {
  if (!emu::jit::host_can(tier)) {
    state.SkipWithError("this host cannot run such code");
    return;
  }
  Program p = valu_loop(exec_mask, registers);
  emu::MemoryMap memory;
  const emu::DispatchRequest request = one_wave(p, memory);
  emu::DispatcherOptions options;
  options.threads = 1;
  options.engine = engine;
  options.tier = tier;
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

/// A new dispatcher each time, so that the loop is compiled each time.
void compile(benchmark::State& state) {
  Program p = valu_loop(0xffff, 12);
  p.words()[0] = p.words()[0] - kIterations + 1;  // the loop runs once
  emu::MemoryMap memory;
  const emu::DispatchRequest request = one_wave(p, memory);
  emu::DispatcherOptions options;
  options.threads = 1;
  options.engine = emu::Engine::kJit;
  double best = 1;
  for (auto _ : state) {
    const emu::jit::Statistics before = emu::jit::total_statistics();
    emu::Dispatcher(options).run(request);
    const emu::jit::Statistics after = emu::jit::total_statistics();
    best = std::min(best, (after.seconds - before.seconds) /
                              static_cast<double>(after.instructions - before.instructions));
  }
  state.counters["ns_an_instruction"] = best * 1e9;
}

constexpr uint32_t kAllLanes = 0xffff;   // sign-extended
constexpr uint32_t kSomeLanes = 0x5555;  // 8 of 32

void interp(benchmark::State& state) { run_loop(state, emu::Engine::kInterp, kAllLanes, 12); }
void interp_partial(benchmark::State& state) {
  run_loop(state, emu::Engine::kInterp, kSomeLanes, 12);
}
void jit(benchmark::State& state) { run_loop(state, emu::Engine::kJit, kAllLanes, 12); }
void jit_partial(benchmark::State& state) { run_loop(state, emu::Engine::kJit, kSomeLanes, 12); }
void jit_48_registers(benchmark::State& state) {
  run_loop(state, emu::Engine::kJit, kAllLanes, 48);
}
void jit_avx2(benchmark::State& state) {
  run_loop(state, emu::Engine::kJit, kAllLanes, 12, emu::jit::Tier::kAvx2);
}
void jit_avx2_partial(benchmark::State& state) {
  run_loop(state, emu::Engine::kJit, kSomeLanes, 12, emu::jit::Tier::kAvx2);
}
void jit_avx2_48_registers(benchmark::State& state) {
  run_loop(state, emu::Engine::kJit, kAllLanes, 48, emu::jit::Tier::kAvx2);
}

BENCHMARK(interp)->Name("valu_loop/interp");
BENCHMARK(interp_partial)->Name("valu_loop/interp/8_of_32_lanes");
BENCHMARK(jit)->Name("valu_loop/jit");
BENCHMARK(jit_partial)->Name("valu_loop/jit/8_of_32_lanes");
BENCHMARK(compile)->Name("compile");
BENCHMARK(jit_48_registers)->Name("valu_loop/jit/48_registers");
BENCHMARK(jit_avx2)->Name("valu_loop/jit_avx2");
BENCHMARK(jit_avx2_partial)->Name("valu_loop/jit_avx2/8_of_32_lanes");
BENCHMARK(jit_avx2_48_registers)->Name("valu_loop/jit_avx2/48_registers");

}  // namespace
}  // namespace lockstep::bench

BENCHMARK_MAIN();
