// SPDX-License-Identifier: MIT
// Compiles single vector rows through the Emit machine. The first slice of the JIT: a handful of
// rows, wave32.
#pragma once
#include <memory>
#include <span>

#include "emu/context.h"
#include "isa/op.h"

namespace lockstep::emu {

/// True if this host can run Emit's code (AVX-512 F, BW, DQ, VL).
bool emit_supported();

/// Rows that Emit covers.
std::span<const isa::Op> emitted_rows();

/// Host code of one instruction.
class CompiledRow {
 public:
  CompiledRow();
  ~CompiledRow();
  CompiledRow(CompiledRow&&) noexcept;
  CompiledRow& operator=(CompiledRow&&) noexcept;
  explicit operator bool() const { return impl_ != nullptr; }
  /// Executes on the wave: same effect as the Lane handler of the row.
  void run(WaveState& wave) const;

 private:
  friend CompiledRow compile_row(const Uop& u);
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Empty if Emit does not cover the row or this form of it (operand modifiers, DPP, wave64):
/// nothing is approximated.
CompiledRow compile_row(const Uop& u);

}  // namespace lockstep::emu
