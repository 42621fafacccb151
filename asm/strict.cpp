// SPDX-License-Identifier: MIT
// What LLVM's decoder wants of fields that an operation does not use.
#include "asm/strict.h"

#include <fmt/format.h>

#include <algorithm>

#include "asm/printer.h"
#include "asm/unused_bits.h"
#include "asm/valu_rules.h"
#include "isa/check.h"
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

bool is_short(Format f) { return f == Format::VOP1 || f == Format::VOP2 || f == Format::VOPC; }
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
SourceBits source_bits(const Inst& inst, bool real_true16) {
  const OpInfo& info = inst.info();
  SourceBits bits;
  unsigned position = 0;
  // The class mask of halves has a sign to LLVM.
  const bool signs = name_has(inst, "v_cndmask") || (name_has(inst, "_class_f16") && real_true16);
  for (int i = 0; i < info.n_srcs; ++i) {
    if (info.srcs[i].type == Type::MASK || info.srcs[i].place == isa::Place::kLiteral) continue;
    if ((is_float(info.srcs[i].type) && !converts_block(info)) || signs)
      bits.with_sign |= 1u << position;
    bits.all |= 1u << position++;
  }
  return bits;
}

/// Shifts of register pairs by bits or bytes and 16-bit products of gfx9 choose halves, but have no
/// signs.
bool chooses_without_signs(const Inst& inst) {
  if (name_has(inst, "v_alignb")) return gfx9(inst);
  return inst.isa == Isa::kGfx950 && !is_short(inst.info().format) &&
         (name_has(inst, "_i16") || name_has(inst, "_u16"));
}

/// Operations with integer sources to which LLVM gives signs all the same, or whose signs it does not
/// look at.
bool takes_any_sign(const Inst& inst) {
  for (const std::string_view part :
       {"v_permlane", "v_ldexp_", "v_cvt_pk_u8_f32", "v_trig_preop_", "v_cvt_pkaccum_",
        "v_dot2c_i32", "v_dot4c_i32", "v_dot8c_i32", "v_cvt_scalef32_pk_fp4_"})
    if (name_has(inst, part)) return !name_has(inst, "_swap_");
  return name_has(inst, "v_cvt_sr_") && !name_has(inst, "scalef32");
}

std::string check_vop3(const Inst& inst, const PrintOptions& options) {
  const bool real_true16 = options.real_true16;
  const Printer p(inst, options);
  const OpInfo& info = inst.info();
  if (info.n_dsts == 0 && info.n_srcs == 0 && (inst.words[0] & 0xffff || inst.words[1]))
    return must_be_zero("operand fields");
  const bool sets_exec = info.n_dsts > 0 && info.dsts[0].type == Type::EXEC_MASK;
  if (sets_exec && !gfx9(inst) && inst.get(Field::vdst) != isa::kExecLo)
    return "the result of v_cmpx must be EXEC";
  if (info.id == "v_mov_b16" && !real_true16) return "this form is spelt with .l and .h only";
  const bool gfx12 = inst.isa == Isa::kGfx12;
  const unsigned op_sel = inst.get(Field::opsel);
  if (gfx12 && ((name_has(inst, "v_cvt_pk_f32_") && op_sel & 6) ||
                (name_has(inst, "sub_nc_u16") && op_sel & 4)))
    return must_be_zero("op_sel of a source that is not there");
  if (has_op_sel(p) && !name_has(inst, "v_permlane") && !name_has(inst, "v_bitop3") &&
      !name_has(inst, "v_cvt_sr_") && !name_has(inst, "v_cvt_scalef32_pk_fp4_")) {
    // The bit of the result is the last one.
    const unsigned sources = (1u << std::min(3, field_sources(info))) - 1;
    constexpr unsigned kResult = 8;
    if (op_sel & ~(sources | kResult) & 4)
      return must_be_zero("op_sel of a source that is not there");
  }
  const bool two_sources = info.id == "v_cvt_pk_bf16_f32" || info.id == "v_cvt_sr_bf16_f32" ||
                           info.id == "v_cvt_sr_f16_f32";
  if (inst.isa == Isa::kGfx950 && two_sources && op_sel & 4)
    return must_be_zero("op_sel of a source that is not there");
  if (inst.has(Field::clamp) && inst.get(Field::clamp) && !has_clamp(inst))
    return must_be_zero("clamp");
  if (name_has(inst, "v_bitop3")) {  // keeps its table in the other fields
    return op_sel && info.id == "v_bitop3_b32" ? must_be_zero("op_sel") : std::string();
  }
  if (inst.get(Field::omod) && !has_omod(inst)) return must_be_zero("omod");
  // Where halves can be chosen, LLVM's operands carry signs too.
  const bool all_signs = (has_op_sel(p) && !chooses_without_signs(inst)) || takes_any_sign(inst);
  const SourceBits sources = source_bits(inst, real_true16);
  const bool old_result =  // has signs as well
      inst.isa == Isa::kGfx950 &&
      (info.id == "v_cvt_sr_fp8_f32" || info.id == "v_cvt_sr_bf8_f32" ||
       info.id == "v_cvt_scalef32_pk_fp4_f16" || info.id == "v_cvt_scalef32_pk_fp4_bf16");
  const unsigned allowed = old_result ? 7u : all_signs ? sources.all : sources.with_sign;
  if (inst.get(Field::neg) & ~allowed) return must_be_zero("neg of a source without a sign");
  if (inst.has(Field::abs) && (inst.get(Field::abs) & ~allowed))
    return must_be_zero("abs of a source without a sign");
  return {};
}

