// SPDX-License-Identifier: MIT
// AMDGPU relocations and loading an image to its address.
#include <algorithm>
#include <array>

#include "loader/image.h"

namespace lockstep::loader {
namespace {

// R_AMDGPU_* numbers of the ABI; <elf.h> has none.
enum RelocationType : uint32_t {
  kNone = 0,
  kAbs32Lo = 1,
  kAbs32Hi = 2,
  kAbs64 = 3,
  kRel32 = 4,
  kRel64 = 5,
  kAbs32 = 6,
  kGotPcRel = 7,
  kGotPcRel32Lo = 8,
  kGotPcRel32Hi = 9,
  kRel32Lo = 10,
  kRel32Hi = 11,
  kRelative64 = 13,  // there is no 12
  kRel16 = 14,
};

constexpr std::array<std::string_view, 15> kNames = {
    "NONE",     "ABS32_LO", "ABS32_HI", "ABS64",         "REL32",
    "REL64",    "ABS32",    "GOTPCREL", "GOTPCREL32_LO", "GOTPCREL32_HI",
    "REL32_LO", "REL32_HI", "",         "RELATIVE64",    "REL16"};

constexpr uint64_t low_half(uint64_t value) { return value & 0xffffffff; }
constexpr uint64_t high_half(uint64_t value) { return value >> 32; }

}  // namespace

std::string relocation_name(uint32_t type) {
  if (type < kNames.size() && !kNames[type].empty())
    return fmt::format("R_AMDGPU_{}", kNames[type]);
  return fmt::format("relocation {}", type);
}

std::string describe_relocation(const Relocation& r, const Symbol& symbol) {
  const std::string_view name = symbol.name.empty() ? "no symbol" : std::string_view(symbol.name);
  return fmt::format("{} (number {}) at {:#x} against {}{:+d}", relocation_name(r.type), r.type,
                     r.address, name, r.addend);
}

bool is_got_relocation(uint32_t type) {
  return type == kGotPcRel || type == kGotPcRel32Lo || type == kGotPcRel32Hi;
}

bool is_position_independent(uint32_t type) {
  return type == kRel32 || type == kRel64 || type == kRel32Lo || type == kRel32Hi ||
         type == kRel16 || is_got_relocation(type);
}

Result<FieldWrite> compute_relocation(const Relocation& r, const Symbol& s, uint64_t base,
                                      const SymbolResolver& resolve_external) {
  const auto fail = [&](std::string_view what) {
    return Error{fmt::format("{}: {}", describe_relocation(r, s), what)};
  };
  // Unsigned arithmetic throughout: addresses wrap, and a damaged addend must not be undefined
  // behaviour.
  uint64_t symbol = s.value;
  if (is_got_relocation(r.type)) {
    if (!r.got_slot) return fail("there is no global offset table");
    symbol = base + *r.got_slot;
  } else if (!s.defined) {
    std::optional<uint64_t> external;
    if (resolve_external) external = resolve_external(s.name);
    if (!external && !s.weak) return fail("the symbol is not defined");
    symbol = external.value_or(0);
  } else if (!s.absolute) {
    symbol += base;
  }
  const uint64_t value = symbol + static_cast<uint64_t>(r.addend);
  const uint64_t relative = value - (base + r.address);
  const auto fits_signed = [](uint64_t v, int bits) {
    const auto n = static_cast<int64_t>(v);
    return n >= -(int64_t{1} << (bits - 1)) && n < (int64_t{1} << (bits - 1));
  };

  switch (r.type) {
    case kNone:
      return FieldWrite{0, 0};
    case kAbs32Lo:
      return FieldWrite{low_half(value), 4};
    case kAbs32Hi:
      return FieldWrite{high_half(value), 4};
    case kAbs64:
      return FieldWrite{value, 8};
    case kRelative64:
      return FieldWrite{base + static_cast<uint64_t>(r.addend), 8};
    case kRel64:
      return FieldWrite{relative, 8};
    case kRel32Lo:
    case kGotPcRel32Lo:
      return FieldWrite{low_half(relative), 4};
    case kRel32Hi:
    case kGotPcRel32Hi:
      return FieldWrite{high_half(relative), 4};
    case kAbs32:
      if (high_half(value) != 0 && !fits_signed(value, 32))
        return fail(fmt::format("the value {:#x} does not fit in 32 bits", value));
      return FieldWrite{low_half(value), 4};
    case kRel32:
    case kGotPcRel:
      if (!fits_signed(relative, 32))
        return fail(fmt::format("the distance {:#x} does not fit in 32 bits", relative));
      return FieldWrite{low_half(relative), 4};
    case kRel16: {
      // Dwords from the instruction after the branch, which is what SIMM16 of a branch counts.
      const uint64_t distance = relative - 4;
      if (distance % 4 != 0)
        return fail(fmt::format("the distance {:#x} is no multiple of 4", distance));
      if (!fits_signed(distance, 18))
        return fail(fmt::format("the distance {:#x} does not fit in a branch", distance));
      return FieldWrite{(distance >> 2) & 0xffff, 2};
    }
    default:
      return fail("this relocation is not known");
  }
}

Result<void> load_code_object(const CodeObject& object, std::span<uint8_t> memory, uint64_t base,
                              const SymbolResolver& resolve_external) {
  if (memory.size() < object.image_size)
    return Error{
        fmt::format("loading a code object: the memory has {:#x} bytes, the image needs {:#x}",
                    memory.size(), object.image_size)};
  if (base % object.image_alignment != 0)
    return Error{fmt::format("loading a code object: the address {:#x} is not a multiple of {:#x}",
                             base, object.image_alignment)};
  std::ranges::fill(memory, uint8_t{0});
  for (const Segment& s : object.segments) std::ranges::copy(s.bytes, memory.begin() + s.address);
  for (const Relocation& r : object.relocations) {
    const Symbol& symbol = object.relocation_symbols[r.symbol];
    auto write = compute_relocation(r, symbol, base, resolve_external);
    if (!write) return Error{write.error()};
    if (!in_bounds(r.address, write->size, object.image_size))
      return Error{fmt::format("{}: the place is past the end of the image ({:#x} bytes)",
                               describe_relocation(r, symbol), object.image_size)};
    std::memcpy(memory.data() + r.address, &write->value, write->size);
  }
  return {};
}

}  // namespace lockstep::loader
