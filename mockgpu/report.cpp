// SPDX-License-Identifier: MIT
// Collects counters; merges the JSON of several processes under a file lock.
#include "mockgpu/report.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "emu/jit/engine.h"
#include "mockgpu/report_rows.h"

namespace lockstep::mockgpu {
namespace {

using nlohmann::json;

std::string read_all(int fd) {
  std::string text;
  char buffer[65536];
  ssize_t n;
  while ((n = read(fd, buffer, sizeof buffer)) > 0) text.append(buffer, static_cast<size_t>(n));
  return text;
}

bool write_all(int fd, const std::string& text) {
  size_t done = 0;
  while (done < text.size()) {
    const ssize_t n = write(fd, text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    done += static_cast<size_t>(n);
  }
  return true;
}

json totals_of(const json& processes) {
  json totals = {{"dispatches", 0}, {"waves", 0},  {"wave_instructions", 0},
                 {"seconds", 0.0},  {"copies", 0}, {"copied_bytes", 0},
                 {"faults", 0}};
  const auto add = [&](const char* key, const json& value) {
    if (value.is_number_float()) {
      totals[key] = totals[key].get<double>() + value.get<double>();
    } else {
      totals[key] = totals[key].get<uint64_t>() + value.get<uint64_t>();
    }
  };
  for (const json& process : processes) {
    totals["faults"] = totals["faults"].get<uint64_t>() + process.at("faults").size();
    for (const json& device : process.at("devices")) {
      add("copies", device.at("copies"));
      add("copied_bytes", device.at("copied_bytes"));
      for (const json& kernel : device.at("kernels")) {
        for (const char* key : {"dispatches", "waves", "wave_instructions", "seconds"}) {
          add(key, kernel.at(key));
        }
      }
    }
  }
  return totals;
}

/// What was compiled, and whether this host can run compiled code at all.
json jit_json() {
  const emu::jit::Statistics s = emu::jit::total_statistics();
  return {{"host", emu::jit::supported() ? std::string(emu::jit::tier_name(emu::jit::host_tier()))
                                         : "none: the interpreter runs everything"},
          {"units", s.units},
          {"instructions", s.instructions},
          {"called", s.called},
          {"given_up", s.failed},
          {"host_bytes", s.host_bytes},
          {"seconds", s.seconds}};
}

}  // namespace

void Report::set_devices(std::vector<std::pair<std::string, std::string>> name_and_target) {
  const std::lock_guard lock(mutex_);
  devices_.clear();
  for (auto& [name, target] : name_and_target) devices_.push_back({name, target, {}, 0, 0, 0});
}

void Report::dispatch(size_t device, const std::string& kernel, const emu::DispatchStats& stats) {
  if (progress_) {
    progress_->kernels.fetch_add(1, std::memory_order_relaxed);
    progress_->instructions.fetch_add(stats.wave_instructions, std::memory_order_relaxed);
  }
  const std::lock_guard lock(mutex_);
  Kernel& entry = devices_.at(device).kernels[kernel];
  ++entry.dispatches;
  entry.stats.workgroups += stats.workgroups;
  entry.stats.waves += stats.waves;
  entry.stats.wave_instructions += stats.wave_instructions;
  entry.stats.seconds += stats.seconds;
}

void Report::copy(size_t device, uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  ++devices_.at(device).copies;
  devices_.at(device).copied_bytes += bytes;
}

void Report::queue(size_t device) {
  const std::lock_guard lock(mutex_);
  ++devices_.at(device).queues;
}

void Report::fault(size_t device, std::string kind, std::string text) {
  const std::lock_guard lock(mutex_);
  faults_.push_back({device, std::move(kind), std::move(text)});
}

bool Report::used() const {
  const std::lock_guard lock(mutex_);
  for (const Device& device : devices_) {
    if (device.queues) return true;
  }
  return false;
}

size_t Report::fault_count() const {
  const std::lock_guard lock(mutex_);
  return faults_.size();
}

json Report::process_json() const {
  const std::lock_guard lock(mutex_);
  json devices = json::array(), faults = json::array();
  for (size_t i = 0; i < devices_.size(); ++i) {
    const Device& device = devices_[i];
    json kernels = json::array();
    for (const auto& [name, kernel] : device.kernels) {
      kernels.push_back({{"name", name},
                         {"dispatches", kernel.dispatches},
                         {"workgroups", kernel.stats.workgroups},
                         {"waves", kernel.stats.waves},
                         {"wave_instructions", kernel.stats.wave_instructions},
                         {"seconds", kernel.stats.seconds}});
    }
    devices.push_back({{"index", i},
                       {"name", device.name},
                       {"target", device.target},
                       {"queues", device.queues},
                       {"copies", device.copies},
                       {"copied_bytes", device.copied_bytes},
                       {"kernels", kernels}});
  }
  for (const FaultEntry& fault : faults_) {
    faults.push_back({{"device", fault.device}, {"kind", fault.kind}, {"text", fault.text}});
  }
  json process = {{"pid", getpid()}, {"devices", devices}, {"faults", faults}, {"jit", jit_json()}};
  if (row_counts_) process["instructions"] = rows_json(*row_counts_);
  return process;
}

Result<void> Report::write(const std::string& file, const std::string& session) const {
  const int fd = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (fd < 0) return Error{fmt::format("cannot open report {}: {}", file, strerror(errno))};
  while (flock(fd, LOCK_EX) != 0 && errno == EINTR) {
  }
  json root = json::parse(read_all(fd), nullptr, /*allow_exceptions=*/false);
  const bool same = root.is_object() && root.value("session", "") == session &&
                    root.contains("processes") && root["processes"].is_array();
  json processes = same ? root["processes"] : json::array();
  processes.push_back(process_json());
  root = {{"version", 1},
          {"session", session},
          {"processes", processes},
          {"totals", totals_of(processes)}};
  // Kernel names come from guest memory and need not be UTF-8.
  const std::string text = root.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
  const bool ok = ftruncate(fd, 0) == 0 && lseek(fd, 0, SEEK_SET) == 0 && write_all(fd, text);
  const int saved = errno;
  close(fd);  // unlocks
  if (!ok) return Error{fmt::format("cannot write report {}: {}", file, strerror(saved))};
  return {};
}

void append_status(const std::string& file, const std::string& line) {
  const int fd = open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (fd < 0) return;
  write_all(fd, line + "\n");
  close(fd);
}

}  // namespace lockstep::mockgpu
