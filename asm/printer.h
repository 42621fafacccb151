// SPDX-License-Identifier: MIT
// Shared by the files that print: an output buffer with LLVM's separators, and the text of
// operands.
#pragma once
#include <fmt/format.h>

#include <string>
#include <string_view>

#include "asm/print.h"
#include "isa/operand.h"

namespace lockstep::asm_ {

/// Register text: one register or a range of `dwords`.
std::string vector_register(char bank, unsigned first, unsigned dwords);
std::string scalar_register(isa::Isa isa, unsigned code, unsigned dwords);
/// Unsigned immediates: decimal up to 64, else hex.
std::string small_immediate(unsigned value);
/// A constant of 16, 32 or 64 bits as LLVM writes it for an operand of this type.
std::string constant_text(uint64_t bits, isa::Type type);

class Printer {
 public:
  Printer(const isa::Inst& inst, const PrintOptions& options) : inst(inst), options(options) {}

  const isa::Inst& inst;
  const PrintOptions& options;
  std::string text;

  bool gfx9() const { return isa::generation_of(inst.isa) == isa::Generation::kGfx9; }
  bool gfx11() const { return isa::generation_of(inst.isa) == isa::Generation::kGfx11; }
  bool gfx12() const { return isa::generation_of(inst.isa) == isa::Generation::kGfx12; }
  unsigned get(isa::Field field) const { return inst.get(field); }
  bool named(std::string_view id) const { return inst.info().id == id; }
  bool name_has(std::string_view part) const {
    return inst.info().id.find(part) != std::string_view::npos;
  }

  void mnemonic(std::string_view suffix = {});
  /// Starts a new operand list (the second half of a VOPD pair).
  void restart_operands() { first_ = true; }
  void operand(std::string_view s);
  void modifier(std::string_view s);
  void flag(isa::Field field, std::string_view s) {
    if (get(field)) modifier(s);
  }
  /// Text of an operand without modifiers.
  std::string plain(const isa::Operand& o) const;
  /// The same with neg, abs and sext around it.
  std::string modified(const isa::Operand& o) const;
  /// Type as which a constant is read and written.
  isa::Type constant_type(const isa::Operand& o) const;

 private:
  bool first_ = true;
};

/// A 16-bit immediate of a scalar operation: hwreg(..), vmcnt(..), a branch target, a number.
std::string immediate_text(const Printer& p, const isa::Operand& o);

void print_salu(Printer& p);
void print_valu(Printer& p);
void print_vopd(Printer& p);
void print_lds_direct(Printer& p);
void print_mai(Printer& p);
void print_memory(Printer& p);
void print_smem(Printer& p);
void print_ds(Printer& p);
void print_image(Printer& p);
void print_export(Printer& p);
void print_dpp(Printer& p);
void print_op_sel(Printer& p);
void print_packed_modifiers(Printer& p);
/// Whether LLVM writes op_sel for this operation, which also tells how it shows the neg bits of its
/// integer sources.
bool has_op_sel(const Printer& p);
/// Operations for which LLVM counts the old result as a further source of op_sel.
bool counts_old_result(const Printer& p);
/// Sources that have a field of their own, as op_sel counts them.
int field_sources(const isa::OpInfo& info);
/// "name:[1,0,1]".
std::string bits_text(std::string_view name, unsigned bits, int count);
/// Cache policy bits in LLVM's order.
void print_cache(Printer& p);

}  // namespace lockstep::asm_
