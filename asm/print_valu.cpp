// SPDX-License-Identifier: MIT
// Vector arithmetic: VOP1, VOP2, VOPC, VOP3, VOP3SD, VOP3P, VOPD, VINTERP, LDSDIR and the DPP and
// SDWA forms.
#include <algorithm>
#include <array>

#include "asm/printer.h"
#include "asm/symbols.h"

namespace lockstep::asm_ {
namespace {

using isa::Field;
using isa::Format;
using isa::Operands;
using isa::OpInfo;
using isa::Suffix;
using isa::Type;

bool is_short(Format f) { return f == Format::VOP1 || f == Format::VOP2 || f == Format::VOPC; }
bool is_dpp(Suffix s) { return s == Suffix::kDpp16 || s == Suffix::kDpp8; }

/// LLVM names the encoding when an operation has more than one.
std::string_view encoding_suffix(const Printer& p) {
  const isa::Inst& inst = p.inst;
  const OpInfo& info = inst.info();
  const bool has_long = isa::opcode_in(inst.op, inst.isa, Format::VOP3) >= 0;
  if (is_short(inst.format)) {
    if (is_dpp(inst.suffix)) return inst.format == Format::VOPC && !p.gfx9() ? "" : "_dpp";
    if (inst.suffix == Suffix::kSdwa) return "_sdwa";
    return has_long && info.n_dsts + info.n_srcs > 0 ? "_e32" : "";
  }
  if (is_dpp(inst.suffix)) return "_e64_dpp";
  return is_short(info.format) && info.n_dsts + info.n_srcs > 0 ? "_e64" : "";
}

void print_omod(Printer& p) {
  static constexpr const char* kNames[] = {"", "mul:2", "mul:4", "div:2"};
  if (const unsigned omod = p.get(Field::omod)) p.modifier(kNames[omod]);
}

void print_sdwa(Printer& p) {
  static constexpr const char* kSelects[] = {"BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3",
                                             "WORD_0", "WORD_1", "DWORD",  "7"};
  static constexpr const char* kUnused[] = {"UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE", "3"};
  const OpInfo& info = p.inst.info();
  if (p.inst.format != Format::VOPC) {
    p.flag(Field::clamp, "clamp");
    print_omod(p);
    const bool from_small_float = p.name_has("_fp8") || p.name_has("_bf8");
    if (info.n_dsts > 0 && !from_small_float) {
      p.modifier(fmt::format("dst_sel:{}", kSelects[p.get(Field::dst_sel)]));
      p.modifier(fmt::format("dst_unused:{}", kUnused[p.get(Field::dst_unused)]));
    }
  }
  const int n = field_sources(info);
  if (n > 0) p.modifier(fmt::format("src0_sel:{}", kSelects[p.get(Field::src0_sel)]));
  if (n > 1) p.modifier(fmt::format("src1_sel:{}", kSelects[p.get(Field::src1_sel)]));
}

/// Sources whose sign modifiers are read off the fields: those of v_fma_mix (abs is neg_hi there).
std::string with_sign_fields(const Printer& p, const isa::Operand& o, int i, Field abs) {
  isa::Operand copy = o;
  copy.neg = p.get(Field::neg) >> i & 1;
  copy.abs = p.get(abs) >> i & 1;
  return p.modified(copy);
}

/// Integer second sources that LLVM writes with the sign modifiers of a float.
bool integer_with_sign_fields(const Printer& p) {
  if (p.inst.format != Format::VOP3) return false;
  return p.named("v_ldexp_f16") || (p.options.real_true16 && p.name_has("_class_f16"));
}

/// LLVM shows the unused neg bit of these integer sources as sext().
bool reads_neg_as_sext(const Printer& p, const isa::Operand& o, int i) {
  if (p.inst.format != Format::VOP3 || is_short(p.inst.info().format) ||
      !(p.get(Field::neg) >> i & 1))
    return false;
  if (is_float(o.type) || p.name_has("v_cndmask")) return false;
  if (p.named("v_cvt_pk_u8_f32") || p.named("v_trig_preop_f64") || p.named("v_ldexp_f32") ||
      p.named("v_ldexp_f64"))
    return i > 0;
  return is_dpp(p.inst.suffix) && has_op_sel(p);
}

void print_operands(Printer& p, const Operands& list, const OpInfo& info) {
  for (int i = 0; i < list.n_dst; ++i)
    if (list.dst[i].type != Type::EXEC_MASK) p.operand(p.plain(list.dst[i]));
  for (int i = 0; i < list.n_src; ++i) {
    if (list.src[i].type == Type::MIX)
      p.operand(with_sign_fields(p, list.src[i], i, Field::neg_hi));
    else if (info.srcs[i].place == isa::Place::kLiteral)
      p.operand(fmt::format("0x{:x}", list.src[i].value));
    else if (i == 1 && integer_with_sign_fields(p))
      p.operand(with_sign_fields(p, list.src[i], i, Field::abs));
    else if (reads_neg_as_sext(p, list.src[i], i))
      p.operand("sext(" + p.plain(list.src[i]) + ")");
    else
      p.operand(p.modified(list.src[i]));
  }
}

}  // namespace

void print_dpp(Printer& p) {
  if (p.inst.suffix == Suffix::kDpp8) {
    const unsigned sel = p.get(Field::lane_sel);
    std::string s = "dpp8:[";
    for (unsigned i = 0; i < 8; ++i) s += fmt::format("{}{}", i ? "," : "", sel >> (3 * i) & 7);
    p.modifier(s + "]");
    if (p.get(Field::src0) == isa::kSrcDpp8Fi) p.modifier("fi:1");
    return;
  }
  p.modifier(dpp_ctrl_text(p.inst.isa, p.get(Field::dpp_ctrl)));
  p.modifier(fmt::format("row_mask:0x{:x}", p.get(Field::row_mask)));
  p.modifier(fmt::format("bank_mask:0x{:x}", p.get(Field::bank_mask)));
  p.flag(Field::bc, "bound_ctrl:1");
  if (!p.gfx9()) p.flag(Field::fi, "fi:1");
}

void print_valu(Printer& p) {
  p.mnemonic(encoding_suffix(p));
  print_operands(p, isa::operands_of(p.inst, p.options.wave_size), p.inst.info());
  switch (p.inst.format) {
    case Format::VOP3:
    case Format::VOP3SD:
      print_op_sel(p);
      p.flag(Field::clamp, "clamp");
      if (!p.name_has("v_bitop3")) print_omod(p);
      break;
    case Format::VOP3P:
      print_packed_modifiers(p);
      p.flag(Field::clamp, "clamp");
      break;
    case Format::VINTERP:
      p.flag(Field::clamp, "clamp");
      if (p.get(Field::opsel)) p.modifier(bits_text("op_sel", p.get(Field::opsel), 4));
      p.modifier(fmt::format("wait_exp:{}", p.get(Field::waitexp)));
      break;
    default:
      break;
  }
  if (is_dpp(p.inst.suffix)) print_dpp(p);
  if (p.inst.suffix == Suffix::kSdwa) print_sdwa(p);
}

void print_vopd(Printer& p) {
  for (int half = 0; half < 2; ++half) {
    if (half) p.text += " :: ";
    p.text += isa::op_name(half ? p.inst.op_y : p.inst.op, p.inst.isa);
    p.restart_operands();
    Operands list = isa::operands_of_half(p.inst, half, p.options.wave_size);
    // The mask of v_dual_cndmask is always VCC and is not written.
    while (list.n_src > 0 && list.src[list.n_src - 1].type == Type::MASK) --list.n_src;
    print_operands(p, list, isa::op_info(isa::op_info(half ? p.inst.op_y : p.inst.op).base));
  }
}

void print_lds_direct(Printer& p) {
  static constexpr std::array<char, 4> kChannels = {'x', 'y', 'z', 'w'};
  p.mnemonic();
  const Operands list = isa::operands_of(p.inst, p.options.wave_size);
  p.operand(p.plain(list.dst[0]));
  if (p.name_has("param"))
    p.operand(fmt::format("attr{}.{}", p.get(Field::attr), kChannels[p.get(Field::attr_chan)]));
  p.modifier(fmt::format("wait_{}:{}", p.gfx12() ? "va_vdst" : "vdst", p.get(Field::wait_vdst)));
  if (p.gfx12()) p.modifier(fmt::format("wait_vm_vsrc:{}", p.get(Field::wait_vm_vsrc)));
}

}  // namespace lockstep::asm_
