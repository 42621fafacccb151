// SPDX-License-Identifier: MIT
// The tables that loaders read: dynamic symbols, hashes, relocations, .dynamic; and the file.
#include <algorithm>
#include <array>

#include "asm/link.h"
#include "isa/relocation.h"

namespace lockstep::asm_ {
namespace {

uint32_t gnu_hash(std::string_view name) {
  uint32_t h = 5381;
  for (const char c : name) h = h * 33 + static_cast<uint8_t>(c);
  return h;
}

uint32_t sysv_hash(std::string_view name) {
  uint32_t h = 0;
  for (const char c : name) {
    h = (h << 4) + static_cast<uint8_t>(c);
    const uint32_t high = h & 0xf0000000;
    h ^= high >> 24;
    h &= ~high;
  }
  return h;
}

constexpr uint64_t kPage = 0x1000;

size_t bucket_count(size_t symbols) { return std::max<size_t>(symbols / 4, 1); }

size_t bloom_words(size_t symbols) {
  constexpr size_t kBitsEach = 12, kWordBits = 64;
  size_t words = 1;
  while (words <= symbols * kBitsEach / kWordBits) words *= 2;
  return words;
}

Output table(const char* name, uint32_t type, uint64_t flags, uint64_t alignment,
             uint64_t entry_size, uint64_t size) {
  Output o;
  o.name = name;
  o.type = type;
  o.flags = flags;
  o.alignment = alignment;
  o.entry_size = entry_size;
  o.size = size;
  return o;
}

}  // namespace

void Linker::choose_dynamic_symbols() {
  std::vector<uint32_t> defined;
  for (uint32_t i = 1; i < object_.symbols.size(); ++i) {
    const ObjectSymbol& s = object_.symbols[i];
    if (s.binding == STB_LOCAL || s.visibility == STV_HIDDEN || s.visibility == STV_INTERNAL)
      continue;
    dynamic_strings_.add(s.name);
    (s.section == SHN_UNDEF ? dynamic_symbols_ : defined).push_back(i);
  }
  dynamic_undefined_ = dynamic_symbols_.size();
  const size_t buckets = bucket_count(defined.size());
  std::stable_sort(defined.begin(), defined.end(), [&](uint32_t a, uint32_t b) {
    return gnu_hash(object_.symbols[a].name) % buckets <
           gnu_hash(object_.symbols[b].name) % buckets;
  });
  dynamic_symbols_.insert(dynamic_symbols_.end(), defined.begin(), defined.end());
}

void Linker::make_tables() {
  const size_t count = dynamic_symbols_.size() + 1, hashed = count - 1 - dynamic_undefined_;
  std::vector<Output> tables;
  tables.push_back(
      table(".dynsym", SHT_DYNSYM, SHF_ALLOC, 8, sizeof(Elf64_Sym), count * sizeof(Elf64_Sym)));
  tables.push_back(table(".gnu.hash", SHT_GNU_HASH, SHF_ALLOC, 8, 0,
                         16 + bloom_words(hashed) * 8 + (bucket_count(hashed) + hashed) * 4));
  tables.push_back(table(".hash", SHT_HASH, SHF_ALLOC, 4, 4, (2 + 2 * count) * 4));
  tables.push_back(table(".dynstr", SHT_STRTAB, SHF_ALLOC, 1, 0, dynamic_strings_.bytes().size()));
  // The slots of the table that is addressed relative to the code are filled in by the loader.
  size_t got_relocations = 0;
  for (const uint32_t symbol : got_) {
    const ObjectSymbol& s = object_.symbols[symbol];
    got_relocations += preemptible(s) || !(s.section == SHN_ABS || s.section == SHN_UNDEF);
  }
  const size_t relocations = dynamic_relocations_.size() + got_relocations;
  if (relocations != 0)
    tables.push_back(table(".rela.dyn", SHT_RELA, SHF_ALLOC, 8, sizeof(Elf64_Rela),
                           relocations * sizeof(Elf64_Rela)));
  size_t entries = 7 + (relocations ? 3 : 0);
  bool relative = false;
  for (const DynamicRelocation& r : dynamic_relocations_) relative |= r.symbol == 0;
  for (const uint32_t symbol : got_) {
    const ObjectSymbol& s = object_.symbols[symbol];
    relative |= !preemptible(s) && s.section != SHN_ABS && s.section != SHN_UNDEF;
  }
  entries += relative;
  for (const Output& o : outputs_)
    entries += 2 * (o.type == SHT_INIT_ARRAY || o.type == SHT_FINI_ARRAY);
  tables.push_back(table(".dynamic", SHT_DYNAMIC, SHF_ALLOC | SHF_WRITE, 8, sizeof(Elf64_Dyn),
                         entries * sizeof(Elf64_Dyn)));
  if (!got_.empty())
    tables.push_back(table(".got", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 8, 0, got_.size() * 8));
  // lld lists its own tables before other sections of one kind but after data.
  for (Output& t : tables) {
    t.bytes.resize(t.size);
    outputs_.push_back(std::move(t));
  }
  // Names are final here: the symbol table needs no addresses for its size.
  StringTable names;
  Output symbols = table(".symtab", SHT_SYMTAB, 0, 8, sizeof(Elf64_Sym), 0);
  fill_symbol_table(names, symbols);
  symbols.size = symbols.bytes.size();
  outputs_.push_back(std::move(symbols));
  StringTable section_names;
  for (const char* own : {".shstrtab", ".strtab"}) section_names.add(own);
  for (const Output& o : outputs_) section_names.add(o.name);
  Output headers = table(".shstrtab", SHT_STRTAB, 0, 1, 0, section_names.bytes().size());
  headers.bytes = section_names.bytes();
  outputs_.push_back(std::move(headers));
  Output strings = table(".strtab", SHT_STRTAB, 0, 1, 0, names.bytes().size());
  strings.bytes = names.bytes();
  outputs_.push_back(std::move(strings));
}

void Linker::fill_symbol_table(StringTable& names, Output& t) {
  t.bytes.clear();
  t.info = 0;
  std::vector<uint32_t> number_of(outputs_.size());  // section number by output
  for (size_t i = 0; i < order_.size(); ++i) number_of[order_[i]] = static_cast<uint32_t>(i + 1);
  uint32_t count = 0;
  const auto is_local = [](const ObjectSymbol& s) {
    return s.binding == STB_LOCAL || s.visibility == STV_HIDDEN || s.visibility == STV_INTERNAL;
  };
  for (const bool local : {true, false})
    for (uint32_t i = 0; i < object_.symbols.size(); ++i) {
      const ObjectSymbol& s = object_.symbols[i];
      if (s.type == STT_SECTION || is_local(s) != local) continue;
      Elf64_Sym out = elf_symbol(s, names.add(s.name));
      if (local) out.st_info = ELF64_ST_INFO(STB_LOCAL, s.type);
      out.st_shndx = static_cast<uint16_t>(s.section);
      if (!is_reserved_section(s.section) || s.section == SHN_COMMON) {
        int output = -1;
        if (s.section == SHN_COMMON) {
          for (size_t o = 0; o < outputs_.size(); ++o)
            if (outputs_[o].name == ".bss") output = static_cast<int>(o);
        } else {
          output = placed_[s.section - 1].output;
        }
        if (output < 0) continue;
        out.st_shndx = static_cast<uint16_t>(number_of[static_cast<size_t>(output)]);
        out.st_value = address_of(i).value_or(0);
      }
      append(t.bytes, out);
      ++count;
      if (local) t.info = count;
    }
}

void Linker::fill_tables() {
  const auto find = [&](std::string_view name) -> Output* {
    for (Output& o : outputs_)
      if (o.name == name) return &o;
    return nullptr;
  };
  const auto number = [&](const Output* o) -> uint32_t {
    for (size_t i = 0; i < order_.size(); ++i)
      if (&outputs_[order_[i]] == o) return static_cast<uint32_t>(i + 1);
    return 0;
  };
  StringTable names;
  Output &symtab = *find(".symtab"), &dynsym = *find(".dynsym"), &dynstr = *find(".dynstr");
  fill_symbol_table(names, symtab);
  symtab.link = number(find(".strtab"));
  dynstr.bytes = dynamic_strings_.bytes();
  dynsym.link = number(&dynstr);
  dynsym.info = 1;

  std::unordered_map<uint32_t, uint32_t> dynamic_number;
  dynsym.bytes.assign(sizeof(Elf64_Sym), 0);
  for (size_t i = 0; i < dynamic_symbols_.size(); ++i) {
    const ObjectSymbol& s = object_.symbols[dynamic_symbols_[i]];
    dynamic_number[dynamic_symbols_[i]] = static_cast<uint32_t>(i + 1);
    Elf64_Sym out = elf_symbol(s, dynamic_strings_.add(s.name));
    out.st_value = address_of(dynamic_symbols_[i]).value_or(0);
    out.st_shndx = static_cast<uint16_t>(s.section);
    if (s.section == SHN_COMMON)
      out.st_shndx = static_cast<uint16_t>(number(find(".bss")));
    else if (!is_reserved_section(s.section))
      out.st_shndx = static_cast<uint16_t>(
          number(&outputs_[static_cast<size_t>(placed_[s.section - 1].output)]));
    append(dynsym.bytes, out);
  }

  const size_t count = dynamic_symbols_.size() + 1, hashed = count - 1 - dynamic_undefined_;
  const size_t buckets = bucket_count(hashed), words = bloom_words(hashed);
  constexpr uint32_t kShift = 26, kWordBits = 64;
  std::vector<uint64_t> bloom(words);
  std::vector<uint32_t> bucket(buckets), chain,
      header = {static_cast<uint32_t>(buckets), static_cast<uint32_t>(dynamic_undefined_ + 1),
                static_cast<uint32_t>(words), kShift};
  for (size_t i = dynamic_undefined_; i < dynamic_symbols_.size(); ++i) {
    const uint32_t h = gnu_hash(object_.symbols[dynamic_symbols_[i]].name);
    bloom[h / kWordBits & (words - 1)] |=
        uint64_t{1} << h % kWordBits | uint64_t{1} << (h >> kShift) % kWordBits;
    uint32_t& first = bucket[h % buckets];
    if (first == 0) first = static_cast<uint32_t>(i + 1);
    const bool last =
        i + 1 == dynamic_symbols_.size() ||
        gnu_hash(object_.symbols[dynamic_symbols_[i + 1]].name) % buckets != h % buckets;
    chain.push_back(last ? h | 1 : h & ~1u);
  }
  Output& gnu = *find(".gnu.hash");
  gnu.bytes.clear();
  append_all(gnu.bytes, header);
  append_all(gnu.bytes, bloom);
  append_all(gnu.bytes, bucket);
  append_all(gnu.bytes, chain);
  gnu.link = number(&dynsym);

  std::vector<uint32_t> sysv(2 + 2 * count);
  sysv[0] = sysv[1] = static_cast<uint32_t>(count);
  for (size_t i = 0; i < dynamic_symbols_.size(); ++i) {
    uint32_t& first = sysv[2 + sysv_hash(object_.symbols[dynamic_symbols_[i]].name) % count];
    sysv[2 + count + i + 1] = first;
    first = static_cast<uint32_t>(i + 1);
  }
  Output& hash = *find(".hash");
  hash.bytes.clear();
  append_all(hash.bytes, sysv);
  hash.link = number(&dynsym);

  std::vector<Elf64_Rela> relocations;
  const auto add = [&](uint64_t place, uint32_t symbol, uint32_t target, int64_t addend) {
    if (symbol != 0)
      relocations.push_back(
          {place, ELF64_R_INFO(uint64_t{dynamic_number.at(symbol)}, isa::kRelocAbs64), addend});
    else
      relocations.push_back({place, ELF64_R_INFO(0, isa::kRelocRelative64),
                             static_cast<int64_t>(address_of(target).value_or(0)) + addend});
  };
  for (const DynamicRelocation& r : dynamic_relocations_) {
    const auto target = static_cast<uint32_t>(r.target_symbol);
    const ObjectSymbol& s = object_.symbols[target];
    const uint64_t place = outputs_[static_cast<size_t>(r.output)].address + r.offset;
    if (r.symbol == 0 && s.type == STT_SECTION)
      relocations.push_back(
          {place, ELF64_R_INFO(0, isa::kRelocRelative64),
           static_cast<int64_t>(address_in(s.section - 1, static_cast<uint64_t>(r.addend)))});
    else
      add(place, r.symbol, target, r.addend);
  }
  if (Output* got = find(".got"))
    for (size_t i = 0; i < got_.size(); ++i) {
      const ObjectSymbol& s = object_.symbols[got_[i]];
      const bool from_loader = preemptible(s);
      if (!from_loader && (s.section == SHN_ABS || s.section == SHN_UNDEF))
        std::memcpy(got->bytes.data() + i * 8, &s.value, s.section == SHN_ABS ? 8 : 0);
      else
        add(got->address + i * 8, from_loader ? got_[i] : 0, got_[i], 0);
    }
  std::stable_sort(relocations.begin(), relocations.end(), [](const auto& a, const auto& b) {
    return std::pair(ELF64_R_SYM(a.r_info), a.r_offset) <
           std::pair(ELF64_R_SYM(b.r_info), b.r_offset);
  });
  const auto relative = static_cast<uint64_t>(
      std::count_if(relocations.begin(), relocations.end(),
                    [](const Elf64_Rela& r) { return ELF64_R_SYM(r.r_info) == 0; }));

  std::vector<Elf64_Dyn> dynamic;
  const auto entry = [&](int64_t tag, uint64_t value) {
    Elf64_Dyn d = {};
    d.d_tag = tag;
    d.d_un.d_val = value;
    dynamic.push_back(d);
  };
  if (Output* rela = find(".rela.dyn")) {
    rela->bytes.clear();
    append_all(rela->bytes, relocations);
    rela->link = number(&dynsym);
    entry(DT_RELA, rela->address);
    entry(DT_RELASZ, rela->size);
    entry(DT_RELAENT, sizeof(Elf64_Rela));
    if (relative) entry(DT_RELACOUNT, relative);
  }
  entry(DT_SYMTAB, dynsym.address);
  entry(DT_SYMENT, sizeof(Elf64_Sym));
  entry(DT_STRTAB, dynstr.address);
  entry(DT_STRSZ, dynstr.size);
  entry(DT_GNU_HASH, gnu.address);
  entry(DT_HASH, hash.address);
  for (const Output& o : outputs_) {
    if (o.type != SHT_INIT_ARRAY && o.type != SHT_FINI_ARRAY) continue;
    entry(o.type == SHT_INIT_ARRAY ? DT_INIT_ARRAY : DT_FINI_ARRAY, o.address);
    entry(o.type == SHT_INIT_ARRAY ? DT_INIT_ARRAYSZ : DT_FINI_ARRAYSZ, o.size);
  }
  entry(DT_NULL, 0);
  Output& d = *find(".dynamic");
  d.bytes.clear();
  append_all(d.bytes, dynamic);
  d.link = number(&dynstr);
}

std::vector<uint8_t> Linker::write_file() {
  std::vector<Elf64_Phdr> segments(1);
  constexpr uint64_t kRights = SHF_WRITE | SHF_EXECINSTR;
  const auto rights = [](const Output& o) -> uint32_t {
    return PF_R | (o.flags & SHF_WRITE ? PF_W : 0) | (o.flags & SHF_EXECINSTR ? PF_X : 0);
  };
  const auto segment = [](uint32_t type, uint32_t flags, const Output& o, uint64_t alignment) {
    return Elf64_Phdr{type, flags, o.offset, o.address, o.address, 0, 0, alignment};
  };
  const auto extend = [](Elf64_Phdr& p, const Output& o) {
    p.p_memsz = o.address + o.size - p.p_vaddr;
    if (o.has_bytes()) p.p_filesz = o.offset + o.size - p.p_offset;
  };
  constexpr unsigned kNotRelro = 2;
  const Output* previous = nullptr;
  Elf64_Phdr relro = {}, note = {}, dynamic = {};
  for (const size_t i : order_) {
    const Output& o = outputs_[i];
    if (!(o.flags & SHF_ALLOC)) break;
    const bool in_relro = (o.flags & SHF_WRITE) && !(o.rank & kNotRelro);
    if (!previous || (previous->flags & kRights) != (o.flags & kRights) ||
        ((o.flags & SHF_WRITE) && (previous->rank & kNotRelro) != (o.rank & kNotRelro))) {
      segments.push_back(segment(PT_LOAD, rights(o), o, kPage));
      if (!previous) segments.back() = {PT_LOAD, rights(o), 0, 0, 0, 0, 0, kPage};
    }
    extend(segments.back(), o);
    if (in_relro) {
      if (!relro.p_type) relro = segment(PT_GNU_RELRO, PF_R, o, 1);
      extend(relro, o);
      // The page that the last of it ends in is protected as a whole.
      relro.p_memsz = align_up(relro.p_vaddr + relro.p_memsz, kPage) - relro.p_vaddr;
      segments.back().p_memsz = relro.p_vaddr + relro.p_memsz - segments.back().p_vaddr;
    }
    if (o.type == SHT_NOTE) {
      if (!note.p_type) note = segment(PT_NOTE, PF_R, o, o.alignment);
      extend(note, o);
    }
    if (o.type == SHT_DYNAMIC) {
      dynamic = segment(PT_DYNAMIC, PF_R | PF_W, o, o.alignment);
      extend(dynamic, o);
    }
    previous = &o;
  }
  segments.push_back(dynamic);
  segments.push_back(relro);
  segments.push_back({PT_GNU_STACK, PF_R | PF_W, 0, 0, 0, 0, 0, 0});
  if (note.p_type) segments.push_back(note);
  const uint64_t headers = segments.size() * sizeof(Elf64_Phdr);
  segments[0] = {PT_PHDR, PF_R, sizeof(Elf64_Ehdr), sizeof(Elf64_Ehdr), sizeof(Elf64_Ehdr), headers,
                 headers, 8};

  StringTable section_names;
  for (const char* own : {".shstrtab", ".strtab"}) section_names.add(own);
  for (const Output& o : outputs_) section_names.add(o.name);
  std::vector<uint8_t> file(sizeof(Elf64_Ehdr));
  append_all(file, segments);
  Elf64_Ehdr header = elf_header(object_, ET_DYN);
  std::vector<Elf64_Shdr> sections(1);
  for (const size_t i : order_) {
    const Output& o = outputs_[i];
    Elf64_Shdr s = {};
    s.sh_name = section_names.add(o.name);
    s.sh_type = o.type;
    s.sh_flags = o.flags;
    s.sh_addr = o.address;
    s.sh_offset = o.offset;
    s.sh_size = o.size;
    s.sh_link = o.link;
    s.sh_info = o.info;
    s.sh_addralign = o.alignment;
    s.sh_entsize = o.entry_size;
    if (o.name == ".shstrtab") header.e_shstrndx = static_cast<uint16_t>(sections.size());
    sections.push_back(s);
    if (!o.has_bytes()) continue;
    file.resize(std::max<size_t>(file.size(), o.offset));
    file.insert(file.end(), o.bytes.begin(), o.bytes.end());
  }
  file.resize(align_up(file.size(), alignof(Elf64_Shdr)));
  header.e_phoff = sizeof(Elf64_Ehdr);
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = static_cast<uint16_t>(segments.size());
  header.e_shoff = file.size();
  header.e_shnum = static_cast<uint16_t>(sections.size());
  append_all(file, sections);
  std::memcpy(file.data(), &header, sizeof header);
  return file;
}

}  // namespace lockstep::asm_
