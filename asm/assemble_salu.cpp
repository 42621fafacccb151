// SPDX-License-Identifier: MIT
// Scalar arithmetic and program control: the inverse of read_salu in isa/operand.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "asm/assembler.h"

namespace lockstep::asm_ {
namespace {

using isa::Field;
using isa::Format;
using isa::Opnd;
using isa::Place;
using isa::Type;

/// A label; only the linker or the end of the file knows how far away it is.
bool branch_target(Assembler& a, const ParsedOperand& o) {
  if (o.text.find_first_of("+-*/%|&^~!<>=( ") != std::string_view::npos)
    return a.fail(o.at, "expected an absolute expression or a label");
  a.fixup = {Fixup::Kind::kBranch, o.at, o.text};
  return true;
}

/// What LLVM cuts where it cuts numbers: of reals the bits as a double.
uint64_t low_bits(const ParsedOperand& o) {
  return o.kind == ParsedKind::kReal ? std::bit_cast<uint64_t>(o.real)
                                     : static_cast<uint64_t>(o.integer);
}

/// Rows whose number LLVM cuts to 16 bits, whatever it is.
bool cuts_number(std::string_view id) {
  static constexpr std::string_view kIds[] = {"s_barrier_wait", "s_decperflevel", "s_delay_alu",
                                              "s_denorm_mode",  "s_incperflevel", "s_nop",
                                              "s_sethalt",      "s_setkill",      "s_setprio",
                                              "s_sleep",        "s_trap",         "s_waitcnt"};
  return std::find(std::begin(kIds), std::end(kIds), id) != std::end(kIds);
}

/// Rows whose number may not be negative.
bool counts_from_zero(const Assembler& a, Type type) {
  return type == Type::HWREG || type == Type::SENDMSG || type == Type::SENDMSG_RTN ||
         a.named("s_endpgm") || (a.name_has("s_cmpk_") && a.name_has("_u32"));
}

bool immediate_field(Assembler& a, Field field, const ParsedOperand& o, Type type) {
  if (o.kind == ParsedKind::kText) {
    if (!a.no_operand_modifiers(o)) return false;
    if (type == Type::LABEL && o.deferred) return branch_target(a, o);
    const SymbolicValue v = symbolic_value(o.text, type, a.inst.isa, a.options.symbols);
    if (!v.value) return a.fail(o.at, v.problem);
    return a.set(field, *v.value) || a.fail(o.at, "the value does not fit");
  }
  constexpr unsigned kWidth = 16, kIndexModeWidth = 4, kMessageMask = 255;
  if (counts_from_zero(a, type) && o.kind == ParsedKind::kInteger && o.integer < 0)
    return a.fail(o.at, "invalid immediate: only 16-bit values are legal");
  if (o.literal && type != Type::SIMM16 && type != Type::CLAUSE && type != Type::WAIT_EVENT &&
      !(type == Type::B16 && !a.named("s_endpgm")))
    return a.fail(o.at, "lit() cannot stand here");
  if (o.is_number() && cuts_number(a.inst.info().id) && a.no_operand_modifiers(o)) {
    return a.set(field, static_cast<uint16_t>(low_bits(o)));
  }
  if (a.name_has("s_set_gpr_idx_") && o.kind == ParsedKind::kInteger &&
      (o.literal || o.integer < 0 || o.integer >> kIndexModeWidth != 0))
    return a.fail(o.at, "invalid immediate: only 4-bit values are legal");
  const auto value = a.immediate(o, kWidth);
  if (!value) return false;
  if (type == Type::SENDMSG_RTN) return a.set(field, *value & kMessageMask);
  return a.set(field, *value) || a.fail(o.at, "the number does not fit");
}

/// Sources that must be registers, or may be no registers but M0.
bool check_source_kind(Assembler& a, const ParsedOperand& o) {
  const bool is_register = o.kind == ParsedKind::kRegister;
  for (const std::string_view id :
       {"s_setpc_b64", "s_rfe_b64", "s_cbranch_join", "s_movrels_b32", "s_movrels_b64"})
    if (a.named(id) && (!is_register || (o.bank == isa::OperandKind::kSpecial &&
                                         !(a.named("s_movrels_b32") || a.named("s_cbranch_join")))))
      return a.fail(o.at, "a register is needed here");
  if (a.named("s_cbranch_g_fork")) {
    const auto constant = o.is_number() ? encode_constant(o, Type::B64) : std::nullopt;
    return is_register || (constant && constant->code != isa::kSrcLiteral) ||
           a.fail(o.at, "a literal cannot stand here");
  }
  static constexpr std::string_view kBarriers[] = {
      "s_barrier_signal", "s_barrier_signal_isfirst", "s_get_barrier_state",
      "s_barrier_init",   "s_barrier_join",           "s_wakeup_barrier"};
  const bool barrier = std::find(std::begin(kBarriers), std::end(kBarriers), a.inst.info().id) !=
                       std::end(kBarriers);
  if (!barrier) return true;
  const bool is_m0 = o.is_register(isa::OperandKind::kScalar) && o.code == isa::kM0;
  const auto constant = o.is_number() ? encode_constant(o, Type::B32) : std::nullopt;
  return (is_register ? is_m0 : constant && constant->code != isa::kSrcLiteral) ||
         a.fail(o.at, "m0 or an inline constant is needed here");
}

bool source(Assembler& a, const ParsedOperand& o, const Opnd& spec, const isa::Operand& want,
            int& position) {
  if (spec.type == Type::SIMM32 && o.is_number()) {
    ParsedOperand cut = o;
    cut.kind = ParsedKind::kInteger;
    cut.integer = static_cast<uint32_t>(low_bits(o));
    return a.literal(cut, Type::B32);
  }
  if (spec.place == Place::kLiteral || spec.type == Type::SIMM32)
    return a.literal(o, spec.type == Type::SIMM32 ? Type::B32 : spec.type);
  if (is_immediate(spec.type)) {
    const Field field = a.inst.format == Format::SOPC    ? Field::ssrc1
                        : spec.type == Type::SENDMSG_RTN ? Field::ssrc0
                                                         : Field::simm16;
    return immediate_field(a, field, o, spec.type);
  }
  if (a.inst.format == Format::SOPP) return immediate_field(a, Field::simm16, o, spec.type);
  if (a.name_has("s_waitcnt_") && a.inst.format == Format::SOPK &&
      !(o.is_register(isa::OperandKind::kScalar) && o.code == isa::kNull))
    return a.fail(o.at, "src0 must be null");
  if (!check_source_kind(a, o)) return false;
  if (a.inst.format == Format::SOPK) return a.scalar(Field::sdst, o, want.dwords);
  if (!a.no_operand_modifiers(o)) return false;
  const Field field = position++ == 0 ? Field::ssrc0 : Field::ssrc1;
  return a.source(field, o, want, spec.place, -1);
}

}  // namespace

bool assemble_salu(Assembler& a) {
  const isa::OpInfo& info = a.inst.info();
  const isa::Operands want = isa::operands_of(a.inst, a.options.wave_size);
  if (a.named("s_endpgm")) {
    if (!a.all_modifiers_used()) return false;
    if (a.line.operands.empty()) return true;
    return a.operand_count(1) && immediate_field(a, Field::simm16, a.line.operands[0], Type::B16);
  }
  if (!a.operand_count(static_cast<size_t>(info.n_dsts) + info.n_srcs)) return false;
  size_t next = 0;
  for (int i = 0; i < want.n_dst; ++i)
    if (!a.scalar(Field::sdst, a.line.operands[next++], want.dst[i].dwords)) return false;
  int position = 0;
  for (int i = 0; i < info.n_srcs; ++i)
    if (!source(a, a.line.operands[next++], info.srcs[i], want.src[i], position)) return false;
  return a.all_modifiers_used();
}

}  // namespace lockstep::asm_
