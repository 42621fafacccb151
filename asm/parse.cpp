// SPDX-License-Identifier: MIT
// Splits an instruction into mnemonic, operands and modifiers.
#include "asm/parse.h"

#include <fmt/format.h>

#include <algorithm>

namespace lockstep::asm_ {
namespace {

using isa::OperandKind;

/// Modifiers that are a bare word.
constexpr std::string_view kFlags[] = {
    "clamp",     "gds",   "glc",    "slc",        "dlc",        "scc",
    "sc0",       "sc1",   "nt",     "lds",        "tfe",        "lwe",
    "r128",      "a16",   "d16",    "unorm",      "da",         "nv",
    "offen",     "idxen", "done",   "row_en",     "vm",         "compr",
    "addr64",    "high",  "fi",     "bound_ctrl", "row_mirror", "row_half_mirror",
    "unordered", "mul",   "div",    "noglc",      "noslc",      "nodlc",
    "nogds",     "notfe", "nolwe",  "nor128",     "noa16",      "nod16",
    "nounorm",   "noda",  "nosc0",  "nosc1",      "nont",       "nooffen",
    "noidxen",   "nolds", "nodone", "norow_en",   "noscc",      "noclamp"};

/// Which lengths the flags have by their first letter: almost every other word is told apart so.
struct FlagLengths {
  uint32_t of[26] = {};
};
constexpr FlagLengths kFlagLengths = [] {
  FlagLengths lengths;
  for (const std::string_view flag : kFlags) lengths.of[flag[0] - 'a'] |= 1u << flag.size();
  return lengths;
}();
bool is_flag(std::string_view word) {
  if (word[0] < 'a' || word[0] > 'z' || word.size() > 31) return false;
  if (!(kFlagLengths.of[word[0] - 'a'] >> word.size() & 1)) return false;
  // Registers: v1 is as long as vm.
  if (word.size() > 1 && (word[0] == 'v' || word[0] == 's') && word[1] <= '9') return false;
  return std::find(std::begin(kFlags), std::end(kFlags), word) != std::end(kFlags);
}

/// Words that open a symbolic immediate which runs to the end of the line.
bool opens_text(std::string_view name) {
  static constexpr std::string_view kWords[] = {"vmcnt",     "expcnt",     "lgkmcnt",
                                                "vmcnt_sat", "expcnt_sat", "lgkmcnt_sat",
                                                "instid0",   "instid1",    "instskip"};
  return name.starts_with("depctr_") || name.starts_with("UC_VERSION") ||
         std::find(std::begin(kWords), std::end(kWords), name) != std::end(kWords);
}

class Parser {
 public:
  Parser(std::string_view text, const std::vector<Token>& tokens, isa::Isa isa,
         const SymbolScope* symbols)
      : text_(text), tokens_(tokens), isa_(isa), symbols_(symbols) {}

  /// Elements that `lines` has already are used again, with their memory.
  std::optional<ParseError> run(std::vector<ParsedLine>& lines) {
    size_t count = 0;
    do {
      if (count == lines.size()) lines.emplace_back();
      ParsedLine& line = lines[count];
      line.operands.clear();
      line.modifiers.clear();
      if (peek().kind != TokenKind::kIdentifier) {
        fail("expected an instruction");
        return error_;
      }
      line.at = peek().at;
      line.mnemonic = next().text;
      while (!done() && !is("::") && !error_) {
        argument(line);
        if (error_) return error_;
        if (is(",")) ++i_;
      }
      ++count;
      constexpr size_t kMostHalves = 2;
      if (is("::") && count == kMostHalves) fail("a pair has two halves");
    } while (!error_ && take("::"));
    lines.resize(count);
    return error_;
  }

