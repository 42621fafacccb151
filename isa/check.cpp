// SPDX-License-Identifier: MIT
// Which operand values exist.
#include "isa/check.h"

#include "isa/operand.h"

namespace lockstep::isa {
namespace {

constexpr unsigned kVgprs = 256, kTtmpEnd = 124;

bool scalar_exists(const Inst& inst, unsigned code, unsigned dwords) {
  const bool gfx9 = generation_of(inst.isa) == Generation::kGfx9;
  if (gfx9 && code == kNull) return false;
  if (dwords <= 1 || code == kNull) return true;
  if (dwords == 2) return code != kVccHi && code != kM0 && code != kExecHi;
  constexpr unsigned sgprs = kVccLo;  // on gfx9 FLAT_SCRATCH and XNACK_MASK are the last four
  return code + dwords <= sgprs || (code >= kTtmp0 && code + dwords <= kTtmpEnd);
}

bool special_exists(unsigned code) {
  return (code >= kSharedBase && code <= kPopsExitingWaveId) || (code >= kVccz && code <= kScc);
}

bool exists(const Inst& inst, const Operand& o) {
  switch (o.kind) {
    case OperandKind::kScalar:
      return scalar_exists(inst, o.code, o.dwords);
    case OperandKind::kVgpr:
    case OperandKind::kAgpr:
      return o.code + o.dwords <= kVgprs;
    case OperandKind::kSpecial:
      return special_exists(o.code);
    case OperandKind::kLiteral:
      return inst.suffix == Suffix::kLiteral;
    default:
      return true;
  }
}

bool is_matrix(const OpInfo& info) {
  return info.n_srcs == 3 && info.srcs[0].place == Place::kVgpr &&
         info.srcs[1].place == Place::kVgpr &&
         (info.format == Format::MAI || info.format == Format::VOP3P);
}

bool all_exist(const Inst& inst, const Operands& list) {
  for (int i = 0; i < list.n_dst; ++i) {
    const OperandKind kind = list.dst[i].kind;
    const bool is_register =
        kind == OperandKind::kScalar || kind == OperandKind::kVgpr || kind == OperandKind::kAgpr;
    if (!is_register || !exists(inst, list.dst[i])) return false;
  }
  for (int i = 0; i < list.n_src; ++i)
    if (!exists(inst, list.src[i])) return false;
  // A swap writes its source too, and the A and B fragments of a matrix are whole registers: neither can be a constant.
  const OpInfo& info = inst.info();
  const auto in_registers = [&](int i) {
    return list.src[i].kind == OperandKind::kVgpr || list.src[i].kind == OperandKind::kAgpr;
  };
  if ((info.flags & SWAP) && !in_registers(0)) return false;
  const bool addend = in_registers(2) || list.src[2].kind == OperandKind::kInline;
  if (is_matrix(info) && !(in_registers(0) && in_registers(1) && addend)) return false;
  return true;
}

}  // namespace

bool operands_exist(const Inst& inst) {
  constexpr unsigned kWaveSize = 32;  // lane masks are at most as strict in wave64
  if (inst.format == Format::VOPD)
    return all_exist(inst, operands_of_half(inst, 0, kWaveSize)) &&
           all_exist(inst, operands_of_half(inst, 1, kWaveSize));
  return all_exist(inst, operands_of(inst, kWaveSize));
}

}  // namespace lockstep::isa
