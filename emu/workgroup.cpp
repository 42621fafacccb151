// SPDX-License-Identifier: MIT
// Launch planning and the life of a workgroup. Entry state: AMDGPU ABI, "Initial Kernel Execution
// State".
#include "emu/workgroup.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <numeric>

#include "asm/print.h"
#include "emu/special_modes.h"

namespace lockstep::emu {
namespace {

using isa::Generation;

constexpr uint32_t kMaxGroupItems = 1024;
// Apertures of generic addresses: any value whose high dword no host address has.
constexpr uint64_t kSharedBase = uint64_t{1} << 48;
constexpr uint64_t kPrivateBase = uint64_t{2} << 48;
constexpr uint32_t kTtmp7 = isa::kTtmp0 + 7, kTtmp9 = isa::kTtmp0 + 9;
constexpr const char* kDeadlockDetail =
    "no wave of the workgroup can go on: each waits at a barrier that too few waves signal";
constexpr uint64_t kScratchAlign = 4096;

constexpr uint32_t bits(uint32_t word, unsigned low, unsigned width) {
  return word >> low & ((1u << width) - 1);
}

/// VGPRs (and ACCVGPRs) that RSRC1/RSRC3 grant; units: AMDGPU ABI, "granulated workitem vgpr
/// count".
void grant_registers(const DispatchRequest& r, Generation generation, const isa::TargetInfo& target,
                     CodeKey& key) {
  const bool cdna = generation == Generation::kGfx9;
  if (r.grant_all_registers) {
    key.num_vgprs = target.max_vgprs;
    key.num_agprs = cdna ? target.max_vgprs : 0;
    return;
  }
  const uint32_t blocks = bits(r.rsrc1, 0, 6) + 1;
  if (!cdna) {
    key.num_vgprs = std::min(blocks * (r.wave_size == 32 ? 8u : 4u), target.max_vgprs);
    return;
  }
  const uint32_t total = blocks * 8;
  const uint32_t arch = std::min((bits(r.rsrc3, 0, 6) + 1) * 4, total);
  key.num_vgprs = std::min(arch, target.max_vgprs);
  key.num_agprs = std::min(total - arch, target.max_vgprs);
}

uint32_t entry_mode(uint32_t rsrc1, Generation generation) {
  uint32_t mode = bits(rsrc1, 12, 8);  // FLOAT_MODE: rounding and denormals
  if (generation != Generation::kGfx12) {
    if (bits(rsrc1, 21, 1)) mode |= ModeBits::kDx10Clamp;
    if (bits(rsrc1, 23, 1)) mode |= ModeBits::kIeee;
  }
  if (bits(rsrc1, 26, 1)) mode |= ModeBits::kFp16Ovfl;
  return mode;
}

std::string describe_nearest(const AllocationList& list, uint64_t address) {
  const auto nearest = find_nearest(list, address);
  if (!nearest) return "no memory is allocated on this device";
  const Allocation& a = nearest->allocation;
  const std::string where =
      fmt::format("{} [{:#x}, {:#x}), {} bytes", a.label, a.base, a.base + a.size, a.size);
  if (nearest->distance == 0 && !nearest->after_end && address >= a.base)
    return fmt::format("inside {}{}", where, a.writable ? "" : ", which is read-only");
  if (nearest->after_end && nearest->distance == 0)
    return fmt::format("right at the end of {}", where);
  return fmt::format("{} bytes {} {}", nearest->distance,
                     nearest->after_end ? "past the end of" : "before the start of", where);
}

}  // namespace

Result<LaunchPlan> plan_launch(const DispatchRequest& r) {
  LaunchPlan plan;
  const isa::TargetInfo& target = isa::target_info(r.target);
  plan.request = &r;
  plan.isa = target.isa;
  if (!r.memory) return Error{"the launch has no memory map"};
  if (r.wave_size != 64 && !(r.wave_size == 32 && target.has_wave32))
    return Error{fmt::format("{} has no wave size {}", target.name, r.wave_size)};
  uint64_t items = 1;
  plan.total_groups = 1;
  for (int i = 0; i < 3; ++i) {
    if (r.block[i] == 0 || r.grid[i] == 0)
      return Error{fmt::format("grid {}x{}x{} with workgroups of {}x{}x{}: no dimension may be 0",
                               r.grid[0], r.grid[1], r.grid[2], r.block[0], r.block[1],
                               r.block[2])};
    items *= r.block[i];
    plan.groups[i] = static_cast<uint32_t>((uint64_t{r.grid[i]} + r.block[i] - 1) / r.block[i]);
    plan.total_groups *= plan.groups[i];
  }
  if (items > kMaxGroupItems)
    return Error{fmt::format("a workgroup of {}x{}x{} has {} work-items; {} takes at most {}",
                             r.block[0], r.block[1], r.block[2], items, target.name,
                             kMaxGroupItems)};
  if (r.lds_bytes > target.lds_bytes)
    return Error{fmt::format("the workgroup wants {} bytes of LDS; {} has {}", r.lds_bytes,
                             target.name, target.lds_bytes)};
  if (r.user_sgprs.size() > 32)
    return Error{fmt::format("{} user SGPRs; at most 32 exist", r.user_sgprs.size())};
  const Generation generation = isa::generation_of(target.isa);
  plan.key.isa = target.isa;
  plan.key.wave_size = r.wave_size;
  grant_registers(r, generation, target, plan.key);
  plan.num_sgprs = target.max_sgprs;
  plan.mode = entry_mode(r.rsrc1, generation);
  plan.split_barriers = generation == Generation::kGfx12;
  std::ranges::copy(r.user_sgprs, plan.scalars.begin());
  return plan;
}

Workgroup::Workgroup(const LaunchPlan& plan, MemoryView& memory) : plan_(plan), memory_(memory) {
  const DispatchRequest& r = *plan.request;
  lds_.resize(r.lds_bytes);
  scalars_ = plan.scalars;
  if (r.scratch_bytes_per_lane == 0) return;
  const uint32_t items = r.block[0] * r.block[1] * r.block[2];
  const uint32_t waves = (items + r.wave_size - 1) / r.wave_size;
  scratch_per_wave_ = (scratch_limit(r) * r.wave_size + kScratchAlign - 1) & ~(kScratchAlign - 1);
  scratch_size_ = scratch_per_wave_ * waves;
  scratch_ = static_cast<uint8_t*>(std::aligned_alloc(kScratchAlign, scratch_size_));
  if (scratch_)
    r.memory->add({reinterpret_cast<uint64_t>(scratch_), scratch_size_, scratch_, true,
                   "scratch of a workgroup"});
}

Workgroup::~Workgroup() {
  if (!scratch_) return;
  plan_.request->memory->remove(reinterpret_cast<uint64_t>(scratch_));
  std::free(scratch_);
}

void Workgroup::start(uint64_t ticket, bool at_once) {
  const DispatchRequest& r = *plan_.request;
  id_ = {static_cast<uint32_t>(ticket % plan_.groups[0]),
         static_cast<uint32_t>(ticket / plan_.groups[0] % plan_.groups[1]),
         static_cast<uint32_t>(ticket / plan_.groups[0] / plan_.groups[1])};
  // The last group of a dimension may be smaller.
  for (int i = 0; i < 3; ++i) extent_[i] = std::min(r.block[i], r.grid[i] - id_[i] * r.block[i]);
  items_ = extent_[0] * extent_[1] * extent_[2];
  wave_count_ = (items_ + r.wave_size - 1) / r.wave_size;
  while (waves_.size() < wave_count_) waves_.push_back(std::make_unique<Wave>());
  std::fill(lds_.begin(), lds_.end(), uint8_t{0});
  if (scratch_) std::memset(scratch_, 0, scratch_size_);
  if (plan_.split_barriers) barriers_.clear();
  executed_ = 0;
  faulted_ = nullptr;
  set_group_scalars();
  started_ = 0;
  // Split barriers count the waves that there are.
  if (at_once || plan_.split_barriers) start_waves(wave_count_);
}

namespace {

/// gfx90a: kernels reach their private memory through a swizzled buffer of one dword an element or
/// through FLAT_SCRATCH. Both get the wave's own memory, so that the wave offset is 0.
void set_up_scratch(const DispatchRequest& r, WaveState& w) {
  if (r.private_segment_buffer >= 0) {
    constexpr uint32_t kSwizzle = 1u << 31, kAddThreadId = 1u << 23, kIndexStride64 = 3u << 21;
    uint32_t* words = &w.scalar[r.private_segment_buffer];
    words[0] = static_cast<uint32_t>(w.flat_scratch);
    words[1] = (static_cast<uint32_t>(w.flat_scratch >> 32) & 0xffff) | kSwizzle;
    words[2] = ~uint32_t{0};
    words[3] = kAddThreadId | kIndexStride64;
  }
  if (r.flat_scratch_init >= 0)
    w.write64(static_cast<unsigned>(r.flat_scratch_init), w.flat_scratch);
}

}  // namespace

/// What stays when the same place runs the wave of another group.
void Workgroup::set_up(Wave& wave) {
  Context& c = wave.context;
  c.wave = &wave.state;
  c.memory = &memory_;
  c.lds = lds_.data();
  c.lds_size = static_cast<uint32_t>(lds_.size());
  c.request = plan_.request;
  c.isa = plan_.isa;
  c.shared_base = kSharedBase;
  c.private_base = kPrivateBase;
  c.scratch_limit = scratch_limit(*plan_.request);
  c.barriers = plan_.split_barriers ? &barriers_ : nullptr;
  if (isa::generation_of(plan_.isa) == Generation::kGfx9) c.special_modes = kSpecialModes;
}

/// System SGPRs, which follow the user SGPRs.
void Workgroup::set_group_scalars() {
  const DispatchRequest& r = *plan_.request;
  if (isa::generation_of(plan_.isa) == Generation::kGfx12) {
    set_scalar(kTtmp9, id_[0]);
    set_scalar(kTtmp7, id_[1] | id_[2] << 16);
    return;
  }
  uint32_t next = bits(r.rsrc2, 1, 5);
  for (unsigned i = 0; i < 3; ++i)
    if (bits(r.rsrc2, 7 + i, 1)) set_scalar(next++, id_[i]);
  if (bits(r.rsrc2, 10, 1)) wave_scalar_ = static_cast<int>(next++);
  if (plan_.isa == isa::Isa::kGfx90a && bits(r.rsrc2, 0, 1))
    set_scalar(next, 0);  // wave offset: flat_scratch has it
}

/// The numbers of work-items that v0 holds at entry.
void Workgroup::number_items(uint32_t* v0, uint32_t first_item, uint32_t items) const {
  if (extent_[1] == 1 && extent_[2] == 1) {
    static const std::array<uint32_t, kMaxGroupItems> kNumbers = [] {
      std::array<uint32_t, kMaxGroupItems> n;
      std::iota(n.begin(), n.end(), 0u);
      return n;
    }();
    std::memcpy(v0, &kNumbers[first_item], items * sizeof(uint32_t));
    return;
  }
  const DispatchRequest& r = *plan_.request;
  const uint32_t dims = r.all_work_item_ids ? 2 : bits(r.rsrc2, 11, 2);
  uint32_t x = first_item % extent_[0], y = first_item / extent_[0] % extent_[1],
           z = first_item / extent_[0] / extent_[1];
  for (uint32_t lane = 0; lane < items; ++lane) {
    v0[lane] = x | (dims >= 1 ? y << 10 : 0) | (dims >= 2 ? z << 20 : 0);
    if (++x < extent_[0]) continue;
    x = 0;
    if (++y < extent_[1]) continue;
    y = 0;
    ++z;
  }
}

/// Vector and scalar registers at entry, but what differs by wave. Where the wave that was here before
/// ran compiled code alone, only what that can have changed is set.
void Workgroup::reset_registers(Wave& wave, uint32_t items) {
  WaveState& w = wave.state;
  const Context& before = wave.context;
  const size_t row = w.wave_size * sizeof(uint32_t);
  if (!before.footprint || before.spilled) {
    std::memset(w.vgprs.get(), 0, w.num_vgprs * row);
    std::memcpy(w.scalar, scalars_.data(), scalar_bytes_);
    return;
  }
  for (const Footprint::Run& run : before.footprint->vgprs)
    std::memset(w.vgpr(run.first), 0, run.count * row);
  // Lanes without an item have no number.
  if (items < w.wave_size && w.num_vgprs > 0) std::memset(w.vgpr(0), 0, row);
  constexpr size_t kLine = Footprint::kLineScalars * sizeof(uint32_t);
  for (uint32_t lines = before.footprint->scalar_lines | group_lines_; lines; lines &= lines - 1) {
    const size_t first = static_cast<size_t>(std::countr_zero(lines)) * Footprint::kLineScalars;
    std::memcpy(&w.scalar[first], &scalars_[first], kLine);
  }
}

void Workgroup::start_wave(uint32_t index) {
  const DispatchRequest& r = *plan_.request;
  const uint32_t first_item = index * r.wave_size,
                 items = std::min(r.wave_size, items_ - first_item);
  Wave& wave = *waves_[index];
  WaveState& w = wave.state;
  if (!wave.allocated) {
    w.allocate(r.wave_size, plan_.key.num_vgprs, plan_.key.num_agprs, plan_.num_sgprs);
    std::memcpy(w.scalar, scalars_.data(), scalar_bytes_);
    wave.allocated = true;
  } else {
    reset_registers(wave, items);
    if (w.num_agprs) std::memset(w.agprs.get(), 0, size_t{w.num_agprs} * w.wave_size * 4);
    w.scc = false;
    w.status = w.trapsts = 0;
    w.barrier_done = w.joined_barrier = 0;
  }
  w.pc = r.entry;
  w.mode = plan_.mode;
  w.hw_id = index;
  w.flat_scratch = scratch_ ? reinterpret_cast<uint64_t>(scratch_) + index * scratch_per_wave_ : 0;
  w.write64(isa::kExecLo, items == 64 ? ~uint64_t{0} : (uint64_t{1} << items) - 1);
  if (wave_scalar_ >= 0) w.scalar[wave_scalar_] = (index == 0 ? 1u << 31 : 0u) | wave_count_;
  if (scratch_) set_up_scratch(r, w);
  if (w.num_vgprs > 0) number_items(w.vgpr(0), first_item, items);

  Context& c = wave.context;
  if (!c.wave) set_up(wave);
  c.wave_in_group = index;
  c.waves_in_group = wave_count_;
  c.exit = ExitReason::kEnd;
  c.fault = {};
  c.sync_wait = {};
  c.code_changed = false;
  c.footprint = nullptr;
  c.spilled = false;
  if (plan_.split_barriers) barriers_.add(&w);
  wave.status = WaveStatus::kReady;
}

void Workgroup::release_barrier_if_complete() {
  for (uint32_t i = 0; i < wave_count_; ++i)
    if (waves_[i]->status == WaveStatus::kReady) return;
  for (uint32_t i = 0; i < wave_count_; ++i)
    if (waves_[i]->status == WaveStatus::kAtBarrier) waves_[i]->status = WaveStatus::kReady;
}

bool Workgroup::settle(uint32_t index, ExitReason reason) {
  Wave& wave = *waves_[index];
  switch (reason) {
    case ExitReason::kEnd:
      wave.status = WaveStatus::kEnded;
      if (plan_.split_barriers) barriers_.remove(&wave.state);
      only_yielded_ = false;
      return true;
    case ExitReason::kBarrier:
      wave.status = WaveStatus::kAtBarrier;
      only_yielded_ = false;
      return true;
    case ExitReason::kYield:
    case ExitReason::kWait:
      return true;
    case ExitReason::kTrap:
      wave.context.fault.kind = FaultKind::kTrap;
      break;
    case ExitReason::kFault:
    case ExitReason::kUnsupported:
      break;
  }
  faulted_ = &wave;
  faulted_index_ = index;
  return false;
}

bool Workgroup::run_wave(uint32_t index, WaveRunner& runner, uint64_t most, uint64_t& executed) {
  Wave& wave = *waves_[index];
  uint64_t ran = 0;
  const bool good = settle(index, runner.run(wave.context, most, ran));
  executed_ += ran;
  executed += ran;
  if (good) release_barrier_if_complete();
  return good;
}

Workgroup::Snapshot Workgroup::save() const {
  Snapshot s;
  s.states.resize(wave_count_);
  for (uint32_t i = 0; i < wave_count_; ++i) {
    s.states[i].copy_from(waves_[i]->state);
    s.status.push_back(waves_[i]->status);
  }
  s.lds = lds_;
  if (scratch_) s.scratch.assign(scratch_, scratch_ + scratch_size_);
  s.barriers = barriers_;
  return s;
}

void Workgroup::restore(const Snapshot& s) {
  for (uint32_t i = 0; i < wave_count_; ++i) {
    waves_[i]->state.copy_from(s.states[i]);
    waves_[i]->status = s.status[i];
  }
  std::copy(s.lds.begin(), s.lds.end(), lds_.begin());
  if (scratch_) std::copy(s.scratch.begin(), s.scratch.end(), scratch_);
  barriers_ = s.barriers;
  faulted_ = nullptr;
}

Workgroup::State Workgroup::run_round(WaveRunner& runner, InstructionBudget& budget, uint64_t slice,
                                      std::mt19937_64* shuffle) {
  only_yielded_ = true;
  bool stuck = true;  // no wave did anything but find its barrier incomplete
  std::array<uint32_t, kMaxGroupItems / 32> order;
  if (shuffle) {
    std::iota(order.begin(), order.begin() + wave_count_, 0u);
    std::shuffle(order.begin(), order.begin() + wave_count_, *shuffle);
    start_waves(wave_count_);
  }
  uint32_t ended = 0;
  for (uint32_t i = 0; i < wave_count_; ++i) {
    const uint32_t index = shuffle ? order[i] : i;
    start_waves(index + 1);
    Wave& wave = *waves_[index];
    if (wave.status == WaveStatus::kReady) {
      const uint64_t wanted = shuffle ? 1 + (*shuffle)() % slice : slice;
      const uint64_t granted = budget.take(wanted);
      ExitReason reason = ExitReason::kFault;
      if (granted == 0) {
        wave.context.raise(FaultKind::kInstructionLimit);
      } else {
        uint64_t ran = 0;
        reason = runner.run(wave.context, granted, ran);
        executed_ += ran;
        budget.give_back(granted - ran);
        stuck &= reason == ExitReason::kWait && ran == 1;
      }
      if (!settle(index, reason)) return State::kFault;
    }
    ended += wave.status == WaveStatus::kEnded;
  }
  if (ended == wave_count_) return State::kDone;
  if (stuck && only_yielded_) {
    for (uint32_t i = 0; i < wave_count_ && !faulted_; ++i) {
      if (waves_[i]->status != WaveStatus::kReady) continue;
      waves_[i]->context.raise(FaultKind::kDeadlock, -1, 0, 0, kDeadlockDetail);
      faulted_ = waves_[i].get();
      faulted_index_ = i;
    }
    return State::kFault;
  }
  release_barrier_if_complete();
  return State::kRunning;
}

Fault Workgroup::fault() const {
  Fault f;
  if (!faulted_) return f;
  const Context& c = faulted_->context;
  const DispatchRequest& r = *plan_.request;
  f.kind = c.fault.kind;
  f.kernel = r.kernel_name.empty() ? fmt::format("kernel at {:#x}", r.entry) : r.kernel_name;
  f.pc = faulted_->state.pc;
  f.pc_offset = f.pc - r.entry;
  f.lane = c.fault.lane;
  f.address = c.fault.address;
  f.access_size = c.fault.size;
  f.detail = c.fault.detail;
  std::copy(id_.begin(), id_.end(), f.workgroup);
  f.wave = faulted_index_;
  MemoryView view(*r.memory);
  if (const Allocation* code = view.allocation_at(f.pc)) {
    const uint64_t offset = f.pc - code->base;
    const size_t available = static_cast<size_t>(std::min<uint64_t>(20, code->size - offset));
    isa::Inst inst;
    if (isa::decode(plan_.isa, {code->host + offset, available}, inst) == isa::DecodeError::kNone) {
      asm_::PrintOptions options;
      options.wave_size = r.wave_size;
      f.instruction = asm_::print(inst, options);
      f.bytes = inst.hex();
    } else if (available >= 4) {
      const uint8_t* b = code->host + offset;
      f.instruction = "not an instruction";
      f.bytes = fmt::format("{:02x}{:02x}{:02x}{:02x}", b[0], b[1], b[2], b[3]);
    }
  }
  if (f.kind == FaultKind::kMemoryRead || f.kind == FaultKind::kMemoryWrite ||
      f.kind == FaultKind::kInstructionFetch || f.kind == FaultKind::kMisaligned)
    f.nearest = describe_nearest(*r.memory->snapshot(), f.address);
  return f;
}

}  // namespace lockstep::emu
