// SPDX-License-Identifier: MIT
// KernelRunner on emu::Dispatcher.
#include "mockgpu/kernel_runner.h"

namespace lockstep::mockgpu {
namespace {

class EmulatorRunner : public KernelRunner {
 public:
  explicit EmulatorRunner(const emu::DispatcherOptions& options) : dispatcher_(options) {}
  emu::DispatchResult run(const emu::DispatchRequest& request) override {
    return dispatcher_.run(request);
  }
  void cancel() override { dispatcher_.cancel(); }

 private:
  emu::Dispatcher dispatcher_;
};

}  // namespace

RunnerFactory emulator_runner(const emu::DispatcherOptions& options) {
  return [options] { return std::make_unique<EmulatorRunner>(options); };
}

}  // namespace lockstep::mockgpu
