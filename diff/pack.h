// SPDX-License-Identifier: MIT
// Packs: programs and what one back end made of them, in a file that replays without it. Gzipped
// lines of JSON: a header, one line a program, an end line that counts them.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "diff/backend.h"

namespace lockstep::diff {

inline constexpr int kPackVersion = 1;

struct PackHeader {
  isa::Target target = isa::Target::kGfx1100;
  std::string recorded_on;                   ///< name of the back end
  std::map<std::string, std::string> facts;  ///< of the machine: driver, firmware, device
};

/// One program with the outcome of each of its inputs.
struct Recorded {
  Program program;
  std::vector<Outcome> outcomes;
};

class PackWriter {
 public:
  static Result<std::unique_ptr<PackWriter>> open(const std::string& path,
                                                  const PackHeader& header);
  ~PackWriter();
  Result<void> add(const Program& program, const std::vector<Outcome>& outcomes);
  /// Writes the end; without it the pack counts as cut off.
  Result<void> finish();
  uint64_t programs() const { return programs_; }

 private:
  PackWriter() = default;
  Result<void> line(const std::string& text);
  std::string path_;
  void* file_ = nullptr;
  uint64_t programs_ = 0;
};

class PackReader {
 public:
  /// Errors name the file, the line and what is wrong with it.
  static Result<std::unique_ptr<PackReader>> open(const std::string& path);
  ~PackReader();
  const PackHeader& header() const { return header_; }
  /// The next program; nothing at the end.
  Result<std::optional<Recorded>> next();

 private:
  PackReader() = default;
  Result<std::string> line();
  Error bad(const std::string& what) const;
  std::string path_;
  void* file_ = nullptr;
  PackHeader header_;
  uint64_t programs_ = 0, line_ = 0;
  bool ended_ = false;
};

/// Facts of this machine for a header: kernel, time, and the GPU's numbers if there is one.
std::map<std::string, std::string> machine_facts(std::optional<size_t> gpu);

}  // namespace lockstep::diff
