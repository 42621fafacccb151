// SPDX-License-Identifier: MIT
// Register cache of the JIT: least recently used out first.
#include "emu/jit/vector_registers.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace lockstep::emu::jit {

using Xbyak::Zmm;

int VectorRegisters::take(bool for_temporary) {
  int best = -1;
  if (const uint32_t free = ~(temporary_ | cached_)) {
    const uint32_t kept = h_.kept_for_temporaries();
    const uint32_t preferred = free & (for_temporary ? kept : ~kept);
    best = std::countr_zero(preferred ? preferred : free);
  } else {
    for (uint32_t left = cached_ & ~pinned_; left; left &= left - 1) {
      const int i = std::countr_zero(left);
      if (best < 0 || slots_[i].last_use < slots_[best].last_use) best = i;
    }
    if (best < 0) throw Xbyak::Error(Xbyak::ERR_INTERNAL);  // the compiler gives the unit up
    const Slot& s = slots_[best];
    if (s.dirty) store(best);
    where_[s.vgpr][s.slice] = -1;
    cached_ &= ~(1u << best);
  }
  slots_[best] = Slot{};
  return best;
}

void VectorRegisters::cache(int i, unsigned vgpr, unsigned slice) {
  slots_[i].vgpr = static_cast<int16_t>(vgpr);
  slots_[i].slice = static_cast<uint8_t>(slice);
  where_[vgpr][slice] = static_cast<int8_t>(i);
  cached_ |= 1u << i;
}

void VectorRegisters::touch(int i) {
  slots_[i].last_use = ++clock_;
  pinned_ |= 1u << i;
}

void VectorRegisters::store(int i) {
  if (h_.is_straight())
    stored_.set(static_cast<unsigned>(slots_[i].vgpr));
  else
    h_.mark_spilled();
  h_.vmovdqa32(memory(static_cast<unsigned>(slots_[i].vgpr), slots_[i].slice), Zmm(i));
  slots_[i].dirty = false;
}

Zmm VectorRegisters::use(unsigned vgpr, unsigned slice) {
  int i = find(vgpr, slice);
  if (i < 0) {
    i = take(false);
    cache(i, vgpr, slice);
    h_.vmovdqa32(Zmm(i), memory(vgpr, slice));
  }
  touch(i);
  return Zmm(i);
}

Zmm VectorRegisters::define(unsigned vgpr, unsigned slice, bool all_lanes) {
  int i = find(vgpr, slice);
  if (i < 0 && !all_lanes) i = use(vgpr, slice).getIdx();
  if (i < 0) {
    i = take(false);
    cache(i, vgpr, slice);
  }
  touch(i);
  slots_[i].dirty = true;
  return Zmm(i);
}

Zmm VectorRegisters::temporary() {
  const int i = take(true);
  temporary_ |= 1u << i;
  return Zmm(i);
}

void VectorRegisters::release(const Zmm& t) { temporary_ &= ~(1u << t.getIdx()); }

void VectorRegisters::unpin_all() { pinned_ = 0; }

void VectorRegisters::write_back() {
  for (int i = 0; i < kCount; ++i)
    if (slots_[i].vgpr >= 0 && slots_[i].dirty) store(i);
}

void VectorRegisters::write_back(unsigned vgpr) {
  for (unsigned slice = 0; slice < slices_; ++slice) {
    const int i = find(vgpr, slice);
    if (i >= 0 && slots_[i].dirty) store(i);
  }
}

void VectorRegisters::clear() {
  for (Slot& s : slots_) s = Slot{};
  cached_ = pinned_ = temporary_ = 0;
  std::memset(where_, -1, sizeof where_);
}

void VectorRegisters::reload() {
  for (int i = 0; i < kCount; ++i)
    if (slots_[i].vgpr >= 0)
      h_.vmovdqa32(Zmm(i), memory(static_cast<unsigned>(slots_[i].vgpr), slots_[i].slice));
}

VectorRegisters::Picture VectorRegisters::picture() const {
  Picture p;
  for (int i = 0; i < kCount; ++i) {
    p.place[i] = {slots_[i].vgpr, slots_[i].slice};
    if (slots_[i].dirty) p.dirty |= 1u << i;
  }
  return p;
}

void VectorRegisters::assume(const Picture& p) {
  clear();
  for (int i = 0; i < kCount; ++i) {
    if (p.place[i].vgpr < 0) continue;
    cache(i, static_cast<unsigned>(p.place[i].vgpr), p.place[i].slice);
    slots_[i].dirty = p.dirty >> i & 1;
    slots_[i].last_use = ++clock_;
  }
}

}  // namespace lockstep::emu::jit
