// SPDX-License-Identifier: MIT
// Scalar source operands that are no plain register.
#include "emu/scalar_operand.h"

#include "emu/special.h"

namespace lockstep::emu {

uint64_t scalar_constant(const isa::Operand& o) {
  using isa::OperandKind;
  switch (o.kind) {
    case OperandKind::kInline: {
      // 16-bit integer sources read the low half of a 32-bit constant.
      const bool narrow = isa::is_half(o.type) && o.type != isa::Type::F16;
      return isa::inline_bits(o.code, narrow ? isa::Type::B32 : o.type);
    }
    case OperandKind::kLiteral:
      return literal_bits(o.value, o.type);
    case OperandKind::kImmediate:
      return o.value;
    default:
      return 0;
  }
}

bool read_scalar_slow(Context& c, const isa::Operand& o, uint64_t& bits) {
  using isa::OperandKind;
  switch (o.kind) {
    case OperandKind::kScalar:  // null
    case OperandKind::kOff:
    case OperandKind::kInline:
    case OperandKind::kLiteral:
    case OperandKind::kImmediate:
      bits = scalar_constant(o);
      return true;
    case OperandKind::kSpecial:
      return read_special(c, o.code, bits);
    default:
      break;
  }
  c.raise(FaultKind::kIllegalInstruction, -1, 0, 0,
          "a scalar instruction cannot read this operand");
  return false;
}

}  // namespace lockstep::emu
