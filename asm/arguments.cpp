// SPDX-License-Identifier: MIT
// Arguments of directives: names, strings, expressions.
#include "asm/arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "asm/expression_parser.h"

namespace lockstep::asm_ {
namespace {

/// Makes trees of expressions. The first error is kept.
class TreeBuilder {
 public:
  using Value = const Expr*;
  TreeBuilder(Assembly& assembly, Location where) : assembly_(assembly), where_(where) {}

  Value constant(int64_t value) { return assembly_.constant(value); }

  Value symbol(const Token& t) {
    if (t.text == ".") return reference(assembly_.here());
    const size_t at = t.text.find('@');
    Specifier specifier = Specifier::kNone;
    if (at != std::string_view::npos) {
      const auto found = find_specifier(t.text.substr(at + 1));
      if (!found) {
        problem = fmt::format("invalid variant '{}'", t.text.substr(at + 1));
        problem_at = t.at + at + 1;
        return nullptr;
      }
      specifier = *found;
    }
    Symbol& s = assembly_.mention(t.text.substr(0, at), where_ + t.at);
    // A number keeps its value even if the symbol gets another one later.
    if (s.state == SymbolState::kVariable && specifier == Specifier::kNone)
      if (const auto value = assembly_.absolute(s.value);
          value && s.value->kind == ExprKind::kConstant)
        return constant(*value);
    return reference(s, specifier);
  }

  Value local_label(const Token& t, bool forward) {
    Symbol* s = assembly_.local_label(t.integer, forward, where_ + t.at);
    if (s) return reference(*s);
    problem = "directional label undefined";
    problem_at = t.at;
    return nullptr;
  }

  Value unary(char op, Value a) {
    if (a->kind == ExprKind::kConstant) return constant(apply_unary(op, a->constant));
    return assembly_.make({.kind = ExprKind::kUnary, .op = std::string(1, op), .operands = {a}});
  }

  Value binary(const Token& op, Value a, Value b) {
    if (a->kind == ExprKind::kConstant && b->kind == ExprKind::kConstant) {
      const auto result = apply_binary(op.text, a->constant, b->constant);
      if (result) return constant(*result);
      problem = "the division has no result";
      problem_at = op.at;
      return nullptr;
    }
    return assembly_.make(
        {.kind = ExprKind::kBinary, .op = std::string(op.text), .operands = {a, b}});
  }

  bool is_function(std::string_view name) const { return assembly_.is_function(name); }
  Value call(const Token& name, const std::vector<Value>& arguments) {
    if (arguments.empty()) {
      problem = fmt::format("{}() needs arguments", name.text);
      problem_at = name.at;
      return nullptr;
    }
    std::vector<int64_t> values;
    for (const Expr* e : arguments)
      if (e->kind == ExprKind::kConstant) values.push_back(e->constant);
    if (values.size() == arguments.size())
      if (const auto value = assembly_.call(name.text, values)) return constant(*value);
    return assembly_.make(
        {.kind = ExprKind::kCall, .op = std::string(name.text), .operands = arguments});
  }

  std::string problem;
  size_t problem_at = 0;

 private:
  Value reference(Symbol& s, Specifier specifier = Specifier::kNone) {
    return assembly_.make({.kind = ExprKind::kSymbol, .specifier = specifier, .symbol = &s});
  }
  Assembly& assembly_;
  Location where_;
};

}  // namespace

Result<std::string> unescape(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      out += text[i];
      continue;
    }
    if (++i == text.size()) return Error{"unexpected backslash at end of string"};
    const char c = text[i];
    if (c == 'x' || c == 'X') {
      unsigned value = 0;
      size_t digits = 0;
      for (; i + 1 < text.size() && std::isxdigit(static_cast<unsigned char>(text[i + 1])); ++i) {
        const char d = static_cast<char>(text[i + 1] | 32);
        value = value * 16 + static_cast<unsigned>(d >= 'a' ? d - 'a' + 10 : text[i + 1] - '0');
        ++digits;
      }
      if (digits == 0) return Error{"invalid hexadecimal escape sequence"};
      out += static_cast<char>(value);
    } else if (c >= '0' && c <= '7') {
      unsigned value = 0;
      for (int n = 0; n < 3 && i < text.size() && text[i] >= '0' && text[i] <= '7'; ++n, ++i)
        value = value * 8 + static_cast<unsigned>(text[i] - '0');
      --i;
      if (value > 255) return Error{"invalid octal escape sequence (out of range)"};
      out += static_cast<char>(value);
    } else {
      static constexpr std::string_view kLetters = "bfnrt\"\\", kMeanings = "\b\f\n\r\t\"\\";
      const size_t n = kLetters.find(c);
      if (n == std::string_view::npos)
        return Error{fmt::format("invalid escape sequence \\{} (unrecognized character)", c)};
      out += kMeanings[n];
    }
  }
  return out;
}

