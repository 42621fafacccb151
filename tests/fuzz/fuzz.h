// SPDX-License-Identifier: MIT
// Shared by the fuzzers. An input is one byte of options and then the data; see target_of().
#pragma once
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>

#include "isa/target.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace lockstep::fuzz {

inline void require(bool condition, const char* what, std::string_view detail = {}) {
  if (condition) return;
  std::fprintf(stderr, "broken: %s: %s\n", what, std::string(detail).c_str());
  std::abort();
}

struct Options {
  isa::Target target;
  unsigned wave_size;
  bool real_true16;
};
/// Low four bits: the target; bit 4: waves of 64; bit 5: 16-bit halves are spelt.
inline Options options_of(uint8_t byte) {
  const auto& info = isa::all_targets()[(byte & 15u) % isa::kTargetCount];
  return {info.target, (byte & 16) || !info.has_wave32 ? 64u : 32u, (byte & 32) != 0};
}

}  // namespace lockstep::fuzz
