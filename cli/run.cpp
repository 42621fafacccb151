// SPDX-License-Identifier: MIT
// `lockstep run`: starts an unmodified program with emulated devices and sums up what they did.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/app.h"
#include "cli/files.h"
#include "cli/messages.h"
#include "cli/options.h"
#include "cli/preload.h"
#include "cli/process.h"
#include "cli/table.h"
#include "mockgpu/options.h"
#include "mockgpu/progress.h"

namespace lockstep::cli {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;
using Environment = std::map<std::string, std::string>;

struct RunOptions {
  std::string device, gpus, report, log;
  std::string check;
  EngineFlags engine;
  bool quiet = false, json_output = false;
  std::vector<std::string> program;
  std::string unexpected;  ///< a word between our options and "--"
  /// Flags that were given: only they override LOCKSTEP_* variables that are set already.
  Environment given;
};

int fail(const std::string& message) { return bad_input("run", "{}", message); }

/// Names of checks that exist in the design, so that a typing error and a missing feature differ.
Result<std::string> parse_checks(const std::string& text) {
  bool bounds = false;
  std::string_view rest = text;
  while (!rest.empty()) {
    const size_t comma = rest.find(',');
    const std::string_view name = rest.substr(0, comma);
    rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
    if (name == "bounds") {
      bounds = true;
    } else if (name == "uninit" || name == "waits" || name == "races") {
      return Error{
          fmt::format("--check={}: this check is not there yet; there is: bounds (which "
                      "is always on)",
                      name)};
    } else {
      return Error{fmt::format("--check: there is no check \"{}\"; there is: bounds", name)};
    }
  }
  return std::string(bounds ? "bounds" : "");
}

/// A private folder for the report and the status file of one run.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::error_code error;
    const fs::path base = fs::temp_directory_path(error);
    std::string name = ((error ? fs::path("/tmp") : base) / "lockstep-run-XXXXXX").string();
    if (mkdtemp(name.data())) path_ = name;
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// Checks LOCKSTEP_* as the driver will see it, and names the flag rather than the variable if the
/// value came from a flag.
Result<mockgpu::Options> check_environment(const Environment& set, const Environment& flags) {
  const auto options = mockgpu::parse_options([&](const char* name) -> const char* {
    const auto it = set.find(name);
    return it != set.end() ? it->second.c_str() : getenv(name);
  });
  if (options) {
    if (auto good = emu::check_engine(options->dispatcher.engine); !good)
      return Error{good.error()};
    return options;
  }
  std::string message = options.error();
  for (const auto& [flag, name] : {std::pair{"--device", "LOCKSTEP_DEVICE"},
                                   {"--gpus", "LOCKSTEP_GPUS"},
                                   {"--log", "LOCKSTEP_LOG"}}) {
    if (!flags.contains(name)) continue;
    const std::string variable = name;
    for (size_t at; (at = message.find(variable)) != std::string::npos;) {
      message.replace(at, variable.size(), flag);
    }
  }
  return Error{message};
}

std::string preload_value(const std::string& library) {
  const char* before = getenv("LD_PRELOAD");
  return before && *before ? library + ":" + before : library;
}

json read_report(const std::string& path) {
  const auto bytes = read_file(path);
  if (!bytes) return json::object();
  json report = json::parse(bytes->begin(), bytes->end(), nullptr, /*allow_exceptions=*/false);
  return report.is_object() ? report : json::object();
}

std::vector<std::string> read_lines(const std::string& path) {
  std::vector<std::string> lines;
  const auto bytes = read_file(path);
  if (!bytes) return lines;
  std::string line;
  for (const uint8_t c : *bytes) {
    if (c != '\n') {
      line += static_cast<char>(c);
    } else if (!line.empty()) {
      lines.push_back(std::move(line));
      line.clear();
    }
  }
  return lines;
}

std::string device_list(const std::vector<isa::Target>& devices) {
  std::string names;
  for (const isa::Target target : devices) {
    names += (names.empty() ? "" : ", ") + std::string(isa::target_info(target).name);
  }
  return names;
}

void print_summary(const RunOptions& o, const mockgpu::Options& options, const json& report,
                   const std::vector<std::string>& faults, const ChildStatus& status) {
  if (o.json_output) {
    json out = report;
    out["status"] = {{"exit_code", status.exit_code}, {"signal", status.signal}};
    out["guest_faults"] = faults;
    fmt::print(stderr, "{}\n", out.dump(2, ' ', false, json::error_handler_t::replace));
    return;
  }
  if (!o.quiet) {
    fmt::print(stderr, "\nlockstep: {} on emulated {}\n", o.program[0],
               device_list(options.devices));
    if (report.empty()) {
      const std::string obstacle = preload_obstacle(o.program[0]);
      fmt::print(stderr, "The program made no queue on an emulated device{}\n",
                 obstacle.empty() ? "." : ": " + obstacle + ".");
    } else {
      fmt::print(stderr, "{}", summary_table(report));
    }
  }
  if (!faults.empty()) {
    fmt::print(stderr, "lockstep: {}:\n", counted(faults.size(), "guest fault"));
    // The driver has printed each in full when it happened.
    for (const std::string& fault : faults) {
      fmt::print(stderr, "  {}\n", fault.substr(0, fault.find(": lockstep:")));
    }
  }
  if (status.signal != 0) {
    fmt::print(stderr, "lockstep: {} was ended by signal {} ({})\n", o.program[0], status.signal,
               strsignal(status.signal));
  }
}

Result<Environment> make_environment(const RunOptions& o, const fs::path& scratch) {
  Environment env = o.given;
  const auto checks = parse_checks(o.check);
  if (!checks) return Error{checks.error()};
  if (!checks->empty()) env["LOCKSTEP_CHECK"] = *checks;
  const auto library = find_preload_library();
  if (!library) return Error{library.error()};
  env["LD_PRELOAD"] = preload_value(*library);
  // One report and one session even where the program starts others; absolute, since it may chdir.
  std::string report = o.report;
  if (report.empty()) {
    const char* set = getenv("LOCKSTEP_REPORT");
    const bool for_someone = (set && *set) || o.json_output;
    report = set && *set ? set : (scratch / "report.json").string();
    if (!for_someone) env["LOCKSTEP_REPORT_ROWS"] = "0";
  }
  std::error_code error;
  env["LOCKSTEP_REPORT"] = fs::absolute(report, error).string();
  env["LOCKSTEP_STATUS_FILE"] = (scratch / "status").string();
  env["LOCKSTEP_PROGRESS_FILE"] = (scratch / "progress").string();
  env["LOCKSTEP_SESSION"] = fmt::format("run-{}-{}", getpid(), time(nullptr));
  return env;
}

/// A line on the terminal while a long run goes on.
class Progress {
 public:
  Progress(const RunOptions& o, const fs::path& file) {
    if (!o.quiet && !o.json_output && isatty(STDERR_FILENO))
      counters_ = mockgpu::map_progress(file.string(), true);
  }
  std::function<void()> tick() {
    if (!counters_) return {};
    return [this] { show(); };
  }
  void clear() {
    if (shown_) fmt::print(stderr, "\r\x1b[K");
  }