 private:
  const Token& peek(size_t ahead = 0) const {
    return tokens_[std::min(i_ + ahead, tokens_.size() - 1)];
  }
  const Token& next() { return tokens_[i_ + 1 < tokens_.size() ? i_++ : i_]; }
  bool done() const { return peek().kind == TokenKind::kEnd; }
  bool is(std::string_view punctuation, size_t ahead = 0) const {
    const Token& t = peek(ahead);
    if (t.kind != TokenKind::kPunctuation || t.text.size() != punctuation.size()) return false;
    return t.text.front() == punctuation.front() && t.text.back() == punctuation.back();
  }
  bool take(std::string_view punctuation) {
    if (!is(punctuation)) return false;
    ++i_;
    return true;
  }
  bool expect(std::string_view punctuation) {
    if (take(punctuation)) return true;
    fail(fmt::format("expected '{}'", punctuation));
    return false;
  }
  bool is_word(std::string_view word) const {
    return peek().kind == TokenKind::kIdentifier && peek().text == word;
  }
  void fail(std::string message) {
    if (!error_) error_ = ParseError{std::move(message), peek().at};
  }

  /// A plain integer with nothing of an expression behind it: nearly all numbers are.
  std::optional<int64_t> plain_integer() {
    if (peek().kind != TokenKind::kInteger) return std::nullopt;
    const Token& after = peek(1);
    const bool alone = after.kind == TokenKind::kEnd ||
                       (after.kind == TokenKind::kPunctuation && after.text.size() == 1 &&
                        (after.text[0] == ',' || after.text[0] == ']' || after.text[0] == ':'));
    if (!alone) return std::nullopt;
    return static_cast<int64_t>(next().integer);
  }

  /// A number that must be known now.
  std::optional<int64_t> absolute() {
    if (const auto integer = plain_integer()) return integer;
    const size_t at = peek().at;
    const auto n = parse_expression(tokens_, i_, symbols_);
    if (n && n->known) return n->value;
    if (n && !error_) error_ = ParseError{"expected an absolute expression", at};
    return std::nullopt;
  }

  /// A name that is no register and opens no symbolic immediate.
  bool starts_symbol(size_t ahead = 0) const {
    if (!symbols_ || peek(ahead).kind != TokenKind::kIdentifier) return false;
    const std::string_view name = peek(ahead).text;
    if (is("(", ahead + 1)) return symbols_->is_function(name);
    return !opens_text(name) && !is_reserved_name(name) &&
           !(register_bank(name, isa_) && is("[", ahead + 1)) && !named_register(name, isa_);
  }

  /// gfx9: a16 is a modifier of images, and a register where an operand is awaited.
  bool is_accumulator(const ParsedLine& line) const {
    return peek().text == "a16" && register_bank("a", isa_) &&
           (line.operands.empty() || tokens_[i_ - 1].text == ",");
  }

  void argument(ParsedLine& line) {
    const Token& t = peek();
    if (t.kind == TokenKind::kIdentifier && is(":", 1)) {
      modifier_with_value(line);
      return;
    }
    if (t.kind == TokenKind::kIdentifier && is_flag(t.text) && !is_accumulator(line)) {
      // "scc" is a register where an operand is awaited; only gfx90a has a modifier of that name.
      const bool after_comma = i_ > 0 && tokens_[i_ - 1].text == ",";
      const bool awaited = after_comma || line.operands.empty();
      if (t.text != "scc" || (isa_ == isa::Isa::kGfx90a && !awaited)) {
        Modifier m;
        m.name = t.text;
        m.at = t.at;
        m.operands_before = line.operands.size();
        ++i_;
        line.modifiers.push_back(m);
        return;
      }
    }
    ParsedOperand o;
    o.at = t.at;
    operand(o);
    if (!error_) line.operands.push_back(std::move(o));
  }

  void modifier_with_value(ParsedLine& line) {
    Modifier m;
    m.name = peek().text;
    m.at = peek().at;
    m.has_value = true;
    m.operands_before = line.operands.size();
    i_ += 2;
    const size_t start = peek().at;
    if (take("[")) {
      bracketed(m);
    } else if (peek().kind == TokenKind::kIdentifier &&
               !(symbols_ && symbols_->find(peek().text))) {
      ++i_;
      if (is("(")) skip_parentheses();
    } else if (m.name == "dim" && peek().kind == TokenKind::kInteger &&
               peek(1).kind == TokenKind::kIdentifier && peek().end() == peek(1).at) {
      i_ += 2;  // dim:2D
    } else {
      m.integer = absolute();
      if (!m.integer) fail("expected a value");
    }
    const size_t end = i_ ? tokens_[i_ - 1].end() : start;
    m.text = text_.substr(start, end > start ? end - start : 0);
    line.modifiers.push_back(std::move(m));
  }

