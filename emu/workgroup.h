// SPDX-License-Identifier: MIT
// One workgroup in flight: its waves, LDS, scratch memory and barrier.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <vector>

#include "emu/barriers.h"
#include "emu/context.h"
#include "emu/dispatch.h"
#include "emu/footprint.h"
#include "emu/memory_map.h"
#include "emu/wave_runner.h"
#include "isa/result.h"

namespace lockstep::emu {

/// Register grants and other facts of a launch, worked out once.
struct LaunchPlan {
  const DispatchRequest* request = nullptr;
  isa::Isa isa = isa::Isa::kGfx11;
  CodeKey key;
  uint32_t num_sgprs = 0;
  uint32_t mode = 0;  ///< MODE at entry, from RSRC1
  /// Scalar registers at entry that are the same for all waves: user SGPRs.
  alignas(16) std::array<uint32_t, kScalars> scalars = {};
  bool split_barriers = false;          ///< the target has them (GroupBarriers)
  std::array<uint32_t, 3> groups = {};  ///< grid in workgroups
  uint64_t total_groups = 0;
};
/// Fails with a sentence if the launch is impossible (LDS, group size, wave size, register grants).
Result<LaunchPlan> plan_launch(const DispatchRequest& request);

/// Instructions that waves may run: shared by all workers of a dispatch.
class InstructionBudget;

class Workgroup {
 public:
  enum class State : uint8_t { kRunning, kDone, kFault };

  Workgroup(const LaunchPlan& plan, MemoryView& memory);
  ~Workgroup();
  Workgroup(const Workgroup&) = delete;
  Workgroup& operator=(const Workgroup&) = delete;

  /// Prepares group number `ticket` (x fastest) at the kernel's entry. Unless `at_once`, run_round()
  /// prepares each wave when its turn comes: memory has then something to do all the time.
  void start(uint64_t ticket, bool at_once = true);
  /// Runs every wave that can run to its next exit or for `slice` instructions. Sets only_yielded
  /// if no wave ended or met a barrier: the group may be waiting for another one.
  State run_round(WaveRunner& runner, InstructionBudget& budget, uint64_t slice,
                  std::mt19937_64* shuffle);

  enum class WaveStatus : uint8_t { kReady, kAtBarrier, kEnded };
  /// Runs one wave that is ready to its next exit or for `most` instructions, and counts them in
  /// `executed`. True unless it faulted. Waves at the barrier go on when all that live have met it.
  bool run_wave(uint32_t index, WaveRunner& runner, uint64_t most, uint64_t& executed);
  uint32_t wave_count() const { return wave_count_; }
  WaveStatus status(uint32_t index) const { return waves_[index]->status; }
  WaveState& state(uint32_t index) { return waves_[index]->state; }
  const WaveState& state(uint32_t index) const { return waves_[index]->state; }
  std::span<uint8_t> lds() { return lds_; }

  /// Everything that the waves of a group can change, memory apart.
  struct Snapshot {
    std::vector<WaveState> states;
    std::vector<WaveStatus> status;
    std::vector<uint8_t> lds, scratch;
    GroupBarriers barriers;
  };
  Snapshot save() const;
  /// `snapshot` must be of this group. A fault is forgotten.
  void restore(const Snapshot& snapshot);

  bool only_yielded() const { return only_yielded_; }
  uint64_t executed() const { return executed_; }
  uint64_t waves_started() const { return wave_count_; }
  /// The report of the wave that faulted, after State::kFault.
  Fault fault() const;

 private:
  struct Wave {
    WaveState state;
    Context context;
    WaveStatus status = WaveStatus::kEnded;
    bool allocated = false;
  };
  void set_up(Wave& wave);
  void set_group_scalars();
  void set_scalar(unsigned code, uint32_t value) {
    scalars_[code] = value;
    group_lines_ |= Footprint::line_of(code);
  }
  void reset_registers(Wave& wave, uint32_t items);
  /// Starts waves until there are so many.
  void start_waves(uint32_t count) {
    while (started_ < count) start_wave(started_++);
  }
  void start_wave(uint32_t index);
  void number_items(uint32_t* v0, uint32_t first_item, uint32_t items) const;
  /// What an exit means for the wave; false if it is a fault.
  bool settle(uint32_t index, ExitReason reason);
  void release_barrier_if_complete();

  const LaunchPlan& plan_;
  MemoryView& memory_;
  std::vector<std::unique_ptr<Wave>> waves_;
  std::vector<uint8_t> lds_;
  GroupBarriers barriers_;
  uint8_t* scratch_ = nullptr;
  uint64_t scratch_per_wave_ = 0, scratch_size_ = 0;
  std::array<uint32_t, 3> id_ = {};
  /// Scalar registers at entry that are the same for all waves of the group: the plan's, its number.
  alignas(16) std::array<uint32_t, kScalars> scalars_ = {};
  uint8_t group_lines_ = 0;  ///< where groups differ: as in Footprint
  /// Of them. The compiler must not know it: it would copy with a string instruction, which takes
  /// longer than all else that starts a wave.
  size_t scalar_bytes_ = sizeof scalars_;
  int wave_scalar_ = -1;  ///< the one that tells the first wave from others; -1: none does
  std::array<uint32_t, 3> extent_ = {};  ///< in work-items
  uint32_t items_ = 0, wave_count_ = 0, started_ = 0;
  uint64_t executed_ = 0;
  bool only_yielded_ = false;
  const Wave* faulted_ = nullptr;
  uint32_t faulted_index_ = 0;
};

class InstructionBudget {
 public:
  explicit InstructionBudget(uint64_t limit)
      : limited_(limit != 0), left_(static_cast<int64_t>(limit)) {}
  /// Up to `wanted` instructions; 0 when the limit is reached.
  uint64_t take(uint64_t wanted) {
    if (!limited_) return wanted;
    const int64_t before = left_.fetch_sub(static_cast<int64_t>(wanted));
    if (before >= static_cast<int64_t>(wanted)) return wanted;
    const int64_t got = before > 0 ? before : 0;
    left_.fetch_add(static_cast<int64_t>(wanted) - got);
    return static_cast<uint64_t>(got);
  }
  void give_back(uint64_t unused) {
    if (limited_) left_.fetch_add(static_cast<int64_t>(unused));
  }

 private:
  const bool limited_;
  std::atomic<int64_t> left_;
};

}  // namespace lockstep::emu
