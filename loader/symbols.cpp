// SPDX-License-Identifier: MIT
// Symbol and relocation tables of a code object.
#include <algorithm>
#include <tuple>

#include "loader/image.h"

namespace lockstep::loader {
namespace {

// LDS variables of unlinked objects live in no section; only a linker that lays out LDS can place
// them.
constexpr uint16_t kShnAmdgpuLds = 0xff00;
constexpr uint64_t kMaxNameRatio = 8;

SymbolKind kind_of(unsigned char info) {
  switch (ELF64_ST_TYPE(info)) {
    case STT_NOTYPE:
      return SymbolKind::kNone;
    case STT_FUNC:
      return SymbolKind::kFunction;
    case STT_OBJECT:
    case STT_COMMON:
      return SymbolKind::kObject;
    case STT_SECTION:
      return SymbolKind::kSection;
    case STT_FILE:
      return SymbolKind::kFile;
    default:
      return SymbolKind::kOther;
  }
}

/// Checks that a table is whole entries; its number of entries.
Result<uint64_t> entry_count(const ElfFile& elf, size_t table, uint64_t entry_size) {
  const Elf64_Shdr& header = elf.sections[table].header;
  if (header.sh_entsize != entry_size)
    return Error{fmt::format("{}: sh_entsize is {}, not {}", elf.describe_section(table),
                             header.sh_entsize, entry_size)};
  if (header.sh_size % entry_size != 0)
    return Error{fmt::format("{}: sh_size {:#x} is not a multiple of the entry size {:#x}",
                             elf.describe_section(table), header.sh_size, entry_size)};
  return elf.sections[table].bytes.size() / entry_size;
}

}  // namespace

Result<std::vector<Symbol>> read_symbols(const ElfFile& elf, size_t table,
                                         const SectionAddresses* addresses) {
  const ElfSection& section = elf.sections[table];
  const auto fail = [&](uint64_t index, const std::string& what) {
    return Error{fmt::format("symbol {} of {}: {}", index, elf.describe_section(table), what)};
  };
  auto count = entry_count(elf, table, sizeof(Elf64_Sym));
  if (!count) return Error{count.error()};
  if (section.header.sh_link >= elf.sections.size())
    return Error{fmt::format("{}: sh_link {} names no string table (there are {} sections)",
                             elf.describe_section(table), section.header.sh_link,
                             elf.sections.size())};
  const ByteSpan names = elf.sections[section.header.sh_link].bytes;

  // Names may share their ends, but a damaged table must not make each of them as long as the file.
  uint64_t name_bytes = 0;
  std::vector<Symbol> symbols(*count);
  for (uint64_t i = 0; i < *count; ++i) {
    const auto s = load_struct<Elf64_Sym>(section.bytes, i * sizeof(Elf64_Sym));
    Symbol& symbol = symbols[i];
    symbol.kind = kind_of(s.st_info);
    symbol.value = s.st_value;
    symbol.size = s.st_size;
    symbol.local = ELF64_ST_BIND(s.st_info) == STB_LOCAL;
    symbol.weak = ELF64_ST_BIND(s.st_info) == STB_WEAK;
    if (i == 0) {  // the null symbol
      symbol.absolute = symbol.defined = true;
      continue;
    }
    if (s.st_name != 0) {
      const auto name = string_at(names, s.st_name);
      if (!name)
        return fail(
            i, fmt::format(
                   "the string at st_name {:#x} does not end inside its string table ({:#x} bytes)",
                   s.st_name, names.size()));
      symbol.name = *name;
    }
    name_bytes += symbol.name.size();
    if (name_bytes > kMaxNameRatio * elf.bytes.size())
      return fail(i,
                  fmt::format("the names up to this one have {:#x} bytes, far more than the file",
                              name_bytes));
    if (s.st_shndx == SHN_UNDEF) continue;
    if (s.st_shndx == SHN_ABS) {
      symbol.absolute = symbol.defined = true;
      continue;
    }
    // The caller places common symbols; LDS symbols stay undefined here, and a use of one is an
    // error.
    if (s.st_shndx == SHN_COMMON || s.st_shndx == kShnAmdgpuLds) continue;
    if (s.st_shndx >= elf.sections.size())
      return fail(i, fmt::format("({}): st_shndx {:#x} names no section (there are {})",
                                 symbol.name, s.st_shndx, elf.sections.size()));
    if (symbol.kind == SymbolKind::kSection && symbol.name.empty())
      symbol.name = elf.sections[s.st_shndx].name;
    if (addresses) {
      const auto& address = (*addresses)[s.st_shndx];
      if (!address) continue;  // in a section that is not in memory: debug information
      symbol.value = *address + s.st_value;
    }
    symbol.defined = true;
  }
  return symbols;
}

Result<std::vector<Relocation>> read_relocations(const ElfFile& elf, size_t table, uint64_t place,
                                                 size_t symbol_count, uint64_t* total_bytes) {
  auto count = entry_count(elf, table, sizeof(Elf64_Rela));
  if (!count) return Error{count.error()};
  *total_bytes += elf.sections[table].bytes.size();
  if (*total_bytes > elf.bytes.size())
    return Error{fmt::format(
        "{}: the relocation tables up to this one have more bytes ({:#x}) than the file",
        elf.describe_section(table), *total_bytes)};
  std::vector<Relocation> relocations(*count);
  for (uint64_t i = 0; i < *count; ++i) {
    const auto r = load_struct<Elf64_Rela>(elf.sections[table].bytes, i * sizeof(Elf64_Rela));
    const uint64_t index = ELF64_R_SYM(r.r_info);
    relocations[i].address = place + r.r_offset;
    relocations[i].type = ELF64_R_TYPE(r.r_info);
    relocations[i].addend = r.r_addend;
    relocations[i].symbol = static_cast<uint32_t>(index);
    if (index >= symbol_count)
      return Error{fmt::format("relocation {} of {}: r_info names symbol {} (there are {})", i,
                               elf.describe_section(table), index, symbol_count)};
  }
  return relocations;
}

void set_symbols(std::vector<Symbol> symbols, CodeObject& object) {
  std::erase_if(symbols, [](const Symbol& s) { return s.name.empty(); });
  const auto key = [](const Symbol& s) {
    return std::make_tuple(s.value, !s.defined, std::string_view(s.name), s.kind);
  };
  std::ranges::stable_sort(symbols,
                           [&](const Symbol& a, const Symbol& b) { return key(a) < key(b); });
  const auto repeated = std::ranges::unique(
      symbols, [&](const Symbol& a, const Symbol& b) { return key(a) == key(b); });
  symbols.erase(repeated.begin(), repeated.end());
  object.symbols = std::move(symbols);
}

}  // namespace lockstep::loader