  void bracketed(Modifier& m) {
    m.is_list = true;
    while (!error_ && !is("]")) {
      if (done()) {
        fail("expected ']'");
        return;
      }
      if (peek().kind == TokenKind::kIdentifier) {  // format:[NAME]
        ++i_;
      } else {
        const auto value = absolute();
        if (!value) {
          fail("expected a value");
          return;
        }
        m.list.push_back(*value);
      }
      if (is("]")) break;
      if (!expect(",")) return;
      if (is("]")) fail("expected a value");
    }
    ++i_;
  }

  void skip_parentheses() {
    int depth = 0;
    do {
      if (is("(")) ++depth;
      if (is(")")) --depth;
      if (done()) {
        fail("expected ')'");
        return;
      }
      ++i_;
    } while (depth > 0);
  }

  void operand(ParsedOperand& o) {
    signed_operand(o);
    if (o.kind == ParsedKind::kOff && (o.neg || o.abs || o.sext))
      fail("off takes no neg, abs or sext");
  }

  void signed_operand(ParsedOperand& o) {
    o.like_signs = (is("-") && is("-", 1)) || ((is_word("neg") || is_word("abs")) && !is("(", 1));
    if ((is_word("sext") || is_word("lit")) && !is("(", 1)) {
      fail("expected '('");
      return;
    }
    if (is("-") && (is("|", 1) || (peek(1).kind == TokenKind::kIdentifier && !starts_symbol(1)))) {
      ++i_;
      o.neg = o.minus = true;
      if (is_word("neg") || is_word("sext") || is_word("lit")) {
        fail("a minus cannot stand here; write neg(..)");
        return;
      }
      magnitude(o);
      return;
    }
    if (is_word("neg") && is("(", 1)) {
      i_ += 2;
      o.neg = true;
      magnitude(o);
      expect(")");
      return;
    }
    if (is_word("sext") && is("(", 1)) {
      i_ += 2;
      o.sext = true;
      value(o);
      expect(")");
      return;
    }
    magnitude(o);
  }

  void magnitude(ParsedOperand& o) {
    if (take("|")) {
      o.abs = true;
      value(o);
      o.literal = false;  // LLVM forgets lit() between bars
      expect("|");
    } else if (is_word("abs") && is("(", 1)) {
      i_ += 2;
      o.abs = true;
      value(o);
      expect(")");
    } else {
      value(o);
    }
  }

  void value(ParsedOperand& o) {
    const size_t at = o.at;
    const Token& t = peek();
    if (t.kind == TokenKind::kIdentifier) {
      named(o);
    } else if (is("[")) {
      list(o);
    } else if (t.kind == TokenKind::kReal || (is("-") && peek(1).kind == TokenKind::kReal)) {
      const bool negative = take("-");
      o.kind = ParsedKind::kReal;
      o.real = negative ? -peek().real : peek().real;
      ++i_;
    } else {
      expression(o);
    }
    o.at = at;
  }

  /// An expression over the names of s_version, which ends with the line.
  bool names_version(size_t first) const {
    return std::any_of(tokens_.begin() + static_cast<std::ptrdiff_t>(first), tokens_.end(),
                       [](const Token& t) { return t.text.starts_with("UC_VERSION"); });
  }

  void expression(ParsedOperand& o) {
    if (const auto integer = plain_integer()) {
      o.kind = ParsedKind::kInteger;
      o.integer = *integer;
      return;
    }
    const size_t start = peek().at;
    const size_t first = i_;
    const auto number = parse_expression(tokens_, i_, symbols_, o.abs);
    if (!number) {
      if (names_version(first)) {
        o.kind = ParsedKind::kText;
        i_ = tokens_.size() - 1;
        o.text = text_.substr(start);
        return;
      }
      fail("expected an operand");
      return;
    }
    o.integer = number->value;
    o.deferred = !number->known || number->has_labels;
    o.kind = o.deferred ? ParsedKind::kText : ParsedKind::kInteger;
    if (o.deferred) o.text = text_.substr(start, tokens_[i_ - 1].end() - start);
  }

  void set_register(ParsedOperand& o, const ParsedOperand& r) {
    o.kind = r.kind;
    o.bank = r.bank;
    o.code = r.code;
    o.dwords = r.dwords;
    o.half = r.half;
  }

