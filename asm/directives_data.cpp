// SPDX-License-Identifier: MIT
// Directives that emit data and padding.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <fstream>
#include <iterator>

#include "asm/directives.h"

namespace lockstep::asm_ {

void directive_data(Arguments& a, int size) {
  if (a.done()) return;
  do {
    const Location where = a.here();
    const Expr* e = a.expression();
    if (!e) return;
    a.assembly.emit_value(e, static_cast<unsigned>(size), where);
  } while (a.take(","));
}

void directive_real(Arguments& a, int size) {
  if (a.done() || !a.assembly.can_emit(a.directive)) return;
  a.assembly.lines.mark(a.assembly.section());
  do {
    const bool negative = a.take("-");
    if (!negative) a.take("+");
    const Token& t = a.peek();
    double value = 0;
    if (t.kind == TokenKind::kReal) {
      value = t.real;
    } else if (t.kind == TokenKind::kInteger) {
      value = static_cast<double>(t.integer);
    } else if (t.text == "inf" || t.text == "infinity") {
      value = INFINITY;
    } else if (t.text == "nan") {
      value = NAN;
    } else {
      a.error("unexpected token in directive: expected a floating point literal");
      return;
    }
    a.advance();
    if (negative) value = -value;
    if (size == 4) {
      const auto bits = std::bit_cast<uint32_t>(static_cast<float>(value));
      a.assembly.emit(&bits, sizeof bits);
    } else {
      a.assembly.emit(&value, sizeof value);
    }
  } while (a.take(","));
}

void directive_octa(Arguments& a, int) {
  if (a.rest().empty() || !a.assembly.can_emit(a.directive)) return;
  a.assembly.lines.mark(a.assembly.section());
  do {
    auto value = a.wide_number();
    if (!value) return;
    std::reverse(value->begin(), value->end());
    a.assembly.emit(value->data(), value->size());
  } while (a.take(","));
}

void directive_repeated(Arguments& a, int size) {
  const Location where = a.here();
  const auto count = a.absolute();
  if (!count || !a.expect(",")) return;
  if (*count < 0) {
    a.assembly.report(Severity::kWarning, where, "a negative repeat count has no effect");
    a.skip_rest();
    return;
  }
  const Location value_at = a.here();
  const Expr* value = a.expression();
  if (!value || !a.finish()) return;
  constexpr int64_t kMost = 1 << 24;
  if (*count > kMost) {
    a.assembly.error(where, fmt::format("at most {} repetitions", kMost));
    return;
  }
  const size_t errors = a.assembly.error_count();
  for (int64_t i = 0; i < *count && a.assembly.error_count() == errors; ++i)
    a.assembly.emit_value(value, static_cast<unsigned>(size), value_at);
}

void directive_reserve(Arguments& a, int size) {
  const Location where = a.here();
  const auto count = a.absolute();
  constexpr int64_t kMost = int64_t{1} << 32;  // far more than emit_fill() takes
  if (!count) return;
  if (*count < 0)
    a.assembly.report(Severity::kWarning, where, "a negative repeat count has no effect");
  else
    a.assembly.emit_fill(static_cast<uint64_t>(std::min(*count, kMost) * size), 1, 0, where);
}

void directive_ascii(Arguments& a, int zero) {
  if (a.done() || !a.assembly.can_emit(a.directive)) return;
  a.assembly.lines.mark(a.assembly.section());
  do {
    // Strings that follow one another without a comma are one string.
    do {
      const auto text = a.string();
      if (!text) return;
      a.assembly.emit(text->data(), text->size());
    } while (a.peek().kind == TokenKind::kString);
    if (zero) a.assembly.emit("", 1);
  } while (a.take(","));
}

void directive_leb128(Arguments& a, int is_signed) {
  if (!a.assembly.can_emit(a.directive)) return;
  do {
    const Location where = a.here();
    const Expr* value = a.expression();
    if (!value) return;
    a.assembly.emit_leb(value, is_signed != 0, where);
  } while (a.take(","));
}

void directive_fill(Arguments& a, int) {
  const Location where = a.here();
  const auto count = a.absolute();
  int64_t size = 1, value = 0;
  if (count && a.take(",")) {
    const auto s = a.absolute();
    if (!s) return;
    size = *s;
    if (a.take(",")) {
      const auto v = a.absolute();
      if (!v) return;
      value = *v;
    }
  }
  if (a.failed()) return;
  constexpr int64_t kMostSize = 8;
  if (size < 0) {
    a.assembly.report(Severity::kWarning, where,
                      "'.fill' directive with negative size has no effect");
    return;
  }
  if (size > kMostSize) {
    a.assembly.report(Severity::kWarning, where,
                      "'.fill' directive with size greater than 8 has been truncated to 8");
    size = kMostSize;
  }
  if (*count < 0) {
    a.assembly.report(Severity::kWarning, where,
                      "'.fill' directive with negative repeat count has no effect");
    return;
  }
  a.assembly.lines.mark(a.assembly.section());
  // Only 32 bits of the value count; the rest of a wider element is zero.
  a.assembly.emit_fill(static_cast<uint64_t>(*count), static_cast<unsigned>(size),
                       size > 4 ? static_cast<uint32_t>(value) : static_cast<uint64_t>(value),
                       where);
}

void directive_space(Arguments& a, int) {
  const Location where = a.here();
  const auto count = a.absolute();
  int64_t value = 0;
  if (count && a.take(",")) value = a.absolute().value_or(0);
  if (a.failed()) return;
  if (*count < 0) {
    a.assembly.error(where, "the number of bytes is negative");
    return;
  }
  a.assembly.emit_fill(static_cast<uint64_t>(*count), 1, static_cast<uint8_t>(value), where);
}

void directive_zero(Arguments& a, int) { directive_space(a, 0); }

void directive_org(Arguments& a, int) {
  const Location where = a.here();
  const Expr* to = a.expression();
  int64_t fill = 0;
  if (to && a.take(",")) fill = a.absolute().value_or(0);
  if (a.failed()) return;
  const auto v = a.assembly.evaluate(to);
  const Section& s = a.assembly.section();
  const bool here = v && !v->subtract &&
                    (!v->add || (v->add->state == SymbolState::kLabel && v->add->section == &s));
  if (!here) {
    a.assembly.error(where, "expected an address in this section");
    return;
  }
  const int64_t target = v->constant + (v->add ? static_cast<int64_t>(v->add->offset) : 0);
  if (target < static_cast<int64_t>(s.size())) {
    a.assembly.error(where,
                     fmt::format("invalid .org offset '{}' (at offset '{}')", target, s.size()));
    return;
  }
  a.assembly.emit_fill(static_cast<uint64_t>(target) - s.size(), 1, static_cast<uint8_t>(fill),
                       where);
}

void directive_align(Arguments& a, int kind) {
  constexpr int kPower = 8;
  const Location where = a.here();
  const auto given = a.absolute();
  if (!given) return;
  std::optional<uint64_t> fill;
  int64_t most = 0;
  if (a.take(",")) {
    if (!a.is(",")) {
      const auto value = a.absolute();
      if (!value) return;
      fill = static_cast<uint64_t>(*value);
    }
    if (a.take(",")) most = a.absolute().value_or(0);
    if (a.failed()) return;
  }
  uint64_t alignment = static_cast<uint64_t>(*given);
  constexpr int64_t kMostPower = 32;
  if (kind >= kPower) {
    if (*given < 0 || *given >= kMostPower) {
      a.assembly.error(where, "invalid alignment value");
      return;
    }
    alignment = uint64_t{1} << *given;
  } else if (*given < 0 || (alignment != 0 && !std::has_single_bit(alignment)) ||
             alignment > UINT32_MAX) {
    a.assembly.error(where, "alignment must be a power of 2");
    return;
  }
  if (most < 0 || (most == 0 && alignment == 0)) most = 0;
  // In code a fill of zero means the usual padding.
  if (fill && *fill == 0 && a.assembly.is_code()) fill.reset();
  a.assembly.align(std::max<uint64_t>(alignment, 1), fill, static_cast<unsigned>(kind % kPower),
                   static_cast<uint64_t>(most), where);
}

void directive_incbin(Arguments& a, int) {
  const Location where = a.here();
  const auto name = a.string();
  int64_t skip = 0;
  std::optional<int64_t> count;
  if (name && a.take(",")) {
    if (!a.is(",")) skip = a.absolute().value_or(0);
    if (a.take(",")) count = a.absolute();
  }
  if (a.failed() || !a.assembly.can_emit(where)) return;
  std::string path;
  const auto contents = read_beside(a.assembly, *name, path);
  if (!contents) {
    a.assembly.error(where, fmt::format("Could not find incbin file '{}'", *name));
    return;
  }
  const auto size = static_cast<int64_t>(contents->size());
  if (skip < 0 || skip > size || (count && (*count < 0 || *count > size - skip))) {
    a.assembly.error(where, fmt::format("the file has {} bytes only", size));
    return;
  }
  a.assembly.lines.mark(a.assembly.section());
  a.assembly.emit(contents->data() + skip, static_cast<size_t>(count.value_or(size - skip)));
}

}  // namespace lockstep::asm_
