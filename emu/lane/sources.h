// SPDX-License-Identifier: MIT
// Resolved sources of a vector instruction, over all lanes.
#pragma once
#include <cstdint>

#include "emu/lane/values.h"

namespace lockstep::emu {

/// One source over all lanes. value(lane) = ((word[lane * stride] >> shift) & and_mask) ^ xor_mask:
/// halves and the neg and abs modifiers are data, so evaluation has no branch for them.
struct LaneSource {
  const uint32_t* lo = nullptr;
  const uint32_t* hi = nullptr;  ///< second register of 64-bit values
  uint32_t stride = 0;           ///< 1: one word a lane; 0: the same for all
  uint32_t shift = 0;
  uint64_t and_mask = ~uint64_t{0};
  uint64_t xor_mask = 0;
  uint64_t mask_bits = 0;  ///< Type::MASK sources: bit = lane
};

struct ValuSources {
  LaneSource src[3];
  uint64_t active = 0;  ///< lanes that execute: EXEC without what DPP switches off
  alignas(64) uint32_t buffer[3][2][64];  ///< broadcast scalars, permuted DPP sources, snapshots
};

template <class T>
T read_lane(const LaneSource& s, unsigned lane) {
  if constexpr (std::is_same_v<T, Words4>) {
    // Registers lie one after the other; a constant fills the low two words.
    T value;
    const auto next = s.stride ? s.hi - s.lo : 0;
    for (unsigned i = 0; i < (s.stride ? 4u : 2u); ++i)
      value.word[i] = (s.stride ? s.lo + i * next : i ? s.hi : s.lo)[lane * s.stride];
    return value;
  } else {
    if constexpr (std::is_same_v<T, bool>) return s.mask_bits >> lane & 1;
    uint64_t bits = s.lo[lane * s.stride];
    if constexpr (sizeof(T) == 8) bits |= static_cast<uint64_t>(s.hi[lane * s.stride]) << 32;
    return from_bits<T>(((bits >> s.shift) & s.and_mask) ^ s.xor_mask);
  }
}

}  // namespace lockstep::emu
