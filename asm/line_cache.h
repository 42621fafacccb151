// SPDX-License-Identifier: MIT
// Instruction lines that were assembled before: compilers write the same waits, delays and moves
// again and again. About half of the lines of real kernels are repetitions.
#pragma once
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "asm/text_hash.h"
#include "isa/inst.h"

namespace lockstep::asm_ {

/// Of fixed size: a new line takes the place of an older one with the same hash.
class LineCache {
 public:
  const isa::Inst* find(std::string_view line) const {
    if (line.size() > kLongest || entries_.empty()) return nullptr;
    const Entry& e = entries_[slot(line)];
    const bool same = e.size == line.size() && std::memcmp(e.text, line.data(), e.size) == 0;
    return same && e.size > 0 ? &e.inst : nullptr;
  }
  /// Only lines whose encoding depends on nothing but their text.
  void insert(std::string_view line, const isa::Inst& inst) {
    if (line.size() > kLongest) return;
    if (entries_.empty()) entries_.resize(kEntries);
    Entry& e = entries_[slot(line)];
    e.size = static_cast<uint8_t>(line.size());
    std::memcpy(e.text, line.data(), line.size());
    e.inst = inst;
  }
  void clear() { entries_.clear(); }

 private:
  static constexpr size_t kEntries = 4096, kLongest = 87;
  struct Entry {
    uint8_t size = 0;
    char text[kLongest];
    isa::Inst inst;
  };
  static size_t slot(std::string_view line) { return TextHash()(line) % kEntries; }
  std::vector<Entry> entries_;
};

}  // namespace lockstep::asm_
