// SPDX-License-Identifier: MIT
// Expressions that are evaluated at once, as in `offset:4*8` or `s_nop 1+2`.
#include "asm/expression_parser.h"
#include "asm/parse.h"

namespace lockstep::asm_ {
namespace {

/// A number, or the knowledge that there is none yet.
struct Number {
  SymbolValue value;
  bool known = true;
  bool ok = false;
  bool has_labels = false;
  explicit operator bool() const { return ok; }
};

Number unknown() { return {.known = false, .ok = true}; }
Number number(int64_t value, uint32_t base = 0) { return {{value, base}, true, true, base != 0}; }
Number from_scope(const std::optional<int64_t>& v) { return v ? number(*v) : unknown(); }
Number from_scope(const std::optional<SymbolValue>& v) {
  if (!v) return unknown();
  Number n = number(v->value, v->base);
  n.has_labels = v->has_labels || v->base != 0;
  return n;
}

class Evaluator {
 public:
  using Value = Number;
  explicit Evaluator(const SymbolScope* scope) : scope_(scope) {}

  Number constant(int64_t value) { return number(value); }
  Number symbol(const Token& t) { return scope_ ? from_scope(scope_->find(t.text)) : Number{}; }
  Number local_label(const Token& t, bool forward) {
    return scope_ && scope_->has_local_labels() ? from_scope(scope_->find_local(t.integer, forward))
                                                : Number{};
  }
  Number unary(char op, const Number& a) {
    return !a.known || a.value.base ? unknown() : number(apply_unary(op, a.value.value));
  }
  Number binary(const Token& op, const Number& a, const Number& b) {
    Number result = combine(op, a, b);
    result.has_labels = a.has_labels || b.has_labels;
    return result;
  }
  bool is_function(std::string_view name) const { return scope_ && scope_->is_function(name); }
  Number call(const Token& name, const std::vector<Number>& arguments) {
    std::vector<int64_t> values;
    for (const Number& n : arguments) {
      if (!n.known || n.value.base) return unknown();
      values.push_back(n.value.value);
    }
    return from_scope(scope_->call(name.text, values));
  }

 private:
  Number combine(const Token& op, const Number& a, const Number& b) {
    if (!a.known || !b.known) return unknown();
    const SymbolValue &x = a.value, &y = b.value;
    if (x.base == y.base &&
        (x.base == 0 || operator_strength(op.text) < kSumStrength || op.text == "-")) {
      const auto result = apply_binary(op.text, x.value, y.value);
      return result ? number(*result) : Number{};
    }
    const bool sum = op.text == "+" && (x.base == 0 || y.base == 0);
    const bool difference = op.text == "-" && y.base == 0;
    if (sum || difference)
      return number(*apply_binary(op.text, x.value, y.value), sum ? x.base + y.base : x.base);
    return unknown();
  }

  static constexpr int kSumStrength = 3;
  const SymbolScope* scope_;
};

}  // namespace

int operator_strength(std::string_view op) {
  struct Level {
    std::string_view op;
    int level;
  };
  static constexpr Level kLevels[] = {{"||", 0}, {"&&", 1}, {"==", 2}, {"!=", 2}, {"<", 2},
                                      {"<=", 2}, {">", 2},  {">=", 2}, {"<>", 2}, {"+", 3},
                                      {"-", 3},  {"|", 4},  {"^", 4},  {"&", 4},  {"!", 4},
                                      {"*", 5},  {"/", 5},  {"%", 5},  {"<<", 5}, {">>", 5}};
  for (const Level& l : kLevels)
    if (l.op == op) return l.level;
  return -1;
}

std::optional<int64_t> apply_binary(std::string_view op, int64_t a, int64_t b) {
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
  if (op == "<<") return ub < 64 ? as_signed(ua << ub) : 0;
  if (op == ">>") return ub < 64 ? as_signed(ua >> ub) : 0;
  if (op == "||") return a || b;
  if (op == "&&") return a && b;
  if (op == "==") return truth(a == b);
  if (op == "!=" || op == "<>") return truth(a != b);
  if (op == "<") return truth(a < b);
  if (op == "<=") return truth(a <= b);
  if (op == ">") return truth(a > b);
  if (op == ">=") return truth(a >= b);
  if (b == 0 || (b == -1 && a == INT64_MIN)) return std::nullopt;
  return op == "/" ? a / b : a % b;
}

int64_t apply_unary(char op, int64_t a) {
  if (op == '-') return static_cast<int64_t>(0 - static_cast<uint64_t>(a));
  return op == '~' ? ~a : a == 0;
}

std::optional<ParsedNumber> parse_expression(const std::vector<Token>& tokens, size_t& i,
                                             const SymbolScope* scope, bool in_bars) {
  Evaluator evaluator(scope);
  const Number n = ExpressionParser(tokens, i, evaluator, in_bars).run();
  if (!n) return std::nullopt;
  return ParsedNumber{n.value.value, n.known && n.value.base == 0, n.has_labels};
}

std::optional<int64_t> parse_expression(const std::vector<Token>& tokens, size_t& i) {
  const auto n = parse_expression(tokens, i, nullptr);
  return n ? std::optional(n->value) : std::nullopt;
}

}  // namespace lockstep::asm_
