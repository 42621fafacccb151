// SPDX-License-Identifier: MIT
// The part of /sys and /dev that a program reads to find GPUs, written as a tree of plain files.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "isa/result.h"
#include "isa/target.h"
#include "mockgpu/device_profile.h"

namespace lockstep::mockgpu {

/// Identity of the device with a given index; the ioctls and the tree must agree on these.
uint32_t gpu_id_of(size_t device_index);
uint32_t render_minor_of(size_t device_index);
uint64_t system_memory_bytes();
inline constexpr uint32_t kDrmMajor = 226;

/// A private directory that mirrors absolute paths: ROOT/sys/devices/virtual/kfd/... . Removed with
/// the object, and by later runs if the process that made it died without a chance to do so.
class Topology {
 public:
  static Result<Topology> create(const std::vector<isa::Target>& devices);
  Topology(Topology&& other) noexcept;
  Topology& operator=(Topology&&) = delete;
  ~Topology();

  const std::filesystem::path& root() const { return root_; }
  /// Where the tree holds a path, or an empty string if the path is none of ours. The answer may
  /// name a file that does not exist: then the emulated system does not have it either.
  std::string redirect(std::string_view path) const;
  /// After fork the tree belongs to the parent: the child must not remove it.
  void abandon() { root_.clear(); }

 private:
  explicit Topology(std::filesystem::path root) : root_(std::move(root)) {}
  std::filesystem::path root_;
};

/// True for paths that redirect() would answer. Needs no tree: the interposer asks this first.
bool is_redirected_path(std::string_view path);

}  // namespace lockstep::mockgpu
