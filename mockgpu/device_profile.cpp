// SPDX-License-Identifier: MIT
// The rows of the device table.
#include "mockgpu/device_profile.h"

namespace lockstep::mockgpu {
namespace {

constexpr uint64_t kGiB = 1ull << 30;
using isa::Target;

// Columns: see DeviceProfile. APUs are given the share of system memory that their firmware
// commonly reserves. num_xcc 8 makes the CDNA3/4 cards what software sees in SPX mode.
// clang-format off
constexpr DeviceProfile kProfiles[] = {
    {Target::kGfx90a, "AMD Instinct MI210", 0x740f, 0x02, 141,
     1, 8, 1, 14, 104, 4, 8, 32, 64, 64, 64,
     64 * kGiB, 4096, 1600, 1700, 16, 8192, 0, true, 2, 3, 8, 78, 8,
     {9, 4, 2}, {4, 4, 0}, {7, 4, 4}, 0x2a114042},
    {Target::kGfx942, "AMD Instinct MI300X", 0x74a1, 0x00, 141,
     8, 32, 1, 10, 304, 4, 8, 32, 64, 64, 64,
     192 * kGiB, 8192, 1300, 2100, 32, 4096, 262144, true, 2, 14, 8, 168, 22,
     {9, 4, 3}, {4, 4, 2}, {7, 9, 0}, 0x2a114042},
    {Target::kGfx950, "AMD Instinct MI350X", 0x75a0, 0x00, 141,
     8, 32, 1, 9, 256, 4, 8, 32, 64, 160, 64,
     288 * kGiB, 8192, 2000, 2200, 32, 4096, 262144, true, 2, 14, 8, 34, 13,
     {9, 5, 0}, {4, 4, 5}, {7, 9, 0}, 0x2a114042},
    {Target::kGfx1100, "AMD Radeon RX 7900 XTX", 0x744c, 0xc8, 145,
     1, 6, 2, 8, 96, 2, 16, 32, 32, 64, 64,
     24 * kGiB, 384, 1249, 2482, 32, 6144, 98304, false, 2, 0, 6, 550, 19,
     {11, 0, 0}, {6, 0, 0}, {4, 3, 0}, 0x545},
    {Target::kGfx1101, "AMD Radeon RX 7800 XT", 0x747e, 0xc8, 145,
     1, 3, 2, 10, 60, 2, 16, 32, 32, 64, 64,
     16 * kGiB, 256, 1218, 2254, 32, 4096, 65536, false, 2, 0, 6, 550, 19,
     {11, 0, 3}, {6, 0, 3}, {4, 3, 0}, 0x545},
    {Target::kGfx1102, "AMD Radeon RX 7600", 0x7480, 0xcf, 145,
     1, 2, 2, 8, 32, 2, 16, 32, 32, 64, 64,
     8 * kGiB, 128, 1124, 2356, 32, 2048, 32768, false, 2, 0, 6, 550, 19,
     {11, 0, 2}, {6, 0, 2}, {4, 3, 0}, 0x444},
    {Target::kGfx1103, "AMD Radeon 780M Graphics", 0x15bf, 0xc1, 148,
     1, 1, 2, 6, 12, 2, 16, 32, 32, 64, 64,
     4 * kGiB, 128, 2800, 2700, 32, 2048, 0, false, 1, 0, 6, 40, 18,
     {11, 0, 1}, {6, 0, 1}, {7, 7, 0}, 0x333},
    {Target::kGfx1150, "AMD Radeon 890M Graphics", 0x150e, 0xc1, 150,
     1, 1, 2, 8, 16, 2, 16, 32, 32, 64, 64,
     4 * kGiB, 128, 2800, 2900, 32, 2048, 0, false, 1, 0, 6, 30, 14,
     {11, 5, 0}, {6, 1, 0}, {7, 11, 0}, 0x333},
    {Target::kGfx1151, "AMD Radeon 8060S Graphics", 0x1586, 0xc1, 150,
     1, 2, 2, 10, 40, 2, 16, 32, 32, 64, 64,
     64 * kGiB, 256, 1000, 2900, 32, 2048, 32768, false, 1, 0, 6, 30, 14,
     {11, 5, 1}, {6, 1, 1}, {7, 11, 1}, 0x444},
    {Target::kGfx1200, "AMD Radeon RX 9060 XT", 0x7590, 0xc0, 152,
     1, 2, 2, 8, 32, 2, 16, 32, 32, 64, 0,
     16 * kGiB, 128, 1258, 3320, 32, 4096, 32768, false, 2, 0, 8, 108, 4,
     {12, 0, 0}, {7, 0, 0}, {6, 3, 1}, 0x444},
    {Target::kGfx1201, "AMD Radeon RX 9070 XT", 0x7550, 0xc0, 152,
     1, 4, 2, 8, 64, 2, 16, 32, 32, 64, 0,
     16 * kGiB, 256, 1258, 2970, 32, 8192, 65536, false, 2, 0, 8, 108, 4,
     {12, 0, 1}, {7, 0, 1}, {6, 3, 1}, 0x545},
};
// clang-format on
static_assert(std::size(kProfiles) == isa::kTargetCount);

}  // namespace

const DeviceProfile& device_profile(isa::Target target) {
  return kProfiles[static_cast<size_t>(target)];
}

std::span<const DeviceProfile> all_device_profiles() { return kProfiles; }

uint32_t active_cu_mask(const DeviceProfile& profile, uint32_t engine, uint32_t array) {
  const uint32_t index = engine * profile.arrays_per_engine + array;
  const uint32_t arrays = profile.array_count();
  const uint32_t share = profile.cu_count / arrays + (index < profile.cu_count % arrays ? 1 : 0);
  return (1u << share) - 1;
}

}  // namespace lockstep::mockgpu
