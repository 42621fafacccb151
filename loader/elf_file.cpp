// SPDX-License-Identifier: MIT
// ELF headers with every offset and size checked against the file before use.
#include "loader/elf_file.h"

namespace lockstep::loader {
namespace {

class ElfParser {
 public:
  explicit ElfParser(ByteSpan bytes) { file_.bytes = bytes; }

  Result<ElfFile> run() {
    if (!read_header() || !read_sections() || !read_names() || !read_segments())
      return Error{std::move(error_)};
    return std::move(file_);
  }

 private:
  template <class... Args>
  bool fail(fmt::format_string<Args...> format, Args&&... args) {
    error_ = fmt::format(format, std::forward<Args>(args)...);
    return false;
  }

  uint64_t size() const { return file_.bytes.size(); }

  bool read_header() {
    if (size() < EI_NIDENT || std::memcmp(file_.bytes.data(), ELFMAG, SELFMAG) != 0)
      return fail("not an ELF file: no \\x7fELF magic at offset 0 ({:#x} bytes)", size());
    const uint8_t* ident = file_.bytes.data();
    if (ident[EI_CLASS] != ELFCLASS64)
      return fail("ELF header: EI_CLASS (offset 4) is {}, not ELFCLASS64 (2)", ident[EI_CLASS]);
    if (ident[EI_DATA] != ELFDATA2LSB)
      return fail("ELF header: EI_DATA (offset 5) is {}, not little endian (1)", ident[EI_DATA]);
    if (size() < sizeof(Elf64_Ehdr))
      return fail("ELF header: the file ends after {:#x} of {:#x} bytes", size(),
                  sizeof(Elf64_Ehdr));
    file_.header = load_struct<Elf64_Ehdr>(file_.bytes, 0);
    if (file_.header.e_version != EV_CURRENT)
      return fail("ELF header: e_version (offset 0x14) is {}, not 1", file_.header.e_version);
    return true;
  }

  bool read_sections() {
    const Elf64_Ehdr& h = file_.header;
    if (h.e_shoff == 0) {
      if (h.e_shnum != 0) return fail("ELF header: e_shnum is {}, but e_shoff is 0", h.e_shnum);
      return true;
    }
    if (h.e_shentsize != sizeof(Elf64_Shdr))
      return fail("ELF header: e_shentsize (offset 0x3a) is {}, not {}", h.e_shentsize,
                  sizeof(Elf64_Shdr));
    uint64_t count = h.e_shnum;
    if (count == 0) {  // 0xff00 sections or more: the count is in the first header
      if (!in_bounds(h.e_shoff, sizeof(Elf64_Shdr), size()))
        return fail("{}", past_end("section header 0", "e_shoff", h.e_shoff, "size",
                                   sizeof(Elf64_Shdr), "the file", size()));
      count = load_struct<Elf64_Shdr>(file_.bytes, h.e_shoff).sh_size;
    }
    if (h.e_shoff > size() || count > (size() - h.e_shoff) / sizeof(Elf64_Shdr))
      return fail(
          "section headers: e_shoff {:#x} + e_shnum {:#x} * 0x40 is past the end of the file "
          "({:#x} bytes)",
          h.e_shoff, count, size());
    file_.sections.resize(count);
    for (uint64_t i = 0; i < count; ++i) {
      ElfSection& section = file_.sections[i];
      section.header = load_struct<Elf64_Shdr>(file_.bytes, h.e_shoff + i * sizeof(Elf64_Shdr));
      const Elf64_Shdr& s = section.header;
      if (s.sh_type == SHT_NULL || s.sh_type == SHT_NOBITS) continue;
      if (!in_bounds(s.sh_offset, s.sh_size, size()))
        return fail("{}", past_end(fmt::format("section header {}", i), "sh_offset", s.sh_offset,
                                   "sh_size", s.sh_size, "the file", size()));
      section.bytes = file_.bytes.subspan(s.sh_offset, s.sh_size);
    }
    return true;
  }

