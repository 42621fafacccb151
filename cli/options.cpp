// SPDX-License-Identifier: MIT
// Shared options: declaration and checks.
#include "cli/options.h"

#include <fmt/format.h>

#include <charconv>

namespace lockstep::cli {

Result<std::array<uint32_t, 3>> parse_triple(std::string_view option, std::string_view text) {
  std::array<uint32_t, 3> out = {1, 1, 1};
  std::string_view rest = text;
  for (size_t i = 0;; ++i) {
    const size_t comma = rest.find(',');
    const std::string_view part = rest.substr(0, comma);
    if (i == 3) return Error{fmt::format("{}={}: at most three numbers", option, text)};
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), out[i]);
    if (error != std::errc() || end != part.data() + part.size() || out[i] == 0) {
      return Error{
          fmt::format("{}={}: \"{}\" is no number from 1 to 4294967295 (write X, X,Y or "
                      "X,Y,Z)",
                      option, text, part)};
    }
    if (comma == std::string_view::npos) return out;
    rest.remove_prefix(comma + 1);
  }
}

void EngineFlags::declare(CLI::App& app) {
  app.add_option(
         "--engine", engine,
         "jit, interp, or verify (both, compared after every block); default: jit where the "
         "processor can run its code (`lockstep doctor`), else interp")
      ->check(CLI::IsMember({"interp", "jit", "verify"}))
      ->option_text("ENGINE");
  app.add_option("--threads", threads, "Worker threads; 0 = one a core, 1 = repeatable")
      ->check(CLI::Range(0, 1024))
      ->option_text("N");
  app.add_option("--max-instructions", max_instructions,
                 "Stop a dispatch after that many wave-instructions; 0 = no limit")
      ->option_text("N");
  app.add_option("--schedule-seed", schedule_seed,
                 "Another order of waves; repeatable with --threads=1")
      ->option_text("N");
}

emu::DispatcherOptions EngineFlags::options() const {
  emu::DispatcherOptions options;
  options.threads = threads;
  options.max_instructions = max_instructions;
  options.schedule_seed = schedule_seed;
  options.engine = emu::find_engine(engine).value_or(emu::default_engine());
  return options;
}

Result<isa::Target> parse_target(std::string_view name) {
  if (const auto target = isa::find_target(name)) return *target;
  return Error{fmt::format("unknown target \"{}\"; there are: {}", name, target_list())};
}

}  // namespace lockstep::cli
