// SPDX-License-Identifier: MIT
// The driver's own arithmetic (amdkfd, kfd_queue.c): all waves that fit, with all that they hold.
#include "runtime/save_area.h"

#include <algorithm>

namespace lockstep::runtime {
namespace {

constexpr uint64_t kPage = 4096;
constexpr uint64_t round_up(uint64_t n, uint64_t unit) { return (n + unit - 1) / unit * unit; }

constexpr uint32_t kHeader = 40;               // before the control stack
constexpr uint32_t kSgprBytes = 0x4000;        // of a CU
constexpr uint32_t kHardwareBytes = 0x1000;    // of a CU
constexpr uint32_t kDebuggerBytes = 32;        // of a wave
constexpr uint32_t kControlStackMax = 0x7000;  // gfx10 only

uint32_t vgpr_bytes_per_cu(uint32_t version) {
  const uint32_t major = version / 10000;
  if (version == 90010 || (version >= 90400 && version < 100000)) return 0x80000;
  // The large gfx11 chips and gfx12 have half as many VGPRs again.
  if (version == 110000 || version == 110001 || version == 110501 || major == 12) return 0x60000;
  return 0x40000;
}

}  // namespace

SaveArea save_area_of(const GpuNode& gpu) {
  const uint32_t version = gpu.gfx_target_version, major = version / 10000;
  const uint32_t cus = gpu.simd_count / std::max(1u, gpu.simd_per_cu) / gpu.xcc_count;
  uint32_t waves = cus * 32;
  if (major < 10) {
    const uint32_t engines = gpu.array_count / std::max(1u, gpu.arrays_per_engine);
    waves = std::min(cus * 40, engines * 512);
  }
  const uint32_t lds = version == 90500 ? gpu.lds_kib << 10 : 0x10000;
  const uint64_t context =
      uint64_t{cus} * (vgpr_bytes_per_cu(version) + kSgprBytes + lds + kHardwareBytes);
  uint64_t control = kHeader + uint64_t{waves} * (major < 10 ? 8 : 12) + 8;
  control = round_up(control, kPage);
  if (major == 10) control = std::min<uint64_t>(control, kControlStackMax);

  SaveArea area;
  area.control_stack = gpu.ctl_stack_size ? gpu.ctl_stack_size : static_cast<uint32_t>(control);
  area.save_restore =
      gpu.cwsr_size ? gpu.cwsr_size : static_cast<uint32_t>(control + round_up(context, kPage));
  const uint64_t debugger = round_up(uint64_t{waves} * kDebuggerBytes, 64);
  area.total = round_up((area.save_restore + debugger) * gpu.xcc_count, kPage);
  return area;
}

}  // namespace lockstep::runtime
