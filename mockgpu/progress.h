// SPDX-License-Identifier: MIT
// Counters that the processes of a run share with the command that started them, through a file.
#pragma once
#include <atomic>
#include <cstdint>
#include <string>

namespace lockstep::mockgpu {

struct ProgressCounters {
  std::atomic<uint64_t> kernels, instructions;
};

/// Maps the file, which is made if `create`; nullptr if that fails: progress is a courtesy. The
/// mapping stays until the process ends.
ProgressCounters* map_progress(const std::string& file, bool create);

}  // namespace lockstep::mockgpu
