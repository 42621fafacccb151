// SPDX-License-Identifier: MIT
// Errors and warnings of the source assembler, with their place.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::asm_ {

enum class Severity : uint8_t { kError, kWarning, kNote };

struct Diagnostic {
  Severity severity = Severity::kError;
  std::string file;
  unsigned line = 0;    ///< from 1
  unsigned column = 0;  ///< from 1
  std::string message;
  std::string source_line;  ///< the line that it is about, without its end
};

/// "FILE:LINE:COLUMN: error: MESSAGE", the line, and a caret under the column.
std::string to_text(const Diagnostic& diagnostic);

}  // namespace lockstep::asm_
