// SPDX-License-Identifier: MIT
// Names and arithmetic of AMDGPU relocations.
#include "isa/relocation.h"

#include <array>
#include <cstdio>
#include <string_view>

namespace lockstep::isa {
namespace {

constexpr std::array<std::string_view, 15> kNames = {
    "NONE",     "ABS32_LO", "ABS32_HI", "ABS64",         "REL32",
    "REL64",    "ABS32",    "GOTPCREL", "GOTPCREL32_LO", "GOTPCREL32_HI",
    "REL32_LO", "REL32_HI", "",         "RELATIVE64",    "REL16"};

std::string does_not(std::string_view what, uint64_t value, std::string_view verdict) {
  char hex[20];
  std::snprintf(hex, sizeof hex, "%#llx", static_cast<unsigned long long>(value));
  return std::string(what) + " " + hex + " " + std::string(verdict);
}

constexpr uint64_t low_half(uint64_t value) { return value & 0xffffffff; }
constexpr uint64_t high_half(uint64_t value) { return value >> 32; }
bool fits_signed(uint64_t v, int bits) {
  const auto n = static_cast<int64_t>(v);
  return n >= -(int64_t{1} << (bits - 1)) && n < (int64_t{1} << (bits - 1));
}

}  // namespace

std::string relocation_name(uint32_t type) {
  if (type < kNames.size() && !kNames[type].empty()) return "R_AMDGPU_" + std::string(kNames[type]);
  return "relocation " + std::to_string(type);
}

bool is_got_relocation(uint32_t type) {
  return type == kRelocGotPcRel || type == kRelocGotPcRel32Lo || type == kRelocGotPcRel32Hi;
}

bool is_position_independent(uint32_t type) {
  return type == kRelocRel32 || type == kRelocRel64 || type == kRelocRel32Lo ||
         type == kRelocRel32Hi || type == kRelocRel16 || is_got_relocation(type);
}

Result<RelocatedField> relocated_field(uint32_t type, uint64_t value, uint64_t place) {
  const uint64_t relative = value - place;
  switch (type) {
    case kRelocNone:
      return RelocatedField{0, 0};
    case kRelocAbs32Lo:
      return RelocatedField{low_half(value), 4};
    case kRelocAbs32Hi:
      return RelocatedField{high_half(value), 4};
    case kRelocAbs64:
    case kRelocRelative64:
      return RelocatedField{value, 8};
    case kRelocRel64:
      return RelocatedField{relative, 8};
    case kRelocRel32Lo:
    case kRelocGotPcRel32Lo:
      return RelocatedField{low_half(relative), 4};
    case kRelocRel32Hi:
    case kRelocGotPcRel32Hi:
      return RelocatedField{high_half(relative), 4};
    case kRelocAbs32:
      if (high_half(value) != 0 && !fits_signed(value, 32))
        return Error{does_not("the value", value, "does not fit in 32 bits")};
      return RelocatedField{low_half(value), 4};
    case kRelocRel32:
    case kRelocGotPcRel:
      if (!fits_signed(relative, 32))
        return Error{does_not("the distance", relative, "does not fit in 32 bits")};
      return RelocatedField{low_half(relative), 4};
    case kRelocRel16: {
      // Dwords from the instruction after the branch, which is what SIMM16 of a branch counts.
      const uint64_t distance = relative - 4;
      if (distance % 4 != 0)
        return Error{does_not("the distance", distance, "is no multiple of 4")};
      if (!fits_signed(distance, 18))
        return Error{does_not("the distance", distance, "does not fit in a branch")};
      return RelocatedField{(distance >> 2) & 0xffff, 2};
    }
    default:
      return Error{"this relocation is not known"};
  }
}

}  // namespace lockstep::isa
