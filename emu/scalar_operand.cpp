// SPDX-License-Identifier: MIT
// Scalar source operands that are no plain register.
#include "emu/scalar_operand.h"

#include "emu/special.h"

namespace lockstep::emu {

bool read_scalar_slow(Context& c, const isa::Operand& o, uint64_t& bits) {
  using isa::OperandKind;
  switch (o.kind) {
    case OperandKind::kScalar:
      bits = 0;
      return true;  // null
    case OperandKind::kInline: {
      // 16-bit integer sources read the low half of a 32-bit constant.
      const bool narrow = isa::is_half(o.type) && o.type != isa::Type::F16;
      bits = isa::inline_bits(o.code, narrow ? isa::Type::B32 : o.type);
      return true;
    }
    case OperandKind::kLiteral:
      bits = literal_bits(o.value, o.type);
      return true;
    case OperandKind::kImmediate:
      bits = o.value;
      return true;
    case OperandKind::kSpecial:
      return read_special(c, o.code, bits);
    case OperandKind::kOff:
      bits = 0;
      return true;
    default:
      break;
  }
  c.raise(FaultKind::kIllegalInstruction, -1, 0, 0,
          "a scalar instruction cannot read this operand");
  return false;
}

}  // namespace lockstep::emu
