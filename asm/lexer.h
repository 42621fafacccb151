// SPDX-License-Identifier: MIT
// Splits one line of assembler text into tokens.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::asm_ {

enum class TokenKind : uint8_t {
  kIdentifier,
  kInteger,
  kReal,
  kString,
  kPunctuation,  ///< one character, or one of :: << >> && || == != <= >= <>
  kEnd,
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string_view text;  ///< of a string: without the quotes, escapes as written
  size_t at = 0;          ///< offset in the line
  uint64_t integer = 0;
  double real = 0;
  size_t end() const { return at + text.size(); }
};

/// Tokens of a line; comments (// ; /* */) are dropped. The last token is kEnd. On error `problem`
/// says what and `at` where.
struct Tokens {
  std::vector<Token> list;
  std::string problem;
  size_t at = 0;
};
Tokens tokenize(std::string_view line);
/// The same into a list that is there: for lines one after the other.
void tokenize(std::string_view line, Tokens& out);

}  // namespace lockstep::asm_
