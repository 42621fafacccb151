// SPDX-License-Identifier: MIT
// Which vector operations take clamp and an output modifier, and what matrix products forbid.
#include "asm/valu_rules.h"

#include <algorithm>

#include "asm/assembler.h"

namespace lockstep::asm_ {
namespace {

using isa::Field;
using isa::Format;
using isa::OpInfo;

/// The questions that the rules below ask.
struct Named {
  const isa::Inst& inst;
  bool named(std::string_view id) const { return inst.info().id == id; }
  bool name_has(std::string_view part) const {
    return inst.info().id.find(part) != std::string_view::npos;
  }
  bool gfx12() const { return isa::generation_of(inst.isa) == isa::Generation::kGfx12; }
};

/// Conversions to and from 8-bit floats and scaled formats, and dot products of halves in VOP3:
/// neither their range nor their scale can be changed.
bool is_fixed(const Named& a) {
  const bool sr = a.name_has("v_cvt_sr_"),
             pk8 = a.name_has("v_cvt_pk_fp8") || a.name_has("v_cvt_pk_bf8");
  if (sr || pk8 || a.name_has("v_cvt_scalef32") || a.name_has("v_dot2_f16_f16") ||
      a.name_has("v_dot2_bf16_bf16"))
    return true;
  return a.gfx12() && (a.name_has("v_cvt_f32_fp8") || a.name_has("v_cvt_f32_bf8"));
}

bool any_float(const isa::Opnd* first, int n) {
  return std::any_of(first, first + n, [](const isa::Opnd& o) { return is_float(o.type); });
}

/// Integer operations that saturate.
bool saturates(const Named& a) {
  // LLVM gives these a clamp since it knows gfx950.
  if (a.name_has("v_alignb")) return a.inst.isa == isa::Isa::kGfx950;
  if (a.name_has("v_add3") || a.name_has("v_add_lshl") || a.name_has("v_sat_pk")) return false;
  for (const std::string_view part :
       {"v_add", "v_sub", "v_mad_", "sad_", "v_mul_u32_u24", "v_mul_i32_i24", "v_dot"})
    if (a.name_has(part)) return true;
  const bool median = a.name_has("v_med3") || a.name_has("v_min3") || a.name_has("v_max3");
  return median && (a.name_has("_i16") || a.name_has("_u16"));
}

bool is_vop3(Format f) { return f == Format::VOP3 || f == Format::VOP3SD; }

}  // namespace

bool has_clamp(const isa::Inst& inst) {
  const Named a{inst};
  const OpInfo& info = a.inst.info();
  if (info.format == Format::VOPC) return is_float(info.srcs[0].type) && !a.name_has("_class_");
  if (is_vop3(a.inst.format)) {
    if (is_fixed(a)) return false;
    const bool floats = any_float(info.srcs, info.n_srcs) ||
                        (any_float(info.dsts, info.n_dsts) && a.name_has("v_cvt"));
    if (a.name_has("v_cndmask") || a.name_has("v_screen_partition")) return false;
    if (!floats && !any_float(info.dsts, info.n_dsts)) return saturates(a);
  }
  if (a.named("v_mfma_ld_scale_b32") || (a.gfx12() && a.name_has("v_dot4_f32_"))) return false;
  return !a.name_has("v_wmma_f") && !a.name_has("v_wmma_bf") && !a.name_has("v_swmmac_f") &&
         !a.name_has("v_swmmac_bf");
}

bool converts_block(const isa::OpInfo& info) {
  return info.id.starts_with("v_cvt_scalef32_") &&
         (info.id.find("pk32_") != std::string_view::npos ||
          info.id.find("2xpk16_") != std::string_view::npos);
}

bool has_omod(const isa::Inst& inst) {
  const Named a{inst};
  const OpInfo& info = a.inst.info();
  if (info.n_dsts == 0 || !a.inst.has(Field::omod) || is_fixed(a)) return false;
  if (a.name_has("v_cvt_floor") || a.name_has("v_cvt_flr") || a.name_has("v_cvt_nearest") ||
      a.name_has("v_cvt_rpi") || a.named("v_frexp_exp_i32_f32"))
    return false;
  if (inst.suffix == isa::Suffix::kSdwa && !is_float(info.dsts[0].type)) return false;
  // Conversions of floats to integers have the field too.
  return is_float(info.dsts[0].type) || ((a.name_has("v_cvt_") || a.name_has("v_frexp_exp")) &&
                                         info.n_srcs == 1 && is_float(info.srcs[0].type));
}

bool check_matrix(Assembler& a) {
  if (a.inst.format != Format::MAI || !a.name_has("v_mfma_") || a.name_has("_f8f6f4") ||
      a.line.operands.size() < 4)
    return true;
  const ParsedOperand &to = a.line.operands[0], &c = a.line.operands[3];
  constexpr unsigned kMayOverlap = 4;
  if (to.dwords <= kMayOverlap || c.kind != ParsedKind::kRegister || c.bank != to.bank ||
      c.code == to.code)
    return true;
  if (c.code < to.code + to.dwords && to.code < c.code + c.dwords)
    return a.fail(c.at, "source 2 operand must not partially overlap with dst");
  return true;
}

}  // namespace lockstep::asm_
