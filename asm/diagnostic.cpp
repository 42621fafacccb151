// SPDX-License-Identifier: MIT
// Text of diagnostics.
#include "asm/diagnostic.h"

#include <fmt/format.h>

#include <algorithm>

namespace lockstep::asm_ {

std::string to_text(const Diagnostic& d) {
  static constexpr const char* kNames[] = {"error", "warning", "note"};
  std::string caret;
  // Tabs stay tabs, so that the caret stands below its place whatever their width.
  for (size_t i = 0; i + 1 < d.column; ++i)
    caret += i < d.source_line.size() && d.source_line[i] == '\t' ? '\t' : ' ';
  return fmt::format("{}:{}:{}: {}: {}\n{}\n{}^\n", d.file, d.line, d.column,
                     kNames[static_cast<size_t>(d.severity)], d.message, d.source_line, caret);
}

}  // namespace lockstep::asm_
