// SPDX-License-Identifier: MIT
// How often each row ran: collected by the workers of a dispatcher, for reports.
#pragma once
#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>

#include "isa/op.h"

namespace lockstep::emu {

struct Uop;

/// Executed wave-instructions by operation. One thread writes, others may read meanwhile.
class OpCounts {
 public:
  /// `times` executions more of an instruction; a VOPD pair counts as its two operations.
  void add(const Uop& u, uint64_t times = 1);
  uint64_t operator[](size_t op) const { return counts_[op].load(std::memory_order_relaxed); }

 private:
  std::array<std::atomic<uint64_t>, isa::kOpCount> counts_ = {};
};

/// Of all workers. Thread-safe. With the JIT a block that ends in a fault is counted as a whole.
class RowCounts {
 public:
  /// A worker's own counts, which live as long as this.
  OpCounts& of_worker(isa::Isa isa);
  std::map<isa::Isa, std::array<uint64_t, isa::kOpCount>> all() const;

 private:
  mutable std::mutex mutex_;
  std::map<isa::Isa, std::deque<OpCounts>> counts_;
};

}  // namespace lockstep::emu
