// SPDX-License-Identifier: MIT
// A load whose elements a store writes elsewhere, and nothing else reads: as they lie in memory,
// without a transposition to registers of words and back.
#include "emu/jit/lower_memory.h"

namespace lockstep::emu::jit {

using Xbyak::Label;
using Xbyak::Zmm;
using namespace Xbyak::util;

bool MemoryLowering::is_copy(const Uop& load, const Uop& store) const {
  Access from, to;
  if (!describe(load, from) || !describe(store, to)) return false;
  const auto plain = [](const Access& a) {
    return a.is(Space::kDevice) && a.atomic == AtomicKind::kNone && a.has_address && a.dwords > 1;
  };
  if (!plain(from) || !plain(to) || from.store || !to.store || from.dwords != to.dwords)
    return false;
  for (unsigned i = 0; i < from.dwords; ++i) {
    if (from.data[0][i] != to.data[0][i]) return false;
    // The store's address must not come from the load.
    if (from.data[0][i] - to.address <= unsigned{to.wide_address}) return false;
  }
  return true;
}

void MemoryLowering::copy(const Uop& load, const Uop& store, Sites& sites, Label& otherwise,
                          VectorRegisters::Picture& picture,
                          const std::function<void()>& at_store) {
  Access from, to;
  describe(load, from);
  describe(store, to);
  Places at[2];
  const auto use_address = [&](const Access& a, Places& p, int& site) {
    p.site = site = h_.new_site();
    for (unsigned s = 0; s < v_.slices(); ++s) {
      p.low[s] = r_.use(a.address, s);
      if (a.wide_address) p.high[s] = r_.use(a.address + 1, s);
    }
  };
  use_address(from, at[0], sites.load);
  use_address(to, at[1], sites.store);
  const unsigned vectors = v_.slices() * from.dwords;
  std::vector<Zmm> t;
  while (t.size() < vectors) t.push_back(r_.temporary());
  for (Places& p : at) std::copy_n(t.begin(), 2, p.temporary);
  picture = r_.picture();
  require_full_contiguous(from, at[0], otherwise);
  first_pointer(from, at[0], otherwise);
  h_.mov(r10, r11);
  if (from.address != to.address || from.wide_address != to.wide_address)
    require_full_contiguous(to, at[1], otherwise);
  first_pointer(to, at[1], otherwise);
  for (unsigned i = 0; i < vectors; ++i) h_.vmovdqu32(t[i], ptr[r10 + static_cast<int>(64 * i)]);
  at_store();
  for (unsigned i = 0; i < vectors; ++i) h_.vmovdqu32(ptr[r11 + static_cast<int>(64 * i)], t[i]);
  for (const Zmm& z : t) r_.release(z);
  r_.unpin_all();
}

}  // namespace lockstep::emu::jit
