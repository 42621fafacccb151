// SPDX-License-Identifier: MIT
// Writes the pieces of which debug sections are made. Internal to the source assembler.
#pragma once
#include <cstdint>
#include <string_view>

#include "asm/assembly.h"

namespace lockstep::asm_ {

constexpr uint64_t kInstructionSize = 4;  ///< what debug tables count addresses in

/// The section of that name, made if there is none.
Section& debug_section(Assembly& assembly, std::string_view name, uint64_t flags = 0,
                       uint64_t entry_size = 0);
size_t uleb_size(uint64_t value);
void append_uleb(std::vector<uint8_t>& out, uint64_t value);
void append_sleb(std::vector<uint8_t>& out, int64_t value);

class DebugBytes {
 public:
  DebugBytes(Assembly& assembly, Section& section) : assembly_(assembly), section_(section) {}

  size_t size() const { return section_.bytes.size(); }
  void number(uint64_t value, unsigned bytes);
  void uleb(uint64_t value);
  void sleb(int64_t value);
  void string(std::string_view text);
  /// Head of an extended opcode of a line program.
  void extended(uint8_t opcode, size_t operand_bytes);
  void address(Section& target, uint64_t offset, FixupKind kind);
  /// Four bytes that count what follows up to close_length().
  size_t open_length();
  void close_length(size_t place);

 private:
  Assembly& assembly_;
  Section& section_;
};

}  // namespace lockstep::asm_
