// SPDX-License-Identifier: MIT
// AMDGPU relocations and loading an image to its address.
#include <algorithm>

#include "loader/image.h"

namespace lockstep::loader {

std::string relocation_name(uint32_t type) { return isa::relocation_name(type); }

std::string describe_relocation(const Relocation& r, const Symbol& symbol) {
  const std::string_view name = symbol.name.empty() ? "no symbol" : std::string_view(symbol.name);
  return fmt::format("{} (number {}) at {:#x} against {}{:+d}", relocation_name(r.type), r.type,
                     r.address, name, r.addend);
}

Result<isa::RelocatedField> compute_relocation(const Relocation& r, const Symbol& s, uint64_t base,
                                               const SymbolResolver& resolve_external) {
  const auto fail = [&](std::string_view what) {
    return Error{fmt::format("{}: {}", describe_relocation(r, s), what)};
  };
  // Unsigned arithmetic throughout: addresses wrap, and a damaged addend must not be undefined
  // behaviour.
  uint64_t symbol = s.value;
  if (isa::is_got_relocation(r.type)) {
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
  if (r.type == isa::kRelocRelative64) symbol = base;  // it names no symbol
  const uint64_t value = symbol + static_cast<uint64_t>(r.addend);
  const auto field = isa::relocated_field(r.type, value, base + r.address);
  if (!field) return fail(field.error());
  return *field;
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
