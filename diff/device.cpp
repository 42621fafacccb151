// SPDX-License-Identifier: MIT
// The back end device: a GPU through the runtime, or the mock where one stands in for it.
#include <fmt/format.h>

#include <chrono>

#include "diff/backend.h"
#include "diff/capture.h"
#include "runtime/queue.h"

namespace lockstep::diff {
namespace {

constexpr std::chrono::milliseconds kTimeout{10000};

const char* fault_word(runtime::Outcome::Kind kind) {
  switch (kind) {
    case runtime::Outcome::Kind::kDone:
      return "";
    case runtime::Outcome::Kind::kMemoryFault:
      return "memory fault";
    case runtime::Outcome::Kind::kHardwareFault:
      return "exception";
    case runtime::Outcome::Kind::kTimeout:
      return "does not end";
  }
  return "?";
}

class OnDevice : public Backend {
 public:
  explicit OnDevice(std::unique_ptr<runtime::Device> device) : device_(std::move(device)) {}
  std::string name() const override { return "device " + device_->gpu().describe(); }

 protected:
  Result<Launched> launch(const Program& program, uint32_t first, uint32_t count) override {
    const Layout& l = program.layout;
    if (l.target != device_->target())
      return Error{fmt::format("{} is for {}, the device is {}", program.name,
                               isa::target_info(l.target).name, device_->gpu().describe())};
    auto object = capture_kernel(program);
    if (!object) return Error{object.error()};
    const auto sizes = capture_sizes(program, *object);
    const auto addresses = capture_addresses();
    PerBuffer<uint8_t*> host{};
    for (size_t i = 0; i < sizes.size(); ++i) {
      if (!buffers_[i] || buffers_[i].size() < sizes[i]) {
        buffers_[i] = {};
        auto made = device_->allocate(sizes[i], addresses[i]);
        if (!made) return Error{made.error()};
        buffers_[i] = std::move(*made);
      }
      host[i] = buffers_[i].data();
    }
    const auto kernel = prepare_capture(program, first, count, *object, host);
    if (!kernel) return Error{kernel.error()};

    if (!queue_) {
      auto queue = runtime::Queue::create(*device_, runtime::PacketFormat::kAql);
      if (!queue) return Error{queue.error()};
      queue_ = std::move(*queue);
    }
    runtime::Launch launch;
    launch.kernel = *kernel;
    launch.image_address = kCodeAddress;
    launch.items = {l.wave_size * count, 1, 1};
    launch.block = {l.wave_size, 1, 1};
    launch.kernarg = kKernargAddress;
    launch.new_code = true;
    const auto outcome = queue_->run(launch, kTimeout);
    if (!outcome) return Error{outcome.error()};
    if (outcome->kind == runtime::Outcome::Kind::kDone)
      return Launched{"", "", read_states(l, first, count, host)};
    queue_.reset();  // it is dead
    return Launched{fault_word(outcome->kind), outcome->detail, {}};
  }

 private:
  std::unique_ptr<runtime::Device> device_;
  PerBuffer<runtime::Memory> buffers_;
  std::unique_ptr<runtime::Queue> queue_;
};

}  // namespace

Result<std::unique_ptr<Backend>> device_backend(size_t index) {
  auto device = runtime::Device::open(index);
  if (!device) return Error{device.error()};
  return std::unique_ptr<Backend>(std::make_unique<OnDevice>(std::move(*device)));
}

Result<isa::Target> device_target(size_t index) {
  const auto gpus = runtime::list_gpus();
  if (!gpus) return Error{gpus.error()};
  if (index >= gpus->size()) return Error{fmt::format("there is no GPU {}", index)};
  if (!(*gpus)[index].target) return Error{(*gpus)[index].describe()};
  return *(*gpus)[index].target;
}

}  // namespace lockstep::diff
