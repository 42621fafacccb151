// SPDX-License-Identifier: MIT
// The JIT as the dispatcher sees it: units of all workers, and one worker's window on them.
#pragma once
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "emu/code_cache.h"
#include "emu/host_fault.h"
#include "emu/jit/unit.h"

namespace lockstep::emu::jit {

struct HostTables;

struct Statistics {
  uint64_t units = 0, instructions = 0, host_bytes = 0;
  uint64_t called = 0;  ///< of the instructions: through their Lane handler
  uint64_t failed = 0;  ///< units given up for want of host registers; the interpreter runs them
  double seconds = 0;   ///< spent compiling
  void add(const Statistics& o);
};
/// Of all caches that this process has had.
Statistics total_statistics();

/// Compiled units, shared by all workers. Thread-safe.
class UnitCache {
 public:
  UnitCache(JitObservers observers, Tier tier);
  ~UnitCache();
  /// The unit that has an entry at `pc`, compiled now if there is none; nullptr if it cannot be.
  const Unit* find(Context& c, const CodeKey& key, const Mode& mode, uint64_t pc);
  /// Guest code was seen to have changed: `stale` is not found any more.
  void forget(const Unit* stale);
  /// No room is left for more units.
  bool full() const;
  Statistics statistics() const;
  Tier tier() const { return tier_; }

 private:
  struct Impl;
  const Tier tier_;
  std::unique_ptr<Impl> impl_;
};

/// The cache that new dispatches use. A full one is replaced; its memory goes when the last
/// dispatch that runs its code has ended.
class UnitCaches {
 public:
  /// A tier that this host can do.
  explicit UnitCaches(JitObservers observers = {}, Tier tier = host_tier())
      : observers_(std::move(observers)), tier_(tier) {}
  std::shared_ptr<UnitCache> current();

 private:
  const JitObservers observers_;
  const Tier tier_;
  std::mutex mutex_;
  std::shared_ptr<UnitCache> cache_;
};

/// One worker's window. Not thread-safe.
class Runner {
 public:
  /// A way into generated code, and what belongs to it.
  struct Known {
    Entry entry;
    Slot* slots = nullptr;
    const Unit* unit = nullptr;
  };

  enum Purpose : uint8_t {
    kPlain,
    kCount,   ///< blocks count how often they run
    kVerify,  ///< units are made for block-wise checking: see verify.h
  };
  /// `keep`: vector registers are in memory after a wave has ended. Else they need not be, and the
  /// wave's context says what has changed there.
  explicit Runner(std::shared_ptr<UnitCaches> caches, Purpose purpose = kPlain, bool keep = true)
      : caches_(std::move(caches)), purpose_(purpose), keep_(keep) {
    prepare_access();
  }
  /// Starts a dispatch: code is compared with memory again on first use. With kCount, `counts` is
  /// where runs go.
  void begin(const CodeKey& key, OpCounts* counts = nullptr);
  /// Ends it: all runs have gone there.
  void end();
  /// As interpret(): runs c.wave for at most `budget` instructions.
  ExitReason run(Context& c, CodeCache& code, uint64_t budget, uint64_t& executed);
  /// The way in at the wave's pc, until the next call; no code if nothing compiles there.
  const Known& entry_for(Context& c) {
    if (c.wave->mode == mode_ && c.wave->pc == last_pc_) [[likely]]
      return last_;
    return find_entry(c);
  }
  /// Runs until the block at the wave's pc ends, or is left before.
  Left enter_block(Context& c, const Known& known);
  /// Before the next look-up: where code changed, or the interpreter saw that it did, everything is
  /// compared again.
  void follow(Context& c, CodeCache& code) {
    if (c.code_changed || code.epoch() != epoch_) [[unlikely]]
      forget_changed(c, code);
  }

 private:
  const Known& find_entry(Context& c);
  void forget_changed(Context& c, CodeCache& code);
  Left enter_unit(Context& c, const Known& known, int64_t& budget);
  void invalidate();
  void forget_jumps();
  void prepare_access();

  std::shared_ptr<UnitCaches> caches_;
  std::shared_ptr<UnitCache> units_;  ///< of this dispatch
  Purpose purpose_;
  bool keep_;
  OpCounts* counts_ = nullptr;
  struct Returned {
    uint64_t why;
    int64_t left;
  };
  using EnterFn = Returned (*)(Context* context, int64_t budget, const void* entry,
                               const HostTables* tables, Slot* slots, uint64_t* stack);
  EnterFn enter_ = nullptr;
  const HostTables* tables_ = nullptr;
  GuestAccess access_;  ///< of generated code
  Jumps jumps_;
  bool jumps_known_ = false;  ///< some way is in jumps_
  uint64_t epoch_ = 0;        ///< of the interpreter's code cache when known_ was begun
  CodeKey key_;
  using Ways = std::unordered_map<uint64_t, Known>;  ///< by pc
  std::unordered_map<uint32_t, Ways> ways_;          ///< by MODE: kernels go back and forth
  uint32_t mode_ = ~0u;
  Ways* known_ = nullptr;            ///< those of mode_; null: to be looked up
  uint64_t last_pc_ = ~uint64_t{0};  ///< what was looked up last: waves start at the same place
  Known last_;
  /// Units whose code was compared in this dispatch, with the hits of their accesses.
  std::unordered_map<const Unit*, std::vector<Slot>> verified_;
};

}  // namespace lockstep::emu::jit
