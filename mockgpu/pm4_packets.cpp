// SPDX-License-Identifier: MIT
// PM4 packets that set registers, move data, wait, signal and branch.
#include <fmt/format.h>

#include "mockgpu/pm4.h"

namespace lockstep::mockgpu {
namespace {

uint64_t address_at(std::span<const uint32_t> p, size_t index) {
  return p[index] | static_cast<uint64_t>(p[index + 1]) << 32;
}
constexpr uint32_t bits(uint32_t word, unsigned low, unsigned count) {
  return word >> low & ((1u << count) - 1);
}

// EVENT_WRITE and RELEASE_MEM events that a compute queue may raise. Caches do not exist here and a
// dispatch has ended before the next packet is read, so that each is already true.
const char* event_name(uint32_t type) {
  switch (type) {
    case 0x04:
      return "CACHE_FLUSH_TS";
    case 0x06:
      return "CACHE_FLUSH";
    case 0x07:
      return "CS_PARTIAL_FLUSH";
    case 0x14:
      return "CACHE_FLUSH_AND_INV_TS_EVENT";
    case 0x16:
      return "CACHE_FLUSH_AND_INV_EVENT";
    case 0x28:
      return "BOTTOM_OF_PIPE_TS";
    case 0x2f:
      return "CS_DONE";
    default:
      return nullptr;
  }
}

}  // namespace

Pm4Processor::Outcome Pm4Processor::nop(GuestMemory&, Payload) { return Outcome::kDone; }

Pm4Processor::Outcome Pm4Processor::set_sh_reg(GuestMemory&, Payload p) {
  const uint32_t first = bits(p[0], 0, 16);
  for (size_t i = 1; i < p.size(); ++i) {
    const uint32_t offset = first + static_cast<uint32_t>(i) - 1;
    if (offset >= kShRegisterCount || !sh_register_name(generation_, offset)) {
      return fail(fmt::format("PM4 SET_SH_REG: unknown register {:#x} (offset {:#x}) on {}",
                              kShRegisterBase + offset, offset, isa::target_info(target_).name));
    }
    sh_[offset] = p[i];
  }
  return Outcome::kDone;
}

Pm4Processor::Outcome Pm4Processor::set_uconfig_reg(GuestMemory&, Payload p) {
  const uint32_t first = kUconfigRegisterBase + bits(p[0], 0, 16);
  for (size_t i = 1; i < p.size(); ++i) {
    const uint32_t reg = first + static_cast<uint32_t>(i) - 1;
    if (!uconfig_register_name(reg)) {
      return fail(fmt::format("PM4 SET_UCONFIG_REG: unknown register {:#x} on {}", reg,
                              isa::target_info(target_).name));
    }
    uconfig_[reg] = p[i];
  }
  return Outcome::kDone;
}

Pm4Processor::Outcome Pm4Processor::wait_reg_mem(GuestMemory& memory, Payload p) {
  const uint32_t function = bits(p[0], 0, 3), space = bits(p[0], 4, 2);
  const uint32_t operation = bits(p[0], 6, 2);
  if (!is_wait_function(function)) {
    return fail(fmt::format("PM4 WAIT_REG_MEM: function {} is reserved", function));
  }
  if (operation == 1 && space == 0) {  // write one register, wait for another
    if (is_hdp_flush_pair(p[1], p[2])) return Outcome::kDone;
    return fail(fmt::format("PM4 WAIT_REG_MEM: unknown registers {:#x}, {:#x}", p[1], p[2]));
  }
  if (operation != 0) {
    return fail(fmt::format("PM4 WAIT_REG_MEM: operation {} in space {}", operation, space));
  }
  if (space == 0) return fail(fmt::format("PM4 WAIT_REG_MEM: unknown register {:#x}", p[1]));
  if (space != 1) return fail(fmt::format("PM4 WAIT_REG_MEM: space {} is reserved", space));
  uint32_t value = 0;
  if (!memory.load(address_at(p, 1) & ~uint64_t{3}, value)) return miss(memory, "WAIT_REG_MEM");
  return wait_satisfied(function, value & p[4], p[3]) ? Outcome::kDone : Outcome::kRetry;
}

Pm4Processor::Outcome Pm4Processor::release_mem(GuestMemory& memory, Payload p) {
  const uint32_t event = bits(p[0], 0, 6);
  if (!event_name(event)) return fail(fmt::format("PM4 RELEASE_MEM: unknown event {:#x}", event));
  const uint32_t data = p[1] >> 29, interrupt = bits(p[1], 24, 3);
  const uint64_t address = address_at(p, 2), value = address_at(p, 4);
  bool stored = true;
  switch (data) {
    case 0:
      break;
    case 1:
      stored = memory.store(address, static_cast<uint32_t>(value));
      break;
    case 2:
      stored = memory.store(address, value);
      break;
    case 3:
      stored = memory.store(address, host_.clock());
      break;
    default:
      return fail(fmt::format("PM4 RELEASE_MEM: unknown data selection {}", data));
  }
  if (!stored) return miss(memory, "RELEASE_MEM");
  switch (interrupt) {
    case 0:
    case 3:
      break;  // none; or only the confirmation of the write
    case 1:
    case 2:
      host_.interrupt(p.size() > 6 ? p[6] & 0x0fffffff : 0);
      break;
    default:
      return fail(fmt::format("PM4 RELEASE_MEM: unknown interrupt selection {}", interrupt));
  }
  return Outcome::kDone;
}

Pm4Processor::Outcome Pm4Processor::acquire_mem(GuestMemory&, Payload p) {
  const size_t expected = generation_ == isa::Generation::kGfx9 ? 6 : 7;
  if (p.size() != expected) {
    return fail(fmt::format("PM4 ACQUIRE_MEM: {} payload dwords, {} has {}", p.size(),
                            isa::target_info(target_).name, expected));
  }
  return Outcome::kDone;  // memory is always coherent here
}

Pm4Processor::Outcome Pm4Processor::event_write(GuestMemory&, Payload p) {
  const uint32_t event = bits(p[0], 0, 6);
  if (!event_name(event)) return fail(fmt::format("PM4 EVENT_WRITE: unknown event {:#x}", event));
  return Outcome::kDone;
}

Pm4Processor::Outcome Pm4Processor::indirect_buffer(GuestMemory&, Payload p) {
  const uint64_t address = address_at(p, 0) & ~uint64_t{3};
  const uint32_t dwords = bits(p[2], 0, 20);
  const bool chain = bits(p[2], 20, 1);
  if (chain ? stream_.chain(address, dwords) : stream_.enter(address, dwords)) {
    return Outcome::kDone;
  }
  return fail("PM4 INDIRECT_BUFFER: " + stream_.error());
}

Pm4Processor::Outcome Pm4Processor::skip(std::string_view packet, uint64_t dwords) {
  if (dwords > stream_.available()) {
    return fail(
        fmt::format("PM4 {} over {} dwords, {} are left", packet, dwords, stream_.available()));
  }
  stream_.advance(dwords);
  return Outcome::kDone;
}

Pm4Processor::Outcome Pm4Processor::pred_exec(GuestMemory&, Payload p) {
  // The one logical device stands for all XCCs: what XCC 0 would run is run, once.
  const bool selected = p[0] >> 24 & 1;
  return selected ? Outcome::kDone : skip("PRED_EXEC", bits(p[0], 0, 14));
}

Pm4Processor::Outcome Pm4Processor::cond_exec(GuestMemory& memory, Payload p) {
  uint32_t value = 0;
  if (!memory.load(address_at(p, 0) & ~uint64_t{3}, value)) return miss(memory, "COND_EXEC");
  return value ? Outcome::kDone : skip("COND_EXEC", bits(p[3], 0, 14));
}

Pm4Processor::Outcome Pm4Processor::write_data(GuestMemory& memory, Payload p) {
  const uint32_t destination = bits(p[0], 8, 4);
  if (destination != 1 && destination != 2 && destination != 5) {
    return fail(fmt::format("PM4 WRITE_DATA: destination {} is not memory", destination));
  }
  const uint64_t address = address_at(p, 1) & ~uint64_t{3};
  const bool one_address = bits(p[0], 16, 1);
  for (size_t i = 3; i < p.size(); ++i) {
    if (!memory.store(address + (one_address ? 0 : (i - 3) * 4), p[i])) {
      return miss(memory, "WRITE_DATA");
    }
  }
  return Outcome::kDone;
}

Pm4Processor::Outcome Pm4Processor::copy_data(GuestMemory& memory, Payload p) {
  const uint32_t source = bits(p[0], 0, 4), destination = bits(p[0], 8, 4);
  const bool wide = bits(p[0], 16, 1);
  uint64_t value = 0;
  switch (source) {
    case 1:
    case 2: {
      const uint64_t address = address_at(p, 1);
      uint32_t low = 0;
      if (!(wide ? memory.load(address, value) : memory.load(address, low))) {
        return miss(memory, "COPY_DATA");
      }
      if (!wide) value = low;
      break;
    }
    case 5:
      value = address_at(p, 1);
      break;
    case 9:
      value = host_.clock();
      break;
    case 0:
    case 4:
      return fail(fmt::format("PM4 COPY_DATA: unknown register {:#x}", p[1]));
    default:
      return fail(fmt::format("PM4 COPY_DATA: unknown source {}", source));
  }
  if (destination != 1 && destination != 2 && destination != 5) {
    return fail(fmt::format("PM4 COPY_DATA: destination {} is not memory", destination));
  }
  const uint64_t address = address_at(p, 3);
  const bool stored =
      wide ? memory.store(address, value) : memory.store(address, static_cast<uint32_t>(value));
  return stored ? Outcome::kDone : miss(memory, "COPY_DATA");
}

Pm4Processor::Outcome Pm4Processor::dma_data(GuestMemory& memory, Payload p) {
  const uint32_t source = bits(p[0], 29, 2), destination = bits(p[0], 20, 2);
  const uint32_t command = p[5];
  const uint64_t count = command & 0x03ffffff;
  if (destination != 0 && destination != 3) {
    return fail(fmt::format("PM4 DMA_DATA: destination {} is not memory", destination));
  }
  if (command >> 26 & 0xf) {
    return fail(fmt::format("PM4 DMA_DATA: register or fixed address (command {:#x})", command));
  }
  const uint64_t to = address_at(p, 3);
  host_.count_copy(count);
  switch (source) {
    case 0:
    case 3:
      if (!memory.copy(to, address_at(p, 1), count)) return miss(memory, "DMA_DATA");
      return Outcome::kDone;
    case 2:
      if (!memory.fill(to, p[1], 4, count)) return miss(memory, "DMA_DATA");
      return Outcome::kDone;
    default:
      return fail(fmt::format("PM4 DMA_DATA: source {} is not memory", source));
  }
}

Pm4Processor::Outcome Pm4Processor::atomic_mem(GuestMemory& memory, Payload p) {
  const uint32_t operation = bits(p[0], 0, 7), command = bits(p[0], 8, 4);
  if (command > 1) return fail(fmt::format("PM4 ATOMIC_MEM: unknown command {}", command));
  switch (perform_atomic(memory, operation, address_at(p, 1), address_at(p, 3), address_at(p, 5))) {
    case AtomicOutcome::kDone:
      return Outcome::kDone;
    case AtomicOutcome::kCompareFailed:
      return command == 1 ? Outcome::kRetry : Outcome::kDone;
    case AtomicOutcome::kUnknownOperation:
      return fail(fmt::format("PM4 ATOMIC_MEM: unknown operation {:#x}", operation));
    case AtomicOutcome::kNoMemory:
      break;
  }
  return miss(memory, "ATOMIC_MEM");
}

}  // namespace lockstep::mockgpu
