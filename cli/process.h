// SPDX-License-Identifier: MIT
// Runs a child program: environment, signals passed on, its exit status.
#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "isa/result.h"

namespace lockstep::cli {

/// How a child ended. Exactly one of the two is set: signal is 0 if it left by itself.
struct ChildStatus {
  int exit_code = 0;
  int signal = 0;
};

/// Starts argv[0] (searched in PATH) with `environment` set on top of ours and waits for it.
/// Signals that someone sends to this process go to the child; those of the terminal reach it
/// anyway. `tick` is called twice a second meanwhile. An error means that the program could not be started.
Result<ChildStatus> run_child(const std::vector<std::string>& argv,
                              const std::map<std::string, std::string>& environment,
                              const std::function<void()>& tick = {});

/// Ends this process as the child ended: same exit code, or death by the same signal.
int pass_on(const ChildStatus& status);

/// Why LD_PRELOAD cannot work with a program (statically linked, setuid, another machine); empty if
/// nothing speaks against it. Scripts count as their interpreter.
std::string preload_obstacle(const std::string& program);
/// Full path of a program as execvp would find it; empty if there is none.
std::string find_program(const std::string& name);

}  // namespace lockstep::cli
