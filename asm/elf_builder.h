// SPDX-License-Identifier: MIT
// Pieces that both ELF writers use. Internal to them.
#pragma once
#include <elf.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "asm/object.h"

namespace lockstep::asm_ {

/// A string table; equal strings are one.
class StringTable {
 public:
  StringTable() : bytes_(1) {}
  uint32_t add(const std::string& s) {
    if (s.empty()) return 0;
    const auto [it, fresh] = offsets_.emplace(s, static_cast<uint32_t>(bytes_.size()));
    if (fresh) bytes_.insert(bytes_.end(), s.c_str(), s.c_str() + s.size() + 1);
    return it->second;
  }
  const std::vector<uint8_t>& bytes() const { return bytes_; }

 private:
  std::vector<uint8_t> bytes_;
  std::unordered_map<std::string, uint32_t> offsets_;
};

template <class T>
void append(std::vector<uint8_t>& out, const T& value) {
  const auto* p = reinterpret_cast<const uint8_t*>(&value);
  out.insert(out.end(), p, p + sizeof value);
}
template <class T>
void append_all(std::vector<uint8_t>& out, const std::vector<T>& values) {
  for (const T& v : values) append(out, v);
}

constexpr uint64_t align_up(uint64_t n, uint64_t alignment) {
  return alignment <= 1 ? n : (n + alignment - 1) / alignment * alignment;
}

/// With everything but the offsets and counts.
inline Elf64_Ehdr elf_header(const Object& object, uint16_t type) {
  constexpr uint8_t kOsAbiAmdgpuHsa = 64;
  Elf64_Ehdr h = {};
  std::memcpy(h.e_ident, ELFMAG, SELFMAG);
  h.e_ident[EI_CLASS] = ELFCLASS64;
  h.e_ident[EI_DATA] = ELFDATA2LSB;
  h.e_ident[EI_VERSION] = EV_CURRENT;
  h.e_ident[EI_OSABI] = kOsAbiAmdgpuHsa;
  h.e_ident[EI_ABIVERSION] = object.abi_version;
  h.e_type = type;
  h.e_machine = EM_AMDGPU;
  h.e_version = EV_CURRENT;
  h.e_flags = object.elf_flags;
  h.e_ehsize = sizeof(Elf64_Ehdr);
  h.e_shentsize = sizeof(Elf64_Shdr);
  return h;
}

inline Elf64_Sym elf_symbol(const ObjectSymbol& s, uint32_t name) {
  Elf64_Sym out = {};
  out.st_name = name;
  out.st_info = ELF64_ST_INFO(s.binding, s.type);
  out.st_other = s.visibility;
  out.st_value = s.value;
  out.st_size = s.size;
  return out;
}

inline bool is_reserved_section(uint32_t section) {
  return section == SHN_UNDEF || section >= SHN_LORESERVE;
}

}  // namespace lockstep::asm_
