// SPDX-License-Identifier: MIT
// Linked and relocatable ELF files to one image each.
#include "loader/image.h"

#include <algorithm>
#include <bit>
#include <map>

namespace lockstep::loader {
namespace {

constexpr uint64_t kPage = 4096;
constexpr uint64_t kMaxAlignment = uint64_t{1} << 21;

Error too_large(uint64_t size) {
  return {fmt::format("the image would take {:#x} bytes (at most {:#x} are accepted)", size,
                      kMaxImageSize)};
}

constexpr uint64_t align_up(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) & ~(alignment - 1);
}

bool is_alignment(uint64_t value) { return std::has_single_bit(value) && value <= kMaxAlignment; }

void write_bytes(std::vector<uint8_t>& bytes, uint64_t offset, const isa::RelocatedField& write) {
  std::memcpy(bytes.data() + offset, &write.value, write.size);
}

/// Lays out ET_REL files.
class Layout {
 public:
  Layout(const ElfFile& elf, CodeObject& object)
      : elf_(elf), object_(object), addresses_(elf.sections.size()) {}

  Result<void> run() {
    // Three passes over the sections: what is read only, code, and data, each from a page of its
    // own.
    for (const uint64_t flags : {uint64_t{0}, uint64_t{SHF_EXECINSTR}, uint64_t{SHF_WRITE}}) {
      begin_segment(flags);
      for (const bool zeroed : {false, true})
        for (size_t i = 0; i < elf_.sections.size(); ++i)
          if (belongs(i, flags, zeroed) && !place(i)) return Error{error_};
      if (flags == SHF_WRITE && (!read_tables() || !place_commons() || !place_got()))
        return Error{error_};
      end_segment();
    }
    if (cursor_ > kMaxImageSize) return too_large(cursor_);
    object_.image_size = cursor_;
    if (!relocate()) return Error{error_};
    set_symbols(symbols_, object_);
    object_.relocation_symbols = std::move(symbols_);
    return {};
  }

 private:
  bool fail(std::string message) {
    error_ = std::move(message);
    return false;
  }

  bool belongs(size_t i, uint64_t flags, bool zeroed) const {
    const Elf64_Shdr& h = elf_.sections[i].header;
    if (h.sh_type == SHT_NULL || !(h.sh_flags & SHF_ALLOC)) return false;
    const uint64_t own = h.sh_flags & SHF_EXECINSTR ? SHF_EXECINSTR : h.sh_flags & SHF_WRITE;
    return own == flags && (h.sh_type == SHT_NOBITS) == zeroed;
  }

  void begin_segment(uint64_t flags) {
    cursor_ = align_up(cursor_, kPage);
    segment_ = {};
    segment_.address = cursor_;
    segment_.alignment = kPage;
    segment_.executable = flags & SHF_EXECINSTR;
    segment_.writable = flags & SHF_WRITE;
  }

  void end_segment() {
    segment_.memory_size = cursor_ - segment_.address;
    if (segment_.memory_size != 0) object_.segments.push_back(std::move(segment_));
  }

  bool reserve(uint64_t size, uint64_t alignment, const std::string& what, uint64_t& address) {
    if (!is_alignment(alignment))
      return fail(fmt::format("{}: the alignment {:#x} is not a power of two up to {:#x}", what,
                              alignment, kMaxAlignment));
    address = align_up(cursor_, alignment);
    if (size > kMaxImageSize || address + size > kMaxImageSize)
      return fail(fmt::format("{}: {}", what, too_large(size).message));
    object_.image_alignment = std::max(object_.image_alignment, alignment);
    cursor_ = address + size;
    return true;
  }

  bool place(size_t i) {
    const ElfSection& section = elf_.sections[i];
    const std::string what = elf_.describe_section(i);
    // Overlapping sections could ask for many times the file's size.
    copied_ += section.bytes.size();
    if (copied_ > elf_.bytes.size())
      return fail(fmt::format(
          "{}: the sections up to this one have more bytes ({:#x}) than the file ({:#x})", what,
          copied_, elf_.bytes.size()));
    uint64_t address = 0;
    const uint64_t alignment = std::max<uint64_t>(section.header.sh_addralign, 1);
    if (!reserve(section.header.sh_size, alignment, what, address)) return false;
    addresses_[i] = address;
    object_.sections.push_back(
        {std::string(section.name), address, section.header.sh_size, segment_.executable});
    if (section.header.sh_type == SHT_NOBITS) return true;
    if (segment_.bytes.empty()) segment_.file_offset = section.header.sh_offset;
    segment_.bytes.resize(address - segment_.address);
    segment_.bytes.insert(segment_.bytes.end(), section.bytes.begin(), section.bytes.end());
    return true;
  }

