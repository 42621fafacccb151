// SPDX-License-Identifier: MIT
// Rows that cannot be a program of one instruction between the two halves of the capture kernel.
#include "diff/generate.h"
#include "emu/coverage.h"

namespace lockstep::diff {
namespace {

using isa::Format;

bool any_start(std::string_view id, std::initializer_list<std::string_view> starts) {
  for (const std::string_view s : starts)
    if (id.starts_with(s)) return true;
  return false;
}

}  // namespace

std::string_view why_excluded(isa::Op op, isa::Isa isa) {
  if (const std::string_view reason = emu::why_not_executed(op, isa); !reason.empty())
    return reason;
  const std::string_view id = isa::op_info(op).id;
  const Format format = isa::op_info(op).format;
  if (any_start(id, {"s_branch", "s_cbranch", "s_call", "s_setpc", "s_swappc", "s_getpc",
                     "s_subvector", "s_endpgm", "s_rfe"}))
    return "changes the flow of control: write a program (.s)";
  if (any_start(id, {"s_memtime", "s_memrealtime", "s_sendmsg_rtn", "s_get_waveid", "s_getreg",
                     "s_get_barrier_state", "s_ttracedata", "s_icache", "s_dcache", "s_prefetch",
                     "s_atc_probe", "s_gl1_inv", "s_version"}))
    return "its result or effect is not part of the captured state, or differs from run to run";
  if (any_start(id, {"s_setreg", "s_set_gpr_idx", "s_setvskip", "s_alloc_vgpr"}))
    return "changes how the instructions that capture the state would work: write a program (.s)";
  if (id.find("barrier") != std::string_view::npos || any_start(id, {"s_sendmsg", "s_trap"}))
    return "needs other waves or the host";
  if (format == Format::SOPP && !any_start(id, {"s_round_mode", "s_denorm_mode"}))
    return "has no effect on the captured state";
  if (id.find("waitcnt") != std::string_view::npos) return "has no effect on the captured state";
  if (any_start(id, {"s_store", "s_buffer_store", "s_atomic", "s_buffer_atomic"}))
    return "its data stay in the scalar cache";
  if (format == Format::SCRATCH || id.starts_with("s_scratch"))
    return "needs scratch memory, which the capture kernel has not";
  if (format == Format::MIMG || format == Format::VIMAGE)
    return "needs an image resource, which the capture kernel has not: write a program (.s)";
  if (format == Format::VINTERP || format == Format::LDSDIR)
    return "needs the parameter memory of a graphics wave";
  if (any_start(id, {"ds_gws", "ds_ordered", "ds_append", "ds_consume", "ds_bvh"}))
    return "needs memory that only a driver sets up";
  if (any_start(id, {"global_wb", "global_inv", "global_wbinv", "buffer_wb", "buffer_inv",
                     "buffer_gl", "buffer_wbl", "buffer_wbinv"}))
    return "has no effect on the captured state";
  if (id.find("movrel") != std::string_view::npos || id.find("swaprel") != std::string_view::npos)
    return "reads registers that M0 names";
  if (id.find("_lds_") != std::string_view::npos && format != Format::DS)
    return "writes LDS where M0 says";
  if (id == "v_swap_b16") return "is spelt with .l and .h only, and the text of programs is not";
  if (id == "v_nop" || id == "v_clrexcp" || id == "v_illegal" || id == "s_nop" ||
      id.starts_with("v_s_") || id.starts_with("v_pipeflush"))
    return id.starts_with("v_s_") ? "" : "has no effect on the captured state";
  return "";
}

}  // namespace lockstep::diff
