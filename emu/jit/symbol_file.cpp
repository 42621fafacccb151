// SPDX-License-Identifier: MIT
// A small x86-64 ELF file in memory: one section without bytes over the code, and its symbols.
#include <elf.h>

#include <cstring>

#include "emu/jit/observe.h"

namespace lockstep::emu::jit {
namespace {

enum Section : uint32_t { kNull, kText, kSymbols, kStrings, kSectionNames, kSectionCount };
constexpr char kNames[] = "\0.text\0.symtab\0.strtab\0.shstrtab";
constexpr uint32_t kNameOf[kSectionCount] = {0, 1, 7, 15, 23};

}  // namespace

std::vector<uint8_t> symbol_file(const std::vector<Symbol>& symbols) {
  std::vector<Elf64_Sym> table(1);
  std::string strings(1, '\0');
  uint64_t first = UINT64_MAX, last = 0;
  for (const Symbol& s : symbols) {
    first = std::min(first, reinterpret_cast<uint64_t>(s.start));
    last = std::max(last, reinterpret_cast<uint64_t>(s.start) + s.size);
  }
  for (const Symbol& s : symbols) {
    Elf64_Sym e = {};
    e.st_name = static_cast<uint32_t>(strings.size());
    e.st_info = ELF64_ST_INFO(STB_LOCAL, STT_FUNC);
    e.st_shndx = kText;
    e.st_value = reinterpret_cast<uint64_t>(s.start) - first;  // of a relocatable file: an offset
    e.st_size = s.size;
    table.push_back(e);
    strings += s.name + '\0';
  }
  std::vector<uint8_t> file(sizeof(Elf64_Ehdr) + kSectionCount * sizeof(Elf64_Shdr));
  Elf64_Shdr headers[kSectionCount] = {};
  const auto add = [&](Section i, uint32_t type, const void* bytes, size_t size) {
    headers[i].sh_name = kNameOf[i];
    headers[i].sh_type = type;
    headers[i].sh_offset = file.size();
    headers[i].sh_size = size;
    headers[i].sh_addralign = 1;
    const auto* raw = static_cast<const uint8_t*>(bytes);
    file.insert(file.end(), raw, raw + size);
  };
  headers[kText] = {kNameOf[kText],
                    SHT_NOBITS,
                    SHF_ALLOC | SHF_EXECINSTR,
                    first,
                    file.size(),
                    symbols.empty() ? 0 : last - first,
                    0,
                    0,
                    16,
                    0};
  add(kSymbols, SHT_SYMTAB, table.data(), table.size() * sizeof(Elf64_Sym));
  headers[kSymbols].sh_link = kStrings;
  headers[kSymbols].sh_info = static_cast<uint32_t>(table.size());  // all are local
  headers[kSymbols].sh_entsize = sizeof(Elf64_Sym);
  headers[kSymbols].sh_addralign = 1;
  add(kStrings, SHT_STRTAB, strings.data(), strings.size());
  add(kSectionNames, SHT_STRTAB, kNames, sizeof kNames);

  Elf64_Ehdr header = {};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_REL;
  header.e_machine = EM_X86_64;
  header.e_version = EV_CURRENT;
  header.e_ehsize = sizeof header;
  header.e_shoff = sizeof header;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = kSectionCount;
  header.e_shstrndx = kSectionNames;
  std::memcpy(file.data(), &header, sizeof header);
  std::memcpy(file.data() + sizeof header, headers, sizeof headers);
  return file;
}

}  // namespace lockstep::emu::jit
