// SPDX-License-Identifier: MIT
// Numbers, addresses and lengths of debug sections.
#include "asm/debug_bytes.h"

#include <elf.h>

#include <cstring>

namespace lockstep::asm_ {

Section& debug_section(Assembly& assembly, std::string_view name, uint64_t flags,
                       uint64_t entry_size) {
  return assembly.section_named(name, SHT_PROGBITS, flags, entry_size);
}

size_t uleb_size(uint64_t value) {
  constexpr unsigned kBits = 7;
  size_t size = 1;
  while (value >>= kBits) ++size;
  return size;
}

void append_uleb(std::vector<uint8_t>& out, uint64_t value) {
  constexpr unsigned kBits = 7;
  constexpr uint8_t kMore = 0x80;
  for (; value >= kMore; value >>= kBits) out.push_back(static_cast<uint8_t>(value | kMore));
  out.push_back(static_cast<uint8_t>(value));
}

void append_sleb(std::vector<uint8_t>& out, int64_t value) {
  constexpr unsigned kBits = 7;
  constexpr int64_t kSign = 0x40, kMask = 0x7f;
  for (; value < -kSign || value >= kSign; value >>= kBits)
    out.push_back(static_cast<uint8_t>((value & kMask) | (kMask + 1)));
  out.push_back(static_cast<uint8_t>(value & kMask));
}

void DebugBytes::number(uint64_t value, unsigned bytes) {
  const auto* p = reinterpret_cast<const uint8_t*>(&value);
  section_.bytes.insert(section_.bytes.end(), p, p + bytes);
}

void DebugBytes::uleb(uint64_t value) { append_uleb(section_.bytes, value); }
void DebugBytes::sleb(int64_t value) { append_sleb(section_.bytes, value); }

void DebugBytes::string(std::string_view text) {
  section_.bytes.insert(section_.bytes.end(), text.begin(), text.end());
  section_.bytes.push_back(0);
}

void DebugBytes::extended(uint8_t opcode, size_t operand_bytes) {
  number(0, 1);
  uleb(operand_bytes + 1);
  number(opcode, 1);
}

void DebugBytes::address(Section& target, uint64_t offset, FixupKind kind) {
  Symbol& place = assembly_.anonymous();
  place.state = SymbolState::kLabel;
  place.section = &target;
  place.offset = offset;
  const Expr* e = assembly_.make({.kind = ExprKind::kSymbol, .symbol = &place});
  section_.fixups.push_back({size(), kind, e, {}});
  number(0, kind == FixupKind::kData8 ? sizeof(uint64_t) : sizeof(uint32_t));
}

size_t DebugBytes::open_length() {
  const size_t place = size();
  number(0, sizeof(uint32_t));
  return place;
}

void DebugBytes::close_length(size_t place) {
  const auto length = static_cast<uint32_t>(size() - place - sizeof(uint32_t));
  std::memcpy(section_.bytes.data() + place, &length, sizeof length);
}

}  // namespace lockstep::asm_