Arguments::Arguments(Assembly& assembly, std::string_view line, Location where, Location directive)
    : assembly(assembly),
      directive(directive),
      line_(line),
      where_(where),
      tokens_(tokenize(line)) {}

const Token& Arguments::peek(size_t ahead) const {
  return tokens_.list[std::min(i_ + ahead, tokens_.list.size() - 1)];
}

bool Arguments::is(std::string_view punctuation) const {
  return peek().kind == TokenKind::kPunctuation && peek().text == punctuation;
}

bool Arguments::take(std::string_view punctuation) {
  if (!is(punctuation)) return false;
  ++i_;
  return true;
}

bool Arguments::expect(std::string_view punctuation) {
  if (take(punctuation)) return true;
  error(fmt::format("expected '{}'", punctuation));
  return false;
}

void Arguments::error(const std::string& message) {
  if (failed_) return;
  failed_ = true;
  // What the lexer cannot read is the reason for all that follows.
  const bool at_bad_token = done() && !tokens_.problem.empty();
  assembly.error(here(), at_bad_token ? tokens_.problem : message);
}

std::optional<std::string> Arguments::name(std::string_view what) {
  const Token& t = peek();
  if (t.kind == TokenKind::kIdentifier) {
    ++i_;
    return std::string(t.text);
  }
  if (t.kind == TokenKind::kString) return string();
  error(fmt::format("expected {}", what));
  return std::nullopt;
}

std::optional<std::string> Arguments::string() {
  const Token& t = peek();
  if (t.kind != TokenKind::kString) {
    error("expected string");
    return std::nullopt;
  }
  auto text = unescape(t.text);
  if (!text) {
    error(text.error());
    return std::nullopt;
  }
  ++i_;
  return *text;
}

std::optional<std::array<uint8_t, 16>> Arguments::wide_number() {
  std::array<uint8_t, 16> value;
  constexpr size_t kPrefix = 2, kDigits = 2 * sizeof value;
  const std::string_view text = rest();  // the lexer stops at numbers of more than 64 bits
  size_t n = kPrefix;
  while (n < text.size() && std::isxdigit(static_cast<unsigned char>(text[n]))) ++n;
  if (!text.starts_with("0x") || n == kPrefix || n > kPrefix + kDigits) {
    failed_ = true;
    assembly.error(here(), "expected 0x and up to 32 hexadecimal digits");
    return std::nullopt;
  }
  std::string digits(text.substr(kPrefix, n - kPrefix));
  digits.insert(0, kDigits - digits.size(), '0');
  for (size_t i = 0; i < value.size(); ++i)
    std::from_chars(&digits[2 * i], &digits[2 * i] + 2, value[i], 16);
  const size_t start = peek().at + n;
  line_.remove_prefix(start);
  where_ = where_ + start;
  tokens_ = tokenize(line_);
  i_ = 0;
  return value;
}

const Expr* Arguments::expression() {
  if (failed_) return nullptr;
  TreeBuilder builder(assembly, where_);
  const Expr* e = ExpressionParser(tokens_.list, i_, builder).run();
  if (e) return e;
  if (!builder.problem.empty()) {
    failed_ = true;
    assembly.error(where_ + builder.problem_at, builder.problem);
  } else {
    error(done() ? "expected an expression" : "unknown token in expression");
  }
  return nullptr;
}

std::optional<int64_t> Arguments::absolute() {
  const Location start = here();
  const Expr* e = expression();
  if (!e) return std::nullopt;
  const auto value = assembly.absolute(e);
  if (!value) {
    failed_ = true;
    assembly.error(start, "expected absolute expression");
  }
  return value;
}

std::string_view Arguments::raw_until(std::string_view stops) {
  const size_t start = peek().at;
  size_t end = start;
  while (!done() && !(peek().kind == TokenKind::kPunctuation &&
                      stops.find(peek().text) != std::string_view::npos)) {
    end = peek().end();
    ++i_;
  }
  return line_.substr(start, end - start);
}

std::string_view Arguments::rest() const { return line_.substr(std::min(peek().at, line_.size())); }

bool Arguments::finish() {
  if (failed_) return false;
  if (done() && tokens_.problem.empty()) return true;
  error("unexpected token at end of statement");
  return false;
}

}  // namespace lockstep::asm_