  bool read_names() {
    if (file_.sections.empty()) return true;
    uint64_t index = file_.header.e_shstrndx;
    if (index == SHN_XINDEX) index = file_.sections[0].header.sh_link;
    if (index == SHN_UNDEF) return true;  // no names
    if (index >= file_.sections.size())
      return fail("ELF header: e_shstrndx {} names no section (there are {})", index,
                  file_.sections.size());
    const ByteSpan names = file_.sections[index].bytes;
    uint64_t total = 0;
    for (size_t i = 0; i < file_.sections.size(); ++i) {
      const uint32_t offset = file_.sections[i].header.sh_name;
      const auto name = string_at(names, offset);
      if (!name)
        return fail(
            "section header {}: the string at sh_name {:#x} does not end inside the name table, "
            "section {} ({:#x} bytes)",
            i, offset, index, names.size());
      file_.sections[i].name = *name;
      // Names may share their ends, but a damaged table must not make each of them as long as the
      // file.
      total += name->size();
      if (total > 4 * size())
        return fail(
            "section header {}: the names up to this one have {:#x} bytes, far more than the file",
            i, total);
    }
    return true;
  }

  bool read_segments() {
    const Elf64_Ehdr& h = file_.header;
    if (h.e_phnum == 0) return true;
    if (h.e_phentsize != sizeof(Elf64_Phdr))
      return fail("ELF header: e_phentsize (offset 0x36) is {}, not {}", h.e_phentsize,
                  sizeof(Elf64_Phdr));
    if (h.e_phoff > size() || h.e_phnum > (size() - h.e_phoff) / sizeof(Elf64_Phdr))
      return fail(
          "program headers: e_phoff {:#x} + e_phnum {:#x} * 0x38 is past the end of the file "
          "({:#x} bytes)",
          h.e_phoff, h.e_phnum, size());
    for (uint64_t i = 0; i < h.e_phnum; ++i) {
      const auto p = load_struct<Elf64_Phdr>(file_.bytes, h.e_phoff + i * sizeof(Elf64_Phdr));
      if (p.p_type == PT_LOAD || p.p_type == PT_NOTE) {
        if (!in_bounds(p.p_offset, p.p_filesz, size()))
          return fail("{}", past_end(fmt::format("program header {}", i), "p_offset", p.p_offset,
                                     "p_filesz", p.p_filesz, "the file", size()));
        if (p.p_type == PT_LOAD && p.p_filesz > p.p_memsz)
          return fail("program header {}: p_filesz {:#x} is more than p_memsz {:#x}", i, p.p_filesz,
                      p.p_memsz);
      }
      file_.segments.push_back(p);
    }
    return true;
  }

  ElfFile file_;
  std::string error_;
};

}  // namespace

std::string past_end(std::string_view what, std::string_view offset_name, uint64_t offset,
                     std::string_view size_name, uint64_t size, std::string_view where,
                     uint64_t limit) {
  return fmt::format("{}: {} {:#x} + {} {:#x} is past the end of {} ({:#x} bytes)", what,
                     offset_name, offset, size_name, size, where, limit);
}

std::optional<std::string_view> string_at(ByteSpan table, uint64_t offset) {
  if (offset >= table.size()) return std::nullopt;
  const char* start = reinterpret_cast<const char*>(table.data()) + offset;
  const void* end = std::memchr(start, 0, table.size() - offset);
  if (!end) return std::nullopt;
  return std::string_view(start, static_cast<const char*>(end) - start);
}

const ElfSection* ElfFile::find_section(std::string_view name) const {
  for (const ElfSection& section : sections)
    if (section.name == name) return &section;
  return nullptr;
}

std::string ElfFile::describe_section(size_t index) const {
  if (index >= sections.size()) return fmt::format("section {}", index);
  return fmt::format("section {} ({})", index, sections[index].name);
}

bool is_elf64(ByteSpan bytes) {
  return bytes.size() >= EI_NIDENT && std::memcmp(bytes.data(), ELFMAG, SELFMAG) == 0 &&
         bytes[EI_CLASS] == ELFCLASS64 && bytes[EI_DATA] == ELFDATA2LSB;
}

Result<ElfFile> parse_elf(ByteSpan bytes) { return ElfParser(bytes).run(); }

}  // namespace lockstep::loader
