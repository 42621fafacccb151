// SPDX-License-Identifier: MIT
// Classes follow from formats; fidelity from what an operation computes.
#include "isa/op_class.h"

#include <algorithm>
#include <initializer_list>

namespace lockstep::isa {
namespace {

bool starts(std::string_view id, std::initializer_list<std::string_view> parts) {
  return std::any_of(parts.begin(), parts.end(), [&](auto p) { return id.starts_with(p); });
}
bool has(std::string_view id, std::initializer_list<std::string_view> parts) {
  return std::any_of(parts.begin(), parts.end(),
                     [&](auto p) { return id.find(p) != std::string_view::npos; });
}

bool is_matrix(std::string_view id) {
  return starts(id, {"v_wmma", "v_swmmac", "v_mfma", "v_smfmac"});
}

/// Transcendental functions and roots; also those of scalar registers of gfx12.
bool is_approximate(std::string_view id) {
  return starts(id, {"v_exp_", "v_log_", "v_rcp_", "v_rsq_", "v_sqrt_", "v_sin_", "v_cos_",
                     "v_s_exp_", "v_s_log_", "v_s_rcp_", "v_s_rsq_", "v_s_sqrt_"});
}

bool is_modelled(const OpInfo& info) {
  const std::string_view id = info.id;
  if (is_matrix(id) || starts(id, {"v_dot2", "v_dot4_f32", "v_dot4c_f32"}))
    return is_float(info.dsts[0].type);
  if (starts(id, {"v_div_scale", "v_div_fmas", "v_div_fixup", "v_permlane16_swap",
                  "v_permlane32_swap"}))
    return true;
  if (starts(id, {"v_cvt_"}) && has(id, {"_sr_", "scalef32", "fp8_f32", "bf8_f32"})) return true;
  if (starts(id, {"image_"})) return true;
  if (info.mem.kind == MemKind::kAtomic) return is_float(info.mem.type) || has(id, {"pk_add"});
  return false;
}

}  // namespace

OpClass class_of(Op op) {
  const OpInfo& info = op_info(op);
  switch (info.format) {
    case Format::SOP1:
    case Format::SOP2:
    case Format::SOPC:
    case Format::SOPK:
      return implicit_state(op) & kWritesPc || info.id.starts_with("s_waitcnt") ? OpClass::kControl
                                                                                : OpClass::kScalar;
    case Format::SOPP:
      return OpClass::kControl;
    case Format::SMEM:
      return OpClass::kScalarMemory;
    case Format::DS:
    case Format::LDSDIR:
      return OpClass::kLds;
    case Format::EXP:
      return OpClass::kExport;
    case Format::FLAT:
    case Format::GLOBAL:
    case Format::SCRATCH:
    case Format::MUBUF:
    case Format::MTBUF:
    case Format::MIMG:
    case Format::VIMAGE:
    case Format::VSAMPLE:
      return OpClass::kVectorMemory;
    default:
      return is_matrix(info.id) ? OpClass::kMatrix : OpClass::kVector;
  }
}

std::string_view to_string(OpClass c) {
  switch (c) {
    case OpClass::kScalar:
      return "scalar";
    case OpClass::kControl:
      return "control";
    case OpClass::kScalarMemory:
      return "scalar memory";
    case OpClass::kVector:
      return "vector";
    case OpClass::kMatrix:
      return "matrix";
    case OpClass::kVectorMemory:
      return "vector memory";
    case OpClass::kLds:
      return "LDS";
    case OpClass::kExport:
      return "export";
  }
  return "?";
}

Fidelity fidelity_of(Op op) {
  const OpInfo& info = op_info(op);
  if (is_approximate(info.id)) return Fidelity::kOneUlp;
  return is_modelled(info) ? Fidelity::kModelled : Fidelity::kExact;
}

std::string_view to_string(Fidelity f) {
  switch (f) {
    case Fidelity::kExact:
      return "exact";
    case Fidelity::kOneUlp:
      return "within 1 ulp";
    case Fidelity::kModelled:
      return "modelled";
  }
  return "?";
}

}  // namespace lockstep::isa
