// SPDX-License-Identifier: MIT
// One instruction line in neutral form: mnemonic, operands, modifiers. What they mean is decided by
// the rows (assemble.cpp).
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "asm/lexer.h"
#include "asm/symbol_scope.h"
#include "isa/operand.h"

namespace lockstep::asm_ {

enum class ParsedKind : uint8_t {
  kRegister,  ///< bank, code, dwords
  kInteger,
  kReal,
  kOff,
  kList,  ///< [v1, v5, ...] that is no run of registers
  kText,  ///< a symbolic immediate: hwreg(..), vmcnt(0) & .., a name
};

struct ParsedOperand {
  ParsedKind kind = ParsedKind::kText;
  size_t at = 0;  ///< offset in the line
  isa::OperandKind bank = isa::OperandKind::kNone;
  unsigned code = 0;  ///< canonical, as in isa::Operand
  unsigned dwords = 1;
  char half = 0;  ///< 'l' or 'h' of v1.l
  bool neg = false, abs = false, sext = false;
  /// Starts with "--", or with neg or abs without a parenthesis: no expression where signs exist.
  bool like_signs = false;
  bool minus = false;     ///< the sign was written as '-'
  bool literal = false;   ///< lit(..): never an inline constant
  bool deferred = false;  ///< kText that may also be an expression whose value is not known yet
  int64_t integer = 0;
  double real = 0;
  std::string_view text = {};
  std::vector<ParsedOperand> list = {};

  bool is_register(isa::OperandKind wanted) const {
    return kind == ParsedKind::kRegister && bank == wanted;
  }
  bool is_number() const { return kind == ParsedKind::kInteger || kind == ParsedKind::kReal; }
};

struct Modifier {
  std::string_view name;
  size_t at = 0;
  bool has_value = false;
  std::optional<int64_t> integer = {};
  std::string_view text = {};  ///< name or raw text after the colon
  std::vector<int64_t> list = {};
  bool is_list = false;
  size_t operands_before = 0;  ///< how many operands are written in front of it
};

struct ParsedLine {
  std::string_view mnemonic;
  size_t at = 0;
  std::vector<ParsedOperand> operands;
  std::vector<Modifier> modifiers;
};

struct ParseError {
  std::string message;
  size_t at = 0;
};

/// Splits at `::`; one line, or two for a VOPD pair. Returns the problem if there is one.
std::optional<ParseError> parse_instruction(std::string_view text, isa::Isa isa,
                                            const SymbolScope* symbols,
                                            std::vector<ParsedLine>& lines);

/// Evaluates an integer expression that starts at tokens[i]; advances i.
std::optional<int64_t> parse_expression(const std::vector<Token>& tokens, size_t& i);

/// The same with symbols. What is well formed, but has no value yet, is not `known`.
struct ParsedNumber {
  int64_t value = 0;
  bool known = true;
  bool has_labels = false;  ///< a distance of labels: LLVM keeps it open in an operand
};
std::optional<ParsedNumber> parse_expression(const std::vector<Token>& tokens, size_t& i,
                                             const SymbolScope* symbols, bool in_bars = false);

/// The registers that a prefix ("v", "s", "ttmp", "a") counts.
struct RegisterBank {
  isa::OperandKind kind;
  unsigned first, count;
};
std::optional<RegisterBank> register_bank(std::string_view name, isa::Isa isa);

/// True for names that look like registers to LLVM on every target, though this one may lack them:
/// they are no symbols.
bool is_reserved_name(std::string_view name);
/// Registers by name ("v1", "vcc_lo", "src_scc"); nothing if it is no register of this target.
std::optional<ParsedOperand> named_register(std::string_view name, isa::Isa isa);

}  // namespace lockstep::asm_
