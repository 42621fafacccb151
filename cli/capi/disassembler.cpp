// SPDX-License-Identifier: MIT
// lockstep_disasm_*: decoding and printing with a handle.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "asm/describe.h"
#include "asm/disassemble.h"
#include "asm/printer.h"
#include "cli/capi/boundary.h"
#include "emu/handlers.h"
#include "isa/names.h"

struct lockstep_disassembler {
  lockstep::isa::Isa isa;
  lockstep::asm_::PrintOptions print;
  uint32_t flags;
};

namespace lockstep::capi {
namespace {

using asm_::OperandDetail;

// The C numbers are those of the C++ enumerations; new ones go to the end of both.
static_assert(LOCKSTEP_STATE_SCC == static_cast<int>(asm_::State::kScc));
static_assert(LOCKSTEP_STATE_FLAT_SCRATCH == static_cast<int>(asm_::State::kFlatScratch));
static_assert(LOCKSTEP_READ_WRITE == static_cast<int>(asm_::Access::kReadWrite));
static_assert(LOCKSTEP_GROUP_TRAP == static_cast<int>(asm_::kGroupTrap));
static_assert(LOCKSTEP_OPERAND_STATE == LOCKSTEP_OPERAND_OFF + 1);
static_assert(sizeof(lockstep_insn_operand) == 40 && sizeof(lockstep_insn) == 1352);

constexpr uint32_t kAllFlags = LOCKSTEP_DISASM_REAL_TRUE16 | LOCKSTEP_DISASM_NO_OPERANDS |
                               LOCKSTEP_DISASM_NO_TEXT | LOCKSTEP_DISASM_DATA;
constexpr uint32_t kNoRow = 0xffffffff;

template <size_t N>
void copy_text(char (&to)[N], std::string_view text) {
  const size_t n = std::min(text.size(), N - 1);
  std::memcpy(to, text.data(), n);
  to[n] = 0;
}

void fill_operand(lockstep_insn_operand& out, const OperandDetail& d) {
  const isa::Operand& o = d.operand;
  const bool state = d.state != asm_::State::kNone;
  out.kind = state ? uint8_t{LOCKSTEP_OPERAND_STATE} : static_cast<uint8_t>(o.kind);
  out.access = static_cast<uint8_t>(d.access);
  out.is_implicit = d.implicit;
  out.flags = static_cast<uint8_t>(
      (o.high_half ? LOCKSTEP_FLAG_HIGH_HALF : 0) | (o.neg ? LOCKSTEP_FLAG_NEG : 0) |
      (o.abs ? LOCKSTEP_FLAG_ABS : 0) | (o.sext ? LOCKSTEP_FLAG_SEXT : 0));
  out.count = o.dwords;
  out.bits = d.bits;
  out.reg = state ? static_cast<uint32_t>(d.state) : o.code;
  out.type = static_cast<uint32_t>(o.type);
  out.value = o.kind == isa::OperandKind::kInline ? isa::inline_bits(o.code, o.type) : o.value;
  copy_text(out.role, d.role);
}

void fill(const lockstep_disassembler& d, const isa::Inst& inst, uint64_t address,
          lockstep_insn& out) {
  out.address = address;
  out.size = inst.size;
  out.id = static_cast<uint32_t>(inst.op);
  const bool pair = inst.format == isa::Format::VOPD;
  out.second_id = pair ? static_cast<uint32_t>(inst.op_y) : kNoRow;
  out.format = static_cast<uint32_t>(inst.format);
  out.is_executed =
      emu::executes(inst.op, inst.isa) && (!pair || emu::executes(inst.op_y, inst.isa));
  std::memcpy(out.bytes, inst.words, sizeof out.bytes);
  if (!(d.flags & LOCKSTEP_DISASM_NO_OPERANDS)) {
    out.groups = asm_::groups_of(inst);
    const auto target = asm_::branch_target(inst, address);
    out.has_target = target.has_value();
    out.target = target.value_or(0);
    for (const OperandDetail& detail : asm_::operand_details(inst, d.print)) {
      if (out.operand_count == LOCKSTEP_INSN_OPERANDS) break;
      fill_operand(out.operands[out.operand_count++], detail);
    }
  }
  if (!(d.flags & LOCKSTEP_DISASM_NO_TEXT)) {
    copy_text(out.mnemonic, isa::op_name(inst.op, inst.isa));
    asm_::PrintOptions print = d.print;
    print.address = address;
    copy_text(out.text, asm_::print(inst, print));
  }
}

/// A word, or the bytes that are left, that is no instruction.
void fill_data(const lockstep_disassembler& d, std::span<const uint8_t> bytes, uint64_t address,
               lockstep_insn& out) {
  constexpr size_t kWord = 4;
  const size_t n = std::min(bytes.size(), kWord);
  uint32_t word = 0;
  std::memcpy(&word, bytes.data(), n);
  std::memcpy(out.bytes, bytes.data(), n);
  out.address = address;
  out.size = static_cast<uint32_t>(n);
  out.id = out.second_id = kNoRow;
  out.is_data = 1;
  if (d.flags & LOCKSTEP_DISASM_NO_TEXT) return;
  if (n == kWord) {
    copy_text(out.text, fmt::format(".long 0x{:08x}", word));
    return;
  }
  std::string text = ".byte";
  for (size_t i = 0; i < n; ++i) text += fmt::format("{} 0x{:02x}", i ? "," : "", bytes[i]);
  copy_text(out.text, text);
}

int one(const lockstep_disassembler* d, std::span<const uint8_t> bytes, uint64_t address,
        lockstep_insn* out) {
  if (!d) return fail(LOCKSTEP_ERROR_ARGUMENT, "disassembler is NULL");
  if (!out) return fail(LOCKSTEP_ERROR_ARGUMENT, "insn is NULL");
  if (!bytes.data()) return fail(LOCKSTEP_ERROR_ARGUMENT, "the code is NULL");
  *out = {};
  isa::Inst inst;
  const auto error = isa::decode(d->isa, bytes, inst);
  if (error == isa::DecodeError::kNone) {
    fill(*d, inst, address, *out);
    return LOCKSTEP_OK;
  }
  if ((d->flags & LOCKSTEP_DISASM_DATA) && !bytes.empty()) {
    fill_data(*d, bytes, address, *out);
    return LOCKSTEP_OK;
  }
  return fail(LOCKSTEP_ERROR_INPUT, fmt::format("at 0x{:x}: {}", address, isa::to_string(error)));
}

lockstep_disassembler* open(const char* target_name, const lockstep_disasm_options* options) {
  const auto refuse = [](const std::string& why) -> lockstep_disassembler* {
    fail(LOCKSTEP_ERROR_ARGUMENT, why);
    return nullptr;
  };
  const auto arch = target_name ? find_arch(target_name) : std::nullopt;
  if (!arch) return refuse(unknown_arch(target_name));
  lockstep_disasm_options chosen = {sizeof chosen, 0, 0, 0};
  if (options) {
    if (options->struct_size != sizeof *options)
      return refuse(
          fmt::format("options->struct_size is {}, not {}", options->struct_size, sizeof *options));
    chosen = *options;
  }
  const isa::TargetInfo& target = isa::target_info(arch->target);
  const uint32_t wave = chosen.wave_size;
  if (wave != 0 && wave != 64 && !(wave == 32 && target.has_wave32))
    return refuse(fmt::format("wave_size is {}; {} has no such waves", wave, target.name));
  if (chosen.flags & ~kAllFlags)
    return refuse(fmt::format("flags has unknown bits: 0x{:x}", chosen.flags & ~kAllFlags));
  auto* d = new lockstep_disassembler{target.isa, {}, chosen.flags};
  d->print.wave_size = wave ? wave : arch->wave_size;
  d->print.real_true16 = chosen.flags & LOCKSTEP_DISASM_REAL_TRUE16;
  return d;
}

int register_text(const lockstep_disassembler* d, const lockstep_insn_operand* o, char* text,
                  size_t size) {
  if (!d || !o || (!text && size > 0)) return fail(LOCKSTEP_ERROR_ARGUMENT, "an argument is NULL");
  constexpr uint32_t kScalars = 128, kVectors = 256;
  std::string out;
  if (o->kind == LOCKSTEP_OPERAND_SCALAR && o->reg < kScalars)
    out = asm_::scalar_register(d->isa, o->reg, o->count);
  else if (o->kind == LOCKSTEP_OPERAND_VGPR && o->reg < kVectors)
    out = asm_::vector_register('v', o->reg, o->count);
  else if (o->kind == LOCKSTEP_OPERAND_AGPR && o->reg < kVectors)
    out = asm_::vector_register('a', o->reg, o->count);
  else if (o->kind == LOCKSTEP_OPERAND_STATE && o->reg >= LOCKSTEP_STATE_SCC &&
           o->reg <= LOCKSTEP_STATE_FLAT_SCRATCH)
    out = asm_::state_name(static_cast<asm_::State>(o->reg));
  else
    return fail(LOCKSTEP_ERROR_ARGUMENT, "the operand is no register");
  if (size > 0) {
    const size_t n = std::min(out.size(), size - 1);
    std::memcpy(text, out.data(), n);
    text[n] = 0;
  }
  return static_cast<int>(out.size());
}

/// Names as C strings.
template <size_t N, class F>
const char* name_at(uint32_t index, F name_of) {
  static const auto names = [&] {
    std::array<std::string, N> list;
    for (size_t i = 0; i < N; ++i) list[i] = name_of(i);
    return list;
  }();
  return index < N && !names[index].empty() ? names[index].c_str() : nullptr;
}

}  // namespace
}  // namespace lockstep::capi

