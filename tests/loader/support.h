// SPDX-License-Identifier: MIT
// Helpers of the loader's tests: files made at build time, and the directives of assembly text.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace lockstep::loader {

using FileBytes = std::vector<uint8_t>;

inline FileBytes read_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A file of the build's tests/loader/objects folder.
inline FileBytes object_bytes(const std::string& name) {
  return read_bytes(std::string(LOCKSTEP_OBJECTS) + "/" + name);
}

template <class T>
T read_at(const FileBytes& bytes, size_t offset) {
  T value = {};
  EXPECT_LE(offset + sizeof value, bytes.size());
  if (offset + sizeof value <= bytes.size())
    std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

template <class T>
void write_at(FileBytes& bytes, size_t offset, T value) {
  ASSERT_LE(offset + sizeof value, bytes.size());
  std::memcpy(bytes.data() + offset, &value, sizeof value);
}

/// kernel -> directive without ".amdhsa_" -> value, from the .amdhsa_kernel blocks of assembly
/// text.
using Directives = std::map<std::string, std::map<std::string, int64_t>>;

inline Directives read_directives(const std::string& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file) << path;
  Directives kernels;
  std::string line, kernel;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    std::string directive, value;
    words >> directive >> value;
    if (directive == ".amdhsa_kernel") {
      kernel = value;
    } else if (directive == ".end_amdhsa_kernel") {
      kernel.clear();
    } else if (!kernel.empty() && directive.starts_with(".amdhsa_")) {
      char* end = nullptr;
      const int64_t number = std::strtoll(value.c_str(), &end, 0);
      EXPECT_EQ(*end, 0) << path << ": " << line;
      kernels[kernel][directive.substr(8)] = number;
    }
  }
  return kernels;
}

}  // namespace lockstep::loader
