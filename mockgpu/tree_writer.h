// SPDX-License-Identifier: MIT
// Writes files, directories and links below a root, and keeps the first error.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>

namespace lockstep::mockgpu {

/// Paths are relative to the root; missing directories are made.
class TreeWriter {
 public:
  explicit TreeWriter(std::filesystem::path root) : root_(std::move(root)) {}
  void file(const std::string& path, std::string_view text);
  void directory(const std::string& path);
  void link(const std::string& path, const std::string& target);
  /// Empty: all is written.
  const std::string& error() const { return error_; }

 private:
  std::filesystem::path root_;
  std::string error_;
};

}  // namespace lockstep::mockgpu