/// Which modifiers LLVM knows of matrix products and of dot products of bytes: bit sets of NEG,
/// NEG_HI and OP_SEL.
struct PackedModifiers {
  unsigned neg = 7, neg_hi = 7, op_sel = 7;
};
PackedModifiers packed_modifiers(const Inst& inst, unsigned wave_size) {
  constexpr unsigned kFactors = 3, kAddend = 4, kAll = 7;
  const bool gfx12 = inst.isa == Isa::kGfx12;
  const bool bytes = name_has(inst, "fp8") || name_has(inst, "bf8");
  if (name_has(inst, "v_dot4_f32_") && gfx12) return {kAddend, kAddend, 0};
  if (name_has(inst, "v_swmmac")) {
    // The index has no sign; OP_SEL chooses among the two or four of a register.
    const unsigned bits = (name_has(inst, "16x16x64") ? 0u : 1u) + (wave_size == 64 ? 1u : 0u);
    const unsigned keys = (1u << bits) - 1;
    if (name_has(inst, "_i32_")) return {kFactors, 0, keys};
    return {bytes ? 0u : kFactors, bytes ? 0u : kFactors, keys};
  }
  if (inst.isa == Isa::kGfx950 && (name_has(inst, "v_dot4_") || name_has(inst, "v_dot8_")))
    return {kAll, kAll, 0};
  if (!name_has(inst, "v_wmma")) return {};
  if (!gfx12) return {kAll, kAll, is_half(inst.info().dsts[0].type) ? kAll : 0u};
  if (name_has(inst, "_i32_")) return {kFactors, 0, 0};
  return {bytes ? kAddend : kAll, bytes ? kAddend : kAll, 0};
}

std::string check_whole_registers(const Inst& inst, unsigned wave_size) {
  const PackedModifiers known = packed_modifiers(inst, wave_size);
  if (inst.get(Field::neg) & ~known.neg || inst.get(Field::neg_hi) & ~known.neg_hi)
    return must_be_zero("the sign of a source without one");
  if (inst.get(Field::opsel) & ~known.op_sel) return must_be_zero("op_sel");
  const bool whole =
      name_has(inst, "v_dot4_f32_") || name_has(inst, "v_wmma") || name_has(inst, "v_swmmac");
  constexpr unsigned kDefaultHigh = 3;
  if (inst.isa == Isa::kGfx12 && whole &&
      (inst.get(Field::opsel_hi) != kDefaultHigh || !inst.get(Field::opsel_hi2)))
    return "op_sel_hi must keep its default here";
  return {};
}

std::string check_packed(const Inst& inst, unsigned wave_size) {
  if (inst.get(Field::clamp) && !has_clamp(inst)) return must_be_zero("clamp");
  const OpInfo& info = inst.info();
  const unsigned all = (1u << info.n_srcs) - 1;
  if ((inst.get(Field::neg) | inst.get(Field::neg_hi)) & ~all)
    return must_be_zero("the sign of a source that is not there");
  if (inst.get(Field::opsel) & ~all) return must_be_zero("op_sel of a source that is not there");
  if (info.id == "v_mfma_ld_scale_b32" && inst.get(Field::vdst)) return must_be_zero("vdst");
  return check_whole_registers(inst, wave_size);
}

