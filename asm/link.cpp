// SPDX-License-Identifier: MIT
// Links one object: which input goes where, and what its relocations become. The order of sections
// and the addresses are lld's, so that distances between code and data are the same.
#include "asm/link.h"

#include <fmt/format.h>

#include <algorithm>

#include "isa/relocation.h"

namespace lockstep::asm_ {
namespace {

/// ".text.foo" goes to ".text" and so on.
std::string output_name(const std::string& name) {
  for (const char* prefix : {".text", ".data.rel.ro", ".data", ".rodata", ".bss.rel.ro", ".bss",
                             ".init_array", ".fini_array"}) {
    const std::string_view p = prefix;
    if (name == p || (name.starts_with(p) && name[p.size()] == '.')) return prefix;
  }
  return name;
}

bool is_relro(const Output& o) {
  static constexpr std::string_view kNames[] = {".data.rel.ro", ".bss.rel.ro", ".dynamic", ".got",
                                                ".ctors",       ".dtors",      ".eh_frame"};
  return o.type == SHT_INIT_ARRAY || o.type == SHT_FINI_ARRAY || o.type == SHT_PREINIT_ARRAY ||
         std::find(std::begin(kNames), std::end(kNames), o.name) != std::end(kNames);
}

/// Notes, tables, constants; code; data that is read-only after loading; other data.
unsigned rank_of(const Output& o) {
  enum : unsigned { kBss = 1, kNotRelro = 2, kConstants = 4, kWrite = 8, kCode = 16 };
  constexpr unsigned kNotNote = 64, kNotLoaded = 128;
  if (!(o.flags & SHF_ALLOC)) return kNotLoaded;
  unsigned rank = o.type == SHT_NOTE ? 0 : kNotNote;
  if (o.flags & SHF_EXECINSTR)
    rank |= kCode | (o.flags & SHF_WRITE ? unsigned{kWrite} : 0u);
  else if (o.flags & SHF_WRITE)
    rank |= kCode | kWrite | kConstants;
  else if (o.type == SHT_PROGBITS)
    rank |= kConstants;
  if ((o.flags & SHF_WRITE) && !is_relro(o)) rank |= kNotRelro;
  if (o.type == SHT_NOBITS) rank |= kBss;
  return rank;
}

}  // namespace

int Linker::output_for(const std::string& name, uint32_t type, uint64_t flags, uint64_t alignment,
                       uint64_t entry_size) {
  for (size_t i = 0; i < outputs_.size(); ++i) {
    Output& o = outputs_[i];
    if (o.name != name) continue;
    o.flags |= flags & ~uint64_t{SHF_MERGE | SHF_STRINGS};
    if (!(flags & SHF_MERGE) || o.entry_size != entry_size) {
      o.flags &= ~uint64_t{SHF_MERGE | SHF_STRINGS};
      o.entry_size = 0;
    }
    if (o.type == SHT_NOBITS && type != SHT_NOBITS) {
      o.bytes.resize(o.size);
      o.type = type;
    }
    o.alignment = std::max(o.alignment, alignment);
    return static_cast<int>(i);
  }
  Output o;
  o.name = name;
  o.type = type;
  o.flags = flags;
  o.alignment = alignment;
  o.entry_size = entry_size;
  outputs_.push_back(std::move(o));
  return static_cast<int>(outputs_.size() - 1);
}

void Linker::place_sections() {
  for (const ObjectSection& s : object_.sections) {
    Placed& placed = placed_.emplace_back();
    if (s.flags & kShfExclude || s.type == kShtLlvmAddrsig || s.name == ".note.GNU-stack") continue;
    // LLVM always has a .text; lld keeps it only if something is in it.
    const uint64_t flags = s.flags & ~uint64_t{SHF_GROUP | SHF_LINK_ORDER};
    placed.output = output_for(output_name(s.name), s.type, flags, s.alignment, s.entry_size);
    Output& o = outputs_[static_cast<size_t>(placed.output)];
    if ((s.flags & SHF_MERGE) && s.entry_size != 0 && s.relocations.empty() &&
        s.size % s.entry_size == 0) {
      merge(s, o, placed);
      continue;
    }
    o.size = align_up(o.size, s.alignment);
    placed.pieces.push_back({0, o.size});
    o.size += s.size;
    if (!o.has_bytes()) continue;
    o.bytes.resize(o.size - s.size);
    o.bytes.insert(o.bytes.end(), s.bytes.begin(), s.bytes.end());
    o.bytes.resize(o.size);
  }
}

void Linker::merge(const ObjectSection& s, Output& o, Placed& placed) {
  const bool strings = s.flags & SHF_STRINGS;
  const std::string_view all(reinterpret_cast<const char*>(s.bytes.data()), s.bytes.size());
  auto& known = o.merged[{s.entry_size, s.flags | s.alignment << 32}];
  for (size_t at = 0; at < all.size();) {
    size_t end = at + s.entry_size;
    if (strings) {  // up to an entry of zeros
      const auto is_end = [&](size_t i) {
        return std::all_of(all.begin() + i, all.begin() + i + s.entry_size,
                           [](char c) { return c == 0; });
      };
      while (end <= all.size() && !is_end(end - s.entry_size)) end += s.entry_size;
      end = std::min(end, all.size());
    }
    const std::string entry(all.substr(at, end - at));
    const auto it = known.find(entry);
    uint64_t offset = 0;
    if (it != known.end()) {
      offset = it->second;
    } else {
      offset = align_up(o.size, s.alignment);
      o.bytes.resize(offset);
      o.bytes.insert(o.bytes.end(), entry.begin(), entry.end());
      o.size = o.bytes.size();
      known.emplace(entry, offset);
    }
    placed.pieces.push_back({at, offset});
    at = end;
  }
  if (placed.pieces.empty()) placed.pieces.push_back({0, o.size});
}

void Linker::place_commons() {
  for (uint32_t i = 0; i < object_.symbols.size(); ++i) {
    const ObjectSymbol& s = object_.symbols[i];
    if (s.section != SHN_COMMON) continue;
    Output& o = outputs_[static_cast<size_t>(
        output_for(".bss", SHT_NOBITS, SHF_ALLOC | SHF_WRITE, s.value, 0))];
    o.size = align_up(o.size, s.value);
    commons_[i] = o.size;
    o.size += s.size;
  }
}

bool Linker::preemptible(const ObjectSymbol& s) const {
  return s.binding != STB_LOCAL && s.visibility == STV_DEFAULT;
}

bool Linker::weak_without_value(const ObjectSymbol& s) const {
  return s.section == SHN_UNDEF && s.binding == STB_WEAK && !preemptible(s);
}

std::string Linker::symbol_name(uint32_t symbol) const {
  const ObjectSymbol& s = object_.symbols[symbol];
  if (s.type == STT_SECTION) return object_.sections[s.section - 1].name;
  return symbol == 0 ? "no symbol" : s.name;
}

bool Linker::scan_relocations() {
  for (uint32_t i = 0; i < object_.sections.size(); ++i) {
    const ObjectSection& s = object_.sections[i];
    if (placed_[i].output < 0) continue;
    const Output& out = outputs_[static_cast<size_t>(placed_[i].output)];
    const bool loaded = out.flags & SHF_ALLOC;
    for (const ObjectRelocation& r : s.relocations) {
      const ObjectSymbol& target = object_.symbols[r.symbol];
      const auto fail = [&](std::string_view why) {
        problem_ = fmt::format("{}+{:#x}: {} against {}: {}", s.name, r.offset,
                               isa::relocation_name(r.type), symbol_name(r.symbol), why);
        return false;
      };
      if (!loaded) continue;  // debug information may name what has no address, as LDS: 0
      if (target.section == SHN_UNDEF && r.symbol != 0 && target.binding != STB_WEAK)
        return fail("the symbol is not defined");
      if (isa::is_got_relocation(r.type)) {
        if (got_slots_.emplace(r.symbol, got_.size()).second) got_.push_back(r.symbol);
        continue;
      }
      const bool fixed = r.symbol == 0 || (target.section == SHN_ABS && !preemptible(target)) ||
                         weak_without_value(target);
      if (r.type == isa::kRelocAbs64) {
        if (fixed) continue;
        // lld takes the value of an absolute symbol as it is even if it could be replaced.
        if (target.section == SHN_ABS) continue;
        if (!(out.flags & SHF_WRITE))
          return fail(
              "read-only data cannot hold an address: recompile with -fPIC, or put it into "
              "a writable section");
        const uint64_t offset = r.offset + placed_[i].pieces[0].output_offset;
        dynamic_relocations_.push_back(
            {placed_[i].output, offset, preemptible(target) ? r.symbol : 0, r.symbol, r.addend});
        continue;
      }
      if (isa::is_position_independent(r.type)) {
        if (preemptible(target) && target.section != SHN_ABS)
          return fail(
              "another object may replace the symbol: make it .protected or .hidden, or "
              "refer to it with @gotpcrel32");
        continue;
      }
      if (!fixed && target.section != SHN_ABS)
        return fail("a shared object has no fixed address: recompile with -fPIC");
    }
  }
  return true;
}

uint64_t Linker::address_in(uint32_t section, uint64_t offset) const {
  const Placed& p = placed_[section];
  if (p.output < 0) return 0;
  auto it = std::upper_bound(p.pieces.begin(), p.pieces.end(), offset,
                             [](uint64_t o, const Piece& piece) { return o < piece.input_offset; });
  if (it != p.pieces.begin()) --it;
  return outputs_[static_cast<size_t>(p.output)].address + it->output_offset +
         (offset - it->input_offset);
}

std::optional<uint64_t> Linker::address_of(uint32_t symbol) const {
  const ObjectSymbol& s = object_.symbols[symbol];
  if (s.section == SHN_UNDEF) return 0;
  if (s.section == SHN_ABS) return s.value;
  if (s.section == SHN_COMMON) {
    for (const Output& o : outputs_)
      if (o.name == ".bss") return o.address + commons_.at(symbol);
    return std::nullopt;
  }
  return address_in(s.section - 1, s.value);
}

void Linker::lay_out() {
  for (size_t i = 0; i < outputs_.size(); ++i) {
    outputs_[i].rank = rank_of(outputs_[i]);
    order_.push_back(i);
  }
  std::stable_sort(order_.begin(), order_.end(),
                   [&](size_t a, size_t b) { return outputs_[a].rank < outputs_[b].rank; });
  constexpr uint64_t kPage = 0x1000;
  uint64_t address = sizeof(Elf64_Ehdr), offset = 0;
  const Output* previous = nullptr;
  size_t segments = 0;
  bool has_note = false;
  const auto starts_segment = [&](const Output& o) {
    constexpr uint64_t kRights = SHF_WRITE | SHF_EXECINSTR;
    return !previous || (previous->flags & kRights) != (o.flags & kRights) ||
           (is_relro(*previous) && !is_relro(o));
  };
  for (const size_t i : order_) {
    if (!(outputs_[i].flags & SHF_ALLOC)) continue;
    segments += starts_segment(outputs_[i]);
    has_note |= outputs_[i].type == SHT_NOTE;
    previous = &outputs_[i];
  }
  constexpr size_t kOther = 4;  // PHDR, DYNAMIC, GNU_RELRO, GNU_STACK
  address += (segments + kOther + has_note) * sizeof(Elf64_Phdr);
  offset = address;
  previous = nullptr;
  for (const size_t i : order_) {
    Output& o = outputs_[i];
    if (!(o.flags & SHF_ALLOC)) continue;
    if (previous && starts_segment(o)) address = align_up(address, kPage) + address % kPage;
    address = align_up(address, o.alignment);
    o.address = address;
    // Offset and address agree modulo the page, which both went through the same alignments.
    offset = align_up(offset, o.alignment);
    o.offset = offset;
    address += o.size;
    if (o.has_bytes()) offset += o.size;
    previous = &o;
  }
  for (const size_t i : order_) {
    Output& o = outputs_[i];
    if (o.flags & SHF_ALLOC) continue;
    offset = align_up(offset, o.alignment);
    o.offset = offset;
    offset += o.size;
  }
}

bool Linker::apply_relocations() {
  const Output* got = nullptr;
  for (const Output& o : outputs_)
    if (o.name == ".got") got = &o;
  for (uint32_t i = 0; i < object_.sections.size(); ++i) {
    const ObjectSection& s = object_.sections[i];
    if (placed_[i].output < 0) continue;
    Output& out = outputs_[static_cast<size_t>(placed_[i].output)];
    for (const ObjectRelocation& r : s.relocations) {
      const uint64_t at = r.offset + placed_[i].pieces[0].output_offset;
      const ObjectSymbol& target = object_.symbols[r.symbol];
      const bool loaded = out.flags & SHF_ALLOC;
      if (loaded && r.type == isa::kRelocAbs64 && target.section != SHN_ABS && r.symbol != 0 &&
          !weak_without_value(target))
        continue;  // the loader writes it
      uint64_t value = 0;
      if (isa::is_got_relocation(r.type)) {
        value = got->address + got_slots_.at(r.symbol) * sizeof(uint64_t);
        value += static_cast<uint64_t>(r.addend);
      } else if (target.type == STT_SECTION) {
        // A merged section: the addend says which entry.
        value = address_in(target.section - 1, static_cast<uint64_t>(r.addend));
      } else {
        value = address_of(r.symbol).value_or(0) + static_cast<uint64_t>(r.addend);
      }
      const auto field = isa::relocated_field(r.type, value, out.address + at);
      if (!field) {
        problem_ = fmt::format("{}+{:#x}: {} against {}: {}", s.name, r.offset,
                               isa::relocation_name(r.type), symbol_name(r.symbol), field.error());
        return false;
      }
      std::memcpy(out.bytes.data() + at, &field->value, field->size);
    }
  }
  return true;
}

Result<std::vector<uint8_t>> Linker::run() {
  place_commons();
  place_sections();
  if (!scan_relocations()) return Error{problem_};
  choose_dynamic_symbols();
  make_tables();
  lay_out();
  if (!apply_relocations()) return Error{problem_};
  fill_tables();
  return write_file();
}

Result<std::vector<uint8_t>> link_shared(const Object& object) { return Linker(object).run(); }

}  // namespace lockstep::asm_
