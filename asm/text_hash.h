// SPDX-License-Identifier: MIT
// A hash of short texts, eight bytes at a time.
#pragma once
#include <cstdint>
#include <cstring>
#include <string_view>

namespace lockstep::asm_ {

struct TextHash {
  size_t operator()(std::string_view text) const {
    constexpr uint64_t kFactor = 0x9e3779b97f4a7c15;
    constexpr size_t kStep = 8;
    uint64_t hash = text.size();
    const auto add = [&](uint64_t word) {
      hash = (hash ^ word) * kFactor;
      hash ^= hash >> 32;
    };
    for (; text.size() >= kStep; text.remove_prefix(kStep)) {
      uint64_t word = 0;
      std::memcpy(&word, text.data(), kStep);
      add(word);
    }
    uint64_t rest = 0;
    std::memcpy(&rest, text.data(), text.size());
    add(rest);
    return hash;
  }
};

}  // namespace lockstep::asm_
