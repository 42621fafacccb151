// SPDX-License-Identifier: MIT
// Integer expressions, as in `offset:4*8` or `s_nop 1+2`.
#include "asm/parse.h"

namespace lockstep::asm_ {
namespace {

constexpr int kMaxDepth = 64;

class Expression {
 public:
  Expression(const std::vector<Token>& tokens, size_t& i) : tokens_(tokens), i_(i) {}
  std::optional<int64_t> run() { return binary(0, 0); }

 private:
  using Value = std::optional<int64_t>;

  /// Binding strength of a binary operator; -1 if it is none.
  static int strength(std::string_view op) {
    struct Level {
      std::string_view op;
      int level;
    };
    static constexpr Level kLevels[] = {{"||", 0}, {"&&", 1}, {"==", 2}, {"!=", 2}, {"<", 2},
                                        {"<=", 2}, {">", 2},  {">=", 2}, {"+", 3},  {"-", 3},
                                        {"|", 4},  {"^", 4},  {"&", 4},  {"!", 4},  {"*", 5},
                                        {"/", 5},  {"%", 5},  {"<<", 5}, {">>", 5}};
    for (const Level& l : kLevels)
      if (l.op == op) return l.level;
    return -1;
  }

  static Value apply(std::string_view op, int64_t a, int64_t b) {
    const auto ua = static_cast<uint64_t>(a), ub = static_cast<uint64_t>(b);
    const auto as_signed = [](uint64_t v) { return static_cast<int64_t>(v); };
    const auto truth = [](bool v) -> int64_t { return v ? -1 : 0; };
    if (op == "+") return as_signed(ua + ub);
    if (op == "-") return as_signed(ua - ub);
    if (op == "*") return as_signed(ua * ub);
    if (op == "|") return a | b;
    if (op == "^") return a ^ b;
    if (op == "&") return a & b;
    if (op == "!") return a | ~b;
    if (op == "<<") return ub < 64 ? Value(as_signed(ua << ub)) : 0;
    if (op == ">>") return ub < 64 ? Value(as_signed(ua >> ub)) : 0;
    if (op == "||") return a || b;
    if (op == "&&") return a && b;
    if (op == "==") return truth(a == b);
    if (op == "!=") return truth(a != b);
    if (op == "<") return truth(a < b);
    if (op == "<=") return truth(a <= b);
    if (op == ">") return truth(a > b);
    if (op == ">=") return truth(a >= b);
    if (b == 0 || (b == -1 && a == INT64_MIN)) return std::nullopt;
    return op == "/" ? a / b : a % b;
  }

  Value primary(int depth) {
    if (depth > kMaxDepth) return std::nullopt;
    const Token& t = tokens_[i_];
    if (t.kind == TokenKind::kInteger) {
      ++i_;
      return static_cast<int64_t>(t.integer);
    }
    if (t.kind != TokenKind::kPunctuation) return std::nullopt;
    if (t.text == "(") {
      ++i_;
      const Value v = binary(0, depth + 1);
      if (!v || tokens_[i_].text != ")" || tokens_[i_].kind != TokenKind::kPunctuation)
        return std::nullopt;
      ++i_;
      return v;
    }
    if (t.text != "-" && t.text != "+" && t.text != "~" && t.text != "!") return std::nullopt;
    ++i_;
    const Value v = primary(depth + 1);
    if (!v || t.text == "+") return v;
    if (t.text == "-") return static_cast<int64_t>(0 - static_cast<uint64_t>(*v));
    return t.text == "~" ? ~*v : *v == 0;
  }

  Value binary(int least, int depth) {
    if (depth > kMaxDepth) return std::nullopt;
    Value left = primary(depth);
    while (left && tokens_[i_].kind == TokenKind::kPunctuation) {
      const std::string_view op = tokens_[i_].text;
      const int level = strength(op);
      if (level < least) break;
      // The bar that closes |1| is followed by no operand.
      const Token& next = tokens_[i_ + 1];
      const bool operand_follows = next.kind == TokenKind::kInteger ||
                                   (next.kind == TokenKind::kPunctuation &&
                                    (next.text == "(" || next.text == "-" || next.text == "+" ||
                                     next.text == "~" || next.text == "!"));
      if (!operand_follows && op == "|") break;
      ++i_;
      const Value right = binary(level + 1, depth + 1);
      if (!right) return std::nullopt;
      left = apply(op, *left, *right);
    }
    return left;
  }

  const std::vector<Token>& tokens_;
  size_t& i_;
};

}  // namespace

std::optional<int64_t> parse_expression(const std::vector<Token>& tokens, size_t& i) {
  return Expression(tokens, i).run();
}

}  // namespace lockstep::asm_