  void named(ParsedOperand& o) {
    const std::string_view name = peek().text;
    if (const auto bank = register_bank(name, isa_); bank && is("[", 1)) {
      range(o, *bank);
      return;
    }
    if (const auto r = named_register(name, isa_)) {
      set_register(o, *r);
      o.text = name;
      ++i_;
      return;
    }
    if (name == "off") {
      o.kind = ParsedKind::kOff;
      o.deferred = symbols_ != nullptr;  // a symbol where the operand cannot be left out
      o.text = name;
      ++i_;
      return;
    }
    if (name == "lit" && is("(", 1)) {
      i_ += 2;
      if (peek().kind != TokenKind::kIdentifier && !is("[")) value(o);
      if (!o.is_number()) fail("lit() holds a number");
      o.literal = true;
      expect(")");
      return;
    }
    if (starts_symbol()) {
      expression(o);
      return;
    }
    const size_t start = peek().at;
    o.kind = ParsedKind::kText;
    if (opens_text(name)) {
      while (!done()) ++i_;
    } else {
      ++i_;
      if (is("(")) skip_parentheses();
    }
    o.text = text_.substr(start, tokens_[i_ - 1].end() - start);
  }

  void range(ParsedOperand& o, const RegisterBank& bank) {
    i_ += 2;
    const auto first = absolute();
    auto last = first;
    if (take(":")) last = absolute();
    if (!first || !last) {
      fail("expected a register number");
      return;
    }
    if (!expect("]")) return;
    if (*first < 0 || *last < *first || *last >= static_cast<int64_t>(bank.count)) {
      fail(*last < *first ? "the first register is greater than the last"
                          : "register index is out of range");
      return;
    }
    o.kind = ParsedKind::kRegister;
    o.bank = bank.kind;
    o.code = bank.first + static_cast<unsigned>(*first);
    o.dwords = static_cast<unsigned>(*last - *first) + 1;
    check_alignment(o);
  }

  void check_alignment(const ParsedOperand& o) {
    if (o.bank != OperandKind::kScalar || o.dwords < 2) return;
    const unsigned index = o.code >= isa::kTtmp0 ? o.code - isa::kTtmp0 : o.code;
    const unsigned alignment = o.dwords == 2 ? 2 : 4;
    if (o.code != isa::kVccLo && o.code != isa::kExecLo && index % alignment)
      fail("invalid register alignment");
  }

  void list(ParsedOperand& o) {
    ++i_;
    do {
      ParsedOperand item;
      item.at = peek().at;
      if (peek().kind != TokenKind::kIdentifier) {
        fail("expected a register");
        return;
      }
      named(item);
      if (error_) return;
      if (item.kind != ParsedKind::kRegister || item.bank == OperandKind::kSpecial || item.half) {
        fail("expected a register");
        return;
      }
      o.list.push_back(item);
    } while (take(","));
    if (!expect("]")) return;
    // A run of registers is the same as a range.
    bool run = true;
    for (size_t k = 0; k < o.list.size(); ++k)
      run = run && o.list[k].dwords == 1 && o.list[k].bank == o.list[0].bank &&
            o.list[k].code == o.list[0].code + k;
    o.kind = ParsedKind::kList;
    if (!run) return;
    o.kind = ParsedKind::kRegister;
    o.bank = o.list[0].bank;
    o.code = o.list[0].code;
    o.dwords = static_cast<unsigned>(o.list.size());
    check_alignment(o);
  }

  std::string_view text_;
  const std::vector<Token>& tokens_;
  isa::Isa isa_;
  const SymbolScope* symbols_;
  size_t i_ = 0;
  std::optional<ParseError> error_;
};

}  // namespace

std::optional<ParseError> parse_instruction(std::string_view text, isa::Isa isa,
                                            const SymbolScope* symbols,
                                            std::vector<ParsedLine>& lines) {
  static thread_local Tokens tokens;
  tokenize(text, tokens);
  if (!tokens.problem.empty()) return ParseError{tokens.problem, tokens.at};
  return Parser(text, tokens.list, isa, symbols).run(lines);
}

}  // namespace lockstep::asm_
