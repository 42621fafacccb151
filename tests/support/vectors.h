// SPDX-License-Identifier: MIT
// Reads the gzipped lists of tests/data.
#pragma once
#include <gtest/gtest.h>
#include <zlib.h>

#include <string>
#include <string_view>
#include <vector>

#include "isa/target.h"

namespace lockstep::test {

inline std::string read_gzip(const std::string& path) {
  std::string text;
  const gzFile file = gzopen(path.c_str(), "rb");
  if (!file) return text;
  char buffer[1 << 16];
  for (int n; (n = gzread(file, buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<size_t>(n));
  gzclose(file);
  return text;
}

inline std::vector<std::string_view> split(std::string_view text, char separator,
                                           size_t most = SIZE_MAX) {
  std::vector<std::string_view> parts;
  while (parts.size() + 1 < most) {
    const size_t at = text.find(separator);
    if (at == std::string_view::npos) break;
    parts.push_back(text.substr(0, at));
    text.remove_prefix(at + 1);
  }
  parts.push_back(text);
  return parts;
}

/// The lines of a list in tests/data, without comments. Fails the test if there are none.
inline std::vector<std::string> data_lines(const std::string& name) {
  std::vector<std::string> lines;
  const std::string text = read_gzip(std::string(LOCKSTEP_SOURCE_DIR) + "/tests/data/" + name);
  for (const std::string_view line : split(text, '\n'))
    if (!line.empty() && line[0] != '#') lines.emplace_back(line);
  EXPECT_FALSE(lines.empty()) << "cannot read tests/data/" << name;
  return lines;
}

inline std::vector<uint8_t> from_hex(std::string_view hex) {
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::vector<uint8_t> bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes.push_back(static_cast<uint8_t>(digit(hex[i]) << 4 | digit(hex[i + 1])));
  return bytes;
}

struct Vector {
  std::string wave, hex, text;
};

/// Entries of the lists `kind`_gfx9, _gfx11 or _gfx12, and `kind`_found, for one target, named as in
/// the files ("gfx1100", "gfx1100:true16").
inline std::vector<Vector> entries_of(const std::string& kind, const std::string& target) {
  const std::string family = target.starts_with("gfx9")    ? "gfx9"
                             : target.starts_with("gfx11") ? "gfx11"
                                                           : "gfx12";
  std::vector<Vector> vectors;
  for (const std::string& name : {kind + "_" + family + ".txt.gz", kind + "_found.txt"})
    for (const std::string& line : data_lines(name)) {
      const auto parts = split(line, ' ', 4);
      for (const std::string_view t : split(parts[0], ','))
        if (t == target)
          vectors.push_back({std::string(parts[1]), std::string(parts[2]), std::string(parts[3])});
    }
  EXPECT_FALSE(vectors.empty()) << "no vectors of " << target;
  return vectors;
}

/// Words and their text.
inline std::vector<Vector> vectors_of(const std::string& target) {
  return entries_of("vectors", target);
}
/// Lines and their words; "-" for what llvm-mc refuses.
inline std::vector<Vector> assembly_of(const std::string& target) {
  return entries_of("asm", target);
}

inline isa::Isa isa_named(std::string_view target) {
  return isa::target_info(*isa::find_target(target)).isa;
}

}  // namespace lockstep::test
