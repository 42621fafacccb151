// SPDX-License-Identifier: MIT
// Looks units up, compiles them, enters them.
#include "emu/jit/engine.h"

#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>

#include "emu/interp.h"

namespace lockstep::emu::jit {

namespace {

constexpr size_t kArenaBytes = size_t{64} << 20;
constexpr size_t kMaxArenas = 4;
constexpr size_t kAlign = 64;

/// Saves the host's registers, sets up those of generated code and jumps to `entry`. The unit's
/// epilogue returns to the caller. `stack` gets where generated code has the stack.
class Trampoline : public Xbyak::CodeGenerator {
 public:
  Trampoline() {
    using namespace Xbyak::util;
    push(rbx);
    push(rbp);
    push(r12);
    push(r13);
    push(r14);
    push(r15);
    mov(rax, rsp);
    sub(rsp, kFrameEnd);
    and_(rsp, -64);
    mov(ptr[rsp + kCallerStack], rax);
    mov(ptr[r9], rsp);
    mov(r12, rdi);
    mov(r13, rsi);
    mov(r15, rcx);
    mov(r14, r8);
    mov(rbp, ptr[rdi + static_cast<int>(offsetof(Context, wave))]);
    mov(rbx, ptr[rbp + static_cast<int>(offsetof(WaveState, vgprs))]);
    add(rbx, kVgprBias);
    jmp(rdx);
    // Out of an access that failed: as the epilogue, with an exit; rdx is set.
    resume_ = getCurr();
    mov(eax, static_cast<uint32_t>(Left::kExit));
    vzeroupper();
    mov(rsp, ptr[rsp + kCallerStack]);
    pop(r15);
    pop(r14);
    pop(r13);
    pop(r12);
    pop(rbp);
    pop(rbx);
    ret();
  }
  const void* resume() const { return resume_; }

 private:
  const void* resume_;
};

const Trampoline& trampoline() {
  static const Trampoline code;
  return code;
}

uint64_t pc_at(const void* raw_unit, uint64_t instruction) {
  const Unit& unit = *static_cast<const Unit*>(raw_unit);
  const uint64_t offset = instruction - reinterpret_cast<uint64_t>(unit.code);
  if (offset >= unit.host_bytes) return 0;  // a handler: the pc is in the wave
  const auto next = std::upper_bound(unit.marks.begin(), unit.marks.end(), offset,
                                     [](uint64_t o, const Mark& m) { return o < m.offset; });
  return next == unit.marks.begin() ? 0 : std::prev(next)->pc;
}

struct UnitKey {
  isa::Isa isa;
  uint32_t wave_size, num_vgprs, num_agprs, mode;
  bool verify, keep;
  uint64_t pc;
  auto operator<=>(const UnitKey&) const = default;
};

}  // namespace

void Statistics::add(const Statistics& o) {
  units += o.units;
  instructions += o.instructions;
  host_bytes += o.host_bytes;
  called += o.called;
  failed += o.failed;
  seconds += o.seconds;
}

namespace {

struct Totals {
  std::mutex mutex;
  Statistics sum;
};
Totals& totals() {
  static Totals t;
  return t;
}

}  // namespace

Statistics total_statistics() {
  const std::lock_guard lock(totals().mutex);
  return totals().sum;
}

struct UnitCache::Impl {
  std::mutex mutex;
  std::map<UnitKey, const Unit*> entries;
  std::vector<std::unique_ptr<Unit>> units;
  std::vector<uint8_t*> arenas;
  size_t used = kArenaBytes;  ///< of the last arena
  bool full = false;
  Statistics statistics;
  JitObservers observers;

