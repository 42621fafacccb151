// SPDX-License-Identifier: MIT
// Symbolic immediates: the inverse of symbol_text.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "asm/assembler.h"
#include "asm/symbols.h"

namespace lockstep::asm_ {
namespace {

using isa::Isa;
using isa::Type;

bool is_gfx9(Isa isa) { return isa::generation_of(isa) == isa::Generation::kGfx9; }

SymbolicValue problem(std::string message) { return {std::nullopt, std::move(message)}; }

/// Reads tokens of one symbolic immediate.
class Reader {
 public:
  Reader(std::string_view text, const SymbolScope* symbols)
      : tokens_(tokenize(text)), symbols_(symbols) {}
  bool bad() const { return !tokens_.problem.empty(); }
  const Token& peek() const { return tokens_.list[i_]; }
  bool done() const { return peek().kind == TokenKind::kEnd; }
  bool take(std::string_view punctuation) {
    if (peek().kind != TokenKind::kPunctuation || peek().text != punctuation) return false;
    ++i_;
    return true;
  }
  std::optional<std::string_view> word() {
    if (peek().kind != TokenKind::kIdentifier) return std::nullopt;
    return tokens_.list[i_++].text;
  }
  std::optional<std::string_view> string() {
    if (peek().kind != TokenKind::kString) return std::nullopt;
    return tokens_.list[i_++].text;
  }
  /// All that is not read yet.
  Tokens rest() const {
    Tokens out = tokens_;
    out.list.erase(out.list.begin(), out.list.begin() + static_cast<std::ptrdiff_t>(i_));
    return out;
  }
  std::optional<int64_t> number() {
    const auto n = parse_expression(tokens_.list, i_, symbols_);
    return n && n->known ? std::optional(n->value) : std::nullopt;
  }
  /// A name of the table, or a number.
  std::optional<int64_t> symbol(std::span<const Symbol> table) {
    if (peek().kind == TokenKind::kIdentifier)
      if (const auto code = find_code(table, peek().text)) {
        ++i_;
        return *code;
      }
    return number();
  }

