// SPDX-License-Identifier: MIT
// Exit codes of the command, and the one form in which it complains.
#pragma once
#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <utility>

namespace lockstep::cli {

/// Exit status of every subcommand.
enum ExitCode : int {
  kExitOk = 0,      ///< done and right
  kExitFailed = 1,  ///< the guest program or a check failed
  kExitUsage = 2,   ///< bad usage or input
};

/// Prints "lockstep SUB: message" to standard error. Returns kExitUsage, so that callers can
/// `return bad_input(...)`.
template <class... Args>
int bad_input(const char* subcommand, fmt::format_string<Args...> format, Args&&... args) {
  fmt::print(stderr, "lockstep {}: {}\n", subcommand,
             fmt::format(format, std::forward<Args>(args)...));
  return kExitUsage;
}

}  // namespace lockstep::cli
