// SPDX-License-Identifier: MIT
// Decoded instruction to prepared instruction: operands resolved, handler found, registers checked
// against the grant. Interpreter and JIT start from the same.
#pragma once
#include <deque>

#include "emu/context.h"

namespace lockstep::emu {

/// What a prepared instruction depends on beside its bytes.
struct CodeKey {
  isa::Isa isa = isa::Isa::kGfx11;
  uint32_t wave_size = 32;
  uint32_t num_vgprs = 0, num_agprs = 0;
  friend bool operator==(const CodeKey&, const CodeKey&) = default;
};

/// The instruction (and the halves of a VOPD pair) is appended to `storage`, whose addresses stay
/// valid.
const Uop& prepare_uop(const isa::Inst& inst, const CodeKey& key, std::deque<Uop>& storage);
/// True if executing it can only fail: no semantics, or a register outside the grant.
bool is_refused(const Uop& u);

}  // namespace lockstep::emu
