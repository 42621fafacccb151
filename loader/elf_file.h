// SPDX-License-Identifier: MIT
// A bounds-checked view of an ELF64 little-endian file: headers, sections, segments. Internal to
// the loader.
//
// Own checks over <elf.h> structures rather than libelf: damaged files are ordinary input here, and
// an error must name the field, its value and the file offset, which libelf's error numbers cannot;
// and what is read is then provably inside the buffer (libelf has had out-of-bounds reads on
// hostile files).
#pragma once
#include <elf.h>
#include <fmt/format.h>

#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/result.h"

namespace lockstep::loader {

using ByteSpan = std::span<const uint8_t>;

/// True if [offset, offset + size) lies in a file or table of `limit` bytes; no overflow.
constexpr bool in_bounds(uint64_t offset, uint64_t size, uint64_t limit) {
  return offset <= limit && size <= limit - offset;
}

/// Copies a structure out of bytes that were bounds-checked before: no alignment is assumed.
template <class T>
T load_struct(ByteSpan bytes, uint64_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

/// "NAME 0x10 + NAME 0x20 is past the end of WHERE (0x18 bytes)": every range error reads alike.
std::string past_end(std::string_view what, std::string_view offset_name, uint64_t offset,
                     std::string_view size_name, uint64_t size, std::string_view where,
                     uint64_t limit);

/// The NUL-terminated string at `offset` of a string table, nullopt if it does not end inside.
std::optional<std::string_view> string_at(ByteSpan table, uint64_t offset);

struct ElfSection {
  std::string_view name;  ///< points into the file
  Elf64_Shdr header = {};
  ByteSpan bytes;  ///< empty for SHT_NOBITS
};

struct ElfFile {
  ByteSpan bytes;
  Elf64_Ehdr header = {};
  std::vector<Elf64_Phdr> segments;  ///< file ranges of PT_LOAD are checked
  std::vector<ElfSection> sections;  ///< file ranges are checked

  const ElfSection* find_section(std::string_view name) const;
  /// "section 3 (.text)"
  std::string describe_section(size_t index) const;
};

bool is_elf64(ByteSpan bytes);

/// Reads headers and checks all ranges. Machine and type are the caller's business. The result
/// refers to `bytes`.
Result<ElfFile> parse_elf(ByteSpan bytes);

}  // namespace lockstep::loader
