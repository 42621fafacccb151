// SPDX-License-Identifier: MIT
// .if and its relatives.
#include <fmt/format.h>

#include "asm/directives.h"

namespace lockstep::asm_ {
namespace {

std::string_view trimmed(std::string_view s) {
  while (!s.empty() && (s.front() == ' ' || s.front() == '\t')) s.remove_prefix(1);
  while (!s.empty() && (s.back() == ' ' || s.back() == '\t' || s.back() == '\r'))
    s.remove_suffix(1);
  return s;
}

/// Nothing after an error.
std::optional<bool> condition(Arguments& a, int kind) {
  switch (kind) {
    case kIfDefined:
    case kIfNotDefined: {
      const auto name = a.name("a symbol name after '.ifdef'");
      if (!name) return std::nullopt;
      const Symbol* s = a.assembly.find_symbol(*name);
      return (s && s->defined()) == (kind == kIfDefined);
    }
    case kIfBlank:
    case kIfNotBlank: {
      const bool blank = trimmed(a.rest()).empty();
      a.skip_rest();
      return blank == (kind == kIfBlank);
    }
    case kIfSame:
    case kIfNotSame: {
      const std::string_view text = a.rest();
      const size_t comma = text.find(',');
      if (comma == std::string_view::npos) {
        a.error("expected comma");
        return std::nullopt;
      }
      const bool same = trimmed(text.substr(0, comma)) == trimmed(text.substr(comma + 1));
      a.skip_rest();
      return same == (kind == kIfSame);
    }
    case kIfEqualStrings:
    case kIfNotEqualStrings: {
      const auto first = a.string();
      if (!first || !a.expect(",")) return std::nullopt;
      const auto second = a.string();
      if (!second) return std::nullopt;
      return (*first == *second) == (kind == kIfEqualStrings);
    }
    default:
      break;
  }
  const auto value = a.absolute();
  if (!value) return std::nullopt;
  switch (kind) {
    case kIfZero:
      return *value == 0;
    case kIfGreater:
      return *value > 0;
    case kIfGreaterEqual:
      return *value >= 0;
    case kIfLess:
      return *value < 0;
    case kIfLessEqual:
      return *value <= 0;
    default:
      return *value != 0;
  }
}

}  // namespace

void directive_if(Arguments& a, int kind) {
  Conditional c{.where = a.directive, .outer_skipping = a.assembly.skipping()};
  if (c.outer_skipping) {
    c.skipping = c.taken = true;
    a.skip_rest();
  } else {
    const auto value = condition(a, kind);
    c.taken = value.value_or(false);
    c.skipping = !c.taken;
    if (!value) c.taken = true;  // neither branch: its errors would only confuse
  }
  a.assembly.conditionals.push_back(c);
}

void directive_elseif(Arguments& a, int) {
  auto& stack = a.assembly.conditionals;
  if (stack.empty() || stack.back().had_else) {
    a.assembly.error(a.directive, "Encountered a .elseif that doesn't follow an .if or an .elseif");
    a.skip_rest();
    return;
  }
  Conditional& c = stack.back();
  if (c.taken) {
    c.skipping = true;
    a.skip_rest();
    return;
  }
  const auto value = condition(a, kIfNotZero);
  c.taken = value.value_or(true);
  c.skipping = !value.value_or(false);
}

void directive_else(Arguments& a, int) {
  auto& stack = a.assembly.conditionals;
  if (stack.empty() || stack.back().had_else) {
    a.assembly.error(a.directive, "Encountered a .else that doesn't follow an .if or an .elseif");
    return;
  }
  Conditional& c = stack.back();
  c.had_else = true;
  c.skipping = c.taken;
  c.taken = true;
}

void directive_endif(Arguments& a, int) {
  if (a.assembly.conditionals.empty()) {
    a.assembly.error(a.directive, "Encountered a .endif that doesn't follow an .if or .else");
    return;
  }
  a.assembly.conditionals.pop_back();
}

}  // namespace lockstep::asm_
