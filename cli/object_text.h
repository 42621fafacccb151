// SPDX-License-Identifier: MIT
// A code object as assembler text, of which `lockstep asm` makes the same sections again.
#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "asm/print.h"
#include "cli/listing.h"
#include "isa/inst.h"
#include "loader/code_object.h"
#include "loader/elf_file.h"

namespace lockstep::cli {

class ObjectText {
 public:
  /// `elf` must be the file that `object` was parsed from.
  ObjectText(const loader::ElfFile& elf, const loader::CodeObject& object, const Syntax& syntax);

  std::string text();
  /// Words in code sections that are no instruction.
  uint64_t bad_words() const { return bad_words_; }

 private:
  struct Name {
    std::string text;
    uint64_t value = 0, size = 0;  ///< value: offset in its section
    uint8_t binding = 0, type = 0, visibility = 0;
    uint32_t section = 0;
  };
  struct Reference {
    uint32_t type = 0;
    uint32_t symbol = 0;  ///< in names_
    int64_t addend = 0;
  };
  struct Place {
    uint32_t section = 0;
    uint64_t offset = 0;
    auto operator<=>(const Place&) const = default;
  };
  /// What s_getpc_b64 put where; literals added to it are addresses.
  struct ProgramCounter {
    unsigned reg = 0;
    uint64_t value = 0;  ///< offset in the section
    std::string target;  ///< "name@rel32", once the low half is known
  };

  // object_text.cpp
  void read_names();
  void read_references();
  bool is_written(uint32_t section) const;
  void section(uint32_t index);
  void head();
  void name_attributes();
  void labels_at(const Place& place);
  std::optional<Place> place_of(uint64_t address) const;
  /// A name for a place that no other object can take; made if there is none.
  std::string label(const Place& place);
  std::string label_of(const Reference& r);
  uint64_t next_stop(const Place& place, uint64_t end) const;
  static std::string spelt(const std::string& name);

  // object_text_code.cpp
  void code(uint32_t index);
  std::string instruction(uint32_t index, uint64_t offset, const isa::Inst& inst);
  std::optional<std::string> literal_text(uint32_t index, uint64_t offset, const isa::Inst& inst);
  std::optional<std::string> address_text(uint32_t index, uint64_t offset, const isa::Inst& inst);
  std::string got_symbol(uint64_t slot) const;
  bool assembles_to(const std::string& text, const isa::Inst& inst, bool halves) const;
  void line(const std::string& text, uint32_t index, uint64_t offset, uint64_t size);
  void raw_code(uint32_t index, uint64_t offset, uint64_t size);
  std::string summary_of(const Place& place) const;

  // object_text_data.cpp
  void data(uint32_t index);
  void bytes(uint32_t index, uint64_t from, uint64_t to);
  bool descriptor(uint32_t index, uint64_t offset);
  bool metadata(uint32_t index);
  std::string reference_text(const Reference& r);

  const loader::ElfFile& elf_;
  const loader::CodeObject& object_;
  Syntax syntax_;
  bool linked_;
  std::vector<Name> names_;  ///< of the fuller symbol table, in its order
  std::map<Place, Reference> references_;
  std::set<Place> wanted_;  ///< places that something refers to
  std::multimap<Place, size_t> defined_;
  /// Kernels whose descriptor says that they are protected, which its directive does by itself.
  std::set<std::string> protected_by_descriptor_;
  std::optional<ProgramCounter> pc_;
  std::string out_;
  uint64_t bad_words_ = 0;
};

}  // namespace lockstep::cli