using namespace lockstep;

extern "C" lockstep_disassembler* lockstep_disasm_open(const char* target,
                                                       const lockstep_disasm_options* options) {
  lockstep_disassembler* d = nullptr;
  capi::guarded([&] {
    d = capi::open(target, options);
    return LOCKSTEP_OK;
  });
  return d;
}

extern "C" void lockstep_disasm_close(lockstep_disassembler* disassembler) { delete disassembler; }

extern "C" int lockstep_disasm_one(const lockstep_disassembler* disassembler, const void* bytes,
                                   size_t size, uint64_t address, lockstep_insn* insn) {
  return capi::guarded([&] {
    return capi::one(disassembler, {static_cast<const uint8_t*>(bytes), size}, address, insn);
  });
}

extern "C" int lockstep_disasm_next(const lockstep_disassembler* disassembler, const uint8_t** code,
                                    size_t* size, uint64_t* address, lockstep_insn* insn) {
  return capi::guarded([&]() -> int {
    if (!code || !size || !address)
      return capi::fail(LOCKSTEP_ERROR_ARGUMENT, "code, size or address is NULL");
    if (*size == 0) return 0;
    const int status = capi::one(disassembler, {*code, *size}, *address, insn);
    if (status != LOCKSTEP_OK) return status;
    *code += insn->size;
    *size -= insn->size;
    *address += insn->size;
    return 1;
  });
}

