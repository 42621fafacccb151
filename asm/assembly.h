// SPDX-License-Identifier: MIT
// The state of assembling one source file. Directives are free functions over it (directives.h).
// Internal to the source assembler.
#pragma once
#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "asm/assemble.h"
#include "asm/frame_table.h"
#include "asm/input.h"
#include "asm/line_cache.h"
#include "asm/line_table.h"
#include "asm/program.h"
#include "asm/source.h"

namespace lockstep::asm_ {

struct MacroParameter {
  std::string name;
  std::string default_value;
  bool required = false;
  bool rest = false;  ///< `:vararg`: takes all that is left
};
struct Macro {
  std::string name;
  std::vector<MacroParameter> parameters;
  std::string body;
};

/// One `.if`.
struct Conditional {
  Location where;
  bool taken = false;     ///< a branch of it was assembled
  bool skipping = false;  ///< the current branch is not
  bool outer_skipping = false;
  bool had_else = false;
};

/// A key of .amdhsa_kernel as it was written.
struct DescriptorValue {
  const Expr* expr = nullptr;
  Location where;
};
struct PendingDescriptor {
  Section* section = nullptr;
  uint64_t offset = 0;
  std::string kernel;
  Location where;
  std::map<std::string, DescriptorValue, std::less<>> values;
};

/// A number of variable length whose value was not known yet.
struct LateLeb {
  Section* section = nullptr;
  uint64_t offset = 0;
  const Expr* expr = nullptr;
  bool is_signed = false;
  Location where;
};

class Assembly final : public Program {
 public:
  Assembly(const SourceOptions& options) : options(options) {}
  AssembledSource run(std::string_view text, const std::string& name);

  SourceOptions options;
  AsmOptions line_options;
  Input input;
  uint8_t code_object_version = 6;
  std::optional<isa::Target> target;
  std::map<std::string, Macro, std::less<>> macros;
  uint64_t macro_count = 0;  ///< \@
  std::vector<Conditional> conditionals;
  std::vector<PendingDescriptor> descriptors;
  std::vector<std::array<Section*, 2>> section_stack;  ///< of .pushsection: current, previous
  bool in_descriptor = false;
  LineTable lines;
  std::vector<LateLeb> late_lebs;
  std::vector<size_t> leb_sizes;  ///< room for each of them
  bool settled = true;            ///< there was room enough
  FrameTable frames;
  bool wants_addrsig = false;
  std::vector<Symbol*> addrsig;  ///< symbols whose addresses are compared, for linkers that fold

  // Messages.
  void error(Location where, const std::string& message) {
    report(Severity::kError, where, message);
  }
  void report(Severity severity, Location where, const std::string& message);
  size_t error_count() const { return errors_; }

  // Target. Until the first line that needs it, .amdgcn_target may set it.
  bool need_target(Location where);
  void set_target(isa::Target target);
  std::string target_id() const;
  bool has_features() const;

  // Output.
  Section& section() { return *current_; }
  void switch_section(Section& section);
  Section* previous_section() const { return previous_; }
  void set_sections(Section* current, Section* previous);
  /// The section of that name, made with these properties if there is none.
  Section& section_named(std::string_view name, uint32_t type, uint64_t flags,
                         uint64_t entry_size = 0);
  bool is_code() const;
  /// False (and an error) in a section without bytes.
  bool can_emit(Location where);
  void emit(const void* bytes, size_t size);
  void emit_value(const Expr* expr, unsigned size, Location where);
  void emit_leb(const Expr* expr, bool is_signed, Location where);
  /// Writes those that came late, or (not settled) gives them more room in leb_sizes.
  void finish_lebs();
  void emit_fill(uint64_t count, unsigned size, uint64_t value, Location where);
  void align(uint64_t alignment, std::optional<uint64_t> fill, unsigned fill_size, uint64_t most,
             Location where);

  // Symbols.
  Symbol& mention(std::string_view name, Location where);
  void define_label(Symbol& symbol, Location where);
  void define_local(uint64_t number, Location where);
  Symbol* local_label(uint64_t number, bool forward, Location where);
  Symbol& here();
  void assign(std::string_view name, const Expr* value, bool redefinable, Location where);

  // Statements.
  void statement(std::string_view line, Location where);
  bool skipping() const { return !conditionals.empty() && conditionals.back().skipping; }

  // SymbolScope.
  std::optional<SymbolValue> find(std::string_view name) const override;
  std::optional<SymbolValue> find_local(uint64_t number, bool forward) const override;
  bool is_function(std::string_view name) const override;
  std::optional<int64_t> call(std::string_view name,
                              const std::vector<int64_t>& arguments) const override;

 private:
  void instruction(std::string_view line, Location where);
  AsmResult assemble(std::string_view line);
  void track_registers(const isa::Inst& inst);
  void set_number(std::string_view name, int64_t value);
  void finish_descriptors();
  void build_object(Object& object);

  struct LocalLabels {
    Symbol* last = nullptr;
    Symbol* next = nullptr;
  };
  Section* current_ = nullptr;
  Section* previous_ = nullptr;
  std::map<uint64_t, LocalLabels> locals_;
  std::vector<Diagnostic> diagnostics_;
  size_t errors_ = 0;
  LineCache known_lines_;                ///< for the target and options of now
  mutable uint64_t symbol_queries_ = 0;  ///< so far: tells whether a line depends on symbols
  bool target_used_ = false;
  bool tracks_registers_ = false;
  int64_t next_vgpr_ = 0, next_sgpr_ = 0;
};

inline Location operator+(Location l, size_t n) {
  return {l.text, l.offset + static_cast<uint32_t>(n)};
}

}  // namespace lockstep::asm_
