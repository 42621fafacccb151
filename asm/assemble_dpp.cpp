// SPDX-License-Identifier: MIT
// DPP and SDWA modifiers.
#include <fmt/format.h>

#include <algorithm>

#include "asm/assembler.h"

namespace lockstep::asm_ {
namespace {

using isa::Field;
using isa::Suffix;

struct Control {
  std::string_view name;
  unsigned base;
  int64_t least, most;
  bool gfx9, later;
};
constexpr Control kControls[] = {
    {"row_shl", 0x100, 1, 15, true, true},    {"row_shr", 0x110, 1, 15, true, true},
    {"row_ror", 0x120, 1, 15, true, true},    {"row_share", 0x150, 0, 15, false, true},
    {"row_xmask", 0x160, 0, 15, false, true}, {"row_newbcast", 0x150, 0, 15, true, false},
    {"wave_shl", 0x12f, 1, 1, true, false},   {"wave_rol", 0x133, 1, 1, true, false},
    {"wave_shr", 0x137, 1, 1, true, false},   {"wave_ror", 0x13b, 1, 1, true, false},
};

bool control(Assembler& a, std::optional<unsigned>& ctrl) {
  const auto found = [&](const Modifier& m, unsigned value) {
    if (ctrl) return a.fail(m.at, "one DPP control is enough");
    ctrl = value;
    return true;
  };
  if (const Modifier* m = a.take("quad_perm")) {
    constexpr size_t kLanes = 4;
    if (!m->is_list || m->list.size() != kLanes) return a.fail(m->at, "quad_perm takes four lanes");
    unsigned value = 0;
    for (size_t i = 0; i < kLanes; ++i) {
      if (m->list[i] < 0 || m->list[i] > 3) return a.fail(m->at, "expected a 2-bit value");
      value |= static_cast<unsigned>(m->list[i]) << (2 * i);
    }
    if (!found(*m, value)) return false;
  }
  for (const Control& c : kControls) {
    if (!(a.gfx9() ? c.gfx9 : c.later)) continue;
    if (const Modifier* m = a.take(c.name)) {
      if (!m->integer || *m->integer < c.least || *m->integer > c.most)
        return a.fail(m->at, fmt::format("{} must be in {}..{}", c.name, c.least, c.most));
      if (!found(*m, c.base + static_cast<unsigned>(*m->integer))) return false;
    }
  }
  if (const Modifier* m = a.take("row_mirror"))
    if (m->has_value || !found(*m, 0x140)) return a.fail(m->at, "row_mirror takes no value");
  if (const Modifier* m = a.take("row_half_mirror"))
    if (m->has_value || !found(*m, 0x141)) return a.fail(m->at, "row_half_mirror takes no value");
  if (a.gfx9())
    if (const Modifier* m = a.take("row_bcast")) {
      if (!m->integer || (*m->integer != 15 && *m->integer != 31))
        return a.fail(m->at, "row_bcast is 15 or 31");
      if (!found(*m, *m->integer == 15 ? 0x142 : 0x143)) return false;
    }
  return true;
}

bool has_wide_operand(const Assembler& a) {
  const isa::OpInfo& info = a.inst.info();
  const auto wide = [](const isa::Opnd& o) { return o.dwords == 2; };
  return std::any_of(info.dsts, info.dsts + info.n_dsts, wide) ||
         std::any_of(info.srcs, info.srcs + info.n_srcs, wide);
}

std::optional<unsigned> find(std::span<const std::string_view> names, std::string_view name) {
  const auto at = std::find(names.begin(), names.end(), name);
  if (at == names.end()) return std::nullopt;
  return static_cast<unsigned>(at - names.begin());
}

bool choice(Assembler& a, std::string_view name, Field field,
            std::span<const std::string_view> names, unsigned fallback) {
  unsigned value = fallback;
  if (const Modifier* m = a.take(name)) {
    const auto code = find(names, m->text);
    if (!code) return a.fail(m->at, fmt::format("invalid {} value", name));
    value = *code;
  }
  return a.set(field, value);
}

}  // namespace

bool assemble_dpp(Assembler& a) {
  if (a.inst.suffix == Suffix::kDpp8) {
    const Modifier* m = a.take("dpp8");
    constexpr size_t kLanes = 8;
    if (!m) return a.fail(a.line.at, "dpp8 is missing");
    if (!m->is_list || m->list.size() != kLanes) return a.fail(m->at, "dpp8 takes eight lanes");
    unsigned value = 0;
    for (size_t i = 0; i < kLanes; ++i) {
      if (m->list[i] < 0 || m->list[i] > 7) return a.fail(m->at, "expected a 3-bit value");
      value |= static_cast<unsigned>(m->list[i]) << (3 * i);
    }
    a.set(Field::lane_sel, value);
    // LLVM takes any number.
    if (const Modifier* m = a.take("fi"); m && !m->integer)
      return a.fail(m->at, "fi takes a number");
    else if (m && *m->integer != 0)
      a.set(Field::src0, isa::kSrcDpp8Fi);
    return true;
  }
  std::optional<unsigned> ctrl;
  if (!control(a, ctrl)) return false;
  if (!ctrl) return a.fail(a.line.at, "a DPP control is missing");
  constexpr unsigned kFirstBroadcast = 0x150;
  if (a.gfx9() && has_wide_operand(a) && *ctrl < kFirstBroadcast)
    return a.fail(a.line.at, "64-bit operations have row_newbcast only");
  a.set(Field::dpp_ctrl, *ctrl);
  a.set(Field::row_mask, 15);
  a.set(Field::bank_mask, 15);
  if (!a.cut_number("row_mask", Field::row_mask, 15) ||
      !a.cut_number("bank_mask", Field::bank_mask, 15))
    return false;
  if (const Modifier* m = a.take("bound_ctrl")) {
    if (!m->integer || *m->integer < 0 || *m->integer > 1)
      return a.fail(m->at, "bound_ctrl is 0 or 1");
    // On gfx9 the old spelling bound_ctrl:0 also means that the bit is set.
    a.set(Field::bc, a.gfx9() || *m->integer);
  }
  if (a.gfx9()) return true;
  const Modifier* fi = a.take("fi");  // LLVM keeps the last bit of any number
  if (!fi) return true;
  if (!fi->integer) return a.fail(fi->at, "fi takes a number");
  return a.set(Field::fi, static_cast<uint32_t>(*fi->integer & 1));
}

bool assemble_sdwa(Assembler& a) {
  static constexpr std::string_view kSelects[] = {"BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3",
                                                  "WORD_0", "WORD_1", "DWORD"};
  static constexpr std::string_view kUnused[] = {"UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE"};
  constexpr unsigned kDword = 6, kPreserve = 2;
  const isa::OpInfo& info = a.inst.info();
  const bool compares = a.inst.format == isa::Format::VOPC;
  if (compares) {
    if (const Modifier* m = a.take("clamp")) return a.fail(m->at, "clamp does not exist here");
  } else {
    if (!a.flag("clamp", Field::clamp)) return false;
    if (!assemble_omod(a)) return false;
    // Conversions of 8-bit floats fill a register.
    const bool whole = a.name_has("v_cvt_f32_fp8") || a.name_has("v_cvt_f32_bf8") ||
                       a.name_has("v_cvt_pk_f32_fp8") || a.name_has("v_cvt_pk_f32_bf8");
    if (whole) a.set(Field::dst_sel, kDword);
    if (!whole && info.n_dsts > 0 &&
        (!choice(a, "dst_sel", Field::dst_sel, kSelects, kDword) ||
         !choice(a, "dst_unused", Field::dst_unused, kUnused, kPreserve)))
      return false;
  }
  int sources = 0;
  for (int i = 0; i < info.n_srcs; ++i) sources += info.srcs[i].type != isa::Type::MASK;
  if (sources > 0 && !choice(a, "src0_sel", Field::src0_sel, kSelects, kDword)) return false;
  if (sources > 1 && !choice(a, "src1_sel", Field::src1_sel, kSelects, kDword)) return false;
  return true;
}

}  // namespace lockstep::asm_
