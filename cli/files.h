// SPDX-License-Identifier: MIT
// Whole files in and out, with messages that name the file.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "isa/result.h"

namespace lockstep::cli {

/// "-" is standard input.
Result<std::vector<uint8_t>> read_file(const std::string& path);
Result<void> write_file(const std::string& path, std::span<const uint8_t> bytes);
Result<void> write_file(const std::string& path, const std::string& text);

}  // namespace lockstep::cli
