// SPDX-License-Identifier: MIT
// The state of linking one object to a shared one. Internal to link*.cpp.
#pragma once
#include <map>
#include <optional>
#include <unordered_map>

#include "asm/elf_builder.h"

namespace lockstep::asm_ {

/// Where an input section, or an entry of a merged one, lies in its output section.
struct Piece {
  uint64_t input_offset = 0;
  uint64_t output_offset = 0;
};

struct Output {
  std::string name;
  uint32_t type = SHT_PROGBITS;
  uint64_t flags = 0, alignment = 1, entry_size = 0;
  std::vector<uint8_t> bytes;
  uint64_t size = 0;  ///< in memory
  uint64_t address = 0, offset = 0;
  uint32_t link = 0, info = 0;  ///< section numbers, set at the end
  unsigned rank = 0;
  /// Entries of merged sections that are there already, by entry size, flags and contents.
  std::map<std::pair<uint64_t, uint64_t>, std::unordered_map<std::string, uint64_t>> merged;

  bool has_bytes() const { return type != SHT_NOBITS; }
};

class Linker {
 public:
  explicit Linker(const Object& object) : object_(object) {}
  Result<std::vector<uint8_t>> run();

 private:
  struct Placed {
    int output = -1;  ///< number in outputs_; -1: left out
    std::vector<Piece> pieces;
  };
  struct DynamicRelocation {
    int output;
    uint64_t offset;
    uint32_t symbol;  ///< number in Object::symbols; 0: relative
    uint64_t target_symbol;
    int64_t addend;
  };

  // link.cpp: what goes where.
  int output_for(const std::string& name, uint32_t type, uint64_t flags, uint64_t alignment,
                 uint64_t entry_size);
  void place_sections();
  void merge(const ObjectSection& section, Output& output, Placed& placed);
  void place_commons();
  bool scan_relocations();
  void lay_out();
  bool apply_relocations();
  std::optional<uint64_t> address_of(uint32_t symbol) const;
  uint64_t address_in(uint32_t section, uint64_t offset) const;
  bool preemptible(const ObjectSymbol& s) const;
  bool weak_without_value(const ObjectSymbol& s) const;
  std::string symbol_name(uint32_t symbol) const;

  // link_tables.cpp: what the loader of the object reads.
  void choose_dynamic_symbols();
  void make_tables();
  void fill_tables();
  void fill_symbol_table(StringTable& names, Output& table);
  std::vector<uint8_t> write_file();

  const Object& object_;
  std::vector<Output> outputs_;
  std::vector<Placed> placed_;            ///< by input section
  std::map<uint32_t, uint64_t> commons_;  ///< offset in .bss by symbol
  std::vector<uint32_t> got_;             ///< symbols
  std::map<uint32_t, size_t> got_slots_;
  std::vector<DynamicRelocation> dynamic_relocations_;
  std::vector<uint32_t> dynamic_symbols_;  ///< without the empty one; undefined ones first
  size_t dynamic_undefined_ = 0;
  StringTable dynamic_strings_;
  std::vector<size_t> order_;  ///< outputs_ in file order
  std::string problem_;
};

}  // namespace lockstep::asm_
