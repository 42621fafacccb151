// SPDX-License-Identifier: MIT
// `lockstep doctor`: says what will and will not work on this machine, and how to mend it.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/app.h"
#include "cli/doctor_checks.h"
#include "cli/messages.h"

namespace lockstep::cli {
namespace {

using nlohmann::json;

struct DoctorOptions {
  bool json_output = false, probe = false;
};

const char* name_of(Health health) {
  switch (health) {
    case Health::kOk:
      return "ok";
    case Health::kNote:
      return "note";
    case Health::kWarning:
      return "warning";
    case Health::kProblem:
      return "problem";
  }
  return "";
}

int run_doctor(const DoctorOptions& o) {
  if (o.probe) return probe_preload();
  const std::vector<Check> checks = {
      check_processor(),    check_threads(), check_memory(),
      check_shared_files(), check_preload(), check_environment_variables(),
      check_llvm(),         check_python(),  check_compilers(),
      check_limits(),       check_real_gpu()};
  int problems = 0;
  int warnings = 0;
  json list = json::array();
  for (const Check& check : checks) {
    problems += check.health == Health::kProblem;
    warnings += check.health == Health::kWarning;
    if (o.json_output) {
      list.push_back({{"health", name_of(check.health)},
                      {"topic", check.topic},
                      {"found", check.found},
                      {"mend", check.mend}});
      continue;
    }
    fmt::print("{:<8} {:<13} {}\n", name_of(check.health), check.topic, check.found);
    if (!check.mend.empty()) fmt::print("{:<22} mend: {}\n", "", check.mend);
  }
  if (o.json_output) {
    const json out = {{"version", LOCKSTEP_VERSION},
                      {"problems", problems},
                      {"warnings", warnings},
                      {"checks", list}};
    fmt::print("{}\n", out.dump(2, ' ', false, json::error_handler_t::replace));
  } else if (problems != 0) {
    fmt::print("\n{} problem{}: part of Lockstep does not work here until that is mended.\n",
               problems, problems == 1 ? "" : "s");
  } else if (warnings != 0) {
    fmt::print("\nLockstep works here; see the warning{} above.\n", warnings == 1 ? "" : "s");
  } else {
    fmt::print("\nEverything that Lockstep needs is here.\n");
  }
  return problems ? kExitFailed : kExitOk;
}

}  // namespace

void add_doctor(CLI::App& app, Action& action) {
  auto o = std::make_shared<DoctorOptions>();
  CLI::App* sub =
      app.add_subcommand("doctor", "Check this machine: what works, what does not, what to do");
  sub->add_flag("--json", o->json_output, "Print JSON");
  sub->add_flag("--probe", o->probe, "")->group("");  // the child of the driver check
  sub->footer("\nExit status: 0 nothing is broken (warnings may be), 1 something is.");
  sub->callback([&action, o] { action = [o] { return run_doctor(*o); }; });
}

}  // namespace lockstep::cli
