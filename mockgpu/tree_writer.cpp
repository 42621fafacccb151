// SPDX-License-Identifier: MIT
// Plain files by the standard library.
#include "mockgpu/tree_writer.h"

#include <fmt/format.h>

#include <fstream>

namespace lockstep::mockgpu {
namespace fs = std::filesystem;

void TreeWriter::file(const std::string& path, std::string_view text) {
  const fs::path full = root_ / path;
  std::error_code code;
  fs::create_directories(full.parent_path(), code);
  std::ofstream out(full, std::ios::binary);
  out << text;
  out.flush();
  if (!out && error_.empty()) error_ = fmt::format("cannot write {}", full.string());
}

void TreeWriter::directory(const std::string& path) {
  std::error_code code;
  fs::create_directories(root_ / path, code);
  if (code && error_.empty()) error_ = fmt::format("cannot create {}/{}", root_.string(), path);
}

void TreeWriter::link(const std::string& path, const std::string& target) {
  std::error_code code;
  fs::create_directories((root_ / path).parent_path(), code);
  fs::create_symlink(target, root_ / path, code);
  if (code && error_.empty()) error_ = fmt::format("cannot link {}/{}", root_.string(), path);
}

}  // namespace lockstep::mockgpu
