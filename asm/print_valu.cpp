// SPDX-License-Identifier: MIT
// Vector arithmetic: VOP1, VOP2, VOPC, VOP3, VOP3SD, VOP3P, VOPD, VINTERP, LDSDIR and the DPP and SDWA forms.
#include <array>

#include "asm/printer.h"
#include "asm/symbols.h"

namespace lockstep::asm_ {
namespace {

using isa::Field;
using isa::Format;
using isa::OpInfo;
using isa::Operands;
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
    return has_long ? "_e32" : "";
  }
  if (is_dpp(inst.suffix)) return "_e64_dpp";
  return is_short(info.format) && info.n_dsts + info.n_srcs > 0 ? "_e64" : "";
}

/// "name:[1,0,1]".
std::string bits_text(std::string_view name, unsigned bits, int count) {
  std::string s = fmt::format("{}:[", name);
  for (int i = 0; i < count; ++i) s += fmt::format("{}{}", i ? "," : "", bits >> i & 1);
  return s + "]";
}

void print_omod(Printer& p) {
  static constexpr const char* kNames[] = {"", "mul:2", "mul:4", "div:2"};
  if (const unsigned omod = p.get(Field::omod)) p.modifier(kNames[omod]);
}

/// Sources that have a field of their own, as op_sel counts them.
int field_sources(const OpInfo& info) {
  int n = 0;
  for (int i = 0; i < info.n_srcs; ++i) n += info.srcs[i].type != Type::MASK && info.srcs[i].place != isa::Place::kLiteral;
  return n;
}

void print_op_sel(Printer& p) {
  const OpInfo& info = p.inst.info();
  const bool promoted = is_short(info.format);
  if (promoted && !p.options.real_true16) return;
  const unsigned op_sel = p.get(Field::opsel);
  if (!op_sel) return;
  const int n = field_sources(info);
  // The result's bit (3) is written after those of the sources.
  const unsigned sources = op_sel & ((1u << n) - 1);
  p.modifier(bits_text("op_sel", sources | (op_sel >> 3 & 1) << n, p.name_has("permlane") ? 2 : n + 1));
}

void print_packed_modifiers(Printer& p) {
  const OpInfo& info = p.inst.info();
  const int n = info.n_srcs;
  const unsigned all = (1u << n) - 1;
  const bool matrix = p.name_has("wmma") || p.name_has("swmmac");
  const bool mix = p.name_has("_mix");
  const unsigned hi = p.get(Field::opsel_hi) | p.get(Field::opsel_hi2) << 2;
  if (p.get(Field::opsel) & all) p.modifier(bits_text("op_sel", p.get(Field::opsel), n));
  if (mix ? (hi & all) != 0 : (hi & all) != all) p.modifier(bits_text("op_sel_hi", hi, n));
  (void)matrix;
  if (mix) return;
  if (p.get(Field::neg) & all) p.modifier(bits_text("neg_lo", p.get(Field::neg), n));
  if (p.get(Field::neg_hi) & all) p.modifier(bits_text("neg_hi", p.get(Field::neg_hi), n));
}

void print_sdwa(Printer& p) {
  static constexpr const char* kSelects[] = {"BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD", "7"};
  static constexpr const char* kUnused[] = {"UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE", "3"};
  const OpInfo& info = p.inst.info();
  if (p.inst.format != Format::VOPC) {
    p.flag(Field::clamp, "clamp");
    print_omod(p);
    if (info.n_dsts > 0) {
      p.modifier(fmt::format("dst_sel:{}", kSelects[p.get(Field::dst_sel)]));
      p.modifier(fmt::format("dst_unused:{}", kUnused[p.get(Field::dst_unused)]));
    }
  }
  const int n = field_sources(info);
  if (n > 0) p.modifier(fmt::format("src0_sel:{}", kSelects[p.get(Field::src0_sel)]));
  if (n > 1) p.modifier(fmt::format("src1_sel:{}", kSelects[p.get(Field::src1_sel)]));
}

/// Sources of v_fma_mix: the modifiers are fields of the packed encoding, and abs is neg_hi.
std::string mix_source(const Printer& p, const isa::Operand& o, int i) {
  isa::Operand copy = o;
  copy.neg = p.get(Field::neg) >> i & 1;
  copy.abs = p.get(Field::neg_hi) >> i & 1;
  return p.modified(copy);
}

void print_operands(Printer& p, const Operands& list) {
  for (int i = 0; i < list.n_dst; ++i)
    if (list.dst[i].type != Type::EXEC_MASK) p.operand(p.plain(list.dst[i]));
  for (int i = 0; i < list.n_src; ++i) {
    if (list.src[i].type == Type::MIX) p.operand(mix_source(p, list.src[i], i));
    else p.operand(p.modified(list.src[i]));
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
  print_operands(p, isa::operands_of(p.inst, p.options.wave_size));
  switch (p.inst.format) {
    case Format::VOP3: case Format::VOP3SD:
      print_op_sel(p);
      p.flag(Field::clamp, "clamp");
      print_omod(p);
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
    default: break;
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
    print_operands(p, list);
  }
}

void print_lds_direct(Printer& p) {
  static constexpr std::array<char, 4> kChannels = {'x', 'y', 'z', 'w'};
  p.mnemonic();
  const Operands list = isa::operands_of(p.inst, p.options.wave_size);
  p.operand(p.plain(list.dst[0]));
  if (p.name_has("param")) p.operand(fmt::format("attr{}.{}", p.get(Field::attr), kChannels[p.get(Field::attr_chan)]));
  p.modifier(fmt::format("wait_{}:{}", p.gfx12() ? "va_vdst" : "vdst", p.get(Field::wait_vdst)));
  if (p.gfx12()) p.modifier(fmt::format("wait_vm_vsrc:{}", p.get(Field::wait_vm_vsrc)));
}

}  // namespace lockstep::asm_
