// SPDX-License-Identifier: MIT
// PM4 packet processor: the compute subset of type-3 packets for gfx9, gfx11 and gfx12.
#pragma once
#include <array>
#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "isa/target.h"
#include "mockgpu/command_stream.h"
#include "mockgpu/packet_processor.h"
#include "mockgpu/pm4_registers.h"

namespace lockstep::mockgpu {

class Pm4Processor : public PacketProcessor {
 public:
  /// A PM4 queue.
  Pm4Processor(isa::Target target, const RingLayout& ring, emu::MemoryMap& map, PacketHost& host);
  /// The PM4 engine inside an AQL queue: runs only what run_indirect() is given.
  Pm4Processor(isa::Target target, emu::MemoryMap& map, PacketHost& host);

  Step run(unsigned budget) override;
  bool has_work() override;
  const QueueFailure& failure() const override { return failure_; }
  /// Starts an indirect buffer; run() then works on it until it is kIdle. False: see failure().
  bool run_indirect(uint64_t address, uint32_t dwords);

 private:
  struct Opcode;
  enum class Outcome : uint8_t { kDone, kRetry, kFailed };
  using Payload = std::span<const uint32_t>;
  using Handler = Outcome (Pm4Processor::*)(GuestMemory&, Payload);
  static std::span<const Opcode> opcodes();
  static const Opcode* find(uint32_t op);
  Outcome step(GuestMemory& memory);

  // pm4_packets.cpp
  Outcome nop(GuestMemory& memory, Payload p);
  Outcome set_sh_reg(GuestMemory& memory, Payload p);
  Outcome set_uconfig_reg(GuestMemory& memory, Payload p);
  Outcome wait_reg_mem(GuestMemory& memory, Payload p);
  Outcome release_mem(GuestMemory& memory, Payload p);
  Outcome acquire_mem(GuestMemory& memory, Payload p);
  Outcome event_write(GuestMemory& memory, Payload p);
  Outcome indirect_buffer(GuestMemory& memory, Payload p);
  Outcome pred_exec(GuestMemory& memory, Payload p);
  Outcome cond_exec(GuestMemory& memory, Payload p);
  Outcome write_data(GuestMemory& memory, Payload p);
  Outcome copy_data(GuestMemory& memory, Payload p);
  Outcome dma_data(GuestMemory& memory, Payload p);
  Outcome atomic_mem(GuestMemory& memory, Payload p);
  // pm4_dispatch.cpp
  Outcome dispatch_direct(GuestMemory& memory, Payload p);

  Outcome skip(std::string_view packet, uint64_t dwords);
  Outcome fail(std::string what);
  Outcome miss(const GuestMemory& memory, std::string_view what);
  uint32_t sh(uint32_t offset) const { return sh_[offset]; }

  isa::Target target_;
  isa::Generation generation_;
  emu::MemoryMap& map_;
  GuestMemory peek_;  ///< for has_work(), which is called often and may see an old picture
  PacketHost& host_;
  CommandStream stream_;
  std::array<uint32_t, kShRegisterCount> sh_{};
  std::map<uint32_t, uint32_t> uconfig_;
  QueueFailure failure_;
  bool failed_ = false;
  std::vector<uint32_t> packet_;
};

}  // namespace lockstep::mockgpu
