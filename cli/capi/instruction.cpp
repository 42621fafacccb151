// SPDX-License-Identifier: MIT
// lockstep_decode: one instruction as data and text.
#include <fmt/format.h>

#include <cstring>

#include "asm/print.h"
#include "cli/capi/boundary.h"
#include "emu/handlers.h"
#include "isa/inst.h"
#include "isa/operand.h"

namespace lockstep::capi {
namespace {

// The C enumeration is the C++ one; new kinds go to the end of both.
static_assert(LOCKSTEP_OPERAND_SCALAR == static_cast<int>(isa::OperandKind::kScalar));
static_assert(LOCKSTEP_OPERAND_AGPR == static_cast<int>(isa::OperandKind::kAgpr));
static_assert(LOCKSTEP_OPERAND_LITERAL == static_cast<int>(isa::OperandKind::kLiteral));
static_assert(LOCKSTEP_OPERAND_OFF == static_cast<int>(isa::OperandKind::kOff));
// The halves of a pair have one result and at most four sources each.
static_assert(LOCKSTEP_MAX_OPERANDS >= 2 + isa::kMaxSources &&
              LOCKSTEP_MAX_OPERANDS >= 2 * (1 + 4));

void add_operand(lockstep_instruction& out, const isa::Operand& o, bool written) {
  if (o.kind == isa::OperandKind::kNone) return;
  lockstep_operand& c = out.operands[out.operand_count++];
  c.kind = static_cast<uint8_t>(o.kind);
  c.dwords = o.dwords;
  c.is_written = written;
  c.flags = static_cast<uint8_t>((o.high_half ? 1 : 0) | (o.neg ? 2 : 0) | (o.abs ? 4 : 0));
  c.reg = o.code;
  c.value = o.value;
}

void add_operands(lockstep_instruction& out, const isa::Operands& operands) {
  for (int i = 0; i < operands.n_dst; ++i) add_operand(out, operands.dst[i], true);
  for (int i = 0; i < operands.n_src; ++i) add_operand(out, operands.src[i], false);
}

template <size_t N>
void copy_text(char (&to)[N], std::string_view text) {
  const size_t n = std::min(text.size(), N - 1);
  std::memcpy(to, text.data(), n);
  to[n] = 0;
}

int decode(const char* arch_name, const void* bytes, size_t size, uint32_t wave_size,
           uint64_t address, lockstep_instruction* out) {
  const auto arch = arch_name ? find_arch(arch_name) : std::nullopt;
  if (!arch) return fail(LOCKSTEP_ERROR_ARGUMENT, unknown_arch(arch_name));
  if (!bytes) return fail(LOCKSTEP_ERROR_ARGUMENT, "bytes is NULL");
  if (!out) return fail(LOCKSTEP_ERROR_ARGUMENT, "instruction is NULL");
  if (out->struct_size != sizeof *out) {
    return fail(LOCKSTEP_ERROR_ARGUMENT, fmt::format("instruction->struct_size is {}, not {}",
                                                     out->struct_size, sizeof *out));
  }
  const isa::TargetInfo& target = isa::target_info(arch->target);
  if (wave_size != 0 && wave_size != 64 && !(wave_size == 32 && target.has_wave32)) {
    return fail(LOCKSTEP_ERROR_ARGUMENT,
                fmt::format("wave_size is {}; {} has no such waves", wave_size, target.name));
  }
  isa::Inst inst;
  const std::span data(static_cast<const uint8_t*>(bytes), size);
  if (const auto error = isa::decode(target.isa, data, inst); error != isa::DecodeError::kNone) {
    return fail(LOCKSTEP_ERROR_INPUT, fmt::format("{}: {}", target.name, isa::to_string(error)));
  }
  const uint32_t lanes = wave_size ? wave_size : arch->wave_size;
  *out = {};
  out->struct_size = sizeof *out;
  out->size = inst.size;
  const bool dual = inst.format == isa::Format::VOPD;
  out->is_executed =
      emu::executes(inst.op, inst.isa) && (!dual || emu::executes(inst.op_y, inst.isa));
  if (dual) {
    add_operands(*out, isa::operands_of_half(inst, 0, lanes));
    add_operands(*out, isa::operands_of_half(inst, 1, lanes));
  } else {
    add_operands(*out, isa::operands_of(inst, lanes));
  }
  copy_text(out->mnemonic, isa::op_name(inst.op, inst.isa));
  copy_text(out->text, asm_::print(inst, {.wave_size = lanes, .address = address}));
  return LOCKSTEP_OK;
}

}  // namespace
}  // namespace lockstep::capi

extern "C" int lockstep_decode(const char* arch, const void* bytes, size_t size, uint32_t wave_size,
                               uint64_t address, lockstep_instruction* instruction) {
  return lockstep::capi::guarded(
      [&] { return lockstep::capi::decode(arch, bytes, size, wave_size, address, instruction); });
}
