// SPDX-License-Identifier: MIT
// Scalar arithmetic and program control: the inverse of read_salu in isa/operand.cpp.
#include <fmt/format.h>

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

bool immediate_field(Assembler& a, Field field, const ParsedOperand& o, Type type) {
  if (o.kind == ParsedKind::kText) {
    if (!a.no_operand_modifiers(o)) return false;
    if (type == Type::LABEL && o.deferred) return branch_target(a, o);
    const SymbolicValue v = symbolic_value(o.text, type, a.inst.isa, a.options.symbols);
    if (!v.value) return a.fail(o.at, v.problem);
    return a.set(field, *v.value) || a.fail(o.at, "the value does not fit");
  }
  constexpr unsigned kWidth = 16;
  if (type == Type::HWREG && o.kind == ParsedKind::kInteger && o.integer < 0)
    return a.fail(o.at, "invalid immediate: only 16-bit values are legal");
  const auto value = a.immediate(o, kWidth);
  if (!value) return false;
  return a.set(field, *value) || a.fail(o.at, "the number does not fit");
}

bool source(Assembler& a, const ParsedOperand& o, const Opnd& spec, const isa::Operand& want,
            int& position) {
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
  if ((a.named("s_setpc_b64") || a.named("s_swappc_b64")) && o.kind != ParsedKind::kRegister)
    return a.fail(o.at, "a register is needed here");
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
