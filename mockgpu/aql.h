// SPDX-License-Identifier: MIT
// AQL packet processor: kernel dispatch, barriers, and the vendor packet that carries PM4.
#pragma once
#include <array>

#include "isa/target.h"
#include "mockgpu/packet_processor.h"
#include "mockgpu/pm4.h"
#include "mockgpu/queue_signal.h"

namespace lockstep::mockgpu {

class AqlProcessor : public PacketProcessor {
 public:
  /// ring.read_pointer and write_pointer are the fields of the program's amd_queue_t.
  AqlProcessor(isa::Target target, const RingLayout& ring, emu::MemoryMap& map, PacketHost& host);
  Step run(unsigned budget) override;
  bool has_work() override;
  const QueueFailure& failure() const override { return failure_; }
  void report_error() override;

 private:
  enum class Outcome : uint8_t { kDone, kRetry, kFailed };
  struct Packet;

  Step next(GuestMemory& pointers);
  Outcome execute(GuestMemory& memory, const Packet& packet, uint64_t address);
  Outcome dispatch(GuestMemory& memory, const Packet& packet, uint64_t address);
  Outcome vendor(GuestMemory& memory, const Packet& packet);
  Outcome barrier(GuestMemory& memory, const Packet& packet, bool all);
  Outcome complete(GuestMemory& memory, uint64_t signal);
  /// error_code: what queue_inactive_signal is given; 0 for memory faults, which have an event.
  Outcome fail(std::string what, uint64_t error_code = 0);
  Outcome miss(const GuestMemory& memory, std::string_view what);

  isa::Target target_;
  RingLayout ring_;
  emu::MemoryMap& map_;
  GuestMemory peek_;  ///< for has_work(), which is called often and may see an old picture
  PacketHost& host_;
  QueueSignal signal_;
  Pm4Processor pm4_;
  QueueFailure failure_;
  bool failed_ = false;
  uint64_t error_code_ = 0;
  bool in_packet_ = false;   ///< the packet at the read index has begun (its PM4 is not finished)
  uint64_t started_at_ = 0;  ///< clock when the packet began
  uint64_t read_index_ = 0;
  bool started_ = false;
};

}  // namespace lockstep::mockgpu
