// SPDX-License-Identifier: MIT
// Text of a decoded instruction, in LLVM's AMDGPU syntax.
#pragma once
#include <cstdint>
#include <functional>
#include <string>

#include "isa/inst.h"

namespace lockstep::asm_ {

struct PrintOptions {
  /// Lanes of a wave: decides whether a lane mask is one SGPR or a pair. Always 64 on gfx9.
  unsigned wave_size = 32;
  /// Write 16-bit halves of VGPRs as v1.l and v1.h, as LLVM does with +real-true16.
  bool real_true16 = false;
  /// Write lit(..) around a literal that would assemble to an inline constant, as LLVM 20 and later
  /// do.
  bool mark_literals = false;
  /// Address of the instruction; only used for branch targets.
  uint64_t address = 0;
  /// Name of a branch target; an empty text or no function leaves the raw offset.
  std::function<std::string(uint64_t target)> symbol = {};
};

/// One line without indentation; equals what llvm-mc --disassemble prints, with blanks collapsed.
std::string print(const isa::Inst& inst, const PrintOptions& options = {});

}  // namespace lockstep::asm_
