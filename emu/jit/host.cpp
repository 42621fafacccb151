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

void Host::words_to_quads(const Zmm& first, const Zmm& second, const Zmm& low, const Zmm& high) {
  if (half() != kBoth) return half_to_quads(first, second, low, high);
  vmovdqa32(first, ptr[table(&HostTables::low_quads)]);
  vmovdqa32(second, ptr[table(&HostTables::high_quads)]);
  vpermi2d(first, low, high);
  vpermi2d(second, low, high);
}

void Host::low_words(const Zmm& d, const Zmm& first, const Zmm& second) {
  if (half() != kBoth) return half_to_words(d, first, second, false);
  vmovdqa32(d, ptr[table(&HostTables::low_words)]);
  vpermi2d(d, first, second);
}

void Host::high_words(const Zmm& d, const Zmm& first, const Zmm& second) {
  if (half() != kBoth) return half_to_words(d, first, second, true);
  vmovdqa32(d, ptr[table(&HostTables::high_words)]);
  vpermi2d(d, first, second);
}

void Host::finish() {
  straight_ = false;
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
