// SPDX-License-Identifier: MIT
// lockstep_group_* and lockstep_wave_*: a workgroup that the caller steps and looks into.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>

#include "cli/capi/boundary.h"
#include "emu/workgroup.h"

/// Made once, never moved: the workgroup keeps pointers into it.
struct lockstep_workgroup {
  std::vector<uint32_t> code;
  lockstep::emu::MemoryMap memory{lockstep::emu::MemoryMap::Mode::kProcess};
  std::optional<lockstep::emu::MemoryView> view;
  lockstep::emu::DispatchRequest request;
  lockstep::emu::LaunchPlan plan;
  std::optional<lockstep::emu::WaveRunner> runner;
  std::optional<lockstep::emu::Workgroup> waves;
};
struct lockstep_snapshot {
  const lockstep_workgroup* group;
  lockstep::emu::Workgroup::Snapshot saved;
};

namespace lockstep::capi {
namespace {

using emu::Workgroup;

// The C numbers are those of the C++ enumeration.
static_assert(LOCKSTEP_WAVE_READY == static_cast<int>(Workgroup::WaveStatus::kReady));
static_assert(LOCKSTEP_WAVE_BARRIER == static_cast<int>(Workgroup::WaveStatus::kAtBarrier));
static_assert(LOCKSTEP_WAVE_ENDED == static_cast<int>(Workgroup::WaveStatus::kEnded));

// Instruction fetch looks at whole encodings; the end of the code must not be the end of memory.
constexpr size_t kTailWords = 64;
constexpr uint64_t kSlice = 1 << 16;

int bad(const std::string& message) { return fail(LOCKSTEP_ERROR_ARGUMENT, message); }

int create(const char* target, const void* code, size_t code_size,
           const lockstep_workgroup_options* options, lockstep_workgroup*& out) {
  const auto arch = target ? find_arch(target) : std::nullopt;
  if (!arch) return bad(unknown_arch(target));
  if (!code) return bad("code is NULL");
  if (code_size < 4 || code_size % 4 != 0)
    return bad(fmt::format("code_size is {}; instructions have multiples of 4 bytes", code_size));
  lockstep_workgroup_options o = {};
  if (options) {
    if (options->struct_size != sizeof o)
      return bad(fmt::format("struct_size is {}, not sizeof(lockstep_workgroup_options) ({})",
                             options->struct_size, sizeof o));
    o = *options;
  }
  const uint32_t wave_size = o.wave_size ? o.wave_size : arch->wave_size;
  const uint64_t items = uint64_t{o.waves ? o.waves : 1} * wave_size;
  if (items > 1024)
    return bad(fmt::format("{} waves of {} lanes; a workgroup has at most 1024 work-items", o.waves,
                           wave_size));
  const auto engine = engine_options();
  if (!engine) return bad(engine.error());

  auto g = std::make_unique<lockstep_workgroup>();
  g->code.resize(code_size / 4 + kTailWords);
  std::memcpy(g->code.data(), code, code_size);
  g->request.target = arch->target;
  g->request.wave_size = wave_size;
  g->request.entry = reinterpret_cast<uint64_t>(g->code.data());
  g->request.kernel_name = "code of the group";
  g->request.grid = g->request.block = {static_cast<uint32_t>(items), 1, 1};
  g->request.rsrc1 = kDefaultRsrc1;
  g->request.lds_bytes = o.lds_size;
  g->request.scratch_bytes_per_lane = o.scratch_size;
  g->request.grant_all_registers = true;
  g->request.memory = &g->memory;
  auto plan = emu::plan_launch(g->request);
  if (!plan) return bad(plan.error());
  g->plan = *plan;
  g->runner.emplace(engine->engine,
                    engine->engine == emu::Engine::kInterp
                        ? nullptr
                        : std::make_shared<emu::jit::UnitCaches>(engine->observers));
  g->view.emplace(g->memory);  // look_again() replaces it before anything runs
  g->waves.emplace(g->plan, *g->view);
  g->waves->start(0);
  out = g.release();
  return LOCKSTEP_OK;
}

/// Memory may have come and gone since the last call, and code may have been written.
void look_again(lockstep_workgroup& g) {
  g.memory.forget();
  g.view.emplace(g.memory);
  g.runner->begin(g.plan.key);
}

int report_fault(const lockstep_workgroup& g) {
  const emu::Fault fault = g.waves->fault();
  return fail(code_of(fault.kind), fault.describe());
}

int check_wave(const lockstep_workgroup* g, uint32_t wave) {
  if (!g) return bad("group is NULL");
  if (wave < g->waves->wave_count()) return LOCKSTEP_OK;
  return bad(fmt::format("wave is {}; the group has {}", wave, g->waves->wave_count()));
}

int step(lockstep_workgroup* g, uint32_t wave, uint64_t most, uint64_t* executed) {
  uint64_t ignored = 0;
  uint64_t& ran = executed ? *executed : ignored;
  ran = 0;
  if (const int error = check_wave(g, wave)) return error;
  if (most != 0 && g->waves->status(wave) == Workgroup::WaveStatus::kReady) {
    look_again(*g);
    if (!g->waves->run_wave(wave, *g->runner, most, ran)) return report_fault(*g);
  }
  return static_cast<int>(g->waves->status(wave));
}

int run(lockstep_workgroup* g, uint64_t most, uint64_t* executed) {
  uint64_t ignored = 0;
  uint64_t& ran = executed ? *executed : ignored;
  ran = 0;
  if (!g) return bad("group is NULL");
  look_again(*g);
  emu::InstructionBudget no_limit(0);
  const uint64_t before = g->waves->executed();
  auto state = Workgroup::State::kRunning;
  for (uint64_t left = most; left > 0 && state == Workgroup::State::kRunning;) {
    const uint64_t slice = std::min(left, kSlice);
    state = g->waves->run_round(*g->runner, no_limit, slice, nullptr);
    left -= slice;
  }
  ran = g->waves->executed() - before;
  if (state == Workgroup::State::kFault) return report_fault(*g);
  return state == Workgroup::State::kDone ? LOCKSTEP_WAVE_ENDED : LOCKSTEP_WAVE_READY;
}

/// Registers of a wave; Word is const where they are only read.
template <class Word>
struct Registers {
  Word* values = nullptr;
  size_t count = 0;
};

/// Where registers lie; 0 or an error. Group is const where they are only read.
template <class Group, class Word>
int find_registers(Group* g, uint32_t wave, uint32_t file, uint32_t first, uint32_t count,
                   const void* values, Registers<Word>& out) {
  if (const int error = check_wave(g, wave)) return error;
  if (!values && count != 0) return bad("values is NULL");
  auto& w = g->waves->state(wave);
  Word* base = nullptr;
  size_t there = 0, width = w.wave_size;
  const char* name = "";
  switch (file) {
    case LOCKSTEP_REGISTER_SCALAR:
      base = w.scalar, there = std::size(w.scalar), width = 1, name = "scalar";
      break;
    case LOCKSTEP_REGISTER_VGPR:
      base = w.vgprs.get(), there = w.num_vgprs, name = "VGPR";
      break;
    case LOCKSTEP_REGISTER_AGPR:
      base = w.agprs.get(), there = w.num_agprs, name = "AGPR";
      break;
    default:
      return bad(fmt::format("registers is {}: no such register file", file));
  }
  if (first > there || count > there - first)
    return bad(fmt::format("registers {} to {}: the wave has {} {} registers", first,
                           uint64_t{first} + count - 1, there, name));
  out = {base + first * width, count * width};
  return LOCKSTEP_OK;
}

int get(const lockstep_workgroup* g, uint32_t wave, uint32_t state, uint64_t* value) {
  if (const int error = check_wave(g, wave)) return error;
  if (!value) return bad("value is NULL");
  const emu::WaveState& w = g->waves->state(wave);
  switch (state) {
    case LOCKSTEP_STATE_SCC:
      return *value = w.scc, LOCKSTEP_OK;
    case LOCKSTEP_STATE_VCC:
      return *value = w.vcc(), LOCKSTEP_OK;
    case LOCKSTEP_STATE_EXEC:
      return *value = w.exec(), LOCKSTEP_OK;
    case LOCKSTEP_STATE_M0:
      return *value = w.scalar[isa::kM0], LOCKSTEP_OK;
    case LOCKSTEP_STATE_PC:
      return *value = w.pc, LOCKSTEP_OK;
    case LOCKSTEP_STATE_MODE:
      return *value = w.mode, LOCKSTEP_OK;
    case LOCKSTEP_STATE_FLAT_SCRATCH:
      return *value = w.flat_scratch, LOCKSTEP_OK;
  }
  return bad(fmt::format("state is {}: no such state", state));
}

int set(lockstep_workgroup* g, uint32_t wave, uint32_t state, uint64_t value) {
  if (const int error = check_wave(g, wave)) return error;
  emu::WaveState& w = g->waves->state(wave);
  const auto limit = [&](uint64_t most) {
    return value <= most ? LOCKSTEP_OK
                         : bad(fmt::format("value is {:#x}; at most {:#x} fits", value, most));
  };
  int error = LOCKSTEP_OK;
  switch (state) {
    case LOCKSTEP_STATE_SCC:
      if (!(error = limit(1))) w.scc = value != 0;
      return error;
    case LOCKSTEP_STATE_VCC:
      if (!(error = limit(w.lane_mask()))) w.write_mask(isa::kVccLo, value);
      return error;
    case LOCKSTEP_STATE_EXEC:
      if (!(error = limit(w.lane_mask()))) w.write_mask(isa::kExecLo, value);
      return error;
    case LOCKSTEP_STATE_M0:
      if (!(error = limit(0xffffffff))) w.scalar[isa::kM0] = static_cast<uint32_t>(value);
      return error;
    case LOCKSTEP_STATE_PC:
      w.pc = value;
      return LOCKSTEP_OK;
    case LOCKSTEP_STATE_MODE:
      if (!(error = limit(0xffffffff))) w.mode = static_cast<uint32_t>(value);
      return error;
    case LOCKSTEP_STATE_FLAT_SCRATCH:
      w.flat_scratch = value;
      return LOCKSTEP_OK;
  }
  return bad(fmt::format("state is {}: no such state", state));
}

int restore(lockstep_workgroup* g, const lockstep_snapshot* s) {
  if (!g || !s) return bad("group or snapshot is NULL");
  if (s->group != g) return bad("the snapshot is of another group");
  g->waves->restore(s->saved);
  return LOCKSTEP_OK;
}

}  // namespace
}  // namespace lockstep::capi