  /// Room for one unit; nullptr when all arenas are full.
  uint8_t* room(bool fresh) {
    if (fresh || arenas.empty()) {
      if (arenas.size() == kMaxArenas) return nullptr;
      void* p = mmap(nullptr, kArenaBytes, PROT_READ | PROT_WRITE | PROT_EXEC,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (p == MAP_FAILED) return nullptr;
      arenas.push_back(static_cast<uint8_t*>(p));
      used = 0;
    }
    return arenas.back() + used;
  }
};

UnitCache::UnitCache(JitObservers observers, Tier tier)
    : tier_(tier), impl_(std::make_unique<Impl>()) {
  impl_->observers = std::move(observers);
}
UnitCache::~UnitCache() {
  if (impl_->observers.gdb)
    for (const auto& unit : impl_->units) withdraw(*unit);
  for (uint8_t* a : impl_->arenas) munmap(a, kArenaBytes);
}

const Unit* UnitCache::find(Context& c, const CodeKey& key, const Mode& mode, uint64_t pc) {
  const std::lock_guard lock(impl_->mutex);
  UnitKey k{key.isa,   key.wave_size, key.num_vgprs, key.num_agprs,
            mode.bits, mode.verify,   mode.keep,     pc};
  if (const auto it = impl_->entries.find(k); it != impl_->entries.end()) return it->second;
  const auto begin = std::chrono::steady_clock::now();
  Statistics made;
  std::unique_ptr<Unit> unit;
  for (int attempt = 0; attempt < 2 && !unit; ++attempt) {
    uint8_t* memory = impl_->room(attempt == 1 || impl_->used == kArenaBytes);
    if (!memory) {
      impl_->full = true;
      return nullptr;
    }
    Failure failure = Failure::kNone;
    unit = compile(c, key, mode, pc, memory, kArenaBytes - impl_->used, impl_->observers.any(),
                   failure);
    made.failed += failure == Failure::kInternal;
    if (failure != Failure::kTooBig) break;
  }
  made.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (unit) {
    made.units = 1;
    made.instructions = unit->instructions;
    made.called = unit->called;
    made.host_bytes = unit->host_bytes;
  }
  impl_->statistics.add(made);
  {
    const std::lock_guard total_lock(totals().mutex);
    totals().sum.add(made);
  }
  if (!unit) return nullptr;
  impl_->used =
      std::min(kArenaBytes, (impl_->used + unit->host_bytes + kAlign - 1) & ~(kAlign - 1));
  for (const auto& [entry_pc, code] : unit->entries) {
    k.pc = entry_pc;
    impl_->entries.try_emplace(k, unit.get());
  }
  k.pc = pc;
  impl_->entries[k] = unit.get();
  announce(*unit, *c.request, impl_->observers);
  impl_->units.push_back(std::move(unit));
  return impl_->units.back().get();
}

void UnitCache::forget(const Unit* stale) {
  const std::lock_guard lock(impl_->mutex);
  std::erase_if(impl_->entries, [&](const auto& e) { return e.second == stale; });
}

Statistics UnitCache::statistics() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->statistics;
}

bool UnitCache::full() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->full;
}

std::shared_ptr<UnitCache> UnitCaches::current() {
  const std::lock_guard lock(mutex_);
  if (!cache_ || cache_->full()) cache_ = std::make_shared<UnitCache>(observers_, tier_);
  return cache_;
}

void Runner::begin(const CodeKey& key, OpCounts* counts) {
  invalidate();
  units_ = caches_->current();
  key_ = key;
  counts_ = counts;
}

void Runner::end() {
  if (!counts_) return;
  for (auto& [unit, slots] : verified_)
    for (const Counter& counter : unit->counters) {
      const uint64_t times = std::exchange(slots[counter.slot].count, 0);
      if (!times) continue;
      for (const Uop* u : counter.code) counts_->add(*u, times);
    }
}

void Runner::prepare_access() {
  access_.resume = trampoline().resume();
  access_.pc_at = pc_at;
  enter_ = trampoline().getCode<EnterFn>();
  tables_ = &host_tables();
  jumps_.access = &access_;
}

void Runner::forget_jumps() {
  if (jumps_known_) jumps_.ways = {};
  jumps_known_ = false;
}

