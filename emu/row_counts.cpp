// SPDX-License-Identifier: MIT
// Sums of executed operations.
#include "emu/row_counts.h"

#include "emu/context.h"

namespace lockstep::emu {

void OpCounts::add(const Uop& u, uint64_t times) {
  if (u.half[0]) {
    for (const Uop* half : u.half) add(*half, times);
    return;
  }
  std::atomic<uint64_t>& sum = counts_[static_cast<size_t>(u.inst.op)];
  sum.store(sum.load(std::memory_order_relaxed) + times, std::memory_order_relaxed);
}

OpCounts& RowCounts::of_worker(isa::Isa isa) {
  const std::lock_guard lock(mutex_);
  return counts_[isa].emplace_back();
}

std::map<isa::Isa, std::array<uint64_t, isa::kOpCount>> RowCounts::all() const {
  const std::lock_guard lock(mutex_);
  std::map<isa::Isa, std::array<uint64_t, isa::kOpCount>> sums;
  for (const auto& [isa, workers] : counts_) {
    auto& sum = sums[isa];
    for (const OpCounts& counts : workers)
      for (size_t i = 0; i < sum.size(); ++i) sum[i] += counts[i];
  }
  return sums;
}

}  // namespace lockstep::emu
