// SPDX-License-Identifier: MIT
// Asks the processor and the environment.
#include "emu/jit/tier.h"

#include <fmt/format.h>
#include <xbyak/xbyak_util.h>

#include <cstdlib>

namespace lockstep::emu::jit {
std::string_view tier_name(Tier tier) {
  switch (tier) {
    case Tier::kAvx512:
      return "AVX-512";
    case Tier::kAvx2:
      return "AVX2";
    default:
      return "none";
  }
}

std::optional<Tier> find_tier(std::string_view name) {
  if (name == "avx512") return Tier::kAvx512;
  if (name == "avx2") return Tier::kAvx2;
  if (name == "none") return Tier::kNone;
  return std::nullopt;
}

bool host_can(Tier tier) {
  using Xbyak::util::Cpu;
  static const Cpu cpu;
  if (tier == Tier::kNone) return true;
  const bool avx2 = cpu.has(Cpu::tAVX2) && cpu.has(Cpu::tFMA) && cpu.has(Cpu::tF16C) &&
                    cpu.has(Cpu::tBMI2) && cpu.has(Cpu::tLZCNT) && cpu.has(Cpu::tPOPCNT);
  if (tier == Tier::kAvx2) return avx2;
  return avx2 && cpu.has(Cpu::tAVX512F) && cpu.has(Cpu::tAVX512BW) && cpu.has(Cpu::tAVX512DQ) &&
         cpu.has(Cpu::tAVX512VL) && cpu.has(Cpu::tAVX512CD) && cpu.has(Cpu::tAVX512_VPOPCNTDQ);
}

Result<Tier> choose_tier() {
  if (const char* asked = std::getenv("LOCKSTEP_JIT_HOST"); asked && *asked) {
    const auto tier = find_tier(asked);
    if (!tier)
      return Error{fmt::format(
          "LOCKSTEP_JIT_HOST is \"{}\"; it takes avx512, avx2 or none (unset: the best that the "
          "processor can do)",
          asked)};
    if (!host_can(*tier))
      return Error{fmt::format(
          "LOCKSTEP_JIT_HOST is \"{}\", but compiled code of that kind does not run here; unset it "
          "for the best that the processor can do",
          asked)};
    return *tier;
  }
  for (const Tier tier : {Tier::kAvx512, Tier::kAvx2})
    if (host_can(tier)) return tier;
  return Tier::kNone;
}

Tier host_tier() {
  static const Tier tier = [] {
    const Result<Tier> chosen = choose_tier();
    return chosen ? *chosen : Tier::kNone;
  }();
  return tier;
}

}  // namespace lockstep::emu::jit