 private:
  Tokens tokens_;
  const SymbolScope* symbols_;
  size_t i_ = 0;
};

SymbolicValue hwreg(Reader& r, Isa isa) {
  if (r.word() != "hwreg" || !r.take("(")) return problem("expected hwreg(..)");
  const auto id = r.symbol(hwreg_symbols(isa));
  if (!id || *id < 0 || *id > 63) return problem("no such hardware register on this target");
  int64_t offset = 0, width = 32;
  if (r.take(",")) {
    const auto o = r.number();
    if (!o || !r.take(",")) return problem("hwreg takes a register, or register, offset and width");
    const auto w = r.number();
    if (!w) return problem("hwreg: the width is missing");
    offset = *o;
    width = *w;
  }
  if (!r.take(")") || !r.done()) return problem("expected ')'");
  if (offset < 0 || offset > 31) return problem("the bit offset must be in 0..31");
  if (width < 1 || width > 32) return problem("the width must be in 1..32");
  return {static_cast<unsigned>(*id | offset << 6 | (width - 1) << 11)};
}

SymbolicValue message(Reader& r, Isa isa) {
  if (r.word() != "sendmsg" || !r.take("(")) return problem("expected sendmsg(..)");
  const bool gfx9 = is_gfx9(isa), symbolic = r.peek().kind == TokenKind::kIdentifier;
  const auto id = r.symbol(message_symbols(isa));
  if (!id || *id < 0 || *id > (gfx9 ? 15 : 255)) return problem("no such message on this target");
  std::optional<int64_t> op, stream;
  constexpr int64_t kGs = 2, kGsDone = 3, kSystem = 15;
  const bool gs = gfx9 && (*id == kGs || *id == kGsDone), system = gfx9 && *id == kSystem;
  if (r.take(",")) {
    op = r.symbol(system ? system_operation_symbols() : gs_operation_symbols());
    if (!op) return problem("no such operation of this message");
    if (r.take(",")) {
      stream = r.number();
      if (!stream) return problem("the stream is missing");
    }
  }
  if (!r.take(")") || !r.done()) return problem("expected ')'");
  if (symbolic) {
    if (op && !gs && !system) return problem("the message has no operations");
    if (!op && (*id == kGs || system) && gfx9) return problem("the operation is missing");
    if (op && find_symbol(system ? system_operation_symbols() : gs_operation_symbols(),
                          static_cast<unsigned>(*op))
                  .empty())
      return problem("no such operation of this message");
    if (op && *id == kGs && *op == 0) return problem("no such operation of this message");
    if (stream && (!gs || *op == 0)) return problem("the operation has no streams");
  }
  if (op && (*op < 0 || *op > 7)) return problem("no such operation");
  if (stream && (*stream < 0 || *stream > 3)) return problem("no such stream");
  return {static_cast<unsigned>(*id | op.value_or(0) << 4 | stream.value_or(0) << 8)};
}

/// vmcnt(0) & lgkmcnt(1): counters that are not named stay at their maximum.
SymbolicValue counters(Reader& r, std::span<const CounterField> fields, bool saturates) {
  unsigned value = 0, seen = 0;
  for (const CounterField& f : fields) value |= f.place(f.mask());
  while (!r.done()) {
    auto name = r.word();
    if (!name || !r.take("(")) return problem("expected a counter name");
    const bool saturate = saturates && name->ends_with("_sat");
    if (saturate) name->remove_suffix(4);
    const auto field = std::find_if(fields.begin(), fields.end(),
                                    [&](const CounterField& f) { return f.name == *name; });
    if (field == fields.end()) return problem(fmt::format("invalid counter name {}", *name));
    const auto n = r.number();
    if (!n || !r.take(")")) return problem(fmt::format("{} takes a number", *name));
    const auto index = static_cast<unsigned>(field - fields.begin());
    if (!saturates && (seen >> index & 1)) return problem(fmt::format("{} is named twice", *name));
    seen |= 1u << index;
    int64_t count = *n;
    if (saturate && count > static_cast<int64_t>(field->mask())) count = field->mask();
    if (count < 0 || count > static_cast<int64_t>(field->mask()))
      return problem(fmt::format("too large value for {}", *name));
    value = (value & ~field->place(field->mask())) | field->place(static_cast<unsigned>(count));
    if ((r.take("&") || r.take(",")) && r.done()) return problem("expected a counter name");
  }
  return {value};
}

SymbolicValue delay(Reader& r) {
  unsigned value = 0;
  do {
    const auto name = r.word();
    if (!name || !r.take("(")) return problem("expected instid0, instskip or instid1");
    const bool skip = *name == "instskip";
    const unsigned low = *name == "instid0" ? 0 : skip ? 4 : 7;
    if (!skip && *name != "instid0" && *name != "instid1")
      return problem(fmt::format("invalid field name {}", *name));
    const auto what = r.word();
    const std::span<const std::string_view> names =
        skip ? std::span<const std::string_view>(kDelaySkips) : kDelayInstIds;
    const auto found = what ? std::find(names.begin(), names.end(), *what) : names.end();
    if (found == names.end()) return problem(fmt::format("invalid value of {}", *name));
    if (!r.take(")")) return problem("expected ')'");
    value |= static_cast<unsigned>(found - names.begin()) << low;
  } while (r.take("|"));
  if (!r.done()) return problem("expected '|'");
  return {value};
}

SymbolicValue version(Reader& r) {
  constexpr Symbol kBits[] = {{0x2000, "UC_VERSION_W64_BIT"},
                              {0x4000, "UC_VERSION_W32_BIT"},
                              {0x8000, "UC_VERSION_MDP_BIT"}};
  Tokens tokens = r.rest();
  for (Token& t : tokens.list) {
    if (t.kind != TokenKind::kIdentifier) continue;
    auto code = find_code(version_symbols(), t.text);
    if (!code) code = find_code(kBits, t.text);
    if (!code) return problem(fmt::format("unknown version {}", t.text));
    t.kind = TokenKind::kInteger;
    t.integer = *code;
  }
  size_t i = 0;
  const auto value = parse_expression(tokens.list, i);
  if (!value || tokens.list[i].kind != TokenKind::kEnd) return problem("expected a version");
  if (*value < -0x8000 || *value > 0xffff) return problem("the version does not fit in 16 bits");
  return {static_cast<unsigned>(*value) & 0xffff};
}

SymbolicValue gpr_index(Reader& r) {
  static constexpr std::string_view kNames[] = {"SRC0", "SRC1", "SRC2", "DST"};
  if (r.word() != "gpr_idx" || !r.take("(")) return problem("expected gpr_idx(..)");
  unsigned value = 0;
  if (r.take(")")) return {0};
  do {
    const auto name = r.word();
    const auto found =
        name ? std::find(std::begin(kNames), std::end(kNames), *name) : std::end(kNames);
    if (found == std::end(kNames)) return problem("expected SRC0, SRC1, SRC2 or DST");
    const unsigned bit = 1u << (found - std::begin(kNames));
    if (value & bit) return problem("a name stands twice");
    value |= bit;
  } while (r.take(","));
  if (!r.take(")") || !r.done()) return problem("expected ')'");
  return {value};
}

}  // namespace

SymbolicValue symbolic_value(std::string_view text, Type type, Isa isa,
                             const SymbolScope* symbols) {
  Reader r(text, symbols);
  if (r.bad()) return problem("malformed operand");
  switch (type) {
    case Type::HWREG:
      return hwreg(r, isa);
    case Type::SENDMSG:

    case Type::SENDMSG_RTN:
      return message(r, isa);
    case Type::WAITCNT:
      return counters(r, waitcnt_fields(isa), true);
    case Type::WAITCNT_DEPCTR:
      return counters(r, depctr_fields(isa), false);
    case Type::DELAY:
      return delay(r);
    case Type::VERSION:
      return version(r);
    case Type::SIMM16:
      return text.starts_with("gpr_idx") ? gpr_index(r) : problem("a number is needed here");
    case Type::LABEL:
      return problem("a label needs a program around it");
    default:
      return problem("a number is needed here");
  }
}

SymbolicValue swizzle_value(std::string_view text, Isa isa) {
  Reader r(text, nullptr);
  if (r.bad() || r.word() != "swizzle" || !r.take("(")) return problem("expected swizzle(..)");
  const auto mode = r.word();
  if (!mode || !r.take(",")) return problem("expected a swizzle mode and a comma");
  const auto lane = [&](int64_t most) -> std::optional<unsigned> {
    const auto n = r.number();
    if (!n || *n < 0 || *n > most) return std::nullopt;
    return static_cast<unsigned>(*n);
  };
  const auto power = [](unsigned n, unsigned least, unsigned most) {
    return n >= least && n <= most && std::has_single_bit(n);
  };
  constexpr unsigned kAnd = 31;
  SymbolicValue result;
  if (*mode == "QUAD_PERM") {
    unsigned value = 0x8000;
    for (unsigned i = 0; i < 4; ++i) {
      if (i && !r.take(",")) return problem("expected a comma");
      const auto n = lane(3);
      if (!n) return problem("expected a lane in 0..3");
      value |= *n << (2 * i);
    }
    result.value = value;
  } else if (*mode == "BITMASK_PERM") {
    const auto mask = r.string();
    if (!mask || mask->size() != 5) return problem("expected a mask of five characters");
    unsigned and_mask = 0, or_mask = 0, xor_mask = 0;
    for (size_t i = 0; i < 5; ++i) {
      const unsigned bit = 16u >> i;
      switch ((*mask)[i]) {
        case '0':
          break;
        case '1':
          or_mask |= bit;
          break;
        case 'p':
          and_mask |= bit;
          break;
        case 'i':
          and_mask |= bit;
          xor_mask |= bit;
          break;
        default:
          return problem("a mask has the characters 0, 1, p and i");
      }
    }
    result.value = and_mask | or_mask << 5 | xor_mask << 10;
  } else if (*mode == "BROADCAST") {
    const auto group = lane(32);
    if (!group || !power(*group, 2, 32)) return problem("the group size must be 2, 4, 8, 16 or 32");
    if (!r.take(",")) return problem("expected a comma");
    const auto n = lane(*group - 1);
    if (!n) return problem("the lane is not in its group");
    result.value = (32 - *group) | *n << 5;
  } else if (*mode == "SWAP") {
    const auto group = lane(16);
    if (!group || !power(*group, 1, 16)) return problem("the group size must be 1, 2, 4, 8 or 16");
    result.value = kAnd | *group << 10;
  } else if (*mode == "REVERSE") {
    const auto group = lane(32);
    if (!group || !power(*group, 2, 32)) return problem("the group size must be 2, 4, 8, 16 or 32");
    result.value = kAnd | (*group - 1) << 10;
  } else if (*mode == "FFT" && isa == Isa::kGfx950) {
    const auto n = lane(31);
    if (!n) return problem("expected a number in 0..31");
    result.value = 0xe000 | *n;
  } else if (*mode == "ROTATE" && isa == Isa::kGfx950) {
    const auto direction = lane(1);
    if (!direction || !r.take(",")) return problem("expected a direction, 0 or 1");
    const auto n = lane(31);
    if (!n) return problem("expected a number in 0..31");
    result.value = 0xc000 | *direction << 10 | *n << 5;
  } else {
    return problem("expected a swizzle mode");
  }
  if (!r.take(")") || !r.done()) return problem("expected ')'");
  return result;
}

}  // namespace lockstep::asm_
