// SPDX-License-Identifier: MIT
// Shared virtual memory: attributes of the program's own address ranges, and which devices reach
// them.
#pragma once
#include <linux/kfd_ioctl.h>

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "mockgpu/device.h"

namespace lockstep::mockgpu {

/// Without retry faults (XNACK) a device reaches the ranges that it was given access to, and no
/// others. Nothing migrates: locations are kept and told. Not thread-safe: callers hold the process
/// lock.
class SvmRanges {
 public:
  explicit SvmRanges(const std::vector<std::unique_ptr<Device>>& devices) : devices_(devices) {}

  /// 0 or a negative errno: EINVAL for odd ranges and unknown attributes or devices, EFAULT where
  /// nothing is mapped, EADDRINUSE where the device has other memory.
  int set(uint64_t start, uint64_t size, std::span<const kfd_ioctl_svm_attribute> attributes);
  /// What all of the range has in common; what nobody has set has its default.
  int get(uint64_t start, uint64_t size, std::span<kfd_ioctl_svm_attribute> attributes) const;
  /// Other memory takes the addresses: the program has unmapped what was there.
  void forget(uint64_t start, uint64_t size);

 private:
  struct Attributes {
    uint32_t preferred, prefetched, flags, granularity;
    uint32_t access = 0, in_place = 0;  ///< a bit a device
    bool operator==(const Attributes&) const = default;
  };
  struct Range {
    uint64_t end = 0;
    Attributes attributes;
  };
  struct Mapping {
    uint64_t end = 0;
    bool writable = true;
    bool operator==(const Mapping&) const = default;
  };
  using Ranges = std::map<uint64_t, Range>;
  static Attributes defaults();
  static void cut(Ranges& ranges, uint64_t start, uint64_t end);
  static void join(Ranges& ranges);
  int check(std::span<const kfd_ioctl_svm_attribute> attributes) const;
  void apply(Attributes& to, std::span<const kfd_ioctl_svm_attribute> attributes) const;
  /// A bit for the device of that id; 0 if there is none.
  uint32_t device_bit(uint32_t gpu_id) const;
  /// Brings a device's memory map in line with the ranges; false if other memory is in the way.
  bool update_map(size_t device);

  const std::vector<std::unique_ptr<Device>>& devices_;
  Ranges ranges_;
  std::map<size_t, std::map<uint64_t, Mapping>> mapped_;  ///< by device
};

}  // namespace lockstep::mockgpu
