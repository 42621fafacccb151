// SPDX-License-Identifier: MIT
// SDMA packet processor: linear copies, fills, fences, polls, timestamps, of SDMA 4.4 to 7.0.
#pragma once
#include <span>
#include <vector>

#include "isa/target.h"
#include "mockgpu/command_stream.h"
#include "mockgpu/packet_processor.h"

namespace lockstep::mockgpu {

class SdmaProcessor : public PacketProcessor {
 public:
  SdmaProcessor(isa::Generation generation, const RingLayout& ring, emu::MemoryMap& map,
                PacketHost& host);
  Step run(unsigned budget) override;
  bool has_work() override;
  const QueueFailure& failure() const override { return failure_; }

 private:
  struct Opcode;
  enum class Outcome : uint8_t { kDone, kRetry, kFailed };
  using Handler = Outcome (SdmaProcessor::*)(GuestMemory&, std::span<const uint32_t>);
  static std::span<const Opcode> opcodes();
  static const Opcode* find(uint32_t op, uint32_t sub_op);
  uint64_t length_of(const Opcode& opcode, std::span<const uint32_t> head) const;

  Outcome nop(GuestMemory& memory, std::span<const uint32_t> p);
  Outcome copy_linear(GuestMemory& memory, std::span<const uint32_t> p);
  Outcome copy_window(GuestMemory& memory, std::span<const uint32_t> p);
  Outcome write(GuestMemory& memory, std::span<const uint32_t> p);
  Outcome indirect(GuestMemory& memory, std::span<const uint32_t> p);
  Outcome fence(GuestMemory& memory, std::span<const uint32_t> p);
  Outcome trap(GuestMemory& memory, std::span<const uint32_t> p);
  Outcome poll_memory(GuestMemory& memory, std::span<const uint32_t> p);
  Outcome cond_execute(GuestMemory& memory, std::span<const uint32_t> p);
  Outcome atomic(GuestMemory& memory, std::span<const uint32_t> p);
  Outcome constant_fill(GuestMemory& memory, std::span<const uint32_t> p);
  Outcome timestamp(GuestMemory& memory, std::span<const uint32_t> p);

  Outcome fail(std::string what);
  Outcome miss(const GuestMemory& memory, std::string_view what);

  isa::Generation generation_;
  emu::MemoryMap& map_;
  GuestMemory peek_;  ///< for has_work(), which is called often and may see an old picture
  PacketHost& host_;
  CommandStream stream_;
  QueueFailure failure_;
  bool failed_ = false;
  std::vector<uint32_t> packet_;
};

}  // namespace lockstep::mockgpu
