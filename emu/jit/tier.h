// SPDX-License-Identifier: MIT
// The kinds of host that the JIT has code for, and which of them this process uses.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "isa/result.h"

namespace lockstep::emu::jit {

enum class Tier : uint8_t {
  kNone,    ///< nothing is compiled
  kAvx2,    ///< AVX2, FMA, F16C, BMI2, LZCNT, POPCNT: slices of 8 lanes
  kAvx512,  ///< AVX-512 F, BW, DQ, VL, CD, VPOPCNTDQ besides: slices of 16 lanes
};

/// What a processor must have for compiled code, for messages.
inline constexpr std::string_view kHostNeeds =
    "AVX-512 (F, BW, DQ, VL, CD, VPOPCNTDQ), or AVX2 with FMA, F16C, BMI2, LZCNT and POPCNT";
/// "AVX-512", "AVX2" or "none".
std::string_view tier_name(Tier tier);
/// What LOCKSTEP_JIT_HOST and the command line call it: "avx512", "avx2" or "none".
std::optional<Tier> find_tier(std::string_view name);
/// True if the JIT has code for that tier and this processor runs it; always true for kNone.
bool host_can(Tier tier);
/// The best tier of this processor, or what LOCKSTEP_JIT_HOST (avx512, avx2 or none) asks for; an
/// error if that is none of them, or more than the processor can do.
Result<Tier> choose_tier();
/// The same, once a process; kNone after an error, which check_engine() reports.
Tier host_tier();
/// True if anything is compiled on this host.
inline bool supported() { return host_tier() != Tier::kNone; }

}  // namespace lockstep::emu::jit
