// SPDX-License-Identifier: MIT
// Shared by the files that assemble: one attempt to fit a parsed line into one encoding.
#pragma once
#include <bitset>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "asm/assemble.h"
#include "asm/parse.h"
#include "isa/operand.h"

namespace lockstep::asm_ {

/// What a source field holds for a constant.
struct Constant {
  unsigned code = 0;  ///< 128..248, or isa::kSrcLiteral
  uint32_t literal = 0;
};
/// The encoding of a number as an operand of `type`; nothing if the type cannot hold it.
/// LLVM 22 keeps the upper half of negative numbers that stand for 16-bit integers.
std::optional<Constant> encode_constant(const ParsedOperand& o, isa::Type type,
                                        bool like_llvm_22 = false);
/// Bits of a number where only a literal can stand.
std::optional<uint32_t> literal_bits(const ParsedOperand& o, isa::Type type,
                                     bool like_llvm_22 = false);
/// Value of a symbolic immediate such as hwreg(..) for an operand of this type; an empty problem
/// and no value: the text is of no such kind.
struct SymbolicValue {
  std::optional<unsigned> value;
  std::string problem = {};
};
SymbolicValue symbolic_value(std::string_view text, isa::Type type, isa::Isa isa,
                             const SymbolScope* symbols = nullptr);
/// offset:swizzle(..)
SymbolicValue swizzle_value(std::string_view text, isa::Isa isa);

class Assembler {
 public:
  Assembler(const ParsedLine& line, const AsmOptions& options, isa::Inst inst)
      : inst(inst), line(line), options(options) {}

  isa::Inst inst;
  const ParsedLine& line;
  const AsmOptions& options;
  bool wants_literal = false;  ///< failed only because this form has no literal
  Fixup fixup;                 ///< of the one operand whose value is not known yet

  const AsmError& error() const { return error_; }
  bool gfx9() const { return isa::generation_of(inst.isa) == isa::Generation::kGfx9; }
  bool gfx11() const { return isa::generation_of(inst.isa) == isa::Generation::kGfx11; }
  bool gfx12() const { return isa::generation_of(inst.isa) == isa::Generation::kGfx12; }
  bool named(std::string_view id) const { return inst.info().id == id; }
  bool name_has(std::string_view part) const {
    if (part.starts_with("v_")) return inst.info().id.starts_with(part);  // it cannot be inside
    return inst.info().id.find(part) != std::string_view::npos;
  }
  bool is_short() const {
    return inst.format == isa::Format::VOP1 || inst.format == isa::Format::VOP2 ||
           inst.format == isa::Format::VOPC;
  }

  /// Records the first problem; always false.
  bool fail(size_t at, std::string message);
  bool set(isa::Field field, uint32_t value) { return inst.set(field, value); }

  /// The modifier of that name, marked as used.
  const Modifier* take(std::string_view name);
  /// A bare word; absent: true.
  bool flag(std::string_view name, isa::Field field);
  /// An integer in [least, most]; absent: true.
  bool number(std::string_view name, isa::Field field, int64_t least, int64_t most);
  /// Any integer, of which LLVM keeps the bits that the field has; absent: true.
  bool cut_number(std::string_view name, isa::Field field, uint32_t mask);
  /// A list of one to four bits ([1,0,1]), of which LLVM ignores those that have no meaning.
  /// Absent: nothing; malformed: fails.
  bool bits(std::string_view name, std::optional<unsigned>& out);
  bool all_modifiers_used();

  /// Registers: bank and size must be those of `want`.
  bool vgpr(isa::Field field, const ParsedOperand& o, const isa::Operand& want, int op_sel_bit);
  bool scalar(isa::Field field, const ParsedOperand& o, unsigned dwords, unsigned divisor = 1);
  /// A lane mask: LLVM also takes src_scc and its like, and cuts off what does not fit.
  bool mask(isa::Field field, const ParsedOperand& o, unsigned dwords);
  /// Any source: `position` counts the sources that have a field.
  bool source(isa::Field field, const ParsedOperand& o, const isa::Operand& want, isa::Place place,
              int position);
  /// src_scc and its like, where the target has them.
  bool special(isa::Field field, const ParsedOperand& o);
  bool literal(const ParsedOperand& o, isa::Type type);
  /// A whole number for an immediate field of `bits` bits, signed or unsigned.
  std::optional<uint32_t> immediate(const ParsedOperand& o, unsigned bits);
  /// The operand of the line at this place, or nothing (and a problem).
  const ParsedOperand* operand(size_t i);
  bool operand_count(size_t n);
  bool no_operand_modifiers(const ParsedOperand& o);
  /// Both halves of a pair use the same literal.
  void share_literal(const Assembler& other) {
    literal_ = other.literal_;
    fixup = other.fixup;
  }

 private:
  /// A special register whose code may be too wide for the field.
  bool cut_special(isa::Field field, const ParsedOperand& o);
  bool set_literal(const ParsedOperand& o, uint32_t value);
  /// A literal whose value comes later.
  bool defer_literal(const ParsedOperand& o, isa::Type type);
  bool used(size_t i) const { return i < kMostModifiers && used_[i]; }
  static constexpr size_t kMostModifiers = 64;  ///< those behind them count as unknown
  std::bitset<kMostModifiers> used_;
  std::optional<uint32_t> literal_;
  AsmError error_;
};

bool assemble_salu(Assembler& a);
bool assemble_valu(Assembler& a);
bool assemble_vopd(Assembler& a, Assembler& y);
bool assemble_lds_direct(Assembler& a);
bool assemble_memory(Assembler& a);
bool assemble_smem(Assembler& a);
bool assemble_ds(Assembler& a);
bool assemble_image(Assembler& a);
bool assemble_export(Assembler& a);
/// Cache policy modifiers of memory operations.
bool assemble_cache(Assembler& a);
/// Modifiers of arithmetic: op_sel, clamp, omod, DPP, SDWA.
bool assemble_valu_modifiers(Assembler& a);
bool assemble_packed(Assembler& a);
bool assemble_matrix(Assembler& a);
/// Matrix products must not overwrite a part of their addend.
bool check_matrix(Assembler& a);
/// mul:2, mul:4 and div:2.
bool assemble_omod(Assembler& a);
bool assemble_dpp(Assembler& a);
bool assemble_sdwa(Assembler& a);
/// False and a problem if the modifiers of the line are not in the order that their list prescribes.
bool check_modifier_order(Assembler& a);
/// Rules that bind operands together: scalar reads, literals.
bool check_valu(Assembler& a);

}  // namespace lockstep::asm_
