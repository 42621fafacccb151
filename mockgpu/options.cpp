// SPDX-License-Identifier: MIT
// Reads and checks the LOCKSTEP_* environment variables.
#include "mockgpu/options.h"

#include <charconv>
#include <string_view>

#include "emu/row_counts.h"
#include "isa/names.h"

namespace lockstep::mockgpu {
namespace {

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t comma = text.find(',');
    parts.push_back(text.substr(0, comma));
    if (comma == std::string_view::npos) return parts;
    text.remove_prefix(comma + 1);
  }
}

template <class T>
Result<T> parse_number(const char* name, std::string_view text, T low, T high) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < low || value > high) {
    return Error{fmt::format("{}={}: expected a number from {} to {}", name, text, low, high)};
  }
  return value;
}

Result<std::vector<isa::Target>> parse_devices(const char* list, const char* count_text) {
  std::vector<isa::Target> devices;
  for (const std::string_view name : split(list ? list : "gfx1100")) {
    const auto target = isa::find_target(name);
    if (!target) {
      return Error{fmt::format("LOCKSTEP_DEVICE: unknown target \"{}\"; known: {}", name,
                               isa::target_list())};
    }
    devices.push_back(*target);
  }
  if (count_text) {
    const auto count = parse_number<int>("LOCKSTEP_GPUS", count_text, 1, kMaxDevices);
    if (!count) return Error{count.error()};
    const size_t wanted = static_cast<size_t>(*count);
    if (devices.size() == 1) {
      devices.assign(wanted, devices.front());
    } else if (devices.size() != wanted) {
      return Error{fmt::format("LOCKSTEP_GPUS={} contradicts the {} devices of LOCKSTEP_DEVICE={}",
                               wanted, devices.size(), list)};
    }
  }
  if (devices.size() > kMaxDevices) {
    return Error{fmt::format("LOCKSTEP_DEVICE: {} devices; at most {} are possible", devices.size(),
                             kMaxDevices)};
  }
  return devices;
}

}  // namespace

Result<Options> parse_options(const Getenv& get) {
  // An empty variable counts as unset, as shells commonly write it.
  const auto value = [&](const char* name) -> const char* {
    const char* text = get(name);
    return text && *text ? text : nullptr;
  };
  Options options;
  auto devices = parse_devices(value("LOCKSTEP_DEVICE"), value("LOCKSTEP_GPUS"));
  if (!devices) return Error{devices.error()};
  options.devices = *devices;

  if (const char* text = value("LOCKSTEP_THREADS")) {
    const auto threads = parse_number<int>("LOCKSTEP_THREADS", text, 0, 1024);
    if (!threads) return Error{threads.error()};
    options.dispatcher.threads = *threads;
  }
  if (const char* text = value("LOCKSTEP_MAX_INSTRUCTIONS")) {
    const auto limit = parse_number<uint64_t>("LOCKSTEP_MAX_INSTRUCTIONS", text, 0, UINT64_MAX);
    if (!limit) return Error{limit.error()};
    options.dispatcher.max_instructions = *limit;
  }
  if (const char* text = value("LOCKSTEP_SCHEDULE_SEED")) {
    const auto seed = parse_number<uint64_t>("LOCKSTEP_SCHEDULE_SEED", text, 0, UINT64_MAX);
    if (!seed) return Error{seed.error()};
    options.dispatcher.schedule_seed = *seed;
  }
  if (const char* text = value("LOCKSTEP_ENGINE")) {
    const auto engine = emu::find_engine(text);
    if (!engine) {
      return Error{fmt::format("LOCKSTEP_ENGINE={}: expected interp, jit or verify", text)};
    }
    options.dispatcher.engine = *engine;
  }
  if (const char* text = value("LOCKSTEP_JIT_DUMP")) options.dispatcher.observers.dump_file = text;
  for (const auto& [name, wanted] :
       {std::pair("LOCKSTEP_JIT_PERF_MAP", &options.dispatcher.observers.perf_map),
        {"LOCKSTEP_JIT_GDB", &options.dispatcher.observers.gdb}}) {
    if (const char* text = value(name)) {
      const auto on = parse_number<int>(name, text, 0, 1);
      if (!on) return Error{on.error()};
      *wanted = *on == 1;
    }
  }
  if (const char* text = value("LOCKSTEP_LOG")) {
    const auto level = parse_log_level(text);
    if (!level) {
      return Error{fmt::format("LOCKSTEP_LOG={}: expected error, warn, info or trace", text)};
    }
    options.log_level = *level;
  }
  if (const char* text = value("LOCKSTEP_CHECK")) {
    for (const std::string_view check : split(text)) {
      if (check != "bounds") {
        return Error{fmt::format("LOCKSTEP_CHECK: unknown check \"{}\"; known: bounds", check)};
      }
      options.exact_bounds = true;
    }
  }
  if (const char* text = value("LOCKSTEP_REPORT")) options.report_file = text;
  // The command makes a report for its summary too, which needs no rows.
  const char* rows = value("LOCKSTEP_REPORT_ROWS");
  const auto wanted = parse_number<int>("LOCKSTEP_REPORT_ROWS", rows ? rows : "1", 0, 1);
  if (!wanted) return Error{wanted.error()};
  if (!options.report_file.empty() && *wanted == 1)
    options.dispatcher.row_counts = std::make_shared<emu::RowCounts>();
  if (const char* text = value("LOCKSTEP_STATUS_FILE")) options.status_file = text;
  if (const char* text = value("LOCKSTEP_PROGRESS_FILE")) options.progress_file = text;
  if (const char* text = value("LOCKSTEP_SESSION")) options.session = text;
  return options;
}

}  // namespace lockstep::mockgpu
