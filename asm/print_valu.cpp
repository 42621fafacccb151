// SPDX-License-Identifier: MIT
// Vector arithmetic: VOP1, VOP2, VOPC, VOP3, VOP3SD, VOP3P, VOPD, VINTERP, LDSDIR and the DPP and
// SDWA forms.
#include <algorithm>
#include <array>
#include <optional>

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
  static constexpr const char* kUnused[] = {"UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE",
                                            "UNUSED_PAD"};
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

/// An operand with sign modifiers that its type does not take.
std::string with_signs(const Printer& p, isa::Operand o, bool neg, bool abs) {
  o.neg = neg;
  o.abs = abs;
  return p.modified(o);
}

/// Text of source i where LLVM writes modifiers that do not act on the operand (integers) or that
/// lie in fields of the packed encoding (v_fma_mix); nothing for ordinary sources.
std::optional<std::string> unusual_source(const Printer& p, const isa::Operand& o, int i) {
  const bool long_form = p.inst.format == Format::VOP3;
  const bool neg = p.get(Field::neg) >> i & 1, abs = p.get(Field::abs) >> i & 1;
  if (o.type == Type::MIX) return with_signs(p, o, neg, p.get(Field::neg_hi) >> i & 1);
  const auto sext = [&]() -> std::optional<std::string> { return "sext(" + p.plain(o) + ")"; };
  if (i == 1 && p.options.real_true16 && p.name_has("_class_f16"))
    return long_form ? with_signs(p, o, neg, abs)
                     : with_signs(p, o, p.get(Field::src1_neg), p.get(Field::src1_abs));
  if (i == 1 && p.named("v_ldexp_f16")) {
    if (p.inst.isa == isa::Isa::kGfx950) return p.plain(o);
    if (long_form && p.gfx9()) return neg ? sext() : p.plain(o);  // not the half of a register
    if (long_form) return with_signs(p, o, neg, abs);
    return p.get(Field::src1_neg) && is_dpp(p.inst.suffix) ? sext() : std::nullopt;
  }
  if (p.inst.isa == isa::Isa::kGfx950) return std::nullopt;  // not since LLVM knows it
  if (!long_form || !neg || is_short(p.inst.info().format) || is_float(o.type) ||
      p.name_has("v_cndmask"))
    return std::nullopt;
  static constexpr std::string_view kIntegerModifiers[] = {"v_cvt_pk_u8_f32", "v_trig_preop_f64",
                                                           "v_ldexp_f32", "v_ldexp_f64"};
  const bool listed = std::any_of(std::begin(kIntegerModifiers), std::end(kIntegerModifiers),
                                  [&](std::string_view id) { return p.named(id); });
  if (listed) return i > 0 ? sext() : std::nullopt;
  return is_dpp(p.inst.suffix) && has_op_sel(p) && !p.options.real_true16 ? sext() : std::nullopt;
}

void print_operands(Printer& p, const Operands& list, const OpInfo& info) {
  for (int i = 0; i < list.n_dst; ++i)
    if (list.dst[i].type != Type::EXEC_MASK) p.operand(p.plain(list.dst[i]));
  for (int i = 0; i < list.n_src; ++i) {
    if (info.srcs[i].place == isa::Place::kLiteral)
      p.operand(fmt::format("0x{:x}", list.src[i].value));
    else
      p.operand(unusual_source(p, list.src[i], i).value_or(p.modified(list.src[i])));
  }
}

/// 64-bit operations of gfx9 allow only one DPP control.
bool has_wide_operand(const Printer& p) {
  const OpInfo& info = p.inst.info();
  const auto wide = [](const isa::Opnd& o) { return o.dwords == 2; };
  return std::any_of(info.dsts, info.dsts + info.n_dsts, wide) ||
         std::any_of(info.srcs, info.srcs + info.n_srcs, wide);
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
  const unsigned ctrl = p.get(Field::dpp_ctrl);
  const bool broadcast = ctrl >= 0x150 && ctrl < 0x160;
  if (p.gfx9() && !broadcast && has_wide_operand(p))
    p.modifier("/* DP ALU dpp only supports row_newbcast */");
  else
    p.modifier(dpp_ctrl_text(p.inst.isa, ctrl));
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
