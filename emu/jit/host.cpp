// SPDX-License-Identifier: MIT
// Constant tables and the tail of a unit.
#include "emu/jit/host.h"

namespace lockstep::emu::jit {

const HostTables& host_tables() {
  static const HostTables tables = [] {
    HostTables t{};
    for (uint32_t i = 0; i < 16; ++i) {
      t.low_quads[i] = i / 2 + (i & 1) * 16;
      t.high_quads[i] = 8 + i / 2 + (i & 1) * 16;
      t.low_words[i] = i * 2;
      t.high_words[i] = i * 2 + 1;
    }
    for (uint32_t part = 0; part < 3; ++part)
      for (uint32_t i = 0; i < 16; ++i) {
        const uint32_t word = 3 * i + part;  // in memory, of lane i
        t.part_triples[part][0][i] = word % 32;
        t.part_triples[part][1][i] = word < 32 ? i : 16 + word - 32;
        const uint32_t lane = (16 * part + i) / 3, from = (16 * part + i) % 3;
        t.join_triples[part][0][i] = from == 0 ? lane : 16 + lane;
        t.join_triples[part][1][i] = from < 2 ? i : 16 + lane;
      }
    for (int stride = 0; stride < kStrides; ++stride)
      for (uint32_t i = 0; i < 64; ++i) t.lane_times[stride][i] = kStrideBytes[stride] * i;
    return t;
  }();
  return tables;
}

void Host::finish() {
  while (!later_.empty()) {
    const auto pending = std::move(later_);
    later_.clear();
    for (const auto& [pc, emit] : pending) {
      mark(pc);
      emit();
    }
  }
  emit_constants();
}

}  // namespace lockstep::emu::jit
