// SPDX-License-Identifier: MIT
// Declares the subcommands, parses, and turns every parsing mistake into exit status 2.
#include "cli/app.h"

#include <algorithm>
#include <exception>

#include "cli/messages.h"

namespace lockstep::cli {
namespace {

std::string subcommand_list(const CLI::App& app) {
  std::string names;
  for (const CLI::App* sub : app.get_subcommands({})) {
    if (!names.empty()) names += ' ';
    names += sub->get_name();
  }
  return names;
}

bool has_subcommand(const CLI::App& app, const std::string& name) {
  const auto subs =
      app.get_subcommands([&](const CLI::App* sub) { return sub->get_name() == name; });
  return !subs.empty();
}

int refuse(const CLI::App& app, const std::string& message) {
  const auto subs = app.get_subcommands();
  const std::string name = subs.empty() ? "" : " " + subs.front()->get_name();
  fmt::print(stderr, "lockstep{0}: {1}\n(lockstep{0} --help lists the options)\n", name, message);
  return kExitUsage;
}

}  // namespace

int run_command(std::vector<std::string> arguments) {
  CLI::App app("Lockstep runs AMD GPU programs on a CPU.", "lockstep");
  app.set_version_flag("--version", "lockstep " LOCKSTEP_VERSION, "Print the version and leave");
  app.get_formatter()->column_width(28);
  app.footer("lockstep SUB --help tells more about one of them.");

  // Everything behind "--" belongs to the program that `run` starts; no option of ours is there.
  std::vector<std::string> program;
  if (!arguments.empty() && arguments.front() == "run") {
    const auto mark = std::find(arguments.begin(), arguments.end(), "--");
    if (mark != arguments.end()) {
      program.assign(mark + 1, arguments.end());
      arguments.erase(mark, arguments.end());
    }
  }

  Action action;
  add_run(app, action, program);
  add_exec(app, action);
  add_asm(app, action);
  add_disasm(app, action);
  add_isa(app, action);
  add_diff(app, action);
  add_doctor(app, action);

  if (arguments.empty()) {
    fmt::print(stderr, "{}", app.help());
    return kExitUsage;
  }
  if (!arguments.front().starts_with('-') && !has_subcommand(app, arguments.front())) {
    fmt::print(stderr, "lockstep: there is no subcommand \"{}\"; there are: {}\n",
               arguments.front(), subcommand_list(app));
    return kExitUsage;
  }
  try {
    std::reverse(arguments.begin(), arguments.end());  // as CLI11 wants them
    app.parse(arguments);
  } catch (const CLI::ExtrasError& error) {
    const auto extras = app.remaining(/*recurse=*/true);
    const std::string first = extras.empty() ? error.what() : extras.front();
    return refuse(app,
                  (first.starts_with('-') ? "unknown option " : "unexpected argument ") + first);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    return refuse(app, error.what());
  }
  try {
    return action ? action() : kExitUsage;
  } catch (const std::exception& error) {  // out of memory and the like: say so, never abort
    fmt::print(stderr, "lockstep: {}\n", error.what());
    return kExitFailed;
  }
}

}  // namespace lockstep::cli
