// SPDX-License-Identifier: MIT
// Reads PM4 packets from ring and indirect buffers and hands them to their handlers.
#include "mockgpu/pm4.h"

#include <fmt/format.h>

namespace lockstep::mockgpu {
namespace {

constexpr uint32_t kHeaderOnlyCount = 0x3fff;

}  // namespace

/// Payload dwords (without the header) that the packet must and may have.
struct Pm4Processor::Opcode {
  uint32_t op;
  const char* name;
  uint32_t least, most;
  Handler handler;
};

std::span<const Pm4Processor::Opcode> Pm4Processor::opcodes() {
  static constexpr Opcode kTable[] = {
      {0x10, "NOP", 0, 0x3fff, &Pm4Processor::nop},
      {0x15, "DISPATCH_DIRECT", 4, 4, &Pm4Processor::dispatch_direct},
      {0x1e, "ATOMIC_MEM", 8, 8, &Pm4Processor::atomic_mem},
      {0x22, "COND_EXEC", 4, 4, &Pm4Processor::cond_exec},
      {0x23, "PRED_EXEC", 1, 1, &Pm4Processor::pred_exec},
      {0x37, "WRITE_DATA", 4, 0x3fff, &Pm4Processor::write_data},
      {0x3c, "WAIT_REG_MEM", 6, 6, &Pm4Processor::wait_reg_mem},
      {0x3f, "INDIRECT_BUFFER", 3, 3, &Pm4Processor::indirect_buffer},
      {0x40, "COPY_DATA", 5, 5, &Pm4Processor::copy_data},
      {0x46, "EVENT_WRITE", 1, 3, &Pm4Processor::event_write},
      {0x49, "RELEASE_MEM", 6, 7, &Pm4Processor::release_mem},
      {0x50, "DMA_DATA", 6, 6, &Pm4Processor::dma_data},
      // gfx9 has one dword less than gfx11 and gfx12.
      {0x58, "ACQUIRE_MEM", 6, 7, &Pm4Processor::acquire_mem},
      {0x76, "SET_SH_REG", 2, 0x3fff, &Pm4Processor::set_sh_reg},
      {0x79, "SET_UCONFIG_REG", 2, 0x3fff, &Pm4Processor::set_uconfig_reg},
  };
  return kTable;
}

const Pm4Processor::Opcode* Pm4Processor::find(uint32_t op) {
  for (const Opcode& entry : opcodes()) {
    if (entry.op == op) return &entry;
  }
  return nullptr;
}

Pm4Processor::Pm4Processor(isa::Target target, const RingLayout& ring, emu::MemoryMap& map,
                           PacketHost& host)
    : target_(target),
      generation_(isa::target_info(target).generation),
      map_(map),
      peek_(map),
      host_(host),
      stream_(ring, 4) {}

Pm4Processor::Pm4Processor(isa::Target target, emu::MemoryMap& map, PacketHost& host)
    : target_(target),
      generation_(isa::target_info(target).generation),
      map_(map),
      peek_(map),
      host_(host) {}

bool Pm4Processor::has_work() { return !failed_ && stream_.has_work(peek_); }

bool Pm4Processor::run_indirect(uint64_t address, uint32_t dwords) {
  if (failed_) return false;
  if (stream_.enter(address, dwords)) return true;
  fail(stream_.error());
  return false;
}

Step Pm4Processor::run(unsigned budget) {
  if (failed_) return Step::kFailed;
  GuestMemory pointers(map_);
  for (unsigned i = 0; i < budget; ++i) {
    switch (stream_.settle(pointers)) {
      case CommandStream::State::kReady:
        break;
      case CommandStream::State::kEmpty:
        return i ? Step::kProgress : Step::kIdle;
      case CommandStream::State::kError:
        fail(stream_.error());
        return Step::kFailed;
    }
    // A program may remap memory between two packets: the picture must be no older than the packet.
    GuestMemory memory(map_);
    switch (step(memory)) {
      case Outcome::kDone:
        break;
      case Outcome::kRetry:
        return i ? Step::kProgress : Step::kStalled;
      case Outcome::kFailed:
        return Step::kFailed;
    }
  }
  return Step::kProgress;
}

Pm4Processor::Outcome Pm4Processor::step(GuestMemory& memory) {
  uint32_t header = 0;
  if (!stream_.fetch(memory, 0, std::span(&header, 1))) return miss(memory, "packet header");
  const uint32_t type = header >> 30;
  if (type == 2) {  // filler of one dword
    stream_.advance(1);
    return Outcome::kDone;
  }
  if (type != 3) {
    return fail(fmt::format("unknown PM4 packet: type {} (header {:#010x} at {:#x})", type, header,
                            stream_.address()));
  }
  const uint32_t op = header >> 8 & 0xff, count = header >> 16 & 0x3fff;
  const Opcode* opcode = find(op);
  if (!opcode) {
    return fail(fmt::format("unknown PM4 packet: opcode {:#04x} (header {:#010x} at {:#x})", op,
                            header, stream_.address()));
  }
  // A NOP whose count is all ones is its header alone.
  const bool header_only = op == 0x10 && count == kHeaderOnlyCount;
  const uint32_t payload = header_only ? 0 : count + 1;
  if (payload < opcode->least || payload > opcode->most) {
    return fail(fmt::format("PM4 {}: {} payload dwords (header {:#010x} at {:#x})", opcode->name,
                            payload, header, stream_.address()));
  }
  if (uint64_t{payload} + 1 > stream_.available()) {
    return fail(fmt::format("truncated PM4 packet {}: needs {} dwords, {} are left at {:#x}",
                            opcode->name, payload + 1, stream_.available(), stream_.address()));
  }
  packet_.resize(payload);
  // What a NOP carries is never looked at; it may even be memory that is not there.
  if (op != 0x10 && !stream_.fetch(memory, 1, packet_)) return miss(memory, opcode->name);
  stream_.advance(payload + 1);
  const Outcome outcome = (this->*opcode->handler)(memory, packet_);
  if (outcome == Outcome::kRetry) stream_.retreat(payload + 1);
  return outcome;
}

Pm4Processor::Outcome Pm4Processor::fail(std::string what) {
  failure_.what = std::move(what);
  failed_ = true;
  return Outcome::kFailed;
}

Pm4Processor::Outcome Pm4Processor::miss(const GuestMemory& memory, std::string_view what) {
  failure_.memory = true;
  failure_.address = memory.miss().address;
  failure_.write = memory.miss().write;
  return fail(fmt::format("PM4 {}: {} at {:#x} is not accessible", what,
                          failure_.write ? "write" : "read", failure_.address));
}

}  // namespace lockstep::mockgpu
