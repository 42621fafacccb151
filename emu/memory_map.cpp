// SPDX-License-Identifier: MIT
// Allocation map: copy-on-write sorted list; readers hold snapshots.
#include "emu/memory_map.h"

#include <algorithm>

#include "emu/process_maps.h"

namespace lockstep::emu {
namespace {

AllocationList::const_iterator first_after(const AllocationList& list, uint64_t address) {
  return std::upper_bound(list.begin(), list.end(), address,
                          [](uint64_t a, const Allocation& x) { return a < x.base; });
}

const Allocation kNothing{};

}  // namespace

MemoryMap::MemoryMap(Mode mode) : list_(std::make_shared<AllocationList>()), mode_(mode) {}

bool MemoryMap::add(Allocation allocation) {
  if (allocation.size == 0 || allocation.base + allocation.size < allocation.base) return false;
  const std::lock_guard lock(mutex_);
  const auto next = first_after(*list_, allocation.base);
  if (next != list_->end() && next->base < allocation.base + allocation.size) return false;
  if (next != list_->begin()) {
    const Allocation& before = *std::prev(next);
    if (before.base + before.size > allocation.base) return false;
  }
  auto copy = std::make_shared<AllocationList>(*list_);
  copy->insert(copy->begin() + (next - list_->begin()), std::move(allocation));
  list_ = std::move(copy);
  return true;
}

bool MemoryMap::remove(uint64_t base) {
  const std::lock_guard lock(mutex_);
  const auto it = std::find_if(list_->begin(), list_->end(),
                               [&](const Allocation& a) { return a.base == base; });
  if (it == list_->end()) return false;
  auto copy = std::make_shared<AllocationList>(*list_);
  copy->erase(copy->begin() + (it - list_->begin()));
  list_ = std::move(copy);
  return true;
}

std::shared_ptr<const AllocationList> MemoryMap::snapshot() const {
  const std::lock_guard lock(mutex_);
  return list_;
}

std::shared_ptr<const AllocationList> MemoryMap::refresh(uint64_t address, uint64_t size) {
  const std::lock_guard lock(mutex_);
  if (mode_ != Mode::kProcess) return list_;
  const std::optional<Allocation> found = process_mapping_at(address, size);
  if (!found) {
    list_ = std::make_shared<AllocationList>(process_mappings());
    return list_;
  }
  auto copy = std::make_shared<AllocationList>(*list_);
  const uint64_t end = found->base + found->size;
  std::erase_if(*copy, [&](const Allocation& a) {  // an older picture of the same place
    return a.base < end && found->base < a.base + a.size;
  });
  copy->insert(copy->begin() + (first_after(*copy, found->base) - copy->cbegin()), *found);
  list_ = std::move(copy);
  return list_;
}

void MemoryMap::forget() {
  const std::lock_guard lock(mutex_);
  if (mode_ == Mode::kProcess) list_ = std::make_shared<AllocationList>();
}

std::optional<Nearest> find_nearest(const AllocationList& list, uint64_t address) {
  if (list.empty()) return std::nullopt;
  const auto next = first_after(list, address);
  std::optional<Nearest> best;
  if (next != list.begin()) {
    const Allocation& before = *std::prev(next);
    const uint64_t end = before.base + before.size;
    if (address < end) return Nearest{before, 0, false};
    best = Nearest{before, address - end, true};
  }
  if (next != list.end() && (!best || next->base - address < best->distance))
    best = Nearest{*next, next->base - address, false};
  return best;
}

const Allocation& MemoryView::nothing() { return kNothing; }

MemoryView::MemoryView(MemoryMap& map) : map_(map), list_(map.snapshot()), last_(&kNothing) {}

const Allocation* MemoryView::find(uint64_t address, uint64_t size, Access access) {
  const auto next = first_after(*list_, address);
  if (next == list_->begin()) return nullptr;
  const Allocation& a = *std::prev(next);
  const uint64_t offset = address - a.base;
  if (offset >= a.size || size > a.size - offset) return nullptr;
  if (access == Access::kWrite && !a.writable) return nullptr;
  return &a;
}

const Allocation* MemoryView::holder_of(const void* host) const {
  const auto in = [&](const AllocationList& list) -> const Allocation* {
    for (const Allocation& a : list)
      if (static_cast<uint64_t>(static_cast<const uint8_t*>(host) - a.host) < a.size) return &a;
    return nullptr;
  };
  if (const Allocation* now = in(*list_)) return now;
  for (const auto& list : kept_)
    if (const Allocation* before = in(*list)) return before;
  return nullptr;
}

const Allocation* MemoryView::allocation_at(uint64_t address) {
  return translate(address, 1, Access::kRead) ? last_ : nullptr;
}

uint8_t* MemoryView::translate_slow(uint64_t address, uint64_t size, Access access) {
  const Allocation* hit = find(address, size, access);
  if (!hit) {
    // The map may have grown since the snapshot (another thread allocates while a kernel runs).
    last_ = &kNothing;
    kept_.push_back(std::move(list_));  // generated code may still point into it
    list_ = map_.refresh(address, size);
    hit = find(address, size, access);
    if (!hit) return nullptr;
  }
  last_ = hit;
  return hit->host + (address - hit->base);
}

}  // namespace lockstep::emu
