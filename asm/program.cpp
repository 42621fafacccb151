// SPDX-License-Identifier: MIT
// Symbols by name, and the values of expressions.
#include "asm/program.h"

#include <elf.h>

#include <algorithm>

#include "asm/expression_parser.h"

namespace lockstep::asm_ {

std::optional<Specifier> find_specifier(std::string_view name) {
  struct Named {
    std::string_view name;
    Specifier specifier;
  };
  static constexpr Named kNames[] = {
      {"gotpcrel", Specifier::kGotPcRel},
      {"gotpcrel32@lo", Specifier::kGotPcRel32Lo},
      {"gotpcrel32@hi", Specifier::kGotPcRel32Hi},
      {"rel32@lo", Specifier::kRel32Lo},
      {"rel32@hi", Specifier::kRel32Hi},
      {"rel64", Specifier::kRel64},
      {"abs32@lo", Specifier::kAbs32Lo},
      {"abs32@hi", Specifier::kAbs32Hi},
      {"abs64", Specifier::kAbs64},
  };
  for (const Named& n : kNames)
    if (n.name == name) return n.specifier;
  return std::nullopt;
}

bool Section::has_bytes() const { return type != SHT_NOBITS; }

Symbol* Program::find_symbol(std::string_view name) const {
  const auto it = by_name_.find(name);
  return it == by_name_.end() ? nullptr : it->second;
}

Symbol& Program::symbol(std::string_view name) {
  if (Symbol* known = find_symbol(name)) return *known;
  Symbol& made = symbols_.emplace_back();
  made.name = name;
  by_name_.emplace(made.name, &made);
  return made;
}

Symbol& Program::anonymous() {
  Symbol& made = symbols_.emplace_back();
  made.name = "\1label";
  return made;
}

Section* Program::find_section(std::string_view name) {
  for (Section& s : sections_)
    if (s.name == name) return &s;
  return nullptr;
}

Section& Program::add_section(Section section) {
  section.index = static_cast<uint32_t>(sections_.size());
  return sections_.emplace_back(std::move(section));
}

const Expr* Program::constant(int64_t value) { return make({.constant = value}); }
const Expr* Program::make(Expr expr) { return &exprs_.emplace_back(std::move(expr)); }

std::optional<int64_t> Program::absolute(const Expr* expr) const {
  const auto v = evaluate(expr, 0);
  return v && v->absolute() ? std::optional(v->constant) : std::nullopt;
}

bool Program::has_labels(const Expr* expr, int depth) {
  constexpr int kMaxDepth = 1000;
  if (depth > kMaxDepth) return true;
  if (expr->kind == ExprKind::kSymbol)
    return expr->symbol->state != SymbolState::kVariable ||
           has_labels(expr->symbol->value, depth + 1);
  return std::any_of(expr->operands.begin(), expr->operands.end(),
                     [&](const Expr* e) { return has_labels(e, depth + 1); });
}

std::optional<RelocatableValue> Program::evaluate(const Expr* expr, int depth) const {
  constexpr int kMaxDepth = 1000;
  if (depth > kMaxDepth) return std::nullopt;
  switch (expr->kind) {
    case ExprKind::kConstant:
      return RelocatableValue{.constant = expr->constant};
    case ExprKind::kSymbol: {
      Symbol* s = expr->symbol;
      if (s->state != SymbolState::kVariable)
        return RelocatableValue{.add = s, .specifier = expr->specifier};
      if (s->evaluating) return std::nullopt;
      s->evaluating = true;
      auto v = evaluate(s->value, depth + 1);
      s->evaluating = false;
      if (v && expr->specifier != Specifier::kNone) {
        if (v->absolute()) return std::nullopt;
        v->specifier = expr->specifier;
      }
      return v;
    }
    case ExprKind::kUnary: {
      const auto v = evaluate(expr->operands[0], depth + 1);
      if (!v || v->specifier != Specifier::kNone) return std::nullopt;
      if (expr->op == "-" && !v->absolute())
        return RelocatableValue{v->subtract, v->add, apply_unary('-', v->constant)};
      if (!v->absolute()) return std::nullopt;
      return RelocatableValue{.constant = apply_unary(expr->op[0], v->constant)};
    }
    case ExprKind::kBinary:
      return binary(expr, depth);
    case ExprKind::kCall: {
      std::vector<int64_t> values;
      for (const Expr* operand : expr->operands) {
        const auto v = evaluate(operand, depth + 1);
        if (!v || !v->absolute()) return std::nullopt;
        values.push_back(v->constant);
      }
      const auto result = call(expr->op, values);
      if (!result) return std::nullopt;
      return RelocatableValue{.constant = *result};
    }
  }
  return std::nullopt;
}

std::optional<RelocatableValue> Program::binary(const Expr* expr, int depth) const {
  const auto a = evaluate(expr->operands[0], depth + 1);
  if (!a) return std::nullopt;
  const auto b = evaluate(expr->operands[1], depth + 1);
  if (!b) return std::nullopt;
  if (a->absolute() && b->absolute()) {
    const auto result = apply_binary(expr->op, a->constant, b->constant);
    return result ? std::optional(RelocatableValue{.constant = *result}) : std::nullopt;
  }
  // Labels of one section are compared and subtracted as numbers.
  const auto distance = [&](const Symbol* x, const Symbol* y) -> std::optional<int64_t> {
    if (!x || !y) return std::nullopt;
    if (x == y) return 0;
    if (x->state != SymbolState::kLabel || y->state != SymbolState::kLabel ||
        x->section != y->section)
      return std::nullopt;
    return static_cast<int64_t>(x->offset - y->offset);
  };
  if (operator_strength(expr->op) < operator_strength("+") && !a->subtract && !b->subtract) {
    const auto d = distance(a->add, b->add);
    if (!d) return std::nullopt;
    return RelocatableValue{.constant = *apply_binary(expr->op, *d + a->constant, b->constant)};
  }
  if (expr->op != "+" && expr->op != "-") return std::nullopt;
  const bool plus = expr->op == "+";
  Symbol* b_add = plus ? b->add : b->subtract;
  Symbol* b_subtract = plus ? b->subtract : b->add;
  RelocatableValue r{.constant = *apply_binary(expr->op, a->constant, b->constant)};
  Symbol *adds[2] = {a->add, b_add}, *subtracts[2] = {a->subtract, b_subtract};
  for (Symbol*& x : adds)
    for (Symbol*& y : subtracts)
      if (const auto d = distance(x, y)) {
        r.constant += *d;
        x = y = nullptr;
      }
  if ((adds[0] && adds[1]) || (subtracts[0] && subtracts[1])) return std::nullopt;
  r.add = adds[0] ? adds[0] : adds[1];
  r.subtract = subtracts[0] ? subtracts[0] : subtracts[1];
  if (a->specifier != Specifier::kNone && b->specifier != Specifier::kNone) return std::nullopt;
  r.specifier = a->specifier != Specifier::kNone ? a->specifier : b->specifier;
  if (!r.add) r.specifier = Specifier::kNone;
  return r;
}

}  // namespace lockstep::asm_
