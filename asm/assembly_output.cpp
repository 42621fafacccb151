// SPDX-License-Identifier: MIT
// Sections that grow, and symbols that get their values.
#include <elf.h>
#include <fmt/format.h>

#include <algorithm>

#include "asm/assembly.h"
#include "asm/debug_bytes.h"

namespace lockstep::asm_ {

// What pads code: s_nop 0.
constexpr uint32_t kNop = 0xbf800000;

void Assembly::switch_section(Section& s) {
  lines.forget();
  previous_ = current_;
  current_ = &s;
}

void Assembly::set_sections(Section* current, Section* previous) {
  lines.forget();
  current_ = current;
  previous_ = previous;
}

Section& Assembly::section_named(std::string_view name, uint32_t type, uint64_t flags,
                                 uint64_t entry_size) {
  if (Section* known = find_section(name)) return *known;
  Section s;
  s.name = name;
  s.type = type;
  s.flags = flags;
  s.entry_size = entry_size;
  return add_section(std::move(s));
}

bool Assembly::is_code() const { return current_->flags & SHF_EXECINSTR; }

bool Assembly::can_emit(Location where) {
  if (current_->has_bytes()) return true;
  error(where, fmt::format("section {} has no contents (it is @nobits)", current_->name));
  return false;
}

void Assembly::emit(const void* bytes, size_t size) {
  const auto* p = static_cast<const uint8_t*>(bytes);
  current_->bytes.insert(current_->bytes.end(), p, p + size);
}

void Assembly::emit_value(const Expr* expr, unsigned size, Location where) {
  lines.mark(*current_);
  if (const auto value = absolute(expr)) {
    const unsigned bits = size * 8;
    constexpr unsigned kLongest = 64;
    const bool fits = bits >= kLongest ||
                      (*value >= -(int64_t{1} << (bits - 1)) && *value < (int64_t{1} << bits));
    if (!fits) {
      error(where, "out of range literal value");
      return;
    }
    if (!current_->has_bytes()) {
      if (*value == 0)
        current_->size_without_bytes += size;
      else
        can_emit(where);
      return;
    }
    emit(&*value, size);
    return;
  }
  if (!can_emit(where)) return;
  const FixupKind kind = size == 1   ? FixupKind::kData1
                         : size == 2 ? FixupKind::kData2
                         : size == 4 ? FixupKind::kData4
                                     : FixupKind::kData8;
  current_->fixups.push_back({current_->bytes.size(), kind, expr, where});
  constexpr uint64_t kZero = 0;
  emit(&kZero, size);
}

void Assembly::emit_leb(const Expr* expr, bool is_signed, Location where) {
  lines.mark(*current_);
  std::vector<uint8_t>& bytes = current_->bytes;
  if (const auto value = absolute(expr)) {
    is_signed ? append_sleb(bytes, *value) : append_uleb(bytes, static_cast<uint64_t>(*value));
    return;
  }
  const size_t size = late_lebs.size() < leb_sizes.size() ? leb_sizes[late_lebs.size()] : 1;
  late_lebs.push_back({current_, bytes.size(), expr, is_signed, where});
  bytes.resize(bytes.size() + size);
}

void Assembly::finish_lebs() {
  constexpr uint8_t kMore = 0x80, kMinus = 0x7f;
  leb_sizes.resize(late_lebs.size(), 1);
  for (size_t i = 0; i < late_lebs.size(); ++i) {
    const LateLeb& leb = late_lebs[i];
    const auto value = absolute(leb.expr);
    if (!value) {
      error(leb.where, "expected absolute expression");
      continue;
    }
    std::vector<uint8_t> bytes;
    leb.is_signed ? append_sleb(bytes, *value) : append_uleb(bytes, static_cast<uint64_t>(*value));
    if (bytes.size() > leb_sizes[i]) {
      leb_sizes[i] = bytes.size();
      settled = false;
      continue;
    }
    // Shorter than room was left for: the sign goes on.
    const uint8_t sign = leb.is_signed && *value < 0 ? kMinus : 0;
    while (bytes.size() < leb_sizes[i]) {
      bytes.back() |= kMore;
      bytes.push_back(sign);
    }
    std::copy(bytes.begin(), bytes.end(), leb.section->bytes.begin() + leb.offset);
  }
}

void Assembly::emit_fill(uint64_t count, unsigned size, uint64_t value, Location where) {
  constexpr uint64_t kMostBytes = uint64_t{1} << 30;
  if (count > kMostBytes || count * std::max(size, 1u) > kMostBytes) {
    error(where, fmt::format("{} bytes of filling are more than a section may have",
                             count > kMostBytes ? count : count * size));
    return;
  }
  if (!current_->has_bytes()) {
    if (value == 0)
      current_->size_without_bytes += count * size;
    else
      can_emit(where);
    return;
  }
  if (size == 1) {
    current_->bytes.resize(current_->bytes.size() + count, static_cast<uint8_t>(value));
    return;
  }
  for (uint64_t i = 0; i < count; ++i) emit(&value, size);
}

void Assembly::align(uint64_t alignment, std::optional<uint64_t> fill, unsigned fill_size,
                     uint64_t most, Location where) {
  Section& s = *current_;
  s.alignment = std::max(s.alignment, alignment);
  const uint64_t size = s.size();
  uint64_t bytes = (alignment - size % alignment) % alignment;
  if (bytes == 0 || (most != 0 && bytes > most)) return;
  if (!s.has_bytes()) {
    s.size_without_bytes += bytes;
    return;
  }
  if (fill || !is_code()) {
    if (bytes % fill_size != 0)
      error(where, fmt::format("the padding of {} bytes is no multiple of {}", bytes, fill_size));
    else
      emit_fill(bytes / fill_size, fill_size, fill.value_or(0), where);
    return;
  }
  for (; bytes % sizeof kNop != 0; --bytes) s.bytes.push_back(0);
  emit_fill(bytes / sizeof kNop, sizeof kNop, kNop, where);
}

Symbol& Assembly::mention(std::string_view name, Location where) {
  Symbol& s = symbol(name);
  if (s.where.text == 0 && s.where.offset == 0) s.where = where;
  return s;
}

void Assembly::define_label(Symbol& s, Location where) {
  if (s.state == SymbolState::kLabel || s.state == SymbolState::kCommon ||
      s.state == SymbolState::kVariable) {
    error(where, fmt::format("symbol '{}' is already defined", s.name));
    return;
  }
  s.state = SymbolState::kLabel;
  s.section = current_;
  s.offset = current_->size();
  s.where = where;
}

Symbol& Assembly::here() {
  Symbol& s = anonymous();
  define_label(s, {});
  return s;
}

void Assembly::define_local(uint64_t number, Location where) {
  LocalLabels& l = locals_[number];
  Symbol& s = l.next ? *l.next : anonymous();
  define_label(s, where);
  l.last = &s;
  l.next = nullptr;
}

Symbol* Assembly::local_label(uint64_t number, bool forward, Location where) {
  LocalLabels& l = locals_[number];
  if (!forward) return l.last;
  if (!l.next) {
    l.next = &anonymous();
    l.next->name = fmt::format("\1{}f", number);
    l.next->where = where;
  }
  return l.next;
}

void Assembly::assign(std::string_view name, const Expr* value, bool redefinable, Location where) {
  if (name == ".") {
    const auto v = evaluate(value);
    const bool here =
        v && ((v->absolute()) || (v->add && !v->subtract && v->add->section == current_ &&
                                  v->add->state == SymbolState::kLabel));
    const int64_t to = here ? v->constant + (v->add ? static_cast<int64_t>(v->add->offset) : 0) : 0;
    const int64_t size = static_cast<int64_t>(current_->size());
    if (!here || to < size)
      error(where, here ? fmt::format("invalid .org offset '{}' (at offset '{}')", to, size)
                        : "expected an address in this section");
    else
      emit_fill(static_cast<uint64_t>(to - size), 1, 0, where);
    return;
  }
  Symbol& s = mention(name, where);
  const bool again = s.state == SymbolState::kVariable;
  if (s.state == SymbolState::kLabel || s.state == SymbolState::kCommon ||
      (again && !(redefinable && s.redefinable))) {
    error(where, fmt::format("redefinition of '{}'", name));
    return;
  }
  const auto is_itself = [&](const auto& self, const Expr* e) -> bool {
    if (e->kind == ExprKind::kSymbol && e->symbol == &s) return true;
    return std::any_of(e->operands.begin(), e->operands.end(),
                       [&](const Expr* o) { return self(self, o); });
  };
  if (is_itself(is_itself, value)) {
    error(where, fmt::format("recursive use of '{}'", name));
    return;
  }
  s.state = SymbolState::kVariable;
  s.value = value;
  s.redefinable = redefinable;
}

std::optional<SymbolValue> Assembly::find(std::string_view name) const {
  ++symbol_queries_;
  if (name == ".")
    return SymbolValue{static_cast<int64_t>(current_->size()), current_->index + 1, true};
  const Symbol* s = find_symbol(name);
  if (!s) return std::nullopt;
  if (s->state == SymbolState::kLabel)
    return SymbolValue{static_cast<int64_t>(s->offset), s->section->index + 1, true};
  if (s->state != SymbolState::kVariable) return std::nullopt;
  const auto v = evaluate(s->value);
  if (!v || v->subtract || v->specifier != Specifier::kNone) return std::nullopt;
  if (!v->add) return SymbolValue{v->constant, 0, has_labels(s->value)};
  if (v->add->state != SymbolState::kLabel) return std::nullopt;
  return SymbolValue{v->constant + static_cast<int64_t>(v->add->offset), v->add->section->index + 1,
                     true};
}

std::optional<SymbolValue> Assembly::find_local(uint64_t number, bool forward) const {
  ++symbol_queries_;
  const auto it = locals_.find(number);
  if (forward || it == locals_.end() || !it->second.last) return std::nullopt;
  const Symbol& s = *it->second.last;
  return SymbolValue{static_cast<int64_t>(s.offset), s.section->index + 1, true};
}

}  // namespace lockstep::asm_
