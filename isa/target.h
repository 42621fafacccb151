// SPDX-License-Identifier: MIT
// The GPUs that Lockstep knows: names, instruction-set variants, and the few facts that every layer
// asks for.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace lockstep::isa {

/// A gfx target. Order is stable: it indexes the table in target.cpp.
enum class Target : uint8_t {
  kGfx90a,
  kGfx942,
  kGfx950,
  kGfx1100,
  kGfx1101,
  kGfx1102,
  kGfx1103,
  kGfx1150,
  kGfx1151,
  kGfx1200,
  kGfx1201,
};
inline constexpr int kTargetCount = 11;

/// An instruction-set variant: targets that share every opcode share one. Each has its own decode
/// tables.
enum class Isa : uint8_t { kGfx90a, kGfx942, kGfx950, kGfx11, kGfx115, kGfx12 };
inline constexpr int kIsaCount = 6;

/// Family of encodings: which columns and field layouts apply.
enum class Generation : uint8_t { kGfx9, kGfx11, kGfx12 };

struct TargetInfo {
  Target target;
  std::string_view name;  ///< "gfx1100"
  Isa isa;
  Generation generation;
  uint8_t elf_mach;             ///< e_flags bits 7:0 (EF_AMDGPU_MACH_*)
  uint32_t gfx_target_version;  ///< as KFD's topology spells it: major * 10000 + minor * 100 + step
  bool has_wave32;              ///< RDNA runs wave32 and wave64; CDNA wave64 only
  uint32_t max_vgprs;           ///< architectural VGPRs of one wave (without ACCVGPRs)
  uint32_t max_sgprs;           ///< addressable SGPRs (s0..)
  uint32_t lds_bytes;           ///< most LDS one workgroup can have
};

constexpr Generation generation_of(Isa isa) {
  return isa <= Isa::kGfx950   ? Generation::kGfx9
         : isa <= Isa::kGfx115 ? Generation::kGfx11
                               : Generation::kGfx12;
}

const TargetInfo& target_info(Target target);
std::span<const TargetInfo> all_targets();
/// Accepts a gfx name ("gfx1100"), also with target-id features ("gfx90a:xnack+"); nullopt if
/// unknown.
std::optional<Target> find_target(std::string_view name);
std::optional<Target> find_target_by_mach(uint8_t elf_mach);

}  // namespace lockstep::isa
