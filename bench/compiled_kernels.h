// SPDX-License-Identifier: MIT
// The machine code of tests/kernels, where it has been built.
#pragma once
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "loader/code_object.h"

namespace lockstep::bench {

/// The executable sections of every kernel of tests/kernels for one target.
inline std::vector<uint8_t> compiled_code(const std::string& target) {
  std::vector<uint8_t> code;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(LOCKSTEP_KERNELS, none)) {
    if (entry.path().extension() != ".co" ||
        entry.path().string().find("." + target + ".") == std::string::npos)
      continue;
    std::ifstream in(entry.path(), std::ios::binary);
    const std::vector<uint8_t> file{std::istreambuf_iterator<char>(in), {}};
    const auto object = loader::parse_code_object(file);
    if (!object) continue;
    for (const loader::Section& section : object->sections) {
      if (!section.executable) continue;
      const auto bytes = object->bytes_at(section.address, section.size);
      code.insert(code.end(), bytes.begin(), bytes.end());
    }
  }
  return code;
}

}  // namespace lockstep::bench
