// SPDX-License-Identifier: MIT
// Register cache of the JIT: least recently used out first.
#include "emu/jit/vector_registers.h"

#include <algorithm>
#include <cstring>

namespace lockstep::emu::jit {

using Xbyak::Zmm;

int VectorRegisters::take() {
  int best = -1;
  for (int i = 0; i < kCount; ++i) {
    const Slot& s = slots_[i];
    if (s.temporary || s.pinned) continue;
    if (s.vgpr < 0) {
      best = i;
      break;
    }
    if (best < 0 || s.last_use < slots_[best].last_use) best = i;
  }
  if (best < 0) throw Xbyak::Error(Xbyak::ERR_INTERNAL);  // the compiler gives the unit up
  Slot& s = slots_[best];
  if (s.vgpr >= 0) {
    if (s.dirty) store(best);
    where_[s.vgpr][s.slice] = -1;
  }
  s = Slot{};
  return best;
}

void VectorRegisters::store(int i) {
  h_.vmovdqa32(memory(static_cast<unsigned>(slots_[i].vgpr), slots_[i].slice), Zmm(i));
  slots_[i].dirty = false;
}

Zmm VectorRegisters::use(unsigned vgpr, unsigned slice) {
  int i = find(vgpr, slice);
  if (i < 0) {
    i = take();
    slots_[i].vgpr = static_cast<int16_t>(vgpr);
    slots_[i].slice = static_cast<uint8_t>(slice);
    where_[vgpr][slice] = static_cast<int8_t>(i);
    h_.vmovdqa32(Zmm(i), memory(vgpr, slice));
  }
  slots_[i].last_use = ++clock_;
  slots_[i].pinned = true;
  return Zmm(i);
}

Zmm VectorRegisters::define(unsigned vgpr, unsigned slice, bool all_lanes) {
  int i = find(vgpr, slice);
  if (i < 0 && !all_lanes) i = use(vgpr, slice).getIdx();
  if (i < 0) {
    i = take();
    slots_[i].vgpr = static_cast<int16_t>(vgpr);
    slots_[i].slice = static_cast<uint8_t>(slice);
    where_[vgpr][slice] = static_cast<int8_t>(i);
  }
  slots_[i].last_use = ++clock_;
  slots_[i].pinned = true;
  slots_[i].dirty = true;
  return Zmm(i);
}

Zmm VectorRegisters::temporary() {
  const int i = take();
  slots_[i].temporary = true;
  return Zmm(i);
}

void VectorRegisters::release(const Zmm& t) { slots_[t.getIdx()] = Slot{}; }

void VectorRegisters::unpin_all() {
  for (Slot& s : slots_) s.pinned = false;
}

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
    slots_[i].vgpr = p.place[i].vgpr;
    slots_[i].slice = p.place[i].slice;
    slots_[i].dirty = p.dirty >> i & 1;
    slots_[i].last_use = ++clock_;
    where_[p.place[i].vgpr][p.place[i].slice] = static_cast<int8_t>(i);
  }
}

}  // namespace lockstep::emu::jit
