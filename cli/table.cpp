// SPDX-License-Identifier: MIT
// Formats reports.
#include "cli/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

namespace lockstep::cli {
namespace {

using nlohmann::json;

constexpr size_t kMaxRows = 40;
constexpr size_t kMaxName = 44;

struct Row {
  std::string device, kernel;
  uint64_t dispatches = 0, waves = 0, instructions = 0;
  double seconds = 0;
};

std::vector<Row> rows_of(const json& report, bool many_devices) {
  std::map<std::pair<std::string, std::string>, Row> rows;
  for (const json& process : report.value("processes", json::array())) {
    for (const json& device : process.value("devices", json::array())) {
      std::string name = device.value("target", "?");
      if (many_devices) name = fmt::format("{} {}", device.value("index", 0), name);
      for (const json& kernel : device.value("kernels", json::array())) {
        const std::string kernel_name = kernel.value("name", "?");
        Row& row = rows[{name, kernel_name}];
        row.device = name;
        row.kernel = kernel_name;
        row.dispatches += kernel.value("dispatches", uint64_t{0});
        row.waves += kernel.value("waves", uint64_t{0});
        row.instructions += kernel.value("wave_instructions", uint64_t{0});
        row.seconds += kernel.value("seconds", 0.0);
      }
    }
  }
  std::vector<Row> sorted;
  for (auto& [key, row] : rows) sorted.push_back(std::move(row));
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Row& a, const Row& b) { return a.seconds > b.seconds; });
  return sorted;
}

std::string rate(uint64_t instructions, double seconds) {
  return seconds > 0 ? short_count(static_cast<double>(instructions) / seconds) + "/s" : "-";
}

std::string clip(const std::string& name) {
  return name.size() <= kMaxName ? name : name.substr(0, kMaxName - 3) + "...";
}

std::string line(const std::string& kernel, size_t width, const std::string& device,
                 const Row& row) {
  return fmt::format("{:<{}}  {:<9} {:>10} {:>11} {:>13} {:>10} {:>11}\n", kernel, width, device,
                     row.dispatches, row.waves, row.instructions, short_time(row.seconds),
                     rate(row.instructions, row.seconds));
}

}  // namespace

std::string short_count(double value) {
  for (const auto& [unit, scale] : {std::pair{" G", 1e9}, {" M", 1e6}, {" k", 1e3}}) {
    if (value >= scale)
      return fmt::format("{:.{}f}{}", value / scale, value < 10 * scale ? 2 : 1, unit);
  }
  return fmt::format("{:.0f} ", value);
}

std::string short_time(double seconds) {
  if (seconds >= 1) return fmt::format("{:.2f} s", seconds);
  if (seconds >= 1e-3) return fmt::format("{:.2f} ms", seconds * 1e3);
  return fmt::format("{:.0f} us", seconds * 1e6);
}

std::string counted(uint64_t count, const char* thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

namespace {

/// What ran by class, and which rows are not exact; nothing where rows were not counted.
std::string instructions_text(const json& report) {
  std::map<std::string, uint64_t> classes;
  std::map<std::pair<std::string, std::string>, uint64_t> inexact;  // by label and name
  uint64_t all = 0;
  for (const json& process : report.value("processes", json::array())) {
    const json instructions = process.value("instructions", json::object());
    const json by_class = instructions.value("classes", json::object());
    for (const auto& [name, count] : by_class.items()) {
      classes[name] += count.get<uint64_t>();
      all += count.get<uint64_t>();
    }
    for (const json& row : instructions.value("rows", json::array())) {
      const std::string fidelity = row.value("fidelity", "");
      if (fidelity != "exact")
        inexact[{fidelity, row.value("name", "?")}] += row.value("count", uint64_t{0});
    }
  }
  std::string text;
  for (const auto& [name, count] : classes)
    text += fmt::format("{}{} {:.1f}%", text.empty() ? "instructions: " : ", ", name,
                        100.0 * static_cast<double>(count) / static_cast<double>(all));
  if (!text.empty()) text += "\n";
  std::string label;
  for (const auto& [key, count] : inexact) {
    text += key.first == label ? ", " : fmt::format("{}{}: ", label.empty() ? "" : "\n", key.first);
    text += fmt::format("{} ({})", key.second, count);
    label = key.first;
  }
  return label.empty() ? text : text + "\n";
}

}  // namespace

std::string summary_table(const json& report) {
  size_t devices = 0;
  for (const json& process : report.value("processes", json::array())) {
    devices = std::max(devices, process.value("devices", json::array()).size());
  }
  const std::vector<Row> rows = rows_of(report, devices > 1);
  const json totals = report.value("totals", json::object());
  if (rows.empty()) return "No kernel ran.\n";

  size_t width = 6;
  for (size_t i = 0; i < std::min(rows.size(), kMaxRows); ++i) {
    width = std::max(width, std::min(rows[i].kernel.size(), kMaxName));
  }
  std::string text =
      fmt::format("{:<{}}  {:<9} {:>10} {:>11} {:>13} {:>10} {:>11}\n", "kernel", width, "device",
                  "dispatches", "waves", "wave-instrs", "time", "rate");
  Row total, others;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (i < kMaxRows) text += line(clip(rows[i].kernel), width, rows[i].device, rows[i]);
    for (Row* sum : {&total, i < kMaxRows ? nullptr : &others}) {
      if (!sum) continue;
      sum->dispatches += rows[i].dispatches;
      sum->waves += rows[i].waves;
      sum->instructions += rows[i].instructions;
      sum->seconds += rows[i].seconds;
    }
  }
  if (rows.size() > kMaxRows) {
    text += line(fmt::format("{} more kernels", rows.size() - kMaxRows), width, "", others);
  }
  text += line(fmt::format("total: {}", rows.size()), width, "", total);
  if (const uint64_t copies = totals.value("copies", uint64_t{0})) {
    text +=
        fmt::format("copies: {}, {}B\n", copies, short_count(totals.value("copied_bytes", 0.0)));
  }
  return text + instructions_text(report);
}

json stats_json(const emu::DispatchStats& stats) {
  return {{"workgroups", stats.workgroups},
          {"waves", stats.waves},
          {"wave_instructions", stats.wave_instructions},
          {"seconds", stats.seconds}};
}

json fault_json(const emu::Fault& fault) {
  return {{"kind", emu::to_string(fault.kind)},
          {"kernel", fault.kernel},
          {"pc", fault.pc},
          {"pc_offset", fault.pc_offset},
          {"instruction", fault.instruction},
          {"bytes", fault.bytes},
          {"lane", fault.lane},
          {"address", fault.address},
          {"access_size", fault.access_size},
          {"workgroup", fault.workgroup},
          {"wave", fault.wave},
          {"nearest", fault.nearest},
          {"detail", fault.detail},
          {"text", fault.describe()}};
}

}  // namespace lockstep::cli
