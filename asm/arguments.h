// SPDX-License-Identifier: MIT
// Reads what follows a directive. Internal to the source assembler.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "asm/assembly.h"

namespace lockstep::asm_ {

class Arguments {
 public:
  /// `line`: what follows the directive; `where`: its place; `directive`: where the name stands.
  Arguments(Assembly& assembly, std::string_view line, Location where, Location directive);

  Assembly& assembly;
  Location directive;

  bool done() const { return peek().kind == TokenKind::kEnd; }
  bool is(std::string_view punctuation) const;
  bool take(std::string_view punctuation);
  /// The next token must be this; says so if not.
  bool expect(std::string_view punctuation);
  const Token& peek(size_t ahead = 0) const;
  void advance() { i_ += i_ + 1 < tokens_.list.size(); }
  /// An identifier or a name in quotes; an error if there is neither.
  std::optional<std::string> name(std::string_view what = "a symbol name");
  /// A string in quotes, escapes replaced.
  std::optional<std::string> string();
  /// A hexadecimal number of up to 128 bits, its upper byte first.
  std::optional<std::array<uint8_t, 16>> wide_number();
  /// Nothing after an error, which was reported.
  const Expr* expression();
  std::optional<int64_t> absolute();
  /// Words that run to a comma or the end, as section names and macro arguments do.
  std::string_view raw_until(std::string_view stops);
  /// All that is left, as it was written.
  std::string_view rest() const;
  void skip_rest() { i_ = tokens_.list.size() - 1; }

  Location here() const { return where_ + peek().at; }
  void error(const std::string& message);
  bool failed() const { return failed_; }
  /// Nothing may be left.
  bool finish();

 private:
  std::string_view line_;
  Location where_;
  Tokens tokens_;
  size_t i_ = 0;
  bool failed_ = false;
};

/// Replaces \n, \", \033 and so on; the error names the escape.
Result<std::string> unescape(std::string_view text);

}  // namespace lockstep::asm_