  bool read_tables() {
    for (size_t i = 0; i < elf_.sections.size(); ++i) {
      if (elf_.sections[i].header.sh_type != SHT_SYMTAB) continue;
      if (symbol_table_)
        return fail(fmt::format("{}: a second symbol table", elf_.describe_section(i)));
      auto symbols = read_symbols(elf_, i, &addresses_);
      if (!symbols) return fail(symbols.error());
      symbols_ = std::move(*symbols);
      symbol_table_ = i;
    }
    return true;
  }

  bool place_commons() {
    if (!symbol_table_) return true;
    for (size_t i = 1; i < symbols_.size(); ++i) {
      const auto s =
          load_struct<Elf64_Sym>(elf_.sections[*symbol_table_].bytes, i * sizeof(Elf64_Sym));
      if (s.st_shndx != SHN_COMMON) continue;
      const uint64_t alignment =
          std::max<uint64_t>(s.st_value, 1);  // that is what st_value means here
      if (!reserve(s.st_size, alignment, fmt::format("common symbol {}", symbols_[i].name),
                   symbols_[i].value))
        return false;
      symbols_[i].defined = true;
    }
    return true;
  }

  /// Reads the relocations (their symbols are final now) and makes a slot for each symbol that
  /// wants one.
  bool place_got() {
    for (size_t i = 0; i < elf_.sections.size(); ++i) {
      const Elf64_Shdr& h = elf_.sections[i].header;
      if (h.sh_type != SHT_RELA && h.sh_type != SHT_REL) continue;
      if (h.sh_info >= elf_.sections.size())
        return fail(fmt::format("{}: sh_info {} names no section (there are {})",
                                elf_.describe_section(i), h.sh_info, elf_.sections.size()));
      if (!addresses_[h.sh_info]) continue;
      if (h.sh_type == SHT_REL)
        return fail(fmt::format("{}: SHT_REL relocations (AMDGPU has SHT_RELA only)",
                                elf_.describe_section(i)));
      if (!symbol_table_ || h.sh_link != *symbol_table_)
        return fail(fmt::format("{}: sh_link {} is not the symbol table", elf_.describe_section(i),
                                h.sh_link));
      auto relocations =
          read_relocations(elf_, i, *addresses_[h.sh_info], symbols_.size(), &relocation_bytes_);
      if (!relocations) return fail(relocations.error());
      std::ranges::move(*relocations, std::back_inserter(object_.relocations));
    }
    std::map<uint32_t, uint64_t> slots;
    std::vector<Relocation> fills;
    const uint64_t start = align_up(cursor_, 8);
    for (Relocation& r : object_.relocations) {
      if (!isa::is_got_relocation(r.type)) continue;
      const auto [slot, is_new] = slots.try_emplace(r.symbol);
      if (is_new) {
        if (!reserve(8, 8, "global offset table", slot->second)) return false;
        fills.push_back({.address = slot->second, .type = 3 /* ABS64 */, .symbol = r.symbol});
      }
      r.got_slot = slot->second;
    }
    if (!fills.empty()) object_.sections.push_back({".got", start, cursor_ - start, false});
    std::ranges::move(fills, std::back_inserter(object_.relocations));
    return true;
  }

  /// What needs no base is applied at once; load_code_object() repeats it, which does no harm
  /// (RELA: no addend in place).
  bool relocate() {
    for (const Relocation& r : object_.relocations) {
      const Symbol& symbol = symbols_[r.symbol];
      const bool known = isa::is_got_relocation(r.type) || (symbol.defined && !symbol.absolute);
      if (!known || !isa::is_position_independent(r.type)) continue;
      auto write = compute_relocation(r, symbol, 0, {});
      if (!write) return fail(write.error());
      const auto segment = std::ranges::find_if(object_.segments, [&](const Segment& s) {
        return r.address >= s.address &&
               in_bounds(r.address - s.address, write->size, s.bytes.size());
      });
      if (segment == object_.segments.end())
        return fail(fmt::format("{}: the place is not in the bytes of a section",
                                describe_relocation(r, symbol)));
      write_bytes(segment->bytes, r.address - segment->address, *write);
    }
    return true;
  }