void Runner::invalidate() {
  last_pc_ = ~uint64_t{0};
  ways_.clear();
  known_ = nullptr;
  forget_jumps();
  end();
  verified_.clear();
}

const Runner::Known& Runner::find_entry(Context& c) {
  const WaveState& w = *c.wave;
  if (w.mode != mode_ || !known_) {
    forget_jumps();
    mode_ = w.mode;
    known_ = &ways_[mode_];
  }
  last_pc_ = w.pc;
  if (const auto it = known_->find(w.pc); it != known_->end()) return last_ = it->second;
  last_ = {};
  const Mode mode{units_->tier(),      c.isa, w.wave_size, w.mode, purpose_ == kCount,
                  purpose_ == kVerify, keep_};
  for (;;) {
    const Unit* unit = units_->find(c, key_, mode, w.pc);
    if (!unit) return last_;
    auto it = verified_.find(unit);
    if (it == verified_.end()) {
      const uint8_t* now = c.memory->translate(unit->first, unit->bytes.size(), Access::kRead);
      if (!now || std::memcmp(now, unit->bytes.data(), unit->bytes.size()) != 0) {
        units_->forget(unit);
        continue;
      }
      it =
          verified_.emplace(unit, std::vector(unit->sites + 1, Slot{&MemoryView::nothing()})).first;
      for (const Counter& counter : unit->counters) it->second[counter.slot].count = 0;
    }
    const Known known = {unit->entries.at(w.pc), it->second.data(), unit};
    (*known_)[w.pc] = known;
    return last_ = known;
  }
}

Left Runner::enter_unit(Context& c, const Known& known, int64_t& budget) {
  c.last_hit = c.memory->last_hit();
  c.jumps = &jumps_;
  access_.context = &c;
  access_.unit = known.unit;
  access_.budget = budget;
  const AccessScope scope(&access_);
  const Returned r = enter_(&c, budget, known.entry.code, tables_, known.slots, &access_.stack);
  budget = r.left;
  return static_cast<Left>(r.why);
}

Left Runner::enter_block(Context& c, const Known& known) {
  int64_t budget = known.entry.instructions;
  return enter_unit(c, known, budget);
}

void Runner::forget_changed(Context& c, CodeCache& code) {
  if (c.code_changed) {
    c.code_changed = false;
    code.invalidate();
  }
  if (code.epoch() == epoch_) return;
  epoch_ = code.epoch();
  invalidate();
}

ExitReason Runner::run(Context& c, CodeCache& code, uint64_t budget, uint64_t& executed) {
  auto left = static_cast<int64_t>(budget);
  bool jumped = false;  // to where jumps_ knows no way
  const auto spent = [&] { executed += budget - static_cast<uint64_t>(left); };
  while (left > 0) {
    follow(c, code);
    // gfx9's special modes change what vector instructions do: the interpreter knows them.
    const bool special = c.wave->mode & c.special_modes;
    uint64_t alone = 1;  // instructions to interpret
    if (const Known* known = special ? nullptr : &entry_for(c); known && known->entry.code) {
      if (jumped) {
        jumps_.way_of(c.wave->pc) = {c.wave->pc, known->entry.code, known->slots, known->unit};
        jumps_known_ = true;
      }
      const Footprint* footprint = &known->unit->footprint;
      c.spilled |= c.footprint && c.footprint != footprint;
      if (!keep_) c.footprint = footprint;
      const Left why = enter_unit(c, *known, left);
      jumped = why == Left::kJump;
      if (why == Left::kExit) {
        spent();
        return c.exit;
      }
      if (why == Left::kContinue || why == Left::kJump) continue;
      alone = static_cast<uint64_t>(left);  // fewer than the next block has
    }
    uint64_t ran = 0;
    c.spilled = true;
    const auto reason = interpret_until_exit(c, code, alone, ran);
    left -= static_cast<int64_t>(ran);
    if (reason) {
      spent();
      return *reason;
    }
  }
  spent();
  return ExitReason::kYield;
}

}  // namespace lockstep::emu::jit
