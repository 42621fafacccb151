// SPDX-License-Identifier: MIT
// Scalar operands: the one place where an operand of a scalar instruction becomes bits and a result
// becomes registers.
#pragma once
#include <cstdint>

#include "emu/context.h"

namespace lockstep::emu {

/// Value of a constant, literal or immediate; 0 for null and absent operands.
uint64_t scalar_constant(const isa::Operand& o);
/// Everything but a plain register: constants, literals, immediates, special codes.
bool read_scalar_slow(Context& c, const isa::Operand& o, uint64_t& bits);

/// False: the operand means nothing here; the fault is raised in `c`.
inline bool read_scalar(Context& c, const isa::Operand& o, uint64_t& bits) {
  if (o.kind != isa::OperandKind::kScalar || o.code == isa::kNull)
    return read_scalar_slow(c, o, bits);
  bits = o.dwords == 2 ? c.wave->read64(o.code) : c.wave->scalar[o.code];
  return true;
}

/// Writes one or two registers; null swallows the result.
inline void write_scalar(Context& c, unsigned code, unsigned dwords, uint64_t bits) {
  if (code == isa::kNull) return;
  if (dwords == 2) {
    c.wave->write64(code, bits);
  } else {
    c.wave->scalar[code] = static_cast<uint32_t>(bits);
  }
}

}  // namespace lockstep::emu
