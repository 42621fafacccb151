// SPDX-License-Identifier: MIT
// Text of one instruction to its encoding, in LLVM's AMDGPU syntax.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <variant>

#include "asm/symbol_scope.h"
#include "isa/inst.h"

namespace lockstep::asm_ {

struct AsmOptions {
  isa::Isa isa = isa::Isa::kGfx11;
  unsigned wave_size = 32;   ///< always 64 on gfx9
  bool real_true16 = false;  ///< 16-bit operands are written v1.l and v1.h, as with +real-true16
  /// As LLVM 22 does it where it differs from LLVM 19; assemble_line() sets it where LLVM 19 does
  /// not know the target or the spelling.
  bool like_llvm_22 = false;
  const SymbolScope* symbols = nullptr;  ///< what names in expressions mean; nullptr: nothing
};

/// An expression whose value comes later: into a branch's offset or the literal dword.
struct Fixup {
  enum class Kind : uint8_t { kNone, kBranch, kLiteral } kind = Kind::kNone;
  size_t at = 0;               ///< offset of the expression in the line
  std::string_view text = {};  ///< the expression: part of the line
};

struct AsmError {
  std::string message;
  size_t column = 0;  ///< offset in the line
};

class AsmResult {
 public:
  AsmResult(isa::Inst inst, Fixup fixup = {}) : state_(inst), fixup_(fixup) {}
  AsmResult(AsmError error) : state_(std::move(error)) {}
  explicit operator bool() const { return state_.index() == 0; }
  const isa::Inst& inst() const { return std::get<0>(state_); }
  const AsmError& error() const { return std::get<1>(state_); }
  /// Only where AsmOptions::symbols is given.
  const Fixup& fixup() const { return fixup_; }
  /// Bytes in memory order, lower-case hex; ?? for those that a symbol gives later.
  std::string hex() const;

 private:
  std::variant<isa::Inst, AsmError> state_;
  Fixup fixup_;
};

/// Assembles the one instruction (or VOPD pair) of a line. The shortest encoding that can hold the
/// operands wins, unless a suffix (_e64, _dpp, ..) names one.
AsmResult assemble_line(std::string_view text, const AsmOptions& options);

}  // namespace lockstep::asm_
