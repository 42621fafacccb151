// SPDX-License-Identifier: MIT
// Messages of the mock driver to standard error, by level (LOCKSTEP_LOG=error|warn|info|trace).
#pragma once
#include <fmt/format.h>

#include <optional>
#include <string_view>

namespace lockstep::mockgpu {

enum class LogLevel : int { kError, kWarn, kInfo, kTrace };

std::optional<LogLevel> parse_log_level(std::string_view text);
void set_log_level(LogLevel level);
bool log_enabled(LogLevel level);
/// One write(2) a message, so that lines of several threads and processes do not mix.
void log_line(LogLevel level, std::string_view text);

template <class... Args>
void log(LogLevel level, fmt::format_string<Args...> format, Args&&... args) {
  if (log_enabled(level)) log_line(level, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace lockstep::mockgpu
