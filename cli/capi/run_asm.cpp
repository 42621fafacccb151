// SPDX-License-Identifier: MIT
// run_asm: one dispatch of raw code, with the conventions that in-process mock drivers share.
#include <fmt/format.h>

#include "cli/capi/boundary.h"
#include "cli/launch.h"

namespace lockstep::capi {
namespace {

constexpr uint32_t kInitiatorWave32 = 1u << 15;
constexpr uint32_t kMaxUserSgprs = 32;

struct DriverState {
  uint32_t rsrc1 = 0, rsrc3 = 0, initiator = 0;
  bool given() const { return rsrc1 != 0 || rsrc3 != 0 || initiator != 0; }
};
thread_local DriverState t_state;

struct Arguments {
  const void* code;
  uint32_t code_size;
  std::array<uint32_t, 3> groups, block;
  const void* kernarg;
  uint32_t rsrc2, scratch_size;
  const char* arch;
  const uint32_t* user_data;
  uint32_t n_user_data;
};

int run(const Arguments& a) {
  const auto bad = [](const std::string& message) {
    return fail(LOCKSTEP_ERROR_ARGUMENT, message);
  };
  if (!a.code) return bad("code is NULL");
  if (a.code_size < 4)
    return bad(fmt::format("code_size is {}; an instruction has 4 bytes or more", a.code_size));
  const auto entry = reinterpret_cast<uint64_t>(a.code);
  if (entry % 4 != 0) return bad(fmt::format("code ({:#x}) is not aligned to 4 bytes", entry));
  for (size_t d = 0; d < 3; ++d) {
    if (a.groups[d] == 0) return bad(fmt::format("g{} is 0: the grid has no workgroups", "xyz"[d]));
    if (a.block[d] == 0)
      return bad(fmt::format("l{} is 0: the workgroup has no work-items", "xyz"[d]));
  }
  const auto arch = a.arch ? find_arch(a.arch) : std::nullopt;
  if (!arch) return bad(unknown_arch(a.arch));
  if (!a.user_data && a.n_user_data != 0) {
    return bad(fmt::format("user_data is NULL, but n_user_data is {}", a.n_user_data));
  }
  if (a.n_user_data > kMaxUserSgprs) {
    return bad(fmt::format("n_user_data is {}; at most {} user SGPRs exist", a.n_user_data,
                           kMaxUserSgprs));
  }
  const auto shape = cli::shape_of_groups(a.groups, a.block);
  if (!shape) return bad(shape.error());

  const DriverState& state = t_state;
  emu::DispatchRequest request;
  request.target = arch->target;
  request.wave_size = arch->wave_size;
  if (arch->wave_size == 32 && state.initiator != 0 && !(state.initiator & kInitiatorWave32)) {
    request.wave_size = 64;
  }
  request.entry = entry;
  request.grid = shape->items;
  request.block = shape->block;
  request.rsrc1 = state.given() ? state.rsrc1 : kDefaultRsrc1;
  request.rsrc2 = a.rsrc2;
  request.rsrc3 = state.rsrc3;
  // Callers pass the float mode of RSRC1, but not always its register count.
  request.grant_all_registers = true;
  request.all_work_item_ids = true;
  if (a.user_data) {
    request.user_sgprs.assign(a.user_data, a.user_data + a.n_user_data);
  } else {
    const auto address = reinterpret_cast<uint64_t>(a.kernarg);
    request.user_sgprs = {static_cast<uint32_t>(address), static_cast<uint32_t>(address >> 32)};
  }
  request.lds_bytes = (a.rsrc2 >> 15 & 0x1ff) * 512;
  request.scratch_bytes_per_lane = a.scratch_size;
  return run_in_process(request, nullptr);
}

}  // namespace
}  // namespace lockstep::capi

extern "C" {

int run_asm(const void* code, uint32_t code_size, uint32_t gx, uint32_t gy, uint32_t gz,
            uint32_t lx, uint32_t ly, uint32_t lz, const void* kernarg, uint32_t rsrc2,
            uint32_t scratch_size, const char* arch, const uint32_t* user_data,
            uint32_t n_user_data) {
  return lockstep::capi::guarded([&] {
    return lockstep::capi::run({code,
                                code_size,
                                {gx, gy, gz},
                                {lx, ly, lz},
                                kernarg,
                                rsrc2,
                                scratch_size,
                                arch,
                                user_data,
                                n_user_data});
  });
}

void run_asm_set_state(uint32_t rsrc1, uint32_t rsrc3, uint32_t dispatch_initiator) {
  lockstep::capi::t_state = {rsrc1, rsrc3, dispatch_initiator};
}

}  // extern "C"
