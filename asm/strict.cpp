// SPDX-License-Identifier: MIT
// What LLVM's decoder wants of fields that an operation does not use.
#include "asm/strict.h"

#include <fmt/format.h>

#include <algorithm>

#include "asm/printer.h"
#include "asm/valu_rules.h"
#include "isa/image_shape.h"
#include "isa/operand.h"

namespace lockstep::asm_ {
namespace {

using isa::Field;
using isa::Format;
using isa::ImageShape;
using isa::Inst;
using isa::Isa;
using isa::OpInfo;
using isa::Suffix;
using isa::Type;

bool gfx9(const Inst& inst) { return isa::generation_of(inst.isa) == isa::Generation::kGfx9; }
bool name_has(const Inst& inst, std::string_view part) {
  return inst.info().id.find(part) != std::string_view::npos;
}

std::string must_be_zero(const char* field) { return fmt::format("{} must be zero here", field); }

/// Sources that have a field: all of them, and those whose sign may be changed, by their bit in neg
/// and abs.
struct SourceBits {
  unsigned all = 0, with_sign = 0;
};
SourceBits source_bits(const Inst& inst) {
  const OpInfo& info = inst.info();
  SourceBits bits;
  unsigned position = 0;
  // The class mask of halves has a sign to LLVM.
  const bool signs = name_has(inst, "v_cndmask") || (name_has(inst, "_class_f16") && !gfx9(inst));
  for (int i = 0; i < info.n_srcs; ++i) {
    if (info.srcs[i].type == Type::MASK || info.srcs[i].place == isa::Place::kLiteral) continue;
    if (is_float(info.srcs[i].type) || signs) bits.with_sign |= 1u << position;
    bits.all |= 1u << position++;
  }
  return bits;
}

/// Shifts of register pairs by bits or bytes and 16-bit products of gfx9 choose halves, but have no
/// signs.
bool chooses_without_signs(const Inst& inst) {
  if (name_has(inst, "v_alignb")) return gfx9(inst);
  return inst.isa == Isa::kGfx950 && (name_has(inst, "v_mad_i16") || name_has(inst, "v_mad_u16"));
}

std::string check_vop3(const Inst& inst, bool real_true16) {
  const PrintOptions options;
  const Printer p(inst, options);
  const OpInfo& info = inst.info();
  if (info.n_dsts == 0 && info.n_srcs == 0 && (inst.words[0] & 0xffff || inst.words[1]))
    return must_be_zero("operand fields");
  if (info.id == "v_mov_b16" && !real_true16) return "this form is spelt with .l and .h only";
  const bool gfx12 = inst.isa == Isa::kGfx12;
  const unsigned op_sel = inst.get(Field::opsel);
  if (gfx12 && ((name_has(inst, "v_cvt_pk_f32_") && op_sel & 6) ||
                (name_has(inst, "sub_nc_u16") && op_sel & 4)))
    return must_be_zero("op_sel of a source that is not there");
  if (inst.has(Field::clamp) && inst.get(Field::clamp) && !has_clamp(inst))
    return must_be_zero("clamp");
  if (name_has(inst, "v_bitop3")) return {};  // keeps its table in the other fields
  if (inst.get(Field::omod) && !has_omod(inst)) return must_be_zero("omod");
  // Where halves can be chosen, LLVM's operands carry signs too.
  const bool all_signs =
      (has_op_sel(p) && !chooses_without_signs(inst)) || name_has(inst, "v_permlane");
  const SourceBits sources = source_bits(inst);
  const unsigned allowed = all_signs ? sources.all : sources.with_sign;
  if (inst.get(Field::neg) & ~allowed) return must_be_zero("neg of a source without a sign");
  if (inst.has(Field::abs) && (inst.get(Field::abs) & ~allowed))
    return must_be_zero("abs of a source without a sign");
  return {};
}

/// Products whose sources are whole registers: gfx12 wants the bits that choose halves to have
/// their default.
std::string check_whole_registers(const Inst& inst) {
  const bool dot = name_has(inst, "v_dot4_f32_");
  const bool matrix = name_has(inst, "v_wmma") || name_has(inst, "v_swmmac");
  if (inst.isa != Isa::kGfx12 || (!dot && !matrix)) return {};
  constexpr unsigned kDefaultHigh = 3, kFactors = 3;
  if (inst.get(Field::opsel_hi) != kDefaultHigh || !inst.get(Field::opsel_hi2))
    return "op_sel_hi must keep its default here";
  if (dot && inst.get(Field::opsel)) return must_be_zero("op_sel");
  if (dot && (inst.get(Field::neg) | inst.get(Field::neg_hi)) & kFactors)
    return must_be_zero("the sign of a packed source");
  return {};
}

std::string check_packed(const Inst& inst) {
  if (inst.get(Field::clamp) && !has_clamp(inst)) return must_be_zero("clamp");
  const OpInfo& info = inst.info();
  const unsigned all = (1u << info.n_srcs) - 1;
  if ((inst.get(Field::neg) | inst.get(Field::neg_hi)) & ~all)
    return must_be_zero("the sign of a source that is not there");
  if (gfx9(inst) && inst.get(Field::opsel) & ~all)
    return must_be_zero("op_sel of a source that is not there");
  if (info.id == "v_mfma_ld_scale_b32" && inst.get(Field::vdst)) return must_be_zero("vdst");
  return check_whole_registers(inst);
}

/// The third source of a matrix product: vector registers or an inline constant.
std::string check_matrix(const Inst& inst) {
  constexpr unsigned kStray = 7;
  if (name_has(inst, "v_accvgpr_") && (inst.get(Field::cbsz) || inst.get(Field::abid) & kStray))
    return must_be_zero("cbsz and abid");
  constexpr unsigned kFirstAperture = 235, kLastAperture = 239, kVccz = 251, kLdsDirect = 254;
  const unsigned code = inst.get(Field::src2);
  if ((code >= kFirstAperture && code <= kLastAperture) || (code >= kVccz && code <= kLdsDirect))
    return "the third source of a matrix product may not be this register";
  return {};
}

/// gfx9 names FLAT_SCRATCH, XNACK_MASK and VCC as pairs; their upper halves start none.
std::string check_pairs(const Inst& inst) {
  const auto starts_none = [](unsigned code) { return code == 103 || code == 105 || code == 107; };
  const OpInfo& info = inst.info();
  const char* reason = "no pair of registers starts here";
  if (inst.format == Format::VOP3SD && starts_none(inst.get(Field::sdst))) return reason;
  if (info.format == Format::VOPC && starts_none(inst.get(Field::vdst))) return reason;
  constexpr Field kFields[] = {Field::src0, Field::src1, Field::src2};
  for (int i = 0; i < info.n_srcs && i < 3; ++i)
    if ((info.srcs[i].dwords == 2 || info.srcs[i].type == Type::MASK) &&
        starts_none(inst.get(kFields[i])))
      return reason;
  return {};
}

bool has_wide_source(const OpInfo& info) {
  return std::any_of(info.srcs, info.srcs + info.n_srcs,
                     [](const isa::Opnd& o) { return o.dwords > 1; });
}

std::string check_suffix(const Inst& inst) {
  const OpInfo& info = inst.info();
  const bool dpp = inst.suffix == Suffix::kDpp16 || inst.suffix == Suffix::kDpp8;
  if (dpp && gfx9(inst) && inst.format == Format::VOPC) return "compares have no DPP form";
  const bool matrix = name_has(inst, "v_wmma") || name_has(inst, "v_swmmac");
  if (dpp && (matrix || (info.format == Format::VOPC && has_wide_source(info))))
    return "this operation has no DPP form";
  if (inst.suffix == Suffix::kSdwa && has_wide_source(info))
    return "this operation has no SDWA form";
  return {};
}

/// Signs in the dword of DPP and SDWA.
std::string check_suffix_signs(const Inst& inst) {
  const OpInfo& info = inst.info();
  if (inst.suffix == Suffix::kSdwa && inst.format != Format::VOPC && inst.get(Field::omod) &&
      (!has_omod(inst) || !is_float(info.dsts[0].type)))
    return must_be_zero("omod");
  constexpr unsigned kSource1 = 24;  // bits of the second dword that tell about the second source
  if (inst.suffix == Suffix::kSdwa && inst.format == Format::VOP1 && inst.words[1] >> kSource1)
    return must_be_zero("the second source");
  const SourceBits sources = source_bits(inst);
  constexpr Field kNeg[] = {Field::src0_neg, Field::src1_neg},
                  kAbs[] = {Field::src0_abs, Field::src1_abs},
                  kSext[] = {Field::src0_sext, Field::src1_sext};
  for (unsigned i = 0; i < 2; ++i) {
    const bool sign = sources.with_sign >> i & 1;
    if (!sign && (inst.get(kNeg[i]) || inst.get(kAbs[i])))
      return must_be_zero("the sign of a source without one");
    if (sign && inst.get(kSext[i])) return must_be_zero("sext of a float");
  }
  return {};
}

std::string check_short(const Inst& inst, bool real_true16) {
  const OpInfo& info = inst.info();
  if (inst.format == Format::VOP1 && info.n_dsts == 0 && info.n_srcs == 0 &&
      inst.suffix == Suffix::kNone && (inst.get(Field::vdst) || inst.get(Field::src0)))
    return must_be_zero("operand fields");
  // The upper half of a register, which only the spelling with .l and .h can name.
  constexpr unsigned kUpper = 128;
  const bool always_spelt = info.id == "v_mov_b16" || info.id == "v_swap_b16";
  if (!real_true16 && !always_spelt && inst.format != Format::VOPC && info.n_dsts > 0 &&
      isa::fills_half(inst.isa, info.dsts[0].type) && inst.get(Field::vdst) >= kUpper)
    return "16-bit results of this encoding end at v127";
  return check_suffix_signs(inst);
}

std::string check_ds(const Inst& inst) {
  if (inst.info().id == "ds_nop" && (inst.get(Field::offset0) || inst.get(Field::offset1)))
    return must_be_zero("offset");
  const bool semaphore = name_has(inst, "ds_gws_sema_") && !name_has(inst, "_br");
  if (semaphore && inst.get(Field::acc)) return must_be_zero("acc");
  if (gfx9(inst) || !inst.has(Field::gds)) return {};
  if (name_has(inst, "permute") && inst.get(Field::gds)) return must_be_zero("gds");
  if ((name_has(inst, "gs_reg_rtn") || name_has(inst, "ordered_count")) && !inst.get(Field::gds))
    return "gds must be one here";
  return {};
}

/// Bits of gfx9 vector memory that go to LDS.
std::string check_buffer_lds(const Inst& inst) {
  const std::string_view name = isa::op_name(inst.op, inst.isa);
  const bool store = name == "buffer_store_lds_dword";
  if (inst.get(Field::lds) && !store && !may_load_to_lds(inst)) return must_be_zero("bit LDS");
  if ((inst.get(Field::lds) || store) && inst.get(Field::acc)) return must_be_zero("acc");
  const bool float_atomic =
      name_has(inst, "_atomic_") &&
      (name.ends_with("_f64") || name.ends_with("_add_f32") || name.ends_with("_pk_add_f16"));
  if (inst.isa == Isa::kGfx90a && float_atomic && inst.get(Field::sc1)) return must_be_zero("scc");
  return {};
}

std::string check_flat(const Inst& inst) {
  const isa::MemKind kind = inst.info().mem.kind;
  if (gfx9(inst) && kind == isa::MemKind::kLoadLds && inst.get(Field::acc))
    return must_be_zero("acc");
  if (!inst.get(Field::sve) || inst.format == Format::SCRATCH) return {};
  if (inst.isa != Isa::kGfx90a) return must_be_zero("bit SVE");
  const bool loads = kind == isa::MemKind::kLoad || kind == isa::MemKind::kLoadFormat ||
                     kind == isa::MemKind::kLoadLds;
  if (!loads || inst.format == Format::FLAT || name_has(inst, "_d16"))
    return must_be_zero("bit LDS");
  if (inst.get(Field::acc)) return must_be_zero("acc");
  return {};
}

std::string check_memory(const Inst& inst) {
  const isa::MemKind kind = inst.info().mem.kind;
  const bool gfx11 = isa::generation_of(inst.isa) == isa::Generation::kGfx11;
  const bool gfx12 = inst.isa == Isa::kGfx12;
  constexpr unsigned kNull = 124, kMostPrefetched = 31;
  switch (inst.format) {
    case Format::FLAT:
    case Format::GLOBAL:
    case Format::SCRATCH:
      if (gfx12 && (name_has(inst, "global_wb") || name_has(inst, "global_inv")) &&
          inst.get(Field::saddr) != kNull)
        return "saddr must be null here";
      return check_flat(inst);
    case Format::MUBUF:
      if (gfx9(inst)) return check_buffer_lds(inst);
      if (inst.get(Field::tfe) &&
          (kind == isa::MemKind::kLoadLds || (gfx12 && name_has(inst, "_atomic_"))))
        return must_be_zero("tfe");
      return {};
    case Format::MTBUF:
      return gfx12 && inst.get(Field::tfe) ? must_be_zero("tfe") : std::string();
    case Format::MIMG:
      if (gfx11 && !ImageShape(inst).samples() && inst.get(Field::ssamp))
        return must_be_zero("the sampler");
      return {};
    case Format::VIMAGE:
      if (name_has(inst, "_get_resinfo") && inst.get(Field::d16)) return must_be_zero("d16");
      return {};
    case Format::SMEM:
      if (name_has(inst, "prefetch_") && inst.get(Field::sdata) > kMostPrefetched)
        return "the length of a prefetch has five bits";
      return {};
    default:
      return {};
  }
}

}  // namespace

bool may_load_to_lds(const Inst& inst) {
  const std::string_view name = isa::op_name(inst.op, inst.isa);
  constexpr std::string_view kAll[] = {"buffer_load_dword",  "buffer_load_ubyte",
                                       "buffer_load_sbyte",  "buffer_load_ushort",
                                       "buffer_load_sshort", "buffer_load_format_x"};
  if (std::find(std::begin(kAll), std::end(kAll), name) != std::end(kAll)) return true;
  return inst.isa == Isa::kGfx950 &&
         (name == "buffer_load_dwordx3" || name == "buffer_load_dwordx4");
}

std::string refused_by_llvm(const Inst& inst, bool real_true16) {
  std::string reason = check_suffix(inst);
  if (!reason.empty()) return reason;
  switch (inst.format) {
    case Format::VOP3:
    case Format::VOP3SD:
      if (gfx9(inst)) reason = check_pairs(inst);
      return reason.empty() ? check_vop3(inst, real_true16) : reason;
    case Format::VOP3P:
      return check_packed(inst);
    case Format::MAI:
    case Format::VOP3PX2:
      return check_matrix(inst);
    case Format::VOP1:
    case Format::VOP2:
    case Format::VOPC:
      return check_short(inst, real_true16);
    case Format::SOPP:
      if (inst.info().n_srcs == 0 && inst.info().id != "s_endpgm" && inst.get(Field::simm16))
        return must_be_zero("simm16");
      return {};
    case Format::DS:
      return check_ds(inst);
    default:
      return check_memory(inst);
  }
}

}  // namespace lockstep::asm_