 private:
  using Clock = std::chrono::steady_clock;
  void show() {
    const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
    const uint64_t kernels = counters_->kernels, instructions = counters_->instructions;
    if (seconds < kShortRun || kernels == 0) return;
    shown_ = true;
    fmt::print(stderr, "\r\x1b[Klockstep: {:.0f} s, {} kernels ({:.0f}/s), {}wave-instructions",
               seconds, kernels, static_cast<double>(kernels - kernels_) / (seconds - seconds_),
               short_count(static_cast<double>(instructions)));
    std::fflush(stderr);
    kernels_ = kernels;
    seconds_ = seconds;
  }

  static constexpr double kShortRun = 2;
  mockgpu::ProgressCounters* counters_ = nullptr;
  const Clock::time_point start_ = Clock::now();
  uint64_t kernels_ = 0;
  double seconds_ = 0;
  bool shown_ = false;
};

/// What is left to do when files are gone: nullopt after an error that was printed.
struct Outcome {
  ChildStatus status;
  bool guest_fault = false;
};
std::optional<Outcome> run_and_report(const RunOptions& o) {
  const ScratchFolder scratch;
  const auto refuse = [](const std::string& message) {
    fail(message);
    return std::nullopt;
  };
  if (scratch.path().empty()) return refuse("cannot make a folder for temporary files");
  const auto env = make_environment(o, scratch.path());
  if (!env) return refuse(env.error());
  const auto options = check_environment(*env, o.given);
  if (!options) return refuse(options.error());
  const std::string& report_file = env->at("LOCKSTEP_REPORT");
  if (!o.report.empty()) {
    // A report of an earlier run must not pass for one of this run; and a bad path shows now.
    const json empty = {{"version", 1},
                        {"session", env->at("LOCKSTEP_SESSION")},
                        {"processes", json::array()},
                        {"totals", json::object()}};
    if (auto done = write_file(report_file, empty.dump(2) + "\n"); !done) {
      return refuse("--report: " + done.error());
    }
  }
  std::fflush(nullptr);
  Progress progress(o, scratch.path() / "progress");
  const auto status = run_child(o.program, *env, progress.tick());
  progress.clear();
  if (!status) return refuse(status.error());

  json report = read_report(report_file);
  if (report.value("session", "") != env->at("LOCKSTEP_SESSION") ||
      report.value("processes", json::array()).empty()) {
    report = json::object();
  }
  const auto faults = read_lines(env->at("LOCKSTEP_STATUS_FILE"));
  print_summary(o, *options, report, faults, *status);
  return Outcome{*status, !faults.empty()};
}

int run_program(const RunOptions& o) {
  if (o.program.empty()) return fail("which program? lockstep run [options] -- PROGRAM ARGS...");
  if (o.program[0].starts_with("-")) {
    return fail(fmt::format("unknown option {} (--help lists the options)", o.program[0]));
  }
  if (!o.unexpected.empty()) {
    return fail(fmt::format("unexpected argument {} before --", o.unexpected));
  }
  const auto outcome = run_and_report(o);
  if (!outcome) return kExitUsage;
  // Faults count even where the program hides them.
  const bool hidden = outcome->status.signal == 0 && outcome->status.exit_code == 0;
  return outcome->guest_fault && hidden ? kExitFailed : pass_on(outcome->status);
}

const char* const kExamples =
    "\nExamples:\n"
    "  lockstep run -- python3 train.py\n"
    "  lockstep run --device=gfx1201 --threads=1 --report=run.json -- ./my_program --its-option\n"
    "  lockstep run --gpus=2 -- python3 two_cards.py\n"
    "\nThe same without this command: LD_PRELOAD=.../liblockstep-kfd.so LOCKSTEP_DEVICE=gfx1100 "
    "PROGRAM\n"
    "Exit status: that of the program; 1 if a kernel failed and the program did not; 2 bad usage.";

}  // namespace

