// SPDX-License-Identifier: MIT
// One opened GPU: memory, events, code objects. Uses the kernel's own calls only, so that it does
// the same on a card and on the mock.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "isa/result.h"
#include "loader/code_object.h"
#include "runtime/topology.h"

namespace lockstep::runtime {

class Device;

/// System memory that the GPU and this process see at the same address, uncached on the GPU. Given
/// back when it goes; must not outlive its Device.
class Memory {
 public:
  Memory() = default;
  Memory(Memory&& other) noexcept { swap(other); }
  Memory& operator=(Memory&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Memory();
  uint64_t address() const { return address_; }
  uint64_t size() const { return size_; }
  uint8_t* data() const { return reinterpret_cast<uint8_t*>(address_); }
  std::span<uint8_t> bytes() const { return {data(), size_}; }
  explicit operator bool() const { return device_ != nullptr; }

 private:
  friend class Device;
  void swap(Memory& other) noexcept;
  Device* device_ = nullptr;
  uint64_t address_ = 0, size_ = 0, handle_ = 0;
};

/// A code object in memory that the GPU can run.
struct LoadedCode {
  loader::CodeObject object;
  Memory image;
};

class Device {
 public:
  /// Opens GPU number `index` of list_gpus(). Errors name the node and say what to do.
  static Result<std::unique_ptr<Device>> open(size_t index = 0);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  const GpuNode& gpu() const { return gpu_; }
  isa::Target target() const { return *gpu_.target; }
  int kfd() const { return kfd_; }

  /// Memory; `size` is rounded up to pages. `at`: the address to use, 0 for any. `clear`: it is all
  /// zeros, else whatever was there before.
  Result<Memory> allocate(uint64_t size, uint64_t at = 0, bool clear = true);
  /// Puts a linked code object into memory. Fails if it is for another target.
  Result<LoadedCode> load(loader::CodeObject object, uint64_t at = 0);

  /// An event that the GPU can raise.
  struct Event {
    uint32_t id = 0;
    uint64_t mailbox = 0;  ///< where it writes the id first
  };
  Result<Event> create_signal_event();
  void destroy_event(uint32_t id);

  /// What became of a wait.
  struct Wake {
    enum class Reason : uint8_t { kSignal, kTimeout, kMemoryFault, kHardwareFault };
    Reason reason = Reason::kTimeout;
    uint64_t address = 0;  ///< of a memory fault
    std::string detail;    ///< flags of a fault in words
  };
  /// Waits for the event, a fault of this GPU, or `milliseconds`.
  Result<Wake> wait(uint32_t event, uint32_t milliseconds);

 private:
  friend class Memory;
  Device() = default;
  Result<void> open_nodes(const GpuNode& gpu);
  Result<void> create_events();
  Result<uint32_t> create_event(uint32_t type, bool auto_reset, uint32_t* slot);
  void release(uint64_t address, uint64_t size, uint64_t handle);

  GpuNode gpu_;
  int kfd_ = -1, render_ = -1;
  Memory event_page_;
  uint32_t memory_event_ = 0, hardware_event_ = 0;
};

}  // namespace lockstep::runtime
