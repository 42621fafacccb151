// SPDX-License-Identifier: MIT
// What ran: kernels, waves, copies and faults of this process, written as JSON at exit.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "emu/dispatch.h"
#include "emu/row_counts.h"
#include "isa/result.h"
#include "mockgpu/progress.h"

namespace lockstep::mockgpu {

class Report {
 public:
  /// Names and targets of the devices, in order.
  void set_devices(std::vector<std::pair<std::string, std::string>> name_and_target);
  /// Launches count there too from now on.
  void share_progress(ProgressCounters* counters) { progress_ = counters; }
  /// What ran, row by row; without it the report has no "instructions".
  void share_row_counts(std::shared_ptr<const emu::RowCounts> counts) {
    row_counts_ = std::move(counts);
  }
  void dispatch(size_t device, const std::string& kernel, const emu::DispatchStats& stats);
  void copy(size_t device, uint64_t bytes);
  void queue(size_t device);
  void fault(size_t device, std::string kind, std::string text);

  /// True once a queue was made: only such a process has something to report.
  bool used() const;
  size_t fault_count() const;
  nlohmann::json process_json() const;
  /// Adds this process to the file. Processes of one session share the file; a file of another
  /// session is replaced.
  Result<void> write(const std::string& file, const std::string& session) const;

 private:
  struct Kernel {
    uint64_t dispatches = 0;
    emu::DispatchStats stats;
  };
  struct Device {
    std::string name, target;
    std::map<std::string, Kernel> kernels;
    uint64_t copies = 0, copied_bytes = 0, queues = 0;
  };
  struct FaultEntry {
    size_t device;
    std::string kind, text;
  };
  ProgressCounters* progress_ = nullptr;
  std::shared_ptr<const emu::RowCounts> row_counts_;
  mutable std::mutex mutex_;
  std::vector<Device> devices_;
  std::vector<FaultEntry> faults_;
};

/// Appends one line to the status file, which tells the parent that a guest fault happened even if
/// the program hides it. Writes at once: it must survive a crash.
void append_status(const std::string& file, const std::string& line);

}  // namespace lockstep::mockgpu