void add_run(CLI::App& app, Action& action, const std::vector<std::string>& program) {
  auto o = std::make_shared<RunOptions>();
  CLI::App* sub =
      app.add_subcommand("run",
                         "Run an unmodified program with emulated GPUs (run [OPTIONS] -- "
                         "PROGRAM ARGS...)")
          ->prefix_command();
  sub->add_option("--device", o->device,
                  "Target of the emulated GPU, or a comma list for several: " + target_list())
      ->option_text("TARGET");
  sub->add_option("--gpus", o->gpus, "Number of emulated GPUs of that target")->option_text("N");
  o->engine.declare(*sub);
  sub->add_option("--report", o->report, "Write what ran (kernels, waves, faults) as JSON")
      ->option_text("FILE");
  sub->add_option("--check", o->check,
                  "bounds: an access past an allocation's exact end is a fault, also where a real "
                  "card only looks at pages (access to nothing at all always is)")
      ->option_text("CHECK[,CHECK]");
  sub->add_option("--log", o->log, "Messages of the driver: error, warn, info or trace")
      ->option_text("LEVEL");
  sub->add_flag("--quiet", o->quiet, "No table at the end");
  sub->add_flag("--json", o->json_output, "Print the report to standard error instead of a table");
  sub->footer(kExamples);
  sub->callback([&action, o, sub, program] {
    // Without "--" the program starts at the first word that is no option of ours.
    o->program = sub->remaining();
    if (o->program.empty()) {
      o->program = program;
    } else if (!program.empty()) {
      o->unexpected = o->program.front();
    }
    const auto take = [&](const char* option, const char* variable) {
      const CLI::Option* given = sub->get_option(option);
      if (given->count() > 0) o->given[variable] = given->as<std::string>();
    };
    take("--device", "LOCKSTEP_DEVICE");
    take("--gpus", "LOCKSTEP_GPUS");
    take("--engine", "LOCKSTEP_ENGINE");
    take("--threads", "LOCKSTEP_THREADS");
    take("--max-instructions", "LOCKSTEP_MAX_INSTRUCTIONS");
    take("--schedule-seed", "LOCKSTEP_SCHEDULE_SEED");
    take("--log", "LOCKSTEP_LOG");
    action = [o] { return run_program(*o); };
  });
}

}  // namespace lockstep::cli
