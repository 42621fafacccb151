// SPDX-License-Identifier: MIT
// The line table of `.file` and `.loc`: which source line each piece of code comes from, as
// .debug_line of DWARF 4 or 5. Internal to the source assembler.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lockstep::asm_ {

class Assembly;
struct Section;

using Md5 = std::array<uint8_t, 16>;

struct SourceFile {
  std::string name;
  std::string directory;
  std::optional<Md5> md5 = {};
  std::optional<std::string> contents = {};
};

/// What one `.loc` says.
struct SourceLine {
  uint32_t file = 1, line = 0, column = 0, isa = 0, discriminator = 0;
  bool is_statement = true;
  bool basic_block = false, prologue_end = false, epilogue_begin = false;
};

class LineTable {
 public:
  /// `.file 0`: what is compiled, and the directory it is compiled in. Makes the table DWARF 5.
  void set_root(SourceFile file);
  /// `.file NUMBER`. The error, or nothing.
  std::string add(uint32_t number, SourceFile file);
  bool has(uint32_t number) const;
  /// DWARF's version of all debug sections.
  int version() const { return root_ ? 5 : 4; }
  /// Whether some files have a sum and others none.
  bool sums_differ() const { return any_sum_ && !all_sums_; }

  /// `.loc`: the next that is emitted into `section` comes from there.
  void locate(const SourceLine& line, const Section& section);
  /// The last `.loc`.
  const SourceLine& line() const { return line_; }
  /// Something is about to be emitted.
  void mark(const Section& section) {
    if (pending_) add_row(section);
  }
  /// The section changes: a `.loc` says nothing about another one.
  void forget() { pending_ = false; }

  /// Makes the sections. Nothing if there were no files.
  void write(Assembly& assembly) const;

 private:
  struct Row {
    uint64_t offset;
    SourceLine line;
  };
  struct File {
    std::string name;
    uint64_t directory = 0;  ///< 0: the compilation's
    std::optional<Md5> md5 = {};
    std::optional<std::string> contents = {};
  };
  class Writer;

  void add_row(const Section& section);
  void count_sum(bool has_sum);

  std::optional<File> root_;
  std::string compilation_directory_;
  std::vector<std::string> directories_;
  std::vector<File> files_;  ///< by number; without a name: not given
  bool any_sum_ = false, all_sums_ = true;
  SourceLine line_;
  bool pending_ = false;
  std::vector<std::pair<uint32_t, std::vector<Row>>> rows_;  ///< by number of the section
};

}  // namespace lockstep::asm_
