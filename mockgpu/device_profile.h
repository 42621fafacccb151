// SPDX-License-Identifier: MIT
// What a card is, as data: one row a target, with the values that its real driver reports.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "isa/target.h"

namespace lockstep::mockgpu {

/// Version of one hardware block in the IP discovery table.
struct IpVersion {
  uint32_t major = 0, minor = 0, revision = 0;
};

struct DeviceProfile {
  isa::Target target;
  std::string_view marketing_name;
  uint32_t device_id;
  uint32_t pci_revision;
  uint32_t family;  ///< AMDGPU_FAMILY_* of the DRM interface
  // Shape. array_count() = engines * arrays_per_engine over the whole card.
  uint32_t xcc_count;
  uint32_t shader_engines;  ///< of the whole card
  uint32_t arrays_per_engine;
  uint32_t cu_per_array;  ///< as built, before harvesting
  uint32_t cu_count;      ///< active, of the whole card
  uint32_t simd_per_cu;
  uint32_t max_waves_per_simd;
  uint32_t max_scratch_slots_per_cu;
  uint32_t wave_size;
  uint32_t lds_kib;
  uint32_t gws_count;  ///< resources of global wave sync; 0 where the hardware has none
  // Memory.
  uint64_t vram_bytes;
  uint32_t memory_bus_bits;
  uint32_t memory_clock_mhz;
  uint32_t engine_clock_mhz;
  uint32_t l1_kib, l2_kib, l3_kib;  ///< vector L1 of a CU, L2, last-level cache (0 = none)
  bool sram_ecc;
  uint32_t sdma_engines, sdma_xgmi_engines, sdma_queues_per_engine;
  uint32_t firmware_version, sdma_firmware_version;
  IpVersion gc, sdma, nbif;
  uint32_t gb_addr_config;

  uint32_t array_count() const { return shader_engines * arrays_per_engine; }
  uint32_t simd_count() const { return cu_count * simd_per_cu; }
  isa::Generation generation() const { return isa::target_info(target).generation; }
};

const DeviceProfile& device_profile(isa::Target target);
std::span<const DeviceProfile> all_device_profiles();

/// Active CUs of one shader array as a bit mask (harvested CUs are the last ones of an array).
uint32_t active_cu_mask(const DeviceProfile& profile, uint32_t engine, uint32_t array);

}  // namespace lockstep::mockgpu
