// SPDX-License-Identifier: MIT
// What is mapped in this process, asked of the kernel.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "emu/memory_map.h"

namespace lockstep::emu {

/// The readable mapping that holds `address`, with host == base. Grows forward over neighbours that
/// are readable until it holds `size` bytes; it is writable if all of them are. Nothing if the
/// address is not readable. Source: PROCMAP_QUERY of linux/fs.h (Linux 6.11); older kernels
/// read the list.
std::optional<Allocation> process_mapping_at(uint64_t address, uint64_t size);

/// One line of /proc/self/maps (proc_pid_maps(5)).
struct ProcessMapping {
  uint64_t start = 0, end = 0;
  std::string_view rights;  ///< "rw-p"
  uint64_t offset = 0;      ///< in the file
  uint64_t inode = 0;       ///< of the file; 0: there is none
  std::string_view path;    ///< or a name in brackets, or empty
};
/// Calls `visit` for each, by address. What it gets is gone afterwards.
void for_each_process_mapping(const std::function<void(const ProcessMapping&)>& visit);

/// All readable mappings, as /proc/self/maps lists them; neighbours with equal rights are one.
AllocationList process_mappings();

}  // namespace lockstep::emu
