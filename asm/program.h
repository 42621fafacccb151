// SPDX-License-Identifier: MIT
// What a source file becomes while it is read: expressions, symbols, sections with open fixups.
// Internal to the source assembler.
#pragma once
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "asm/lexer.h"
#include "asm/symbol_scope.h"

namespace lockstep::asm_ {

/// Where something was written: a text of Source's list and an offset in it.
struct Location {
  uint32_t text = 0;
  uint32_t offset = 0;
};

struct Symbol;

/// What stands behind @ in an expression.
enum class Specifier : uint8_t {
  kNone,
  kGotPcRel,
  kGotPcRel32Lo,
  kGotPcRel32Hi,
  kRel32Lo,
  kRel32Hi,
  kRel64,
  kAbs32Lo,
  kAbs32Hi,
  kAbs64,
};
/// "rel32@lo"; nothing if there is no such specifier.
std::optional<Specifier> find_specifier(std::string_view name);

enum class ExprKind : uint8_t { kConstant, kSymbol, kUnary, kBinary, kCall };

struct Expr {
  ExprKind kind = ExprKind::kConstant;
  Specifier specifier = Specifier::kNone;
  int64_t constant = 0;
  Symbol* symbol = nullptr;
  std::string op = {};  ///< operator, or function of a call
  std::vector<const Expr*> operands = {};
};

struct Section;

enum class SymbolState : uint8_t { kUndefined, kLabel, kVariable, kCommon };

struct Symbol {
  std::string name;
  SymbolState state = SymbolState::kUndefined;
  Section* section = nullptr;   ///< of a label
  uint64_t offset = 0;          ///< of a label; size of a common symbol
  const Expr* value = nullptr;  ///< of a variable
  const Expr* size = nullptr;
  uint64_t alignment = 1;    ///< of a common symbol
  uint8_t binding = 0;       ///< STB_*
  uint8_t visibility = 0;    ///< STV_*
  uint8_t type = 0;          ///< STT_*
  bool binding_set = false;  ///< by a directive
  bool is_descriptor = false;
  bool redefinable = false;     ///< by `.set` and `=`
  bool referenced = false;      ///< by something that is emitted
  bool named_in_table = false;  ///< a relocation refers to it by name
  bool evaluating = false;      ///< guards against values that contain themselves
  Location where = {};

  bool defined() const { return state != SymbolState::kUndefined; }
  bool anonymous() const { return name[0] == '\1'; }  ///< of a number label, or of a place
  /// Only for this file: not in the symbol table, unless a relocation needs the name.
  bool temporary() const { return name.starts_with(".L") || anonymous(); }
};

enum class FixupKind : uint8_t { kData1, kData2, kData4, kData8, kRel4, kRel8, kBranch };

struct SectionFixup {
  uint64_t offset = 0;
  FixupKind kind = FixupKind::kData4;
  const Expr* expr = nullptr;
  Location where = {};
};

struct Section {
  std::string name;
  uint32_t type = 0;   ///< SHT_*
  uint64_t flags = 0;  ///< SHF_*
  uint64_t alignment = 1;
  uint64_t entry_size = 0;
  std::string link_section = {};  ///< of SHF_LINK_ORDER
  std::vector<uint8_t> bytes = {};
  uint64_t size_without_bytes = 0;  ///< of SHT_NOBITS
  std::vector<SectionFixup> fixups = {};
  uint32_t index = 0;

  bool has_bytes() const;
  uint64_t size() const { return has_bytes() ? bytes.size() : size_without_bytes; }
};

/// add - subtract + constant, as a relocation can hold it.
struct RelocatableValue {
  Symbol* add = nullptr;
  Symbol* subtract = nullptr;
  int64_t constant = 0;
  Specifier specifier = Specifier::kNone;
  bool absolute() const { return !add && !subtract; }
};

class Program : public SymbolScope {
 public:
  Symbol* find_symbol(std::string_view name) const;
  Symbol& symbol(std::string_view name);
  /// A label without a name.
  Symbol& anonymous();
  /// In order of first mention.
  const std::deque<Symbol>& symbols() const { return symbols_; }
  std::deque<Symbol>& symbols() { return symbols_; }

  Section* find_section(std::string_view name);
  Section& add_section(Section section);
  std::deque<Section>& sections() { return sections_; }

  const Expr* constant(int64_t value);
  const Expr* make(Expr expr);

  /// What is known now; sections only grow at their ends, so known distances stay. Nothing: no
  /// relocation can hold the value (yet).
  std::optional<RelocatableValue> evaluate(const Expr* expr) const { return evaluate(expr, 0); }
  std::optional<int64_t> absolute(const Expr* expr) const;
  /// Whether a label takes part, if only in a distance.
  static bool has_labels(const Expr* expr, int depth = 0);

 private:
  std::optional<RelocatableValue> binary(const Expr* expr, int depth) const;
  std::optional<RelocatableValue> evaluate(const Expr* expr, int depth) const;

  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view s) const { return std::hash<std::string_view>{}(s); }
  };
  std::deque<Symbol> symbols_;
  std::unordered_map<std::string, Symbol*, Hash, std::equal_to<>> by_name_;
  std::deque<Section> sections_;
  std::deque<Expr> exprs_;
};

}  // namespace lockstep::asm_
