// SPDX-License-Identifier: MIT
// Operations: the enumeration of all rows and what each row says (OpInfo).
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "isa/types.h"

namespace lockstep::isa {

/// Every row of isa/ops/*.def. Numbering follows isa/ops/all.def and is not stable between
/// versions.
enum class Op : uint16_t {
#define ALU(format, id, ...) id,
#define MEM(format, id, ...) id,
#define MEM_ATOMIC(format, id, ...) id,
#define DUAL(id, ...) id,
#define IMAGE(format, id, ...) id,
#include "isa/ops/all.def"
  kCount,
};
inline constexpr int kOpCount = static_cast<int>(Op::kCount);

/// What a row says. Operand positions: results first come from vdst/sdst, sources from src0.. in
/// order; see operand.h.
struct OpInfo {
  std::string_view id;  ///< the row's identifier
  Format format;        ///< native format; VOP1, VOP2 and VOPC rows also have a VOP3 form
  Opcodes opcodes;      ///< in the native format
  Opnd dsts[2];
  Opnd srcs[3];
  uint8_t n_dsts;
  uint8_t n_srcs;
  uint32_t flags;              ///< Flag
  MemParams mem;               ///< memory formats only
  Op base;                     ///< VOPD: the single operation; else the row itself
  std::string_view semantics;  ///< text of the expression: says which state it touches (touches())
};

const OpInfo& op_info(Op op);
/// The mnemonic on this variant, without encoding suffixes (_e32, _e64, _dpp, _sdwa).
std::string_view op_name(Op op, Isa isa);
/// The first row whose mnemonic on this variant is `name` (without suffix) and that exists there.
std::optional<Op> find_op(std::string_view name, Isa isa);
bool exists_on(Op op, Isa isa);
/// False for rows that are encoded but not executed yet: running one is UNSUPPORTED.
bool has_semantics(Op op);

/// Architectural state that a row touches beside its operands, read off its expression.
enum Implicit : uint16_t {
  kReadsScc = 1,
  kWritesScc = 2,
  kReadsVcc = 4,
  kWritesVcc = 8,
  kReadsExec = 16,
  kWritesExec = 32,
  kReadsM0 = 64,
  kWritesM0 = 128,
  kWritesPc = 256,
};
uint16_t implicit_state(Op op);

/// The operation that owns (format, opcode) on a variant. VOP3 also finds the long forms of VOP1,
/// VOP2 and VOPC rows. VOPD opcodes serve both halves.
std::optional<Op> op_at(Isa isa, Format format, unsigned opcode);
/// Opcode of an operation in a format (its own, or VOP3 for short-form rows); -1 if it has no such
/// form there.
int opcode_in(Op op, Isa isa, Format format);

}  // namespace lockstep::isa
