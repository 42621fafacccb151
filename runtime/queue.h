// SPDX-License-Identifier: MIT
// A compute queue: kernel launches as AQL or PM4 packets, one at a time.
#pragma once
#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "isa/result.h"
#include "loader/code_object.h"
#include "runtime/device.h"

namespace lockstep::runtime {

enum class PacketFormat : uint8_t { kAql, kPm4 };

/// One kernel launch.
struct Launch {
  const loader::Kernel* kernel = nullptr;
  uint64_t image_address = 0;                 ///< where the kernel's code object is loaded
  std::array<uint32_t, 3> items = {1, 1, 1};  ///< work-items in all
  std::array<uint32_t, 3> block = {1, 1, 1};  ///< work-items of a workgroup
  uint64_t kernarg = 0;                       ///< address, 0 = none
  uint32_t dynamic_lds = 0;                   ///< bytes beyond the kernel's own
  bool new_code = false;  ///< other code was at that address before: instruction caches are stale
};

/// How a launch ended.
struct Outcome {
  enum class Kind : uint8_t { kDone, kMemoryFault, kHardwareFault, kTimeout };
  Kind kind = Kind::kDone;
  uint64_t address = 0;  ///< of a memory fault
  std::string detail;    ///< of everything but kDone
};

/// After anything but kDone the queue is dead: make another one. (On a card a fault usually ends
/// every queue of the process.)
class Queue {
 public:
  /// The Device must outlive the queue.
  static Result<std::unique_ptr<Queue>> create(Device& device, PacketFormat format);
  ~Queue();
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  /// Launches and waits. Fails without launching if the launch is impossible or the queue is dead.
  Result<Outcome> run(const Launch& launch, std::chrono::milliseconds timeout);

 private:
  struct Signal;
  explicit Queue(Device& device, PacketFormat format) : device_(device), format_(format) {}
  Result<void> allocate();
  Result<void> create_kernel_queue();
  Result<void> check(const Launch& launch) const;
  void submit_aql(const Launch& launch);
  void submit_cache_flush();
  /// Puts an AQL packet into the ring; its header comes last.
  void put(const void* packet, uint32_t header);
  Result<void> submit_pm4(const Launch& launch);
  Result<Outcome> wait(std::chrono::milliseconds timeout);
  Signal& signal() const;

  Device& device_;
  PacketFormat format_;
  Memory ring_, control_, end_of_pipe_, save_area_, signal_;
  uint32_t id_ = 0;
  bool created_ = false, dead_ = false;
  Device::Event event_;
  void* doorbell_page_ = nullptr;
  volatile uint64_t* doorbell_ = nullptr;
  uint64_t written_ = 0;  ///< packets (AQL) or dwords (PM4)
};

}  // namespace lockstep::runtime