  const ElfFile& elf_;
  CodeObject& object_;
  SectionAddresses addresses_;
  std::vector<Symbol> symbols_;
  std::optional<size_t> symbol_table_;
  Segment segment_;
  uint64_t cursor_ = 0;
  uint64_t copied_ = 0;
  uint64_t relocation_bytes_ = 0;
  std::string error_;
};

Result<void> add_segments(const ElfFile& elf, CodeObject& object) {
  uint64_t copied = 0;
  for (size_t i = 0; i < elf.segments.size(); ++i) {
    const Elf64_Phdr& p = elf.segments[i];
    if (p.p_type != PT_LOAD || p.p_memsz == 0) continue;
    const uint64_t alignment = std::max<uint64_t>(p.p_align, 1);
    if (!is_alignment(alignment))
      return Error{fmt::format("program header {}: p_align {:#x} is not a power of two up to {:#x}",
                               i, p.p_align, kMaxAlignment)};
    if (!in_bounds(p.p_vaddr, p.p_memsz, kMaxImageSize))
      return Error{past_end(fmt::format("program header {}", i), "p_vaddr", p.p_vaddr, "p_memsz",
                            p.p_memsz, "the largest image", kMaxImageSize)};
    copied += p.p_filesz;
    if (copied > elf.bytes.size())
      return Error{
          fmt::format("program header {}: the p_filesz up to this one add up to {:#x}, more than "
                      "the file ({:#x})",
                      i, copied, elf.bytes.size())};
    const ByteSpan bytes = elf.bytes.subspan(p.p_offset, p.p_filesz);
    object.segments.push_back({.address = p.p_vaddr,
                               .memory_size = p.p_memsz,
                               .alignment = alignment,
                               .file_offset = p.p_offset,
                               .readable = (p.p_flags & PF_R) != 0,
                               .writable = (p.p_flags & PF_W) != 0,
                               .executable = (p.p_flags & PF_X) != 0,
                               .bytes = {bytes.begin(), bytes.end()}});
    object.image_size = std::max(object.image_size, p.p_vaddr + p.p_memsz);
    object.image_alignment = std::max(object.image_alignment, alignment);
  }
  std::ranges::sort(object.segments, {}, &Segment::address);
  for (size_t i = 1; i < object.segments.size(); ++i) {
    const Segment& before = object.segments[i - 1];
    if (before.address + before.memory_size > object.segments[i].address)
      return Error{fmt::format(
          "program headers: the segment at {:#x} ({:#x} bytes) overlaps the one at {:#x}",
          before.address, before.memory_size, object.segments[i].address)};
  }
  return {};
}

}  // namespace

Result<void> build_linked_image(const ElfFile& elf, CodeObject& object) {
  if (auto added = add_segments(elf, object); !added) return added;
  if (object.segments.empty()) return Error{"program headers: there is no PT_LOAD segment"};
  if (elf.sections.empty())
    return Error{
        "there are no section headers (e_shoff is 0): kernels cannot be found without symbols"};

  uint64_t relocation_bytes = 0;
  bool seen[2] = {false, false};
  std::vector<Symbol> all;
  std::map<size_t, std::pair<size_t, size_t>>
      tables;  // section -> where its symbols start in `all`, how many
  for (size_t i = 0; i < elf.sections.size(); ++i) {
    const Elf64_Shdr& h = elf.sections[i].header;
    if (h.sh_type != SHT_SYMTAB && h.sh_type != SHT_DYNSYM) continue;
    if (seen[h.sh_type == SHT_DYNSYM])
      return Error{fmt::format("{}: a second symbol table of its type", elf.describe_section(i))};
    seen[h.sh_type == SHT_DYNSYM] = true;
    auto symbols = read_symbols(elf, i, nullptr);
    if (!symbols) return Error{symbols.error()};
    tables[i] = {all.size(), symbols->size()};
    std::ranges::move(*symbols, std::back_inserter(all));
  }
  for (size_t i = 0; i < elf.sections.size(); ++i) {
    const Elf64_Shdr& h = elf.sections[i].header;
    if (!(h.sh_flags & SHF_ALLOC)) continue;  // also relocations that a linker kept for other tools
    if (h.sh_type == SHT_REL || h.sh_type == SHT_RELR)
      return Error{fmt::format("{}: {} relocations (AMDGPU code objects have SHT_RELA only)",
                               elf.describe_section(i),
                               h.sh_type == SHT_REL ? "SHT_REL" : "SHT_RELR")};
    if (h.sh_type == SHT_RELA) {
      const auto table = tables.find(h.sh_link);
      if (table == tables.end())
        return Error{fmt::format("{}: sh_link {} is not a symbol table", elf.describe_section(i),
                                 h.sh_link)};
      const auto [first, count] = table->second;
      auto relocations = read_relocations(elf, i, 0, count, &relocation_bytes);
      if (!relocations) return Error{relocations.error()};
      for (Relocation& r : *relocations) r.symbol += static_cast<uint32_t>(first);
      std::ranges::move(*relocations, std::back_inserter(object.relocations));
    } else if (h.sh_type != SHT_NULL) {
      object.sections.push_back({std::string(elf.sections[i].name), h.sh_addr, h.sh_size,
                                 (h.sh_flags & SHF_EXECINSTR) != 0});
    }
  }
  set_symbols(all, object);
  object.relocation_symbols = std::move(all);
  return {};
}

Result<void> build_relocatable_image(const ElfFile& elf, CodeObject& object) {
  return Layout(elf, object).run();
}

}  // namespace lockstep::loader
