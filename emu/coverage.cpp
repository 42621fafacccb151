// SPDX-License-Identifier: MIT
// Reasons by kind of operation; what none of them names is work that is left.
#include "emu/coverage.h"

#include "emu/handlers.h"

namespace lockstep::emu {
namespace {

using isa::Format;

constexpr std::string_view
    kSampling = "texture sampling: Lockstep has no samplers and no filters",
    kMultisampled =
        "reads multisampled images: they are always tiled, and only linear images are modelled",
    kRays = "ray tracing: the format of the nodes is not documented",
    kGraphics = "graphics only: no compute kernel can use it",
    kRayTracing = "ray tracing: the packed stack address is not documented",
    kTrapHandler = "returns from a trap handler, and none runs here",
    kFirstHalf = "only the first half of v_mfma_scale_*, which is executed as a whole",
    kOpen = "not executed yet";

bool is_graphics(std::string_view id) {
  return id.find("_gs_reg_") != std::string_view::npos || id.starts_with("ds_ordered_count") ||
         id.ends_with("param_load") || id.starts_with("v_screen_partition") ||
         id.starts_with("global_atomic_ordered_add");
}

}  // namespace

std::string_view why_not_executed(isa::Op op, isa::Isa isa) {
  if (executes(op, isa)) return "";
  const std::string_view id = isa::op_info(op).id;
  const Format format = isa::op_info(op).format;
  if (format == Format::MIMG || format == Format::VIMAGE || format == Format::VSAMPLE)
    return id.find("_bvh") != std::string_view::npos         ? kRays
           : id.find("_msaa_load") != std::string_view::npos ? kMultisampled
                                                             : kSampling;
  if (format == Format::EXP || is_graphics(id)) return kGraphics;
  if (id.starts_with("ds_bvh")) return kRayTracing;
  if (id.starts_with("s_rfe")) return kTrapHandler;
  if (id == "v_mfma_ld_scale_b32") return kFirstHalf;
  return kOpen;
}

}  // namespace lockstep::emu
