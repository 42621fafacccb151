// SPDX-License-Identifier: MIT
// Relocatable ELF files.
#include <algorithm>

#include "asm/elf_builder.h"

namespace lockstep::asm_ {
namespace {

struct Part {
  Elf64_Shdr header = {};
  std::string name;
  std::vector<uint8_t> bytes;
};

std::vector<uint8_t> relocation_bytes(const ObjectSection& s) {
  std::vector<uint8_t> out;
  // LLVM writes them in order of place.
  std::vector<ObjectRelocation> sorted = s.relocations;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.offset < b.offset; });
  for (const ObjectRelocation& r : sorted)
    append(out, Elf64_Rela{r.offset, ELF64_R_INFO(uint64_t{r.symbol}, r.type), r.addend});
  return out;
}

}  // namespace

std::vector<uint8_t> write_relocatable(const Object& object) {
  std::vector<Part> parts(2);  // 0 is no section, 1 is .strtab
  std::vector<uint32_t> numbers;
  for (const ObjectSection& s : object.sections) {
    numbers.push_back(static_cast<uint32_t>(parts.size()));
    Part& p = parts.emplace_back();
    p.name = s.name;
    p.header.sh_type = s.type;
    p.header.sh_flags = s.flags;
    p.header.sh_addralign = s.alignment;
    p.header.sh_entsize = s.entry_size;
    p.header.sh_size = s.size;
    p.bytes = s.bytes;
    if (s.relocations.empty()) continue;
    Part& r = parts.emplace_back();
    r.name = ".rela" + s.name;
    r.header.sh_type = SHT_RELA;
    r.header.sh_flags = SHF_INFO_LINK;
    r.header.sh_info = numbers.back();
    r.header.sh_addralign = alignof(Elf64_Rela);
    r.header.sh_entsize = sizeof(Elf64_Rela);
    r.bytes = relocation_bytes(s);
  }
  for (size_t i = 0; i < object.sections.size(); ++i)
    for (size_t j = 0; j < object.sections.size(); ++j)
      if (!object.sections[i].link_section.empty() &&
          object.sections[j].name == object.sections[i].link_section)
        parts[numbers[i]].header.sh_link = numbers[j];
  const auto symtab = static_cast<uint32_t>(parts.size());
  for (Part& p : parts)
    if (p.header.sh_type == SHT_RELA || p.header.sh_type == kShtLlvmAddrsig)
      p.header.sh_link = symtab;

  StringTable strings;
  Part& table = parts.emplace_back();
  table.name = ".symtab";
  table.header.sh_type = SHT_SYMTAB;
  table.header.sh_link = 1;
  table.header.sh_addralign = alignof(Elf64_Sym);
  table.header.sh_entsize = sizeof(Elf64_Sym);
  for (size_t i = 0; i < object.symbols.size(); ++i) {
    const ObjectSymbol& s = object.symbols[i];
    Elf64_Sym out = elf_symbol(s, strings.add(s.name));
    out.st_shndx =
        static_cast<uint16_t>(is_reserved_section(s.section) ? s.section : numbers[s.section - 1]);
    append(table.bytes, out);
    if (s.binding == STB_LOCAL) table.header.sh_info = static_cast<uint32_t>(i + 1);
  }

  parts[1].name = ".strtab";
  parts[1].header.sh_type = SHT_STRTAB;
  parts[1].header.sh_addralign = 1;
  for (Part& p : parts) p.header.sh_name = strings.add(p.name);
  parts[1].bytes = strings.bytes();

  std::vector<uint8_t> file(sizeof(Elf64_Ehdr));
  for (size_t i = 1; i < parts.size(); ++i) {
    Part& p = parts[i];
    file.resize(align_up(file.size(), p.header.sh_addralign));
    p.header.sh_offset = file.size();
    if (p.header.sh_type == SHT_NOBITS) continue;
    p.header.sh_size = p.bytes.size();
    file.insert(file.end(), p.bytes.begin(), p.bytes.end());
  }
  file.resize(align_up(file.size(), alignof(Elf64_Shdr)));
  Elf64_Ehdr header = elf_header(object, ET_REL);
  header.e_shoff = file.size();
  header.e_shnum = static_cast<uint16_t>(parts.size());
  header.e_shstrndx = 1;
  for (const Part& p : parts) append(file, p.header);
  std::memcpy(file.data(), &header, sizeof header);
  return file;
}

}  // namespace lockstep::asm_
