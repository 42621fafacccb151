// SPDX-License-Identifier: MIT
// Error text, architecture names, and the one dispatcher of this process.
#include "cli/capi/boundary.h"

#include <fmt/format.h>
#include <pthread.h>

#include <cstdlib>
#include <mutex>

#include "mockgpu/options.h"

namespace lockstep::capi {
namespace {

thread_local std::string t_error;

// Never destroyed: other threads and exit handlers may still run kernels. A child of fork has none
// of the worker threads, so it makes its own and leaves this one where it is.
std::mutex g_mutex;
emu::Dispatcher* g_dispatcher;

Result<emu::Dispatcher*> dispatcher() {
  const std::lock_guard lock(g_mutex);
  if (g_dispatcher) return g_dispatcher;
  const auto options =
      mockgpu::parse_options([](const char* name) -> const char* { return getenv(name); });
  if (!options) return Error{options.error()};
  if (options->dispatcher.engine != emu::Engine::kInterp) {
    return Error{"LOCKSTEP_ENGINE: this engine is not there yet; there is: interp"};
  }
  [[maybe_unused]] static const int installed =
      pthread_atfork([] { g_mutex.lock(); }, [] { g_mutex.unlock(); },
                     [] {
                       g_dispatcher = nullptr;
                       g_mutex.unlock();
                     });
  g_dispatcher = new emu::Dispatcher(options->dispatcher);
  return g_dispatcher;
}

int code_of(emu::FaultKind kind) {
  switch (kind) {
    case emu::FaultKind::kBadDispatch:
      return LOCKSTEP_ERROR_ARGUMENT;
    case emu::FaultKind::kInstructionLimit:
      return LOCKSTEP_ERROR_LIMIT;
    case emu::FaultKind::kUnsupportedInstruction:
      return LOCKSTEP_ERROR_UNSUPPORTED;
    default:
      return LOCKSTEP_ERROR_FAULT;
  }
}

}  // namespace

int fail(int code, std::string_view message) noexcept {
  try {
    t_error = message;
  } catch (...) {
    t_error.clear();
  }
  return code;
}

void clear_error() noexcept { t_error.clear(); }
const char* error_text() noexcept { return t_error.c_str(); }

std::optional<Arch> find_arch(std::string_view name) {
  // Programs for "rdna3" may hold RDNA 3.5's scalar float instructions; gfx1150 has all of
  // gfx1100's.
  if (name == "rdna3") return Arch{isa::Target::kGfx1150, 32};
  if (name == "rdna4") return Arch{isa::Target::kGfx1201, 32};
  if (name == "cdna") return Arch{isa::Target::kGfx950, 64};
  const auto target = isa::find_target(name);
  if (!target) return std::nullopt;
  return Arch{*target, isa::target_info(*target).has_wave32 ? 32u : 64u};
}

std::string unknown_arch(const char* name) {
  if (!name) return "arch is NULL; give \"rdna3\", \"rdna4\", \"cdna\" or a gfx name";
  std::string names;
  for (const isa::TargetInfo& info : isa::all_targets()) names += " " + std::string(info.name);
  return fmt::format("arch: \"{}\" is unknown; there are: rdna3 rdna4 cdna{}", name, names);
}

int run_in_process(emu::DispatchRequest& request, lockstep_stats* stats) {
  const auto runner = dispatcher();
  if (!runner) return fail(LOCKSTEP_ERROR_ARGUMENT, runner.error());
  // A new picture of the process for each run: memory that is gone by now must be a fault, not a
  // crash.
  emu::MemoryMap memory(emu::MemoryMap::Mode::kProcess);
  request.memory = &memory;
  const emu::DispatchResult result = (*runner)->run(request);
  if (stats) {
    *stats = {result.stats.workgroups, result.stats.waves, result.stats.wave_instructions,
              result.stats.seconds};
  }
  if (result.ok) return LOCKSTEP_OK;
  return fail(code_of(result.fault.kind), result.fault.describe());
}

}  // namespace lockstep::capi

extern "C" {

const char* lockstep_last_error(void) { return lockstep::capi::error_text(); }

const char* lockstep_version(void) { return LOCKSTEP_VERSION; }

size_t lockstep_target_count(void) { return lockstep::isa::all_targets().size(); }

const char* lockstep_target_name(size_t index) {
  const auto targets = lockstep::isa::all_targets();
  return index < targets.size() ? targets[index].name.data() : nullptr;  // literals end in NUL
}

}  // extern "C"
