// SPDX-License-Identifier: MIT
// Disassembly of a stretch of code: instructions with labels at branch targets.
#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/result.h"
#include "isa/target.h"
#include "loader/code_object.h"

namespace lockstep::cli {

/// What --mcpu and --mattr say about the text.
struct Syntax {
  isa::Target target = isa::Target::kGfx1100;
  unsigned wave_size = 0;  ///< 0 = not stated: a kernel's own, else the usual one
  bool real_true16 = false;

  /// Reads "+wavefrontsize64,-real-true16,...".
  Result<void> apply_features(std::string_view mattr);
  unsigned lanes() const;
};

struct ListedInstruction {
  uint64_t address = 0;
  std::string bytes;    ///< hex, memory order
  std::string text;     ///< LLVM's syntax; ".long 0x..." if it is none
  std::string error;    ///< why it is none; empty if it is one
  uint64_t repeat = 1;  ///< times that the bytes follow one another (padding)
};

/// A function of a code object, or all of a raw file.
struct Listing {
  std::string name;
  uint64_t address = 0;
  Syntax syntax = {};  ///< with the wave size of this function
  std::vector<ListedInstruction> instructions;
  std::map<uint64_t, std::string> labels;  ///< branch targets inside; not the function itself

  /// Words that are no instruction.
  uint64_t errors() const;
};

/// One instruction; text or "error: REASON". Bytes left over are an error.
std::string disassemble_line(std::string_view hex, const Syntax& syntax);

/// Hex digits to bytes; blanks, commas, brackets and 0x are skipped.
Result<std::vector<uint8_t>> parse_hex(std::string_view text);

Listing list_code(std::span<const uint8_t> code, uint64_t address, const std::string& name,
                  const Syntax& syntax);
/// Every function of the executable sections in order of address. Wave sizes are the kernels' own
/// where `syntax` states none.
std::vector<Listing> list_object(const loader::CodeObject& object, const Syntax& syntax);

/// With addresses and bytes as comments; `explain` adds fields and operands below each instruction.
std::string listing_text(const Listing& listing, bool explain = false);
/// Comment lines that sum up a kernel's descriptor.
std::string descriptor_text(const loader::Kernel& kernel, isa::Target target);

}  // namespace lockstep::cli
