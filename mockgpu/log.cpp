// SPDX-License-Identifier: MIT
// Levels and the single write behind log().
#include "mockgpu/log.h"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <string>

namespace lockstep::mockgpu {
namespace {

std::atomic<int> g_level{static_cast<int>(LogLevel::kWarn)};

const char* name_of(LogLevel level) {
  switch (level) {
    case LogLevel::kError:
      return "error";
    case LogLevel::kWarn:
      return "warning";
    case LogLevel::kInfo:
      return "info";
    case LogLevel::kTrace:
      return "trace";
  }
  return "?";
}

}  // namespace

std::optional<LogLevel> parse_log_level(std::string_view text) {
  if (text == "error") return LogLevel::kError;
  if (text == "warn") return LogLevel::kWarn;
  if (text == "info") return LogLevel::kInfo;
  if (text == "trace") return LogLevel::kTrace;
  return std::nullopt;
}

void set_log_level(LogLevel level) { g_level.store(static_cast<int>(level)); }

bool log_enabled(LogLevel level) {
  return static_cast<int>(level) <= g_level.load(std::memory_order_relaxed);
}

void log_line(LogLevel level, std::string_view text) {
  const int saved = errno;
  std::string line = fmt::format("lockstep: {}: {}\n", name_of(level), text);
  size_t done = 0;
  while (done < line.size()) {
    const ssize_t n = ::write(STDERR_FILENO, line.data() + done, line.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;  // nowhere left to complain to
    done += static_cast<size_t>(n);
  }
  errno = saved;
}

}  // namespace lockstep::mockgpu
