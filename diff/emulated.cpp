// SPDX-License-Identifier: MIT
// The back ends interp and jit.
#include <fmt/format.h>

#include "diff/backend.h"
#include "diff/capture.h"
#include "emu/memory_map.h"

namespace lockstep::diff {
namespace {

constexpr uint64_t kMostInstructions = 10'000'000;

const char* fault_word(emu::FaultKind kind) {
  switch (kind) {
    case emu::FaultKind::kMemoryRead:
    case emu::FaultKind::kMemoryWrite:
    case emu::FaultKind::kInstructionFetch:
      return "memory fault";
    case emu::FaultKind::kInstructionLimit:
    case emu::FaultKind::kDeadlock:
      return "does not end";
    default:
      return "exception";
  }
}

/// Host memory behind one guest interval.
class Interval {
 public:
  Interval(uint64_t base, const char* label, bool writable)
      : base_(base), label_(label), writable_(writable) {}
  uint8_t* prepare(emu::MemoryMap& map, size_t size) {
    if (size > bytes_.size()) {
      if (!bytes_.empty()) map.remove(base_);
      bytes_.resize((size + 4095) / 4096 * 4096);
      map.add({base_, bytes_.size(), bytes_.data(), writable_, label_});
    }
    return bytes_.data();
  }

 private:
  uint64_t base_;
  std::string label_;
  bool writable_;
  std::vector<uint8_t> bytes_;
};

class Emulated : public Backend {
 public:
  explicit Emulated(emu::Engine engine) : engine_(engine), dispatcher_(options(engine)) {}
  std::string name() const override {
    switch (engine_) {
      case emu::Engine::kInterp:
        return "interp";
      case emu::Engine::kJit:
        return "jit";
      case emu::Engine::kVerify:
        return "verify";
    }
    return "?";
  }

 protected:
  Result<Launched> launch(const Program& program, uint32_t first, uint32_t count) override {
    const auto object = capture_kernel(program);
    if (!object) return Error{object.error()};
    const Layout& l = program.layout;
    const auto sizes = capture_sizes(program, *object);
    PerBuffer<uint8_t*> host{};
    for (size_t i = 0; i < sizes.size(); ++i) host[i] = intervals_[i].prepare(map_, sizes[i]);
    const auto prepared = prepare_capture(program, first, count, *object, host);
    if (!prepared) return Error{prepared.error()};
    const loader::Kernel* kernel = *prepared;
    const loader::KernelDescriptor& d = kernel->descriptor;
    emu::DispatchRequest request;
    request.target = l.target;
    request.wave_size = l.wave_size;
    request.entry = kCodeAddress + kernel->entry;
    request.kernel_name = program.name;
    request.block = {l.wave_size, 1, 1};
    request.grid = {l.wave_size * count, 1, 1};
    request.rsrc1 = d.compute_pgm_rsrc1;
    request.rsrc2 = d.compute_pgm_rsrc2;
    request.rsrc3 = d.compute_pgm_rsrc3;
    request.lds_bytes = l.lds_bytes;
    request.user_sgprs = {static_cast<uint32_t>(kKernargAddress),
                          static_cast<uint32_t>(kKernargAddress >> 32)};
    request.user_sgprs.resize(d.rsrc2.user_sgpr_count);
    request.memory = &map_;
    const emu::DispatchResult result = dispatcher_.run(request);
    if (result.ok) return Launched{"", "", read_states(l, first, count, host)};
    if (result.fault.kind == emu::FaultKind::kBadDispatch)
      return Error{fmt::format("{}: {}", program.name, result.fault.describe())};
    return Launched{fault_word(result.fault.kind), result.fault.describe(), {}};
  }

 private:
  static emu::DispatcherOptions options(emu::Engine engine) {
    emu::DispatcherOptions o;
    o.engine = engine;
    o.threads = 1;
    o.max_instructions = kMostInstructions;
    return o;
  }

  emu::Engine engine_;
  emu::MemoryMap map_;
  const PerBuffer<uint64_t> at_ = capture_addresses();
  PerBuffer<Interval> intervals_{Interval{at_[kCode], "the capture kernel", false},
                                 {at_[kInput], "states before", false},
                                 {at_[kOutput], "states after", true},
                                 {at_[kMemory], "the program's memory", true},
                                 {at_[kKernarg], "kernarg", false}};
  emu::Dispatcher dispatcher_;
};

}  // namespace

Result<std::unique_ptr<Backend>> emulator_backend(emu::Engine engine) {
  if (auto good = emu::check_engine(engine); !good) return Error{good.error()};
  return std::unique_ptr<Backend>(std::make_unique<Emulated>(engine));
}

}  // namespace lockstep::diff
