// SPDX-License-Identifier: MIT
// What packet processors have in common: the device they may ask things of, the ring they read, how
// a step ends.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "emu/dispatch.h"
#include "mockgpu/guest_memory.h"

namespace lockstep::mockgpu {

/// What a packet processor asks of its device.
class PacketHost {
 public:
  virtual ~PacketHost() = default;
  /// Runs the launch to its end on the calling thread.
  virtual emu::DispatchResult dispatch(emu::DispatchRequest& request) = 0;
  /// The card's 100 MHz reference clock.
  virtual uint64_t clock() = 0;
  /// An interrupt with a context id: the event that the program waits for.
  virtual void interrupt(uint32_t context_id) = 0;
  /// For the report only.
  virtual void count_copy(uint64_t bytes) = 0;
  /// True when the queue is being torn down: long operations give up.
  virtual bool stopping() = 0;
};

enum class Step : uint8_t {
  kProgress,  ///< something was done; there may be more
  kIdle,      ///< nothing in the ring
  kStalled,   ///< a wait is not satisfied yet; try again later
  kFailed,    ///< the queue is dead; failure() says why
};

/// Why a queue died.
struct QueueFailure {
  std::string what;                 ///< one or several lines for a person
  std::optional<emu::Fault> fault;  ///< set when a kernel faulted
  bool memory = false;              ///< a memory access of the packet processor or of a kernel
  uint64_t address = 0;
  bool write = false;
};

/// A ring in guest memory. Pointers count in units of the queue type and only ever grow.
struct RingLayout {
  uint64_t base = 0;
  uint64_t size = 0;  ///< bytes
  uint64_t read_pointer = 0;
  uint64_t write_pointer = 0;
};

class PacketProcessor {
 public:
  virtual ~PacketProcessor() = default;
  /// Works on up to `budget` packets. Never throws.
  virtual Step run(unsigned budget) = 0;
  /// Cheap: does the write pointer differ from what was consumed, or is there unfinished work?
  virtual bool has_work() = 0;
  virtual const QueueFailure& failure() const = 0;
  /// Tells the program through the queue's own memory that the queue has failed, where the queue
  /// type has a place for that. Called once, after the failure has been printed.
  virtual void report_error() {}
};

/// Functions of WAIT_REG_MEM, POLL_REGMEM and their like. False for a value that no packet defines.
bool is_wait_function(uint32_t function);
bool wait_satisfied(uint32_t function, uint64_t value, uint64_t reference);

/// Atomic operations of the L2, as PM4 ATOMIC_MEM, SDMA ATOMIC and others number them.
enum class AtomicOutcome : uint8_t { kDone, kCompareFailed, kUnknownOperation, kNoMemory };
AtomicOutcome perform_atomic(GuestMemory& memory, uint32_t operation, uint64_t address,
                             uint64_t source, uint64_t compare);

}  // namespace lockstep::mockgpu
