// SPDX-License-Identifier: MIT
// Tokens of assembler text.
#include "asm/lexer.h"

#include <charconv>
#include <cstdlib>

namespace lockstep::asm_ {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}

/// Looked up for every character of every file, so they are tables.
struct CharacterSet {
  bool has[256] = {};
  constexpr bool operator()(char c) const { return has[static_cast<unsigned char>(c)]; }
};
constexpr CharacterSet set_of(std::string_view characters) {
  CharacterSet set;
  for (const char c : characters) set.has[static_cast<unsigned char>(c)] = true;
  return set;
}
constexpr CharacterSet kNamePart =
    set_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_$0123456789.@");
constexpr CharacterSet kSingle = set_of("()[]{}<>,:|-+*/%&^~!=@#?\\");

/// Whether two characters are one token: :: << >> && || == != <= >= <>
constexpr bool is_pair(char first, char second) {
  switch (first) {
    case ':':
    case '&':
    case '|':
    case '=':
      return second == first;
    case '<':
      return second == '<' || second == '=' || second == '>';
    case '>':
      return second == '>' || second == '=';
    case '!':
      return second == '=';
    default:
      return false;
  }
}

int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

class Scanner {
 public:
  Scanner(std::string_view text, Tokens& out) : text_(text), result_(out) {}

  void run() {
    result_.list.clear();
    result_.problem.clear();
    while (skip_blanks() && scan()) {
    }
    Token end;
    end.at = result_.problem.empty() ? text_.size() : result_.at;
    result_.list.push_back(end);
  }

 private:
  char peek(size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  void push(TokenKind kind, size_t length) {
    Token token;
    token.kind = kind;
    token.at = at_;
    token.text = text_.substr(at_, length);
    result_.list.push_back(token);
    at_ += length;
  }
  bool fail(const char* problem) {
    result_.problem = problem;
    result_.at = at_;
    return false;
  }

  /// False at the end of the line.
  bool skip_blanks() {
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == ';' || (c == '/' && peek(1) == '/')) return false;
      if (c == '/' && peek(1) == '*') {
        const size_t close = text_.find("*/", at_ + 2);
        if (close == std::string_view::npos) return fail("the comment does not end");
        at_ = close + 1;
      } else if (c != ' ' && c != '\t' && c != '\r' && c != '\n') {
        return true;
      }
    }
    return false;
  }

  bool scan() {
    const char c = peek();
    if (is_letter(c) || (c == '.' && !is_digit(peek(1)))) {
      size_t n = 1;
      while (at_ + n < text_.size() && kNamePart(text_[at_ + n])) ++n;
      push(TokenKind::kIdentifier, n);
      return true;
    }
    if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return number();
    if (c == '"') {
      size_t close = text_.find_first_of("\"\\", at_ + 1);
      while (close != std::string_view::npos && text_[close] == '\\')
        close = text_.find_first_of("\"\\", close + 2);
      if (close == std::string_view::npos) return fail("the string does not end");
      ++at_;
      push(TokenKind::kString, close - at_);
      ++at_;
      return true;
    }
    if (is_pair(c, peek(1))) {
      push(TokenKind::kPunctuation, 2);
      return true;
    }
    if (!kSingle(c)) return fail("unexpected character");
    push(TokenKind::kPunctuation, 1);
    return true;
  }

  bool integer(size_t prefix, unsigned base) {
    size_t n = prefix;
    uint64_t value = 0;
    for (; at_ + n < text_.size(); ++n) {
      const int digit = hex_digit(text_[at_ + n]);
      if (digit < 0 || static_cast<unsigned>(digit) >= base) break;
      if (__builtin_mul_overflow(value, uint64_t{base}, &value) ||
          __builtin_add_overflow(value, static_cast<uint64_t>(digit), &value))
        return fail("the number does not fit in 64 bits");
    }
    if (n == prefix) return fail("the number has no digits");
    push(TokenKind::kInteger, n);
    result_.list.back().integer = value;
    return true;
  }

  bool number() {
    if (peek() == '0' && (peek(1) | 32) == 'x') return integer(2, 16);
    if (peek() == '0' && (peek(1) | 32) == 'b' && (peek(2) == '0' || peek(2) == '1'))
      return integer(2, 2);
    // After a zero only a point makes a real number: 00.5 is two tokens.
    if (peek() == '0' && is_digit(peek(1))) return integer(1, 8);
    if (peek() == '0' && peek(1) != '.') return integer(0, 10);
    size_t n = 0;
    while (is_digit(peek(n))) ++n;
    const bool exponent = (peek(n) | 32) == 'e' &&
                          (is_digit(peek(n + 1)) ||
                           ((peek(n + 1) == '-' || peek(n + 1) == '+') && is_digit(peek(n + 2))));
    if (peek(n) != '.' && !exponent) return integer(0, 10);
    double value = 0;
    const auto [end, error] =
        std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error == std::errc::invalid_argument) return fail("malformed number");
    push(TokenKind::kReal, static_cast<size_t>(end - text_.data()) - at_);
    result_.list.back().real = error == std::errc()
                                   ? value
                                   : std::strtod(std::string(result_.list.back().text).c_str(),
                                                 nullptr);  // out of range: infinity or zero
    return true;
  }

  std::string_view text_;
  size_t at_ = 0;
  Tokens& result_;
};

}  // namespace

void tokenize(std::string_view line, Tokens& out) { Scanner(line, out).run(); }

Tokens tokenize(std::string_view line) {
  Tokens out;
  tokenize(line, out);
  return out;
}

}  // namespace lockstep::asm_
