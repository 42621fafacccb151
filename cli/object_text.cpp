// SPDX-License-Identifier: MIT
// The frame of a code object's text: sections, symbols, labels.
#include "cli/object_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "isa/relocation.h"

namespace lockstep::cli {
namespace {

constexpr uint32_t kShtLlvmAddrsig = 0x6fff4c03;

std::string flag_text(const Elf64_Shdr& h) {
  static constexpr std::pair<uint64_t, char> kFlags[] = {
      {SHF_ALLOC, 'a'},   {SHF_WRITE, 'w'},  {SHF_EXECINSTR, 'x'}, {SHF_MERGE, 'M'},
      {SHF_STRINGS, 'S'}, {0x80000000, 'e'}, {0x200000, 'R'},
  };
  std::string text;
  for (const auto& [bit, letter] : kFlags)
    if (h.sh_flags & bit) text += letter;
  return text;
}

std::string type_text(uint32_t type) {
  switch (type) {
    case SHT_PROGBITS:
      return "@progbits";
    case SHT_NOBITS:
      return "@nobits";
    case SHT_NOTE:
      return "@note";
    case SHT_INIT_ARRAY:
      return "@init_array";
    case SHT_FINI_ARRAY:
      return "@fini_array";
    default:
      return fmt::format("@{:#x}", type);
  }
}

}  // namespace

ObjectText::ObjectText(const loader::ElfFile& elf, const loader::CodeObject& object,
                       const Syntax& syntax)
    : elf_(elf), object_(object), syntax_(syntax), linked_(!object.relocatable) {
  read_names();
  read_references();
  // One wave size for the file, so that it assembles as a whole: the kernels' own.
  const bool all_wide =
      !object.kernels.empty() &&
      std::all_of(object.kernels.begin(), object.kernels.end(), [&](const loader::Kernel& k) {
        return loader::wave_size(k.descriptor, object.target) == 64;
      });
  if (syntax_.wave_size == 0 && all_wide) syntax_.wave_size = 64;
}

std::string ObjectText::spelt(const std::string& name) {
  static constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.$";
  const bool plain = !name.empty() && (name[0] < '0' || name[0] > '9') &&
                     name.find_first_not_of(kPlain) == std::string::npos;
  return plain ? name : '"' + name + '"';
}

void ObjectText::read_names() {
  names_.emplace_back();
  const loader::ElfSection* table = elf_.find_section(".symtab");
  if (!table) table = elf_.find_section(".dynsym");
  if (!table || table->header.sh_link >= elf_.sections.size()) return;
  const loader::ByteSpan strings = elf_.sections[table->header.sh_link].bytes;
  for (uint64_t at = sizeof(Elf64_Sym); at + sizeof(Elf64_Sym) <= table->bytes.size();
       at += sizeof(Elf64_Sym)) {
    const auto s = loader::load_struct<Elf64_Sym>(table->bytes, at);
    Name n{std::string(loader::string_at(strings, s.st_name).value_or("")),
           s.st_value,
           s.st_size,
           static_cast<uint8_t>(ELF64_ST_BIND(s.st_info)),
           static_cast<uint8_t>(ELF64_ST_TYPE(s.st_info)),
           static_cast<uint8_t>(ELF64_ST_VISIBILITY(s.st_other)),
           s.st_shndx};
    const bool in_section = n.section != SHN_UNDEF && n.section < elf_.sections.size();
    if (in_section && linked_) n.value -= elf_.sections[n.section].header.sh_addr;
    names_.push_back(n);
    if (in_section && n.type != STT_SECTION && !n.text.empty() && n.text != "_DYNAMIC")
      defined_.emplace(Place{n.section, n.value}, names_.size() - 1);
  }
}

void ObjectText::read_references() {
  for (const loader::ElfSection& s : elf_.sections) {
    if (s.header.sh_type != SHT_RELA || s.header.sh_link >= elf_.sections.size()) continue;
    const bool own_names = elf_.sections[s.header.sh_link].name ==
                           (elf_.find_section(".symtab") ? ".symtab" : ".dynsym");
    const loader::ElfSection& table = elf_.sections[s.header.sh_link];
    for (uint64_t at = 0; at + sizeof(Elf64_Rela) <= s.bytes.size(); at += sizeof(Elf64_Rela)) {
      const auto r = loader::load_struct<Elf64_Rela>(s.bytes, at);
      Reference reference{static_cast<uint32_t>(ELF64_R_TYPE(r.r_info)),
                          static_cast<uint32_t>(ELF64_R_SYM(r.r_info)), r.r_addend};
      if (!own_names && reference.symbol != 0) {  // by name: the dynamic table is another one
        const uint64_t entry = reference.symbol * sizeof(Elf64_Sym);
        reference.symbol = 0;
        if (entry + sizeof(Elf64_Sym) > table.bytes.size() ||
            table.header.sh_link >= elf_.sections.size())
          continue;
        const auto symbol = loader::load_struct<Elf64_Sym>(table.bytes, entry);
        const auto name =
            loader::string_at(elf_.sections[table.header.sh_link].bytes, symbol.st_name);
        for (uint32_t i = 1; name && i < names_.size(); ++i)
          if (names_[i].text == *name) reference.symbol = i;
      }
      if (reference.symbol >= names_.size()) continue;
      std::optional<Place> place = Place{s.header.sh_info, r.r_offset};
      if (linked_) place = place_of(r.r_offset);
      if (place) references_.emplace(*place, reference);
    }
  }
}

std::optional<ObjectText::Place> ObjectText::place_of(uint64_t address) const {
  std::optional<Place> at_end;
  for (uint32_t i = 1; i < elf_.sections.size(); ++i) {
    const Elf64_Shdr& h = elf_.sections[i].header;
    if (!(h.sh_flags & SHF_ALLOC) || address < h.sh_addr || address > h.sh_addr + h.sh_size)
      continue;
    if (address < h.sh_addr + h.sh_size) return Place{i, address - h.sh_addr};
    at_end = Place{i, h.sh_size};
  }
  return at_end;
}

std::string ObjectText::label(const Place& place) {
  const auto [from, to] = defined_.equal_range(place);
  for (auto it = from; it != to; ++it) {
    const Name& n = names_[it->second];
    if (n.binding == STB_LOCAL && spelt(n.text) == n.text) return n.text;
  }
  wanted_.insert(place);
  return fmt::format(".L{}_{:x}", place.section, place.offset);
}

std::string ObjectText::label_of(const Reference& r) {
  const Name& n = names_[r.symbol];
  if (n.type != STT_SECTION) {
    const bool usable = spelt(n.text) == n.text || n.section == SHN_UNDEF;
    if (usable) return r.addend ? fmt::format("{}{:+d}", n.text, r.addend) : n.text;
    return label({n.section, n.value}) + (r.addend ? fmt::format("{:+d}", r.addend) : "");
  }
  return label({n.section, static_cast<uint64_t>(r.addend)});
}

uint64_t ObjectText::next_stop(const Place& place, uint64_t end) const {
  const Place after{place.section, place.offset + 1};
  const auto use = [&](const Place& p) {
    if (p.section == place.section) end = std::min(end, p.offset);
  };
  if (const auto it = wanted_.lower_bound(after); it != wanted_.end()) use(*it);
  if (const auto it = defined_.lower_bound(after); it != defined_.end()) use(it->first);
  return end;
}

void ObjectText::labels_at(const Place& place) {
  const auto [from, to] = defined_.equal_range(place);
  if (from == to && !wanted_.contains(place)) return;
  if (from != to) out_ += '\n' + summary_of(place);
  // In the order of the symbol table.
  for (auto it = from; it != to; ++it) out_ += spelt(names_[it->second].text) + ":\n";
  if (wanted_.contains(place)) out_ += fmt::format(".L{}_{:x}:\n", place.section, place.offset);
}

bool ObjectText::is_written(uint32_t index) const {
  const loader::ElfSection& s = elf_.sections[index];
  switch (s.header.sh_type) {
    case SHT_NULL:
    case SHT_SYMTAB:
    case SHT_DYNSYM:
    case SHT_STRTAB:
    case SHT_RELA:
    case SHT_HASH:
    case SHT_GNU_HASH:
    case SHT_DYNAMIC:
    case SHT_GROUP:
    case SHT_SYMTAB_SHNDX:
    case kShtLlvmAddrsig:
      return false;
    default:
      // The linker makes these anew.
      return !(linked_ && (s.name == ".got" || s.name == ".relro_padding"));
  }
}

void ObjectText::head() {
  out_ += fmt::format("; {}, code object version {}\n", object_.target_id(), object_.version);
  out_ += fmt::format("\t.amdgcn_target \"amdgcn-amd-amdhsa--{}\"\n", object_.target_id());
  constexpr int kOldest = 4;
  if (object_.version >= kOldest)
    out_ += fmt::format("\t.amdhsa_code_object_version {}\n", object_.version);
}

void ObjectText::name_attributes() {
  static constexpr const char* kVisibilities[] = {nullptr, ".internal", ".hidden", ".protected"};
  for (size_t i = 1; i < names_.size(); ++i) {
    const Name& n = names_[i];
    if (n.type == STT_FILE) {
      out_ += fmt::format("\t.file \"{}\"\n", n.text);
      continue;
    }
    if (n.type == STT_SECTION || n.text.empty() || n.text == "_DYNAMIC") continue;
    const std::string name = spelt(n.text);
    if (n.section == SHN_ABS)
      out_ += fmt::format("\t.set {}, {}\n", name, static_cast<int64_t>(n.value));
    if (n.section == SHN_COMMON)
      out_ += fmt::format("\t.comm {}, {}, {}\n", name, n.size, std::countr_zero(n.value));
    if (n.binding == STB_GLOBAL) out_ += fmt::format("\t.globl {}\n", name);
    if (n.binding == STB_WEAK) out_ += fmt::format("\t.weak {}\n", name);
    if (n.visibility && !protected_by_descriptor_.contains(n.text))
      out_ += fmt::format("\t{} {}\n", kVisibilities[n.visibility & 3], name);
    if (n.type == STT_FUNC) out_ += fmt::format("\t.type {},@function\n", name);
    if (n.type == STT_OBJECT && n.section != SHN_COMMON)
      out_ += fmt::format("\t.type {},@object\n", name);
    if (n.size != 0 && n.section != SHN_COMMON)
      out_ += fmt::format("\t.size {}, {}\n", name, n.size);
  }
}

void ObjectText::section(uint32_t index) {
  const loader::ElfSection& s = elf_.sections[index];
  const Elf64_Shdr& h = s.header;
  if (h.sh_type == SHT_NOTE && metadata(index)) return;
  if (s.name == ".text") {
    out_ += "\n\t.text\n";
  } else {
    out_ += fmt::format("\n\t.section {},\"{}\",{}", spelt(std::string(s.name)), flag_text(h),
                        type_text(h.sh_type));
    if (h.sh_flags & SHF_MERGE) out_ += fmt::format(",{}", std::max<uint64_t>(h.sh_entsize, 1));
    out_ += '\n';
  }
  if (h.sh_addralign > 1) out_ += fmt::format("\t.p2align {}\n", std::countr_zero(h.sh_addralign));
  if (h.sh_flags & SHF_EXECINSTR && h.sh_type == SHT_PROGBITS)
    code(index);
  else
    data(index);
  labels_at({index, h.sh_size});
}

std::string ObjectText::text() {
  // The first round only finds the places that need a label.
  for (int round = 0; round < 2; ++round) {
    out_.clear();
    bad_words_ = 0;
    head();
    name_attributes();
    for (uint32_t i = 1; i < elf_.sections.size(); ++i)
      if (is_written(i)) section(i);
  }
  return std::move(out_);
}

}  // namespace lockstep::cli
