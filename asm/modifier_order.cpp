// SPDX-License-Identifier: MIT
// The order in which modifiers must be written.
#include <fmt/format.h>

#include <algorithm>

#include "asm/assembler.h"

namespace lockstep::asm_ {
namespace {

struct Rank {
  std::string_view name;
  int rank;
};
/// One order serves all formats. Names of equal rank may stand in any order.
constexpr Rank kRanks[] = {
    {"done", 0},        {"compr", 1},        {"vm", 2},         {"row_en", 3},
    {"dfmt", 4},        {"nfmt", 5},         {"format", 6},     {"addr64", 7},
    {"idxen", 7},       {"offen", 8},        {"offset", 9},     {"offset0", 9},
    {"offset1", 10},    {"gds", 11},         {"dmask", 12},     {"dim", 13},
    {"unorm", 14},      {"glc", 15},         {"slc", 15},       {"dlc", 15},
    {"scc", 15},        {"sc0", 15},         {"sc1", 15},       {"nt", 15},
    {"th", 15},         {"scope", 15},       {"nv", 16},        {"r128", 17},
    {"a16", 18},        {"tfe", 19},         {"lwe", 20},       {"da", 21},
    {"d16", 22},        {"lds", 23},         {"bitop3", 30},    {"index_key", 31},
    {"op_sel", 32},     {"op_sel_hi", 33},   {"neg_lo", 34},    {"neg_hi", 35},
    {"clamp", 36},      {"mul", 37},         {"div", 37},       {"byte_sel", 38},
    {"cbsz", 40},       {"abid", 41},        {"blgp", 42},      {"neg", 42},
    {"dst_sel", 50},    {"dst_unused", 51},  {"src0_sel", 52},  {"src1_sel", 53},
    {"dpp8", 60},       {"quad_perm", 60},   {"row_shl", 60},   {"row_shr", 60},
    {"row_ror", 60},    {"row_share", 60},   {"row_xmask", 60}, {"row_newbcast", 60},
    {"row_bcast", 60},  {"row_mirror", 60},  {"wave_shl", 60},  {"wave_rol", 60},
    {"wave_shr", 60},   {"wave_ror", 60},    {"row_mask", 61},  {"bank_mask", 62},
    {"bound_ctrl", 63}, {"fi", 64},          {"wait_vdst", 70}, {"wait_va_vdst", 70},
    {"wait_exp", 71},   {"wait_vm_vsrc", 71}};

/// Not every modifier can be told by its name alone.
int rank_of(const Assembler& a, const Modifier& m) {
  const isa::Format format = a.inst.format;
  std::string_view name = m.name;
  constexpr int kBeforeCache = 14;
  if (name == "lds" && a.named("buffer_store_lds_b32")) return kBeforeCache;
  if (name == "row_half_mirror") name = "row_mirror";
  if (name == "clamp" && format == isa::Format::VINTERP) return 31;  // before op_sel
  for (const std::string_view prefix : {"", "no"}) {
    if (!name.starts_with(prefix)) continue;
    const std::string_view rest = name.substr(prefix.size());
    const auto found = std::find_if(std::begin(kRanks), std::end(kRanks),
                                    [&](const Rank& r) { return r.name == rest; });
    if (found != std::end(kRanks)) return found->rank;
  }
  return 100;
}

/// The format of typed buffer operations may stand before the scalar offset.
bool may_precede_operands(const Assembler& a, const Modifier& m) {
  if (a.inst.format != isa::Format::MTBUF || m.operands_before + 1 != a.line.operands.size())
    return false;
  return m.name == "format" ? !a.gfx9() : m.name == "dfmt" || m.name == "nfmt";
}

}  // namespace

bool check_modifier_order(Assembler& a) {
  int last = -1;
  for (const Modifier& m : a.line.modifiers) {
    if (m.operands_before < a.line.operands.size() && !may_precede_operands(a, m))
      return a.fail(m.at, fmt::format("{} belongs behind the operands", m.name));
    const int rank = rank_of(a, m);
    if (rank < last)
      return a.fail(m.at, fmt::format("{} stands too late: modifiers have a fixed order", m.name));
    last = rank;
  }
  return true;
}

}  // namespace lockstep::asm_
