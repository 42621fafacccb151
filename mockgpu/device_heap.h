// SPDX-License-Identifier: MIT
// The memory behind a render node: a sparse memfd that programs mmap, and the driver's own view of
// it.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>

#include "isa/result.h"

namespace lockstep::mockgpu {

/// Hands out page-aligned ranges of a sparse file. Programs map them where they like; the driver
/// sees the same pages through one mapping of its own, which no program can take away.
class DeviceHeap {
 public:
  static Result<DeviceHeap> create(const char* name, uint64_t size);
  DeviceHeap(DeviceHeap&& other) noexcept;
  DeviceHeap& operator=(DeviceHeap&&) = delete;
  ~DeviceHeap();

  int fd() const { return fd_; }
  uint8_t* host(uint64_t offset) const { return base_ + offset; }
  /// Offset of a zeroed range, or nothing when the file is full.
  std::optional<uint64_t> allocate(uint64_t size);
  /// Gives the range back and its pages to the system.
  void release(uint64_t offset, uint64_t size);

 private:
  DeviceHeap(int fd, uint8_t* base, uint64_t size);
  int fd_ = -1;
  uint8_t* base_ = nullptr;
  uint64_t size_ = 0;
  std::map<uint64_t, uint64_t> free_;  ///< offset -> size
};

/// Heaps of devices are named after it, the place of the device and its target.
inline constexpr std::string_view kHeapPrefix = "lockstep-vram-";
constexpr uint64_t kPageBytes = 4096;
constexpr uint64_t page_round(uint64_t size) { return (size + kPageBytes - 1) & ~(kPageBytes - 1); }

}  // namespace lockstep::mockgpu