/// The third source of a matrix product: vector registers or an inline constant.
std::string check_matrix(const Inst& inst) {
  constexpr unsigned kStray = 7;
  if (name_has(inst, "_f8f6f4") && inst.get(Field::abid) != (inst.format != Format::MAI))
    return "abid must tell whether the product is scaled";
  if (name_has(inst, "v_smfmac") && inst.get(Field::blgp)) return must_be_zero("blgp");
  if (name_has(inst, "v_accvgpr_") &&
      (inst.get(Field::cbsz) || inst.get(Field::abid) & kStray || inst.get(Field::blgp)))
    return must_be_zero("cbsz and abid");
  constexpr unsigned kFirstAperture = 235, kLastAperture = 239, kVccz = 251, kLdsDirect = 254;
  const unsigned code = inst.get(Field::src2);
  if ((code >= kFirstAperture && code <= kLastAperture) || (code >= kVccz && code <= kLdsDirect))
    return "the third source of a matrix product may not be this register";
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
std::string check_suffix_signs(const Inst& inst, bool real_true16) {
  const OpInfo& info = inst.info();
  if (inst.suffix == Suffix::kSdwa && inst.format != Format::VOPC && inst.get(Field::omod) &&
      (!has_omod(inst) || !is_float(info.dsts[0].type)))
    return must_be_zero("omod");
  constexpr unsigned kWholeDword = 6;
  if (inst.suffix == Suffix::kSdwa && gfx9(inst) && inst.get(Field::dst_sel) != kWholeDword &&
      (name_has(inst, "v_cvt_f32_fp8") || name_has(inst, "v_cvt_f32_bf8") ||
       name_has(inst, "v_cvt_pk_f32_")))
    return "dst_sel must be DWORD here";
  constexpr unsigned kSource1 = 24;    // bits of the second dword that tell about the second source
  constexpr unsigned kIgnored = 0x40;  // LLVM does not look at this one
  if (inst.suffix == Suffix::kSdwa && inst.format == Format::VOP1 &&
      inst.words[1] >> kSource1 & ~kIgnored)
    return must_be_zero("the second source");
  if ((info.id == "v_ldexp_f16" || name_has(inst, "c_i32_")) && inst.suffix == Suffix::kDpp16)
    return {};
  const SourceBits sources = source_bits(inst, real_true16);
  constexpr Field kNeg[] = {Field::src0_neg, Field::src1_neg},
                  kAbs[] = {Field::src0_abs, Field::src1_abs},
                  kSext[] = {Field::src0_sext, Field::src1_sext};
  for (unsigned i = 0; i < 2; ++i) {
    const bool sign = sources.with_sign >> i & 1;
    const bool ignored = real_true16 && i < static_cast<unsigned>(info.n_srcs) &&
                         isa::fills_half(inst.isa, info.srcs[i].type);
    if (!sign && !ignored && (inst.get(kNeg[i]) || inst.get(kAbs[i])))
      return must_be_zero("the sign of a source without one");
    if (sign && inst.get(kSext[i])) return must_be_zero("sext of a float");
  }
  return {};
}

std::string check_short(const Inst& inst, bool real_true16) {
  const OpInfo& info = inst.info();
  if (inst.format == Format::VOP1 && info.n_dsts == 0 && info.n_srcs == 0 &&
      inst.suffix == Suffix::kNone && inst.get(Field::vdst))
    return must_be_zero("operand fields");
  // The upper half of a register, which only the spelling with .l and .h can name.
  constexpr unsigned kUpper = 128;
  const bool always_spelt = info.id == "v_mov_b16";
  if (!real_true16 && !always_spelt && inst.format != Format::VOPC && info.n_dsts > 0 &&
      isa::fills_half(inst.isa, info.dsts[0].type) && inst.get(Field::vdst) >= kUpper)
    return "16-bit results of this encoding end at v127";
  const bool low_only =
      info.id == "v_ldexp_f16" || info.id == "v_fmaak_f16" || info.id == "v_fmamk_f16";
  if (!real_true16 && low_only && !gfx9(inst) && inst.get(Field::vsrc1) >= kUpper)
    return "16-bit sources of this encoding end at v127";
  if (!real_true16 && info.id == "v_swap_b16") return "this form is spelt with .l and .h only";
  return check_suffix_signs(inst, real_true16);
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

bool is_float_atomic(const Inst& inst) {
  const std::string_view name = isa::op_name(inst.op, inst.isa);
  return name_has(inst, "_atomic_") &&
         (name.ends_with("_f64") || name.ends_with("_add_f32") || name.ends_with("_pk_add_f16"));
}

/// Bits of gfx9 vector memory that go to LDS.
std::string check_buffer_lds(const Inst& inst) {
  const std::string_view name = isa::op_name(inst.op, inst.isa);
  const bool store = name == "buffer_store_lds_dword";
  if (inst.get(Field::lds) && !store && !may_load_to_lds(inst)) return must_be_zero("bit LDS");
  if (store && !inst.get(Field::lds)) return "bit LDS must be one here";
  if ((inst.get(Field::lds) || store) && inst.get(Field::acc)) return must_be_zero("acc");
  if (inst.isa == Isa::kGfx90a && is_float_atomic(inst) && inst.get(Field::sc1))
    return must_be_zero("scc");
  return {};
}

std::string check_flat(const Inst& inst) {
  if (inst.isa == Isa::kGfx90a && is_float_atomic(inst) && inst.get(Field::sc1))
    return must_be_zero("scc");
  const isa::MemKind kind = inst.info().mem.kind;
  if (gfx9(inst) && kind == isa::MemKind::kLoadLds && inst.get(Field::acc))
    return must_be_zero("acc");
  const bool means_lds = inst.isa == Isa::kGfx90a;
  if (!inst.get(Field::sve) || (inst.format == Format::SCRATCH && !means_lds)) return {};
  if (!means_lds) return must_be_zero("bit SVE");
  if (!may_load_to_lds_by_address(inst)) return must_be_zero("bit LDS");
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

bool may_load_to_lds_by_address(const Inst& inst) {
  const isa::MemParams& mem = inst.info().mem;
  return inst.isa == Isa::kGfx90a && inst.format != Format::FLAT &&
         mem.kind == isa::MemKind::kLoad && isa::dwords_of(mem.type) <= 1 &&
         !name_has(inst, "_d16");
}

namespace {

/// True if op_sel has a bit for a source or result that is not there. LLVM then spells the
/// operation without halves.
bool chooses_absent_half(const Inst& inst, const PrintOptions& options) {
  const OpInfo& info = inst.info();
  if (inst.format != Format::VOP3) return false;
  PrintOptions whole = options;
  whole.real_true16 = false;
  if (!has_op_sel(Printer(inst, options)) || has_op_sel(Printer(inst, whole))) return false;
  const bool half_result = info.n_dsts > 0 && (is_half(info.dsts[0].type) ||
                                               isa::fills_half(inst.isa, info.dsts[0].type));
  constexpr unsigned kResult = 8;
  const unsigned present =
      ((1u << std::min(3, field_sources(info))) - 1) | (half_result ? kResult : 0);
  return inst.get(Field::opsel) & ~present;
}

/// LLVM 22 has names for registers beyond the last one, and for two more constants.
std::string check_names(const Inst& inst) {
  const auto later = [&](const isa::Operands& list) {
    const auto is_later = [](const isa::Operand& o) {
      const bool vector = o.kind == isa::OperandKind::kVgpr || o.kind == isa::OperandKind::kAgpr;
      constexpr unsigned kRegisters = 256;
      return (vector && o.code + o.dwords > kRegisters) ||
             (o.kind == isa::OperandKind::kSpecial &&
              (o.code | 1u) == (isa::kFlatScratchBase | 1u));
    };
    return std::any_of(list.dst, list.dst + list.n_dst, is_later) ||
           std::any_of(list.src, list.src + list.n_src, is_later);
  };
  constexpr unsigned kWave = 32;
  const bool pair = inst.format == Format::VOPD;
  // Of image operations with too many registers LLVM shows a default form.
  if (inst.format == Format::MIMG || inst.format == Format::VIMAGE ||
      inst.format == Format::VSAMPLE)
    return {};
  const bool any = pair ? later(isa::operands_of_half(inst, 0, kWave)) ||
                              later(isa::operands_of_half(inst, 1, kWave))
                        : later(isa::operands_of(inst, kWave));
  return any ? "an operand names a register or constant that does not exist" : "";
}

std::string refused_by_llvm(const Inst& inst, const PrintOptions& options) {
  const bool real_true16 = options.real_true16;
  if (options.wave_size == 64) {
    if (inst.format == Format::VOPD) return "waves of 64 run no pairs";
    if (!isa::operands_exist(inst, isa::Names::kLlvm, options.wave_size))
      return isa::to_string(isa::DecodeError::kBadOperand);
  }
  if (!real_true16 && inst.isa != Isa::kGfx950)
    if (std::string reason = check_names(inst); !reason.empty()) return reason;
  if (std::string reason = unused_bits(inst); !reason.empty()) return reason;
  std::string reason = check_suffix(inst);
  if (!reason.empty()) return reason;
  switch (inst.format) {
    case Format::VOP3:
    case Format::VOP3SD:
      return check_vop3(inst, options);
    case Format::VOP3P:
      return check_packed(inst, options.wave_size);
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

}  // namespace

Reading read_like_llvm(Isa isa, std::span<const uint8_t> bytes, const PrintOptions& options) {
  Reading reading;
  reading.real_true16 = options.real_true16;
  const isa::DecodeError error = isa::decode(isa, bytes, reading.inst, isa::Names::kLlvm);
  if (error != isa::DecodeError::kNone) {
    reading.refused = isa::to_string(error);
    return reading;
  }
  PrintOptions spelling = options;
  if (options.real_true16 && chooses_absent_half(reading.inst, options))
    reading.real_true16 = spelling.real_true16 = false;
  reading.refused = refused_by_llvm(reading.inst, spelling);
  return reading;
}

}  // namespace lockstep::asm_
