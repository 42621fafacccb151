// SPDX-License-Identifier: MIT
// A matrix operation as a function call: register rows in, register rows out. Handlers of the
// interpreter build one from an instruction; a compiler may build it once and call it directly.
#pragma once
#include <cstdint>

#include "isa/op.h"
#include "isa/target.h"

namespace lockstep::emu {

/// Register r of lane l of an operand is pointer[r * wave_size + l]. Operands may overlap the
/// result: all are read before anything is written. EXEC has no say.
struct MatrixCall {
  isa::Isa isa = isa::Isa::kGfx11;
  uint32_t wave_size = 32;
  const uint32_t* a = nullptr;
  const uint32_t* b = nullptr;
  const uint32_t* c = nullptr;  ///< nullptr: every element of C is `c_constant`
  uint64_t c_constant = 0;
  uint32_t* d = nullptr;
  const uint32_t* index = nullptr;  ///< sparse products: which two of each four k, 2 bits each
  /// Scaled products: exponents, one byte a lane; nullptr: scale 1.
  const uint32_t* scale_a = nullptr;
  const uint32_t* scale_b = nullptr;
  uint8_t scale_byte_a = 0, scale_byte_b = 0;
  uint8_t neg = 0, neg_hi = 0, opsel = 0;  ///< VOP3P modifiers
  uint8_t cbsz = 0, abid = 0, blgp = 0;    ///< MAI modifiers
  bool clamp = false;
  bool plain = false;  ///< without the host's wide vectors: the reference of tests
};
using MatrixFn = void (*)(const MatrixCall&);

/// The function of a matrix operation, nullptr if `op` is none.
MatrixFn matrix_function(isa::Op op);

}  // namespace lockstep::emu
