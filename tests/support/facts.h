// SPDX-License-Identifier: MIT
// Comparison of our tables with lists of facts: differences must be those that are listed.
#pragma once
#include <fmt/format.h>
#include <fnmatch.h>
#include <gtest/gtest.h>

#include <charconv>
#include <fstream>
#include <map>
#include <optional>
#include <set>

#include "isa/names.h"
#include "tests/support/vectors.h"

namespace lockstep::test {

inline unsigned number(std::string_view text) {
  unsigned value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

/// Entries of one kind in tests/data/facts_exceptions.txt: "kind|place|ours", below a comment with the
/// number in docs/errata.md. `*` in a place stands for anything.
class Exceptions {
 public:
  explicit Exceptions(std::string kind) : kind_(std::move(kind)) {
    std::ifstream file(std::string(LOCKSTEP_SOURCE_DIR) + "/tests/data/facts_exceptions.txt");
    EXPECT_TRUE(file) << "tests/data/facts_exceptions.txt";
    for (std::string line; std::getline(file, line);) {
      if (line.empty() || line[0] == '#') continue;
      const auto parts = split(line, '|', 3);
      EXPECT_EQ(parts.size(), 3u) << line;
      if (parts.size() == 3 && parts[0] == kind_)
        entries_.push_back({std::string(parts[1]), std::string(parts[2])});
    }
  }

  /// One comparison; `ours` is empty where we agree.
  void check(const std::string& place, const std::string& ours) {
    ++checked_;
    if (ours.empty()) return;
    for (Entry& entry : entries_)
      if (entry.ours == ours && fnmatch(entry.place.c_str(), place.c_str(), FNM_NOESCAPE) == 0) {
        entry.used = true;
        return;
      }
    ADD_FAILURE() << kind_ << "|" << place << "|" << ours;
  }
  /// Every listed difference must still be one.
  void finish(int least) {
    EXPECT_GT(checked_, least);
    for (const Entry& entry : entries_)
      EXPECT_TRUE(entry.used) << "no difference any more: " << entry.place << "|" << entry.ours;
  }

 private:
  struct Entry {
    std::string place, ours;
    bool used = false;
  };
  std::string kind_;
  std::vector<Entry> entries_;
  int checked_ = 0;
};

/// An encoding: format and what follows it.
struct Shape {
  isa::Format format;
  isa::Suffix suffix;
};

/// "VOP3_DPP16" and the like: what facts call an encoding.
inline std::optional<Shape> shape_named(std::string_view name) {
  static const std::map<std::string_view, std::string_view> kRenamed = {
      {"VBUFFER", "MUBUF"},    {"VFLAT", "FLAT"},     {"VGLOBAL", "GLOBAL"},
      {"VSCRATCH", "SCRATCH"}, {"VDSDIR", "LDSDIR"},  {"VEXPORT", "EXP"},
      {"VOP3P_MFMA", "MAI"},   {"VOP3_SDST", "VOP3"}, {"VOP1_SDST", "VOP1"}};
  static const std::pair<std::string_view, isa::Suffix> kSuffixes[] = {
      {"_LIT", isa::Suffix::kLiteral},
      {"_DPP16", isa::Suffix::kDpp16},
      {"_DPP8", isa::Suffix::kDpp8},
      {"_SDWA_SDST", isa::Suffix::kSdwa},
      {"_SDWA", isa::Suffix::kSdwa}};
  isa::Suffix suffix = isa::Suffix::kNone;
  for (const auto& [text, kind] : kSuffixes)
    if (name.ends_with(text)) {
      name.remove_suffix(text.size());
      suffix = kind;
      break;
    }
  if (const auto renamed = kRenamed.find(name); renamed != kRenamed.end()) name = renamed->second;
  for (int f = 0; f < isa::kFormatCount; ++f)
    if (isa::format_name(static_cast<isa::Format>(f)) == name)
      return Shape{static_cast<isa::Format>(f), suffix};
  return {};
}

}  // namespace lockstep::test