namespace capi = lockstep::capi;

extern "C" {

lockstep_workgroup* lockstep_workgroup_create(const char* target, const void* code,
                                              size_t code_size,
                                              const lockstep_workgroup_options* options) {
  lockstep_workgroup* group = nullptr;
  capi::guarded([&] { return capi::create(target, code, code_size, options, group); });
  return group;
}

void lockstep_workgroup_free(lockstep_workgroup* group) { delete group; }

uint64_t lockstep_workgroup_entry(const lockstep_workgroup* group) {
  return group ? group->request.entry : 0;
}

int lockstep_wave_step(lockstep_workgroup* group, uint32_t wave, uint64_t most,
                       uint64_t* executed) {
  return capi::guarded([&] { return capi::step(group, wave, most, executed); });
}

int lockstep_workgroup_run(lockstep_workgroup* group, uint64_t most, uint64_t* executed) {
  return capi::guarded([&] { return capi::run(group, most, executed); });
}

int lockstep_wave_read(const lockstep_workgroup* group, uint32_t wave, uint32_t registers,
                       uint32_t first, uint32_t count, uint32_t* values) {
  return capi::guarded([&] {
    capi::Registers<const uint32_t> found;
    if (const int error = capi::find_registers(group, wave, registers, first, count, values, found))
      return error;
    std::copy_n(found.values, found.count, values);
    return int{LOCKSTEP_OK};
  });
}

int lockstep_wave_write(lockstep_workgroup* group, uint32_t wave, uint32_t registers,
                        uint32_t first, uint32_t count, const uint32_t* values) {
  return capi::guarded([&] {
    capi::Registers<uint32_t> found;
    if (const int error = capi::find_registers(group, wave, registers, first, count, values, found))
      return error;
    if (registers == LOCKSTEP_REGISTER_SCALAR && first <= lockstep::isa::kNull &&
        lockstep::isa::kNull - first < count)
      return capi::bad("register 124 is NULL: it cannot be written");
    std::copy_n(values, found.count, found.values);
    return int{LOCKSTEP_OK};
  });
}

int lockstep_wave_get(const lockstep_workgroup* group, uint32_t wave, uint32_t state,
                      uint64_t* value) {
  return capi::guarded([&] { return capi::get(group, wave, state, value); });
}

int lockstep_wave_set(lockstep_workgroup* group, uint32_t wave, uint32_t state, uint64_t value) {
  return capi::guarded([&] { return capi::set(group, wave, state, value); });
}

uint8_t* lockstep_workgroup_lds(lockstep_workgroup* group, size_t* size) {
  const auto lds = group ? group->waves->lds() : std::span<uint8_t>();
  if (size) *size = lds.size();
  return lds.empty() ? nullptr : lds.data();
}

lockstep_snapshot* lockstep_workgroup_save(const lockstep_workgroup* group) {
  lockstep_snapshot* snapshot = nullptr;
  capi::guarded([&] {
    if (!group) return capi::bad("group is NULL");
    snapshot = new lockstep_snapshot{group, group->waves->save()};
    return int{LOCKSTEP_OK};
  });
  return snapshot;
}

int lockstep_workgroup_restore(lockstep_workgroup* group, const lockstep_snapshot* snapshot) {
  return capi::guarded([&] { return capi::restore(group, snapshot); });
}

void lockstep_snapshot_free(lockstep_snapshot* snapshot) { delete snapshot; }

}  // extern "C"
