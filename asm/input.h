// SPDX-License-Identifier: MIT
// The lines of a source file, its includes and what macros expand to, one after the other.
#pragma once
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "asm/diagnostic.h"
#include "asm/program.h"

namespace lockstep::asm_ {

class Input {
 public:
  enum class Kind : uint8_t { kFile, kMacro, kRepeat };

  /// Reads `contents` next; then it goes on where it was. False: too deep, or too much (full()).
  bool push(Kind kind, std::string name, std::string contents, Location from);
  /// The next line without its end (a block comment joins lines); false at the end of everything.
  bool next(std::string_view& line, Location& where);
  /// The next line of the same text, taken as it is; false at its end.
  bool next_raw(std::string_view& line, Location& where);
  /// Ends the innermost macro (`.exitm`); false outside of one.
  bool leave_macro();
  /// Ends everything (`.end`).
  void stop() { frames_.clear(); }

  /// Macros and repetitions that call each other can grow without end, so what they make is
  /// counted: their text, and something for each of them.
  void set_limit(size_t bytes) { limit_ = bytes; }
  bool full() const { return expanded_ > limit_; }

  size_t depth() const { return frames_.size(); }
  const std::string& name(uint32_t text) const { return texts_[text].name; }
  /// File, line, column and text of a place. In an expansion: of the expanded line, with the place
  /// of the call as notes.
  std::vector<Diagnostic> describe(Severity severity, Location where, std::string message) const;

 private:
  struct Text {
    Kind kind;
    std::string name, contents;
    Location from;
  };
  struct Frame {
    uint32_t text;
    size_t position = 0;
  };
  Diagnostic place(Severity severity, Location where, std::string message) const;

  size_t limit_ = SIZE_MAX, expanded_ = 0;
  std::deque<Text> texts_;
  std::vector<Frame> frames_;
};

}  // namespace lockstep::asm_
