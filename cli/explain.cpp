// SPDX-License-Identifier: MIT
// Shows what asm/describe.h says about an instruction.
#include "cli/explain.h"

#include <fmt/format.h>

#include "asm/describe.h"
#include "isa/names.h"

namespace lockstep::cli {
namespace {

using asm_::OperandDetail;
using nlohmann::json;

asm_::PrintOptions options_of(const Syntax& syntax) {
  asm_::PrintOptions options;
  options.wave_size = syntax.lanes();
  options.real_true16 = syntax.real_true16;
  return options;
}

const char* access_name(asm_::Access access) {
  switch (access) {
    case asm_::Access::kRead:
      return "read";
    case asm_::Access::kWrite:
      return "write";
    case asm_::Access::kReadWrite:
      return "read-write";
  }
  return "";
}

bool is_register(const isa::Operand& o) {
  return o.kind == isa::OperandKind::kScalar || o.kind == isa::OperandKind::kVgpr ||
         o.kind == isa::OperandKind::kAgpr;
}

std::string sign_marks(const isa::Operand& o) {
  std::string text;
  if (o.neg) text += " neg";
  if (o.abs) text += " abs";
  if (o.sext) text += " sext";
  if (o.high_half) text += " high-half";
  return text;
}

std::string operand_line(const OperandDetail& d) {
  if (d.state != asm_::State::kNone) {
    return fmt::format("{:<16} {:<12} {:<10} implicit", d.text, "state", access_name(d.access));
  }
  std::string size;
  if (is_register(d.operand)) size = fmt::format("x{} ", d.operand.dwords);
  if (d.operand.type != isa::Type::kNone) size += isa::type_name(d.operand.type);
  if (d.bits) size += fmt::format(" {} bits", d.bits);
  return fmt::format("{:<16} {:<12} {:<10} {} {}{}{}", d.text, isa::kind_name(d.operand.kind),
                     access_name(d.access), d.role, size, sign_marks(d.operand),
                     d.implicit ? " implicit" : "");
}

json operand_json(const OperandDetail& d) {
  const bool state = d.state != asm_::State::kNone;
  json out = {{"text", d.text},
              {"kind", state ? "state" : isa::kind_name(d.operand.kind)},
              {"access", access_name(d.access)},
              {"implicit", d.implicit},
              {"role", d.role}};
  if (state) return out;
  const isa::Operand& o = d.operand;
  out["bits"] = d.bits;
  if (o.type != isa::Type::kNone) out["type"] = isa::type_name(o.type);
  if (is_register(o)) {
    out["register"] = o.code;
    out["count"] = o.dwords;
  } else if (o.kind == isa::OperandKind::kSpecial) {
    out["register"] = o.code;
  } else if (o.kind == isa::OperandKind::kInline) {
    out["value"] = isa::inline_bits(o.code, o.type);
  } else if (o.kind == isa::OperandKind::kLiteral || o.kind == isa::OperandKind::kImmediate) {
    out["value"] = o.value;
  }
  if (o.neg) out["neg"] = true;
  if (o.abs) out["abs"] = true;
  if (o.sext) out["sext"] = true;
  if (o.high_half) out["high_half"] = true;
  return out;
}

std::string mnemonic_of(const isa::Inst& inst) {
  std::string name(isa::op_name(inst.op, inst.isa));
  if (inst.format == isa::Format::VOPD)
    name += fmt::format(" :: {}", isa::op_name(inst.op_y, inst.isa));
  return name;
}

std::string_view field_label(const isa::FieldValue& f) {
  return f.fixed ? "encoding" : isa::field_name(f.field);
}

}  // namespace

std::string explain_text(const isa::Inst& inst, const Syntax& syntax, unsigned indent) {
  const asm_::PrintOptions options = options_of(syntax);
  const std::string margin(indent, ' ');
  std::string groups;
  for (uint32_t left = asm_::groups_of(inst); left; left &= left - 1)
    groups += fmt::format(" {}", asm_::group_name(left & -left));
  std::string text =
      fmt::format("{}format {}{}{}, {} bytes;{}\n", margin, isa::format_name(inst.format),
                  inst.suffix == isa::Suffix::kNone ? "" : " + ", isa::suffix_name(inst.suffix),
                  inst.size, groups);
  for (const isa::FieldValue& f : isa::fields_of(inst)) {
    const std::string bits = f.width == 1 ? fmt::format("[{}]", f.low)
                                          : fmt::format("[{}:{}]", f.low + f.width - 1, f.low);
    text += fmt::format("{}  {:<9} {:<12} {:<#10x} {}\n", margin, bits, field_label(f), f.value,
                        asm_::field_meaning(inst, f, options));
  }
  text += margin + "operands\n";
  for (const OperandDetail& d : asm_::operand_details(inst, options))
    text += fmt::format("{}  {}\n", margin, operand_line(d));
  return text;
}

json instruction_json(const isa::Inst& inst, const Syntax& syntax, bool fields) {
  const asm_::PrintOptions options = options_of(syntax);
  json groups = json::array(), operands = json::array();
  json modifiers = json::object();
  for (uint32_t left = asm_::groups_of(inst); left; left &= left - 1)
    groups.push_back(asm_::group_name(left & -left));
  for (const OperandDetail& d : asm_::operand_details(inst, options))
    operands.push_back(operand_json(d));
  for (const asm_::ModifierValue& m : asm_::modifiers_of(inst)) modifiers[m.name] = m.value;
  json out = {{"mnemonic", mnemonic_of(inst)},
              {"row", inst.info().id},
              {"format", isa::format_name(inst.format)},
              {"size", inst.size},
              {"groups", groups},
              {"operands", operands},
              {"modifiers", modifiers}};
  if (inst.suffix != isa::Suffix::kNone) out["suffix"] = isa::suffix_name(inst.suffix);
  if (!fields) return out;
  json list = json::array();
  for (const isa::FieldValue& f : isa::fields_of(inst)) {
    list.push_back({{"name", field_label(f)},
                    {"low", f.low},
                    {"width", f.width},
                    {"value", f.value},
                    {"meaning", asm_::field_meaning(inst, f, options)}});
  }
  out["fields"] = list;
  return out;
}

std::optional<isa::Inst> decode_hex(std::string_view hex, const Syntax& syntax) {
  const auto bytes = parse_hex(hex);
  isa::Inst inst;
  if (!bytes ||
      isa::decode(isa::target_info(syntax.target).isa, *bytes, inst) != isa::DecodeError::kNone)
    return std::nullopt;
  if (inst.size != bytes->size()) return std::nullopt;
  return inst;
}

}  // namespace lockstep::cli
