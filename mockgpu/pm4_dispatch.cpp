// SPDX-License-Identifier: MIT
// DISPATCH_DIRECT: builds a launch from the compute registers and runs it.
#include <fmt/format.h>

#include <algorithm>

#include "mockgpu/pm4.h"

namespace lockstep::mockgpu {
namespace {

// COMPUTE_DISPATCH_INITIATOR
constexpr uint32_t kShaderEnable = 1u << 0;
constexpr uint32_t kForceStartAtZero = 1u << 2;
constexpr uint32_t kUseThreadDimensions = 1u << 5;
constexpr uint32_t kWave32 = 1u << 15;

/// How COMPUTE_TMPRING_SIZE.WAVESIZE is spelled.
struct TmpringField {
  unsigned width;
  uint32_t unit;  ///< bytes of one wave
};
TmpringField tmpring_field(isa::Generation generation) {
  switch (generation) {
    case isa::Generation::kGfx9:
      return {13, 1024};
    case isa::Generation::kGfx11:
      return {15, 256};
    case isa::Generation::kGfx12:
      return {18, 256};
  }
  return {};
}

}  // namespace

Pm4Processor::Outcome Pm4Processor::dispatch_direct(GuestMemory&, Payload p) {
  const uint32_t initiator = p[3];
  std::copy_n(p.begin(), 3, sh_.begin() + 0x201);
  sh_[kDispatchInitiator] = initiator;
  if (!(initiator & kShaderEnable)) return Outcome::kDone;  // hardware launches nothing either

  emu::DispatchRequest request;
  request.target = target_;
  request.memory = &map_;
  request.wave_size = generation_ == isa::Generation::kGfx9 || !(initiator & kWave32) ? 64 : 32;
  request.entry = (static_cast<uint64_t>(sh(kPgmHi)) << 32 | sh(kPgmLo)) << 8;
  request.rsrc1 = sh(kPgmRsrc1);
  request.rsrc2 = sh(kPgmRsrc2);
  request.rsrc3 = sh(pgm_rsrc3_register(generation_));

  for (uint32_t i = 0; i < 3; ++i) {
    if (!(initiator & kForceStartAtZero) && sh(kStartX + i) != 0) {
      return fail(fmt::format("PM4 DISPATCH_DIRECT: COMPUTE_START_{} is {}, only 0 is supported",
                              "XYZ"[i], sh(kStartX + i)));
    }
    // NUM_THREAD_PARTIAL (bits 31:16) only matters with thread dimensions, where the grid tells it.
    const uint32_t threads = sh(kNumThreadX + i) & 0xffff;
    if (threads == 0) {
      return fail(fmt::format("PM4 DISPATCH_DIRECT: COMPUTE_NUM_THREAD_{} is 0", "XYZ"[i]));
    }
    const uint64_t items =
        initiator & kUseThreadDimensions ? p[i] : static_cast<uint64_t>(p[i]) * threads;
    if (items > UINT32_MAX) {
      return fail(fmt::format("PM4 DISPATCH_DIRECT: {} work-items in {}", items, "XYZ"[i]));
    }
    request.block[i] = threads;
    request.grid[i] = static_cast<uint32_t>(items);
  }
  // An empty grid completes at once.
  if (request.grid[0] == 0 || request.grid[1] == 0 || request.grid[2] == 0) return Outcome::kDone;

  const uint32_t user_sgprs = std::min(request.rsrc2 >> 1 & 0x1f, kUserDataCount);
  const auto user_data = sh_.begin() + kUserData0;
  request.user_sgprs.assign(user_data, user_data + user_sgprs);
  request.lds_bytes = (request.rsrc2 >> 15 & 0x1ff) * 512;
  if (request.rsrc2 & 1) {  // the kernel has a private segment
    const TmpringField field = tmpring_field(generation_);
    const uint64_t wave_size = sh(kTmpringSize) >> 12 & ((1u << field.width) - 1);
    request.scratch_bytes_per_lane =
        static_cast<uint32_t>(wave_size * field.unit / request.wave_size);
  }

  emu::DispatchResult result = host_.dispatch(request);
  if (result.ok) return Outcome::kDone;
  failure_.fault = result.fault;
  return fail(result.fault.describe());
}

}  // namespace lockstep::mockgpu
