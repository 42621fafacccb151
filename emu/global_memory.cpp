// SPDX-License-Identifier: MIT
// Accesses that take more than one look-up: LDS, interleaved scratch, and those that cross from one
// allocation into the next.
#include "emu/global_memory.h"

#include <algorithm>

namespace lockstep::emu {

bool LaneMemory::fail(FaultKind kind, const MemTarget& t, unsigned lane, uint32_t bytes) {
  const char* detail = "";
  if (t.space == Space::kScratch)
    detail = "the address is a private (scratch) address of this lane";
  else if (kind == FaultKind::kMisaligned)
    detail = "an atomic access must be aligned to its size";
  c_.raise(kind, static_cast<int>(lane), t.address, bytes, detail);
  return false;
}

template <class F>
bool LaneMemory::for_pieces(const MemTarget& t, unsigned lane, uint32_t bytes, Access access,
                            F&& f) {
  if (t.space == Space::kGlobal) {
    for (uint32_t i = 0; i < bytes; ++i) {
      uint8_t* host = c_.memory->translate(t.address + i, 1, access);
      if (!host) return false;
      f(i, host, 1u);
    }
    return true;
  }
  // Scratch: dword d of every lane lies together.
  const WaveState& w = *c_.wave;
  const uint64_t limit = c_.scratch_limit;
  if (t.address >= limit || bytes > limit - t.address) return false;
  for (uint32_t i = 0; i < bytes;) {
    const uint64_t address = t.address + i;
    const uint32_t n = std::min<uint32_t>(bytes - i, 4 - address % 4);
    const uint64_t place =
        w.flat_scratch + address / 4 * 4 * w.wave_size + uint64_t{lane} * 4 + address % 4;
    uint8_t* host = c_.memory->translate(place, n, access);
    if (!host) return false;
    f(i, host, n);
    i += n;
  }
  return true;
}

bool LaneMemory::load_slow(const MemTarget& t, unsigned lane, uint32_t bytes, uint8_t* out) {
  if (t.space == Space::kLds) {
    lds_.load(static_cast<uint32_t>(t.address), bytes, out);
    return true;
  }
  const auto copy = [&](uint32_t offset, const uint8_t* host, uint32_t n) {
    std::memcpy(out + offset, host, n);
  };
  return for_pieces(t, lane, bytes, Access::kRead, copy) ||
         fail(FaultKind::kMemoryRead, t, lane, bytes);
}

bool LaneMemory::store_slow(const MemTarget& t, unsigned lane, uint32_t bytes, const uint8_t* in) {
  if (t.space == Space::kLds) {
    lds_.store(static_cast<uint32_t>(t.address), bytes, in);
    return true;
  }
  // All of it must exist before any of it is written.
  if (!for_pieces(t, lane, bytes, Access::kWrite, [](uint32_t, uint8_t*, uint32_t) {}))
    return fail(FaultKind::kMemoryWrite, t, lane, bytes);
  return for_pieces(
      t, lane, bytes, Access::kWrite,
      [&](uint32_t offset, uint8_t* host, uint32_t n) { std::memcpy(host, in + offset, n); });
}

}  // namespace lockstep::emu
