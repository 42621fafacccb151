// SPDX-License-Identifier: MIT
// print(): chooses by format; scalar arithmetic is here.
#include "asm/print.h"

#include "asm/disassemble.h"
#include "asm/printer.h"
#include "asm/symbols.h"

namespace lockstep::asm_ {
namespace {

using isa::Field;
using isa::Format;
using isa::Operand;
using isa::OperandKind;
using isa::Type;

std::string branch_text(const Printer& p, const Operand& o) {
  if (const auto target =
          p.options.symbol ? branch_target(p.inst, p.options.address) : std::nullopt) {
    std::string name = p.options.symbol(*target);
    if (!name.empty()) return name;
  }
  return fmt::format("{}", o.value & 0xffff);
}

/// SOPP rows whose immediate LLVM always writes in hex.
bool hex_immediate(const Printer& p) {
  return p.named("s_ttracedata_imm") || p.named("s_set_inst_prefetch_distance") ||
         p.named("s_round_mode") || p.named("s_set_gpr_idx_mode") || p.named("s_singleuse_vdst") ||
         (p.name_has("s_wait_") && p.name_has("cnt"));
}

/// gfx9: which operands M0 indexes.
std::string gpr_index_text(unsigned value) {
  static constexpr std::string_view kNames[] = {"SRC0", "SRC1", "SRC2", "DST"};
  if (value > 15) return fmt::format("0x{:x}", value);
  std::string text;
  for (unsigned i = 0; i < 4; ++i)
    if (value >> i & 1) text += fmt::format("{}{}", text.empty() ? "" : ",", kNames[i]);
  return "gpr_idx(" + text + ")";
}

}  // namespace

std::string immediate_text(const Printer& p, const Operand& o) {
  if (p.named("s_set_gpr_idx_on") || p.named("s_set_gpr_idx_mode"))
    return gpr_index_text(o.value & 0xffff);
  const unsigned value = o.value & 0xffff;
  switch (o.type) {
    case Type::LABEL:
      return branch_text(p, o);
    case Type::HWREG:
      return hwreg_text(p.inst.isa, value);
    case Type::SENDMSG:
    case Type::SENDMSG_RTN:
      return sendmsg_text(p.inst.isa, value);
    case Type::WAITCNT:
      return waitcnt_text(p.inst.isa, value);
    case Type::WAITCNT_DEPCTR:
      return depctr_text(p.inst.isa, value);
    case Type::DELAY:
      return delay_text(value);
    case Type::VERSION:
      return version_text(value);
    default:
      return fmt::format("0x{:x}", value);
  }
}

void print_salu(Printer& p) {
  p.mnemonic();
  const isa::Operands list = isa::operands_of(p.inst, p.options.wave_size);
  for (int i = 0; i < list.n_dst; ++i) p.operand(p.plain(list.dst[i]));
  for (int i = 0; i < list.n_src; ++i) {
    const Operand& o = list.src[i];
    const bool fixed_literal =
        p.inst.info().srcs[i].place == isa::Place::kLiteral;  // s_fmaak, s_fmamk
    p.operand(fixed_literal                       ? fmt::format("0x{:x}", o.value)
              : o.kind == OperandKind::kImmediate ? immediate_text(p, o)
                                                  : p.plain(o));
  }
}

namespace {

void print_sopp(Printer& p) {
  const isa::Operands list = isa::operands_of(p.inst, p.options.wave_size);
  p.mnemonic();
  const unsigned value = p.get(Field::simm16);
  if (p.named("s_endpgm")) {
    if (value) p.operand(fmt::format("{}", value));
    return;
  }
  for (int i = 0; i < list.n_src; ++i) {
    const Operand& o = list.src[i];
    p.operand(o.type == Type::SIMM16 && !hex_immediate(p) ? small_immediate(value)
                                                          : immediate_text(p, o));
  }
}

}  // namespace

std::string print(const isa::Inst& inst, const PrintOptions& options) {
  PrintOptions adjusted = options;
  if (isa::generation_of(inst.isa) == isa::Generation::kGfx9) adjusted.wave_size = 64;
  Printer p(inst, adjusted);
  switch (inst.format) {
    case Format::SOP1:
    case Format::SOP2:
    case Format::SOPC:
    case Format::SOPK:
      print_salu(p);
      break;
    case Format::SOPP:
      print_sopp(p);
      break;
    case Format::VOP1:
    case Format::VOP2:
    case Format::VOPC:
    case Format::VOP3:
    case Format::VOP3SD:
    case Format::VOP3P:
    case Format::VINTERP:
      print_valu(p);
      break;
    case Format::LDSDIR:
      print_lds_direct(p);
      break;
    case Format::MAI:
    case Format::VOP3PX2:
      print_mai(p);
      break;
    case Format::VOPD:
      print_vopd(p);
      break;
    case Format::SMEM:
      print_smem(p);
      break;
    case Format::DS:
      print_ds(p);
      break;
    case Format::FLAT:
    case Format::GLOBAL:
    case Format::SCRATCH:
    case Format::MUBUF:
    case Format::MTBUF:
      print_memory(p);
      break;
    case Format::MIMG:
    case Format::VIMAGE:
    case Format::VSAMPLE:
      print_image(p);
      break;
    case Format::EXP:
      print_export(p);
      break;
  }
  return p.text;
}

}  // namespace lockstep::asm_
