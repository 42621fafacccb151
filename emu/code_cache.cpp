// SPDX-License-Identifier: MIT
// Fetch, decode and preparation of instructions for the interpreter.
#include "emu/code_cache.h"

#include <algorithm>
#include <cstring>

#include "emu/host_fault.h"

namespace lockstep::emu {

void CodeCache::begin(const CodeKey& key) {
  ++epoch_;
  current_ = nullptr;
  if (page_count_ > kMaxPages) {
    keyed_.clear();
    page_count_ = 0;
  }
  for (const auto& k : keyed_) {
    if (k->key == key) {
      active_ = k.get();
      return;
    }
  }
  keyed_.push_back(std::make_unique<Keyed>());
  active_ = keyed_.back().get();
  active_->key = key;
}

CodeCache::Page* CodeCache::enter_page(Context& c, uint64_t base) {
  const uint64_t pc = c.wave->pc;
  const Allocation* allocation = c.memory->allocation_at(pc);
  if (!allocation) {
    c.raise(FaultKind::kInstructionFetch, -1, pc, 4, "no memory at the program counter");
    return nullptr;
  }
  const uint64_t first = std::max(base, allocation->base);
  const uint64_t size =
      std::min(base + kPageMask + 1 + kTail, allocation->base + allocation->size) - first;
  const uint8_t* host = allocation->host + (first - allocation->base);
  std::unique_ptr<Page>& slot = active_->pages[base];
  const bool same = slot && slot->first == first && slot->bytes.size() == size &&
                    std::memcmp(slot->bytes.data(), host, size) == 0;
  if (!same) {
    if (!slot) ++page_count_;
    slot = std::make_unique<Page>();
    slot->bytes.assign(host, host + size);
    slot->first = first;
  }
  slot->epoch = epoch_;
  return slot.get();
}

const Uop* CodeCache::fetch_slow(Context& c) {
  const AccessScope none(nullptr);  // it must not be left half-way
  const uint64_t pc = c.wave->pc;
  if (pc & 3) {
    c.raise(FaultKind::kInstructionFetch, -1, pc, 4, "the program counter is not a multiple of 4");
    return nullptr;
  }
  const uint64_t base = pc & ~kPageMask;
  if (!current_ || current_base_ != base) {
    const auto it = active_->pages.find(base);
    Page* page = it != active_->pages.end() && it->second->epoch == epoch_ ? it->second.get()
                                                                           : enter_page(c, base);
    if (!page) return nullptr;
    current_ = page;
    current_base_ = base;
  }
  if (const Uop* u = current_->uops[(pc & kPageMask) / 4]) return u;
  return prepare(c, *current_, pc);
}

const Uop* CodeCache::prepare(Context& c, Page& page, uint64_t pc) {
  if (pc < page.first || pc - page.first + 4 > page.bytes.size()) {
    c.raise(FaultKind::kInstructionFetch, -1, pc, 4, "no memory at the program counter");
    return nullptr;
  }
  const CodeKey& key = active_->key;
  isa::Inst inst;
  const auto bytes = std::span<const uint8_t>(page.bytes).subspan(pc - page.first);
  const isa::DecodeError error = isa::decode(key.isa, bytes, inst);
  if (error != isa::DecodeError::kNone) {
    c.raise(FaultKind::kIllegalInstruction, -1, pc, 4, isa::to_string(error));
    return nullptr;
  }
  const Uop& u = prepare_uop(inst, key, page.storage);
  page.uops[(pc & kPageMask) / 4] = &u;
  return &u;
}

}  // namespace lockstep::emu
