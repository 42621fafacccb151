// SPDX-License-Identifier: MIT
// The one dispatcher of this process.
#include <pthread.h>

#include <cstdlib>
#include <mutex>

#include "cli/capi/boundary.h"
#include "mockgpu/options.h"

namespace lockstep::capi {
namespace {

// Never destroyed: other threads and exit handlers may still run kernels. A child of fork has none
// of the worker threads, so it makes its own and leaves this one where it is.
std::mutex g_mutex;
emu::Dispatcher* g_dispatcher;

Result<emu::Dispatcher*> dispatcher() {
  const std::lock_guard lock(g_mutex);
  if (g_dispatcher) return g_dispatcher;
  const auto options = engine_options();
  if (!options) return Error{options.error()};
  [[maybe_unused]] static const int installed =
      pthread_atfork([] { g_mutex.lock(); }, [] { g_mutex.unlock(); },
                     [] {
                       g_dispatcher = nullptr;
                       g_mutex.unlock();
                     });
  g_dispatcher = new emu::Dispatcher(*options);
  return g_dispatcher;
}

}  // namespace

Result<emu::DispatcherOptions> engine_options() {
  const auto options =
      mockgpu::parse_options([](const char* name) -> const char* { return getenv(name); });
  if (!options) return Error{options.error()};
  if (auto good = emu::check_engine(options->dispatcher.engine); !good) return Error{good.error()};
  return options->dispatcher;
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
