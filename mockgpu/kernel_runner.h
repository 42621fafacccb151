// SPDX-License-Identifier: MIT
// Where launches go: an interface, so that queues and packets can be tested without an emulator.
#pragma once
#include <functional>
#include <memory>

#include "emu/dispatch.h"

namespace lockstep::mockgpu {

class KernelRunner {
 public:
  virtual ~KernelRunner() = default;
  virtual emu::DispatchResult run(const emu::DispatchRequest& request) = 0;
  /// Stops a running launch soon; its result is then a failure.
  virtual void cancel() {}
};

/// One runner a device.
using RunnerFactory = std::function<std::unique_ptr<KernelRunner>()>;

/// The emulator behind the interface.
RunnerFactory emulator_runner(const emu::DispatcherOptions& options);

}  // namespace lockstep::mockgpu
