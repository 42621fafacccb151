// SPDX-License-Identifier: MIT
// The table of targets. ELF machine numbers: AMDGPU code-object ABI; limits: the ISA guides of each
// generation.
#include "isa/target.h"

namespace lockstep::isa {
namespace {

constexpr uint32_t kLds64K = 65536;
constexpr uint32_t kLds160K = 163840;

constexpr std::array<TargetInfo, kTargetCount> kTargets = {{
    {Target::kGfx90a, "gfx90a", Isa::kGfx90a, Generation::kGfx9, 0x3f, 90010, false, 256, 102,
     kLds64K},
    {Target::kGfx942, "gfx942", Isa::kGfx942, Generation::kGfx9, 0x4c, 90402, false, 256, 102,
     kLds64K},
    {Target::kGfx950, "gfx950", Isa::kGfx950, Generation::kGfx9, 0x4f, 90500, false, 256, 102,
     kLds160K},
    {Target::kGfx1100, "gfx1100", Isa::kGfx11, Generation::kGfx11, 0x41, 110000, true, 256, 106,
     kLds64K},
    {Target::kGfx1101, "gfx1101", Isa::kGfx11, Generation::kGfx11, 0x46, 110001, true, 256, 106,
     kLds64K},
    {Target::kGfx1102, "gfx1102", Isa::kGfx11, Generation::kGfx11, 0x47, 110002, true, 256, 106,
     kLds64K},
    {Target::kGfx1103, "gfx1103", Isa::kGfx11, Generation::kGfx11, 0x44, 110003, true, 256, 106,
     kLds64K},
    {Target::kGfx1150, "gfx1150", Isa::kGfx115, Generation::kGfx11, 0x43, 110500, true, 256, 106,
     kLds64K},
    {Target::kGfx1151, "gfx1151", Isa::kGfx115, Generation::kGfx11, 0x4a, 110501, true, 256, 106,
     kLds64K},
    {Target::kGfx1200, "gfx1200", Isa::kGfx12, Generation::kGfx12, 0x48, 120000, true, 256, 106,
     kLds64K},
    {Target::kGfx1201, "gfx1201", Isa::kGfx12, Generation::kGfx12, 0x4e, 120001, true, 256, 106,
     kLds64K},
}};

}  // namespace

const TargetInfo& target_info(Target target) { return kTargets[static_cast<size_t>(target)]; }

std::span<const TargetInfo> all_targets() { return kTargets; }

std::optional<Target> find_target(std::string_view name) {
  const std::string_view base = name.substr(0, name.find(':'));
  for (const TargetInfo& t : kTargets)
    if (t.name == base) return t.target;
  return std::nullopt;
}

std::optional<Target> find_target_by_mach(uint8_t elf_mach) {
  for (const TargetInfo& t : kTargets)
    if (t.elf_mach == elf_mach) return t.target;
  return std::nullopt;
}

}  // namespace lockstep::isa
