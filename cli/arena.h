// SPDX-License-Identifier: MIT
// Memory for one kernel run: allocations at the same address in guest and host, far apart from each
// other.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "emu/memory_map.h"
#include "isa/result.h"

namespace lockstep::cli {

/// Between two allocations lies at least this much of nothing, so that a run past an end is a fault
/// and not a hit in the neighbour.
inline constexpr uint64_t kGuardGap = uint64_t{1} << 20;

class Arena {
 public:
  /// Registers what it allocates in `map` (which must outlive it); nullptr: in none.
  explicit Arena(emu::MemoryMap* map) : map_(map) {}
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena();

  /// Zeroed memory of exactly `size` bytes for the guest; its address is a multiple of the page
  /// size. Addresses are the same in every run unless something else of the process is there.
  Result<std::span<uint8_t>> allocate(uint64_t size, const std::string& label, bool writable);

  /// The two halves of allocate(), for memory whose parts have different rights.
  Result<std::span<uint8_t>> reserve(uint64_t size, uint64_t alignment, const std::string& label);
  Result<void> show_guest(std::span<uint8_t> memory, const std::string& label, bool writable);

 private:
  struct Mapping {
    void* address;
    uint64_t size;
  };
  emu::MemoryMap* map_;
  std::vector<uint64_t> shown_;
  uint64_t next_ = 0x200000000000;  // free in ordinary processes and under AddressSanitizer
  std::vector<Mapping> mappings_;
};

inline uint64_t address_of(std::span<const uint8_t> memory) {
  return reinterpret_cast<uint64_t>(memory.data());
}

}  // namespace lockstep::cli
