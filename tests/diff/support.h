// SPDX-License-Identifier: MIT
// Machine code for programs under test, and the engines of this host.
#pragma once
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "asm/assemble.h"
#include "emu/dispatch.h"

namespace lockstep::diff::testing {

/// Instructions, one a line.
inline std::vector<uint8_t> code(isa::Target target, unsigned wave_size, const std::string& text) {
  std::vector<uint8_t> bytes;
  asm_::AsmOptions options;
  options.isa = isa::target_info(target).isa;
  options.wave_size = wave_size;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    const auto result = asm_::assemble_line(line, options);
    if (!result) {
      ADD_FAILURE() << line << ": " << result.error().message;
      continue;
    }
    const auto* words = reinterpret_cast<const uint8_t*>(result.inst().words);
    bytes.insert(bytes.end(), words, words + result.inst().size);
  }
  return bytes;
}

/// One target of each instruction set, and its name as that of a parametrised test.
inline auto one_target_of_each_isa() {
  using isa::Target;
  return ::testing::Values(Target::kGfx90a, Target::kGfx942, Target::kGfx950, Target::kGfx1100,
                           Target::kGfx1151, Target::kGfx1201);
}
inline std::string target_name(const ::testing::TestParamInfo<isa::Target>& test) {
  return std::string(isa::target_info(test.param).name);
}

inline std::vector<emu::Engine> engines() {
  if (!emu::check_engine(emu::Engine::kJit)) return {emu::Engine::kInterp};
  return {emu::Engine::kInterp, emu::Engine::kJit};
}

}  // namespace lockstep::diff::testing
