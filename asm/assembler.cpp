// SPDX-License-Identifier: MIT
// Fields from parsed operands and modifiers.
#include "asm/assembler.h"

#include <fmt/format.h>

#include <algorithm>

#include "asm/printer.h"

namespace lockstep::asm_ {

using isa::Field;
using isa::Operand;
using isa::OperandKind;
using isa::Place;
using isa::Type;

bool Assembler::fail(size_t at, std::string message) {
  if (error_.message.empty()) error_ = {std::move(message), at};
  return false;
}

const Modifier* Assembler::take(std::string_view name) {
  for (size_t i = 0; i < line.modifiers.size() && i < kMostModifiers; ++i)
    if (!used_[i] && line.modifiers[i].name == name) {
      used_[i] = true;
      return &line.modifiers[i];
    }
  return nullptr;
}

bool Assembler::flag(std::string_view name, Field field) {
  const Modifier* m = take(name);
  if (!m) {
    // These are parts of the mnemonic to LLVM, which has no words against them.
    static constexpr std::string_view kNoOpposite[] = {"offen",  "idxen", "lds",  "done",
                                                       "row_en", "vm",    "compr"};
    const bool buffer = inst.format == isa::Format::MUBUF || inst.format == isa::Format::MTBUF;
    if ((name == "tfe" && buffer) ||
        std::find(std::begin(kNoOpposite), std::end(kNoOpposite), name) != std::end(kNoOpposite))
      return true;
    for (size_t i = 0; i < line.modifiers.size(); ++i) {
      const std::string_view written = line.modifiers[i].name;
      if (written.starts_with("no") && written.substr(2) == name && i < kMostModifiers) {
        used_[i] = true;
        break;
      }
    }
    return true;
  }
  if (m->has_value) return fail(m->at, fmt::format("{} takes no value", name));
  if (!set(field, 1)) return fail(m->at, fmt::format("{} does not exist here", name));
  return true;
}

bool Assembler::number(std::string_view name, Field field, int64_t least, int64_t most) {
  const Modifier* m = take(name);
  if (!m) return true;
  if (!m->integer) return fail(m->at, fmt::format("{} takes a number", name));
  if (*m->integer < least || *m->integer > most)
    return fail(m->at, fmt::format("{} must be in {}..{}", name, least, most));
  constexpr unsigned kWidest = 24;
  for (unsigned width = 1; width <= kWidest; ++width) {  // negative numbers fill the field
    const uint32_t mask = (1u << width) - 1;
    if (least < 0 && static_cast<int64_t>(mask) != most - least) continue;
    return set(field, static_cast<uint32_t>(*m->integer) & (least < 0 ? mask : UINT32_MAX)) ||
           fail(m->at, fmt::format("{} does not exist here", name));
  }
  return fail(m->at, fmt::format("{} does not exist here", name));
}

bool Assembler::cut_number(std::string_view name, Field field, uint32_t mask) {
  const Modifier* m = take(name);
  if (!m) return true;
  if (!m->integer) return fail(m->at, fmt::format("{} takes a number", name));
  return set(field, static_cast<uint32_t>(*m->integer) & mask) ||
         fail(m->at, fmt::format("{} does not exist here", name));
}

bool Assembler::bits(std::string_view name, std::optional<unsigned>& out) {
  constexpr size_t kMost = 4;
  const Modifier* m = take(name);
  if (!m) return true;
  if (!m->is_list || m->list.empty() || m->list.size() > kMost)
    return fail(m->at, fmt::format("{} takes a list of up to {} bits", name, kMost));
  unsigned value = 0;
  for (size_t i = 0; i < m->list.size(); ++i) {
    if (m->list[i] != 0 && m->list[i] != 1)
      return fail(m->at, fmt::format("{} takes zeros and ones", name));
    value |= static_cast<unsigned>(m->list[i]) << i;
  }
  out = value;
  return true;
}

bool Assembler::all_modifiers_used() {
  for (size_t i = 0; i < line.modifiers.size(); ++i)
    if (!used(i))
      return fail(line.modifiers[i].at,
                  fmt::format("{} is not a modifier of this instruction", line.modifiers[i].name));
  return check_modifier_order(*this);
}

const ParsedOperand* Assembler::operand(size_t i) {
  if (i < line.operands.size()) return &line.operands[i];
  fail(line.at, "too few operands for instruction");
  return nullptr;
}

bool Assembler::operand_count(size_t n) {
  if (line.operands.size() < n) return fail(line.at, "too few operands for instruction");
  if (line.operands.size() > n)
    return fail(line.operands[n].at, "too many operands for instruction");
  return true;
}

bool Assembler::no_operand_modifiers(const ParsedOperand& o) {
  if (o.neg || o.abs || o.sext) return fail(o.at, "this operand takes no neg, abs or sext");
  return true;
}

bool Assembler::vgpr(Field field, const ParsedOperand& o, const Operand& want, int op_sel_bit) {
  const bool acc = want.kind == OperandKind::kAgpr;
  if (!o.is_register(acc ? OperandKind::kAgpr : OperandKind::kVgpr))
    return fail(
        o.at, acc ? "an accumulation register is needed here" : "a vector register is needed here");
  // LLVM takes one register or a pair where gfx9's DPP reads a float.
  const bool loose = gfx9() && is_short() && inst.suffix == isa::Suffix::kDpp16 &&
                     field != Field::vdst && want.dwords <= 2 && o.dwords <= 2 &&
                     isa::is_float(want.type);
  if (o.dwords != want.dwords && !loose)
    return fail(o.at, fmt::format("{} registers are needed here", want.dwords));
  if (gfx9() && o.dwords > 1 && o.code % 2 != 0 && !named("ds_load_b96_tr_b6"))
    return fail(o.at, "groups of vector registers start at an even one on this target");
  unsigned code = o.code;
  const bool half_type = isa::fills_half(inst.isa, want.type) && want.dwords == 1;
  // v_mov_b16 and v_swap_b16 are always spelt with halves.
  const bool spelt =
      half_type && (options.real_true16 || named("v_mov_b16") || named("v_swap_b16"));
  if (spelt != (o.half != 0) && (op_sel_bit >= 0 || is_short()))
    return fail(o.at, spelt ? "the half of the register is missing (.l or .h)"
                            : "this operand is a whole register");
  if (o.half && op_sel_bit < 0 && !is_short())
    return fail(o.at, "this operand is a whole register");
  if (half_type && is_short()) {
    constexpr unsigned kHighHalf = 128;
    if (code >= kHighHalf) return fail(o.at, "16-bit operands of this encoding end at v127");
    if (o.half == 'h') code |= kHighHalf;
  } else if (o.half == 'h') {
    set(Field::opsel, inst.get(Field::opsel) | 1u << op_sel_bit);
  }
  return set(field, code) || fail(o.at, "this register does not fit here");
}

bool Assembler::scalar(Field field, const ParsedOperand& o, unsigned dwords, unsigned divisor) {
  // LLVM lets SCC and its like stand for any one scalar register.
  const bool one_register = o.code == isa::kScc || o.code == isa::kVccz || o.code == isa::kExecz ||
                            o.code == isa::kPopsExitingWaveId;
  if (o.is_register(OperandKind::kSpecial) && one_register && dwords == 1 && divisor == 1)
    return no_operand_modifiers(o) && cut_special(field, o);
  if (!o.is_register(OperandKind::kScalar)) return fail(o.at, "a scalar register is needed here");
  if (!no_operand_modifiers(o)) return false;
  const bool null = o.code == isa::kNull && !gfx9();
  if (o.dwords != dwords && !null)
    return fail(o.at, fmt::format("{} scalar registers are needed here", dwords));
  unsigned code = o.code;
  if (gfx9() && code == isa::kM0) code = isa::kNull;  // M0 is 124 there
  if (code % divisor && !null) return fail(o.at, "invalid register alignment");
  return set(field, code / divisor) || fail(o.at, "this register does not fit here");
}

bool Assembler::cut_special(Field field, const ParsedOperand& o) {
  constexpr unsigned kSevenBits = 127;
  return special(field, o) || set(field, o.code & kSevenBits);
}

bool Assembler::mask(Field field, const ParsedOperand& o, unsigned dwords) {
  if (o.is_register(OperandKind::kSpecial) && o.code != isa::kLdsDirect)
    return no_operand_modifiers(o) && cut_special(field, o);
  return scalar(field, o, dwords);
}

bool Assembler::set_literal(const ParsedOperand& o, uint32_t value) {
  if (inst.suffix != isa::Suffix::kLiteral) {
    wants_literal = true;
    return fail(o.at, "this encoding has no literal");
  }
  if ((literal_ && *literal_ != value) || fixup.kind != Fixup::Kind::kNone)
    return fail(o.at, "only one unique literal operand is allowed");
  literal_ = value;
  return set(Field::literal, value);
}

bool Assembler::defer_literal(const ParsedOperand& o, Type type) {
  const bool long_form =
      !is_short() && (inst.format == isa::Format::VOP3 || inst.format == isa::Format::VOP3SD ||
                      inst.format == isa::Format::VOP3P);
  const bool is_word = type == Type::B32 || type == Type::I32 || type == Type::U32 ||
                       (type >= Type::PK_I8 && type <= Type::BF8);
  // Float operands of the long form carry modifiers, for which a symbol has no bits.
  if (o.neg || o.abs || o.sext || !(is_word || (type == Type::F32 && !long_form)))
    return fail(o.at, "a symbol cannot stand here: its value is not known yet");
  if (inst.suffix != isa::Suffix::kLiteral) {
    wants_literal = true;
    return fail(o.at, "this encoding has no literal");
  }
  if (literal_ || fixup.kind != Fixup::Kind::kNone)
    return fail(o.at, "only one unique literal operand is allowed");
  fixup = {Fixup::Kind::kLiteral, o.at, o.text};
  return true;
}

bool Assembler::literal(const ParsedOperand& o, Type type) {
  if (!o.is_number() || !no_operand_modifiers(o)) return fail(o.at, "a number is needed here");
  const auto value = literal_bits(o, type, options.like_llvm_22);
  if (!value) return fail(o.at, "the number does not fit here");
  return set_literal(o, *value);
}

std::optional<uint32_t> Assembler::immediate(const ParsedOperand& o, unsigned width) {
  if (o.kind != ParsedKind::kInteger || o.neg || o.abs || o.sext) {
    fail(o.at, "a whole number is needed here");
    return std::nullopt;
  }
  const int64_t most = (int64_t{1} << width) - 1, least = -(int64_t{1} << (width - 1));
  if (o.integer < least || o.integer > most) {
    fail(o.at, fmt::format("the number does not fit in {} bits", width));
    return std::nullopt;
  }
  return static_cast<uint32_t>(o.integer & most);
}

bool Assembler::special(Field field, const ParsedOperand& o) {
  if (o.code == isa::kLdsDirect) return fail(o.at, "lds_direct is not supported on this target");
  return set(field, o.code) || fail(o.at, "this operand cannot stand here");
}

bool Assembler::source(Field field, const ParsedOperand& o, const Operand& want, Place place,
                       int position) {
  switch (o.kind) {
    case ParsedKind::kRegister:
      switch (o.bank) {
        case OperandKind::kVgpr:
        case OperandKind::kAgpr: {
          if (place == Place::kSgpr || place == Place::kScalar || want.type == Type::MASK)
            return fail(o.at, "a scalar operand is needed here");
          const bool acc = o.bank == OperandKind::kAgpr;
          if (acc && inst.format != isa::Format::MAI && inst.format != isa::Format::VOP3PX2)
            return fail(o.at, "accumulation registers cannot stand here");
          const bool in_suffix = inst.has(Field::vsrc0) && field == Field::vsrc0;
          const unsigned base =
              in_suffix || field == Field::vsrc1 || field == Field::vsrcx1 || field == Field::vsrcy1
                  ? 0
                  : isa::kSrcVgpr0;
          Operand w = want;
          w.kind = o.bank;
          if (!vgpr(field, o, w, is_short() ? -1 : position)) return false;
          return base == 0 || set(field, inst.get(field) | base) ||
                 fail(o.at, "a vector register cannot stand here");
        }
        case OperandKind::kScalar: {
          if (place == Place::kVgpr || field == Field::vsrc0 || field == Field::vsrc1 ||
              field == Field::vsrcx1 || field == Field::vsrcy1)
            if (inst.suffix != isa::Suffix::kSdwa)
              return fail(o.at, "a vector register is needed here");
          ParsedOperand plain = o;
          plain.neg = plain.abs = plain.sext = false;
          return scalar(field, plain, want.dwords);
        }
        default:
          if (want.type == Type::MASK) return mask(field, o, want.dwords);
          if (place == Place::kVgpr || place == Place::kSgpr || field == Field::vsrc0 ||
              field == Field::vsrc1)
            return fail(o.at, "a register is needed here");
          return special(field, o);
      }
    case ParsedKind::kInteger:
    case ParsedKind::kReal: {
      if (place == Place::kVgpr || place == Place::kSgpr || want.type == Type::MASK ||
          field == Field::vsrc0 || field == Field::vsrc1 || field == Field::vsrcx1 ||
          field == Field::vsrcy1)
        return fail(o.at, "a register is needed here");
      const PrintOptions print_options;
      const auto constant = encode_constant(o, Printer(inst, print_options).constant_type(want),
                                            options.like_llvm_22);
      if (!constant) return fail(o.at, "the number does not fit this operand");
      if (constant->code == isa::kSrcLiteral && !set_literal(o, constant->literal)) return false;
      return set(field, constant->code) || fail(o.at, "a constant cannot stand here");
    }
    case ParsedKind::kOff:
    case ParsedKind::kText:
      if (o.deferred && place != Place::kVgpr && place != Place::kSgpr && field != Field::vsrc0 &&
          field != Field::vsrc1 && field != Field::vsrcx1 && field != Field::vsrcy1) {
        const PrintOptions print_options;
        return defer_literal(o, Printer(inst, print_options).constant_type(want)) &&
               set(field, isa::kSrcLiteral);
      }
      [[fallthrough]];
    default:
      return fail(o.at, "invalid operand for instruction");
  }
}

}  // namespace lockstep::asm_