extern "C" int lockstep_disasm_many(const lockstep_disassembler* disassembler, const void* code,
                                    size_t size, uint64_t address, lockstep_insn* insns,
                                    size_t most, size_t* count) {
  return capi::guarded([&]() -> int {
    if (!count) return capi::fail(LOCKSTEP_ERROR_ARGUMENT, "count is NULL");
    *count = 0;
    std::span<const uint8_t> left(static_cast<const uint8_t*>(code), size);
    while (!left.empty() && *count < most) {
      const int status = capi::one(disassembler, left, address, insns ? insns + *count : nullptr);
      if (status != LOCKSTEP_OK) return status;
      const uint32_t bytes = insns[(*count)++].size;
      left = left.subspan(bytes);
      address += bytes;
    }
    return LOCKSTEP_OK;
  });
}

extern "C" int lockstep_register_text(const lockstep_disassembler* disassembler,
                                      const lockstep_insn_operand* operand, char* text,
                                      size_t text_size) {
  return capi::guarded([&] { return capi::register_text(disassembler, operand, text, text_size); });
}

extern "C" const char* lockstep_row_name(uint32_t id) {
  return capi::name_at<isa::kOpCount>(
      id, [](size_t i) { return isa::op_info(static_cast<isa::Op>(i)).id; });
}
extern "C" const char* lockstep_format_name(uint32_t format) {
  return capi::name_at<isa::kFormatCount>(
      format, [](size_t i) { return isa::format_name(static_cast<isa::Format>(i)); });
}
extern "C" const char* lockstep_type_name(uint32_t type) {
  constexpr size_t kTypes = static_cast<size_t>(isa::Type::WAIT_EVENT) + 1;
  return capi::name_at<kTypes>(type,
                               [](size_t i) { return isa::type_name(static_cast<isa::Type>(i)); });
}
extern "C" const char* lockstep_group_name(uint32_t group) {
  if (group == 0 || (group & (group - 1)) || group > LOCKSTEP_GROUP_TRAP) return nullptr;
  return asm_::group_name(group).data();  // of a literal
}
