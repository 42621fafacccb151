// SPDX-License-Identifier: MIT
// The command line: which subcommands there are, and how one is chosen and run.
#pragma once
#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

namespace lockstep::cli {

/// What the parsed command line asks for. A subcommand's parser callback sets it.
using Action = std::function<int()>;

// One function a subcommand, each in the file of its name: declares options and sets `action`.
void add_run(CLI::App& app, Action& action, const std::vector<std::string>& program);
void add_exec(CLI::App& app, Action& action);
void add_asm(CLI::App& app, Action& action);
void add_disasm(CLI::App& app, Action& action);
void add_isa(CLI::App& app, Action& action);
void add_diff(CLI::App& app, Action& action);
void add_doctor(CLI::App& app, Action& action);

/// Runs the command with its arguments (without argv[0]); returns the exit status.
int run_command(std::vector<std::string> arguments);

}  // namespace lockstep::cli
