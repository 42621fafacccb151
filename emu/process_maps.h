// SPDX-License-Identifier: MIT
// What is mapped in this process, asked of the kernel.
#pragma once
#include <optional>

#include "emu/memory_map.h"

namespace lockstep::emu {

/// The readable mapping that holds `address`, with host == base. Grows forward over neighbours that
/// are readable until it holds `size` bytes; it is writable if all of them are. Nothing if the
/// address is not readable. Source: PROCMAP_QUERY of linux/fs.h (Linux 6.11); older kernels
/// read the list.
std::optional<Allocation> process_mapping_at(uint64_t address, uint64_t size);

/// All readable mappings, as /proc/self/maps lists them; neighbours with equal rights are one.
AllocationList process_mappings();

}  // namespace lockstep::emu
