// SPDX-License-Identifier: MIT
// Reasons by kind of operation; what none of them names is work that is left.
#include "emu/coverage.h"

#include "emu/handlers.h"

namespace lockstep::emu {
namespace {

using isa::Format;

constexpr std::string_view kGraphics = "graphics only: no compute kernel can use it",
                           kGlobalSync = "global wave sync needs barriers of the packet processor",
                           kTrapHandler =
                               "belongs to trap handlers and forks, which do not exist here",
                           kMatrix = "matrix operation, not executed yet",
                           kOpen = "not executed yet";

bool is_graphics_lds(std::string_view id) {
  return id.starts_with("ds_bvh") || id.find("_gs_reg_") != std::string_view::npos ||
         id.starts_with("ds_ordered_count");
}

}  // namespace

std::string_view why_not_executed(isa::Op op, isa::Isa isa) {
  if (executes(op, isa)) return "";
  const std::string_view id = isa::op_info(op).id;
  switch (isa::op_info(op).format) {
    case Format::MIMG:
    case Format::VIMAGE:
    case Format::VSAMPLE:
    case Format::EXP:
    case Format::LDSDIR:
      return kGraphics;
    case Format::DS:
      if (is_graphics_lds(id)) return kGraphics;
      return id.starts_with("ds_gws") ? kGlobalSync : kOpen;
    case Format::MAI:
    case Format::VOP3PX2:
      return kMatrix;
    case Format::VOP3P:
      return id.starts_with("v_wmma") || id.starts_with("v_swmmac") ? kMatrix : kOpen;
    case Format::SOP1:
    case Format::SOP2:
    case Format::SOPK:
      return id.starts_with("s_rfe") || id.ends_with("_fork") || id.starts_with("s_cbranch_join")
                 ? kTrapHandler
                 : kOpen;
    default:
      return kOpen;
  }
}

}  // namespace lockstep::emu
