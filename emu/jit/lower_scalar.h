// SPDX-License-Identifier: MIT
// Recipes of scalar rows to x86-64 code. Scalar registers live in memory; values of nodes in
// general registers, predicates as 0 or 1.
#pragma once
#include "emu/emit/recipe.h"
#include "emu/jit/host.h"

namespace lockstep::emu::jit {

class ScalarLowering {
 public:
  ScalarLowering(Host& host, uint32_t wave_size) : h_(host), wave_size_(wave_size) {}

  bool covers(const Uop& u) const;
  /// Code of one scalar instruction; true if it wrote EXEC.
  bool instruction(const Uop& u, uint64_t next_pc);
  /// As instruction(), for a row that jumps to an address: which is the wave's pc then.
  bool jump_instruction(const Uop& u, uint64_t next_pc);
  /// Jumps to `target` if the condition of a branch row holds.
  void branch_if(const Recipe& recipe, Xbyak::Label& target);

 private:
  using Reg = Xbyak::Reg64;
  int take();
  void free(int reg) { free_ |= 1u << reg; }
  /// Value of a node in a register that the caller owns.
  int value(const Uop& u, const Recipe& r, int n);
  int load(const isa::Operand& o);
  // Nodes: lower_scalar_nodes.cpp.
  int unary(const Uop& u, const Recipe& r, const Node& n);
  void reverse_bits(int reg, bool quad);
  int binary(const Uop& u, const Recipe& r, const Node& n);
  int compare(const Uop& u, const Recipe& r, const Node& n);
  int shift(const Uop& u, const Recipe& r, const Node& n);

  /// Of VCC or EXEC, as wide as the wave.
  void compare_mask_with_zero(NodeOp op);

  /// Registers 4 to 7 need a prefix to have a low byte.
  static Xbyak::Reg8 low_byte(int reg) { return Xbyak::Reg8(reg, reg >= 4 && reg < 8); }

  /// Results that are worked out already.
  struct Kept {
    int node = -1, reg = -1;
  };
  Kept kept_[2];
  Host& h_;
  uint32_t wave_size_;
  uint32_t free_ = 0;
  uint64_t next_pc_ = 0;
};

}  // namespace lockstep::emu::jit
