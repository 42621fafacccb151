// SPDX-License-Identifier: MIT
// What sysfs shows of a device below /sys/class/drm: identity, IP discovery, and what monitors read.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

#include "mockgpu/device_profile.h"
#include "mockgpu/tree_writer.h"

namespace lockstep::mockgpu {

/// Where the directories of the PCI devices lie.
inline constexpr const char* kPciRoot = "/sys/devices/lockstep";

/// Place on the PCI bus (bus << 8 | device << 3 | function), and as text.
uint32_t pci_location_of(size_t device_index);
std::string pci_address_of(size_t device_index);
/// A number of its own for each device of a machine, as Instinct and newer Radeon cards have.
uint64_t unique_id_of(size_t device_index);

/// Values that depend on physics (temperature, power, voltage, fan) have no file: nothing measures
/// them here, and monitors show them as not available.
void write_drm_device(TreeWriter& tree, size_t index, const DeviceProfile& profile);

}  // namespace lockstep::mockgpu
