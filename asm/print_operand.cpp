// SPDX-License-Identifier: MIT
// Text of registers, constants and whole operands.
#include <bit>
#include <optional>

#include "asm/printer.h"

namespace lockstep::asm_ {
namespace {

using isa::Isa;
using isa::Operand;
using isa::OperandKind;
using isa::Type;

constexpr unsigned kVgprCount = 256;

std::string range(std::string_view bank, unsigned first, unsigned dwords) {
  if (dwords <= 1) return fmt::format("{}{}", bank, first);
  return fmt::format("{}[{}:{}]", bank, first, first + dwords - 1);
}

bool is_gfx9(Isa isa) { return isa::generation_of(isa) == isa::Generation::kGfx9; }

std::string hex(uint64_t value) { return fmt::format("0x{:x}", value); }

std::optional<std::string> small_integer(int64_t value) {
  if (value < -16 || value > 64) return std::nullopt;
  return fmt::format("{}", value);
}

constexpr const char* kFloatNames[] = {"0.5", "-0.5", "1.0", "-1.0", "2.0", "-2.0", "4.0", "-4.0"};
constexpr unsigned kFirstFloat = 240, kInvTwoPi = 248;

/// The name of the inline float whose bits these are, for an operand of this type.
std::optional<std::string> float_name(uint64_t bits, Type type) {
  for (unsigned i = 0; i < 8; ++i)
    if (isa::inline_bits(kFirstFloat + i, type) == bits) return kFloatNames[i];
  if (isa::inline_bits(kInvTwoPi, type) == bits)
    return type == Type::F64 || type == Type::B64 ? "0.15915494309189532" : "0.15915494";
  return std::nullopt;
}

/// LLVM looks at all 32 bits for a name, and writes the low 16 otherwise.
std::string half_integer(uint32_t bits) {
  if (const auto text = small_integer(static_cast<int32_t>(bits))) return *text;
  if (const auto text = float_name(bits, Type::F32)) return *text;
  return hex(bits & 0xffff);
}

std::string word(uint32_t bits) {
  if (const auto text = small_integer(static_cast<int32_t>(bits))) return *text;
  if (const auto text = float_name(bits, Type::F32)) return *text;
  return hex(bits);
}

}  // namespace

std::string vector_register(char bank, unsigned first, unsigned dwords) {
  return range(std::string_view(&bank, 1), first, dwords);
}

std::string scalar_register(Isa isa, unsigned code, unsigned dwords) {
  const bool pair = dwords == 2;
  if (is_gfx9(isa) && code >= 102 && code <= 105) {
    const std::string name = code < 104 ? "flat_scratch" : "xnack_mask";
    return pair ? name : name + (code & 1 ? "_hi" : "_lo");
  }
  if (code < isa::kVccLo) return range("s", code, dwords);
  if (code == isa::kVccLo && pair) return "vcc";
  if (code == isa::kVccLo) return "vcc_lo";
  if (code == isa::kVccHi) return "vcc_hi";
  if (code < isa::kNull) return range("ttmp", code - isa::kTtmp0, dwords);
  if (code == isa::kNull) return "null";
  if (code == isa::kM0) return "m0";
  if (code == isa::kExecLo) return pair ? "exec" : "exec_lo";
  return "exec_hi";
}

std::string small_immediate(unsigned value) {
  return value <= 64 ? fmt::format("{}", value) : hex(value);
}

std::string constant_text(uint64_t bits, Type type) {
  const auto low = static_cast<uint32_t>(bits);
  switch (type) {
    case Type::I16:
    case Type::U16:
    case Type::B16:
      return half_integer(low);
    case Type::F16:
    case Type::BF16:
      if (const auto text = small_integer(static_cast<int16_t>(low))) return *text;
      if (const auto text = float_name(low & 0xffff, type == Type::BF16 ? type : Type::F16))
        return *text;
      return hex(type == Type::F16 ? low & 0xffff : low);
    case Type::PK_B16:
    case Type::PK_I16:
    case Type::PK_U16:
      return word(low);
    case Type::PK_F16:
    case Type::PK_BF16:
      if (const auto text = small_integer(static_cast<int32_t>(low))) return *text;
      if (const auto text = float_name(low, type)) return *text;
      return hex(low);
    case Type::F64:
      if (const auto text = small_integer(static_cast<int64_t>(bits))) return *text;
      if (const auto text = float_name(bits, type)) return *text;
      return hex(bits >> 32);
    case Type::B64:
    case Type::I64:
    case Type::U64:
      if (const auto text = small_integer(static_cast<int64_t>(bits))) return *text;
      if (const auto text = float_name(bits, Type::B64)) return *text;
      return hex(bits);
    default:
      return word(low);
  }
}

void Printer::mnemonic(std::string_view suffix) {
  text += isa::op_name(inst.op, inst.isa);
  text += suffix;
}

void Printer::operand(std::string_view s) {
  text += first_ ? " " : ", ";
  text += s;
  first_ = false;
}

void Printer::modifier(std::string_view s) {
  text += ' ';
  text += s;
}

Type Printer::constant_type(const Operand& o) const {
  if (inst.format == isa::Format::SOP1 && o.type == Type::F16) return Type::B32;
  if (inst.format == isa::Format::SOPC && o.type == Type::F16) return Type::I16;
  if (named("v_ldexp_f16") && o.type == Type::I16) return Type::F16;
  const bool scalar = inst.format == isa::Format::SOP1 || inst.format == isa::Format::SOP2 ||
                      inst.format == isa::Format::SOPC;
  if (scalar && is_half(o.type) && o.type != Type::F16) return Type::B32;
  if (o.type == Type::MIX) return Type::F16;
  if (o.dwords > 1 && o.type == Type::F16) return Type::PK_F16;
  if (o.dwords > 1 && o.type == Type::BF16) return Type::PK_BF16;
  if (is_half(o.type) && o.type != Type::F16 && (name_has("_class_") || name_has("v_align")))
    return Type::B32;
  return o.type;
}

std::string Printer::plain(const Operand& o) const {
  switch (o.kind) {
    case OperandKind::kNone:
      return "";
    case OperandKind::kOff:
      return "off";
    case OperandKind::kScalar:
      return scalar_register(inst.isa, o.code, o.dwords);
    case OperandKind::kAgpr:
      return vector_register('a', o.code, o.dwords);
    case OperandKind::kVgpr: {
      if (!isa::fills_half(inst.isa, o.type) || o.dwords != 1)
        return vector_register('v', o.code, o.dwords);
      const bool short_form = inst.format == isa::Format::VOP1 ||
                              inst.format == isa::Format::VOP2 || inst.format == isa::Format::VOPC;
      // v_mov_b16 and v_swap_b16 have no other spelling.
      if (options.real_true16 || named("v_mov_b16") || named("v_swap_b16"))
        return vector_register('v', o.code, 1) + (o.high_half ? ".h" : ".l");
      return vector_register('v', o.code + (short_form && o.high_half ? 128 : 0), 1);
    }
    case OperandKind::kInline:
      return constant_text(isa::inline_bits(o.code, constant_type(o)), constant_type(o));
    case OperandKind::kLiteral: {
      const uint64_t bits = o.type == Type::F64 ? static_cast<uint64_t>(o.value) << 32 : o.value;
      std::string text = constant_text(bits, constant_type(o));
      // Whatever is not written as a literal would be read as an inline constant. LLVM leaves out
      // zero as f64.
      const bool zero = o.type == Type::F64 && o.value == 0;
      if (options.mark_literals && !zero && !text.starts_with("0x") && o.type != Type::SIMM32)
        text = "lit(" + hex(o.value) + ")";
      return text;
    }
    case OperandKind::kImmediate:
      return hex(o.value);
    case OperandKind::kSpecial:
      switch (o.code) {
        case isa::kSharedBase:
          return "src_shared_base";
        case isa::kSharedLimit:
          return "src_shared_limit";
        case isa::kPrivateBase:
          return "src_private_base";
        case isa::kPrivateLimit:
          return "src_private_limit";
        case isa::kPopsExitingWaveId:
          return "src_pops_exiting_wave_id";
        case isa::kVccz:
          return "src_vccz";
        case isa::kExecz:
          return "src_execz";
        case isa::kScc:
          return "src_scc";
        case isa::kLdsDirect:
          return "src_lds_direct";
        case isa::kFlatScratchBase:
          return "src_flat_scratch_base_lo";
        case isa::kFlatScratchBase + 1:
          return "src_flat_scratch_base_hi";
        default:
          return fmt::format("/*invalid source {}*/", o.code);
      }
  }
  return "";
}

std::string Printer::modified(const Operand& o) const {
  std::string s = plain(o);
  if (o.abs) s = "|" + s + "|";
  if (o.sext) s = "sext(" + s + ")";
  if (o.neg) {
    // A minus before a number would read as its sign.
    const bool number = o.kind == OperandKind::kInline || o.kind == OperandKind::kLiteral;
    s = number && !o.abs ? "neg(" + s + ")" : "-" + s;
  }
  return s;
}

}  // namespace lockstep::asm_
