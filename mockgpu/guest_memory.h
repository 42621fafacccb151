// SPDX-License-Identifier: MIT
// How packet processors touch guest memory: checked reads, writes, copies and atomics on an
// emu::MemoryMap.
#pragma once
#include <atomic>
#include <cstdint>
#include <cstring>

#include "emu/memory_map.h"

namespace lockstep::mockgpu {

/// A checked window on the map. Every operation tells whether it happened; the first address that
/// was not accessible is kept for the report. Make a new one for each packet: it holds a picture of
/// the map.
class GuestMemory {
 public:
  explicit GuestMemory(emu::MemoryMap& map) : view_(map) {}

  bool read(uint64_t address, void* to, uint64_t size);
  bool write(uint64_t address, const void* from, uint64_t size);
  bool copy(uint64_t to, uint64_t from, uint64_t size);
  /// Repeats the low `unit` (1, 2, 4 or 8) bytes of value over [address, address + size).
  bool fill(uint64_t address, uint64_t value, uint32_t unit, uint64_t size);

  /// Values that another thread may be changing: aligned, and ordered against it.
  template <class T>
  bool load(uint64_t address, T& value) {
    T* host = aligned<T>(address, emu::Access::kRead);
    if (host) value = std::atomic_ref<T>(*host).load(std::memory_order_acquire);
    return host != nullptr;
  }
  template <class T>
  bool store(uint64_t address, T value) {
    T* host = aligned<T>(address, emu::Access::kWrite);
    if (host) std::atomic_ref<T>(*host).store(value, std::memory_order_release);
    return host != nullptr;
  }
  /// Host object for a read-modify-write, or nullptr.
  template <class T>
  T* aligned(uint64_t address, emu::Access access) {
    uint8_t* host =
        address % sizeof(T) == 0 ? view_.translate(address, sizeof(T), access) : nullptr;
    if (!host || reinterpret_cast<uintptr_t>(host) % sizeof(T) != 0) {
      fail(address, access);
      return nullptr;
    }
    return reinterpret_cast<T*>(host);
  }

  struct Miss {
    uint64_t address = 0;
    bool write = false;
  };
  const Miss& miss() const { return miss_; }

 private:
  /// Host address and length of the longest accessible run that starts at address; null if none.
  uint8_t* span(uint64_t address, emu::Access access, uint64_t& length);
  bool fail(uint64_t address, emu::Access access) {
    miss_ = {address, access == emu::Access::kWrite};
    return false;
  }

  emu::MemoryView view_;
  Miss miss_;
};

}  // namespace lockstep::mockgpu
