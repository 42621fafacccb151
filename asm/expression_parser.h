// SPDX-License-Identifier: MIT
// The grammar of expressions, once: a builder makes numbers or trees of what is read.
#pragma once
#include <bit>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "asm/lexer.h"

namespace lockstep::asm_ {

/// Binding strength of a binary operator; -1 if it is none.
int operator_strength(std::string_view op);
/// Nothing for a division that has no result.
std::optional<int64_t> apply_binary(std::string_view op, int64_t a, int64_t b);
int64_t apply_unary(char op, int64_t a);

/// Builder: Value (converts to bool: false is failure), constant(n), symbol(token),
/// local_label(token, forward), unary(op, v), binary(op token, a, b), is_function(name),
/// call(token, values).
template <class Builder>
class ExpressionParser {
 public:
  using Value = typename Builder::Value;
  /// `in_bars`: between the bars of |x|, where a further bar is the closing one.
  ExpressionParser(const std::vector<Token>& tokens, size_t& i, Builder& builder,
                   bool in_bars = false)
      : tokens_(tokens), i_(i), builder_(builder), in_bars_(in_bars) {}
  Value run() { return binary(0, 0); }

 private:
  static constexpr int kMaxDepth = 64;

  bool is(std::string_view text) const {
    return tokens_[i_].kind == TokenKind::kPunctuation && tokens_[i_].text == text;
  }

  Value primary(int depth) {
    if (depth > kMaxDepth) return Value{};
    const Token& t = tokens_[i_];
    if (t.kind == TokenKind::kInteger) return integer(t);
    if (t.kind == TokenKind::kReal) {  // LLVM calculates with its bits
      ++i_;
      return builder_.constant(std::bit_cast<int64_t>(t.real));
    }
    if (t.kind == TokenKind::kIdentifier) return named(t, depth);
    if (t.kind != TokenKind::kPunctuation) return Value{};
    if (t.text == "(") {
      ++i_;
      Value v = binary(0, depth + 1);
      if (!v || !is(")")) return Value{};
      ++i_;
      return v;
    }
    if (t.text != "-" && t.text != "+" && t.text != "~" && t.text != "!") return Value{};
    ++i_;
    Value v = primary(depth + 1);
    if (!v || t.text == "+") return v;
    return builder_.unary(t.text[0], v);
  }

  Value integer(const Token& t) {
    ++i_;
    const Token& next = tokens_[i_];
    if (next.kind == TokenKind::kIdentifier && next.at == t.end() &&
        (next.text == "b" || next.text == "f")) {
      ++i_;
      return builder_.local_label(t, next.text == "f");
    }
    return builder_.constant(static_cast<int64_t>(t.integer));
  }

  Value named(const Token& t, int depth) {
    if (!builder_.is_function(t.text) || tokens_[i_ + 1].kind != TokenKind::kPunctuation ||
        tokens_[i_ + 1].text != "(") {
      Value v = builder_.symbol(t);
      if (v) ++i_;
      return v;
    }
    i_ += 2;
    std::vector<Value> arguments;
    while (!is(")")) {
      Value v = binary(0, depth + 1);
      if (!v) return v;
      arguments.push_back(v);
      if (is(",")) {
        ++i_;
        if (is(")")) return Value{};
      } else if (!is(")")) {
        return Value{};
      }
    }
    ++i_;
    return builder_.call(t, arguments);
  }

  bool operand_at(size_t i) const {
    const Token& t = tokens_[i];
    if (t.kind == TokenKind::kInteger || t.kind == TokenKind::kReal) return true;
    if (t.kind == TokenKind::kIdentifier) return !in_bars_;
    return t.kind == TokenKind::kPunctuation &&
           (t.text == "(" || t.text == "-" || t.text == "+" || t.text == "~" || t.text == "!");
  }

  Value binary(int least, int depth) {
    if (depth > kMaxDepth) return Value{};
    Value left = primary(depth);
    while (left && tokens_[i_].kind == TokenKind::kPunctuation) {
      const Token& op = tokens_[i_];
      const int level = operator_strength(op.text);
      if (level < least) break;
      // The bar that closes |1| is followed by no operand.
      if (op.text == "|" && !operand_at(i_ + 1)) break;
      ++i_;
      Value right = binary(level + 1, depth + 1);
      if (!right) return right;
      left = builder_.binary(op, left, right);
    }
    return left;
  }

  const std::vector<Token>& tokens_;
  size_t& i_;
  Builder& builder_;
  bool in_bars_;
};

}  // namespace lockstep::asm_
