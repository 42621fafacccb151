// SPDX-License-Identifier: MIT
// What the environment asks of the mock driver: LOCKSTEP_DEVICE, LOCKSTEP_GPUS and the rest,
// checked.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "emu/dispatch.h"
#include "isa/result.h"
#include "isa/target.h"
#include "mockgpu/log.h"

namespace lockstep::mockgpu {

inline constexpr int kMaxDevices = 16;

struct Options {
  std::vector<isa::Target> devices = {isa::Target::kGfx1100};  ///< one entry a GPU
  emu::DispatcherOptions dispatcher;
  bool exact_bounds = false;  ///< LOCKSTEP_CHECK=bounds: no rounding of allocation ends
  LogLevel log_level = LogLevel::kWarn;
  std::string report_file;    ///< LOCKSTEP_REPORT: JSON at exit
  std::string status_file;    ///< LOCKSTEP_STATUS_FILE: one line a guest fault, see README.md
  std::string progress_file;  ///< LOCKSTEP_PROGRESS_FILE: counters for the command, progress.h
  std::string session;        ///< LOCKSTEP_SESSION: processes of one run share it
};

/// Returns the value of an environment variable, or nullptr.
using Getenv = std::function<const char*(const char*)>;

Result<Options> parse_options(const Getenv& get);

}  // namespace lockstep::mockgpu
