// SPDX-License-Identifier: MIT
// The SDMA packet table and what each packet does.
#include "mockgpu/sdma.h"

#include <fmt/format.h>

#include <algorithm>

namespace lockstep::mockgpu {
namespace {

uint64_t address_at(std::span<const uint32_t> p, size_t index) {
  return p[index] | static_cast<uint64_t>(p[index + 1]) << 32;
}
uint32_t bits(uint32_t word, unsigned low, unsigned count) {
  return word >> low & (count == 32 ? ~0u : (1u << count) - 1);
}

// A copy is done in pieces so that tearing the queue down does not wait for a gigabyte.
constexpr uint64_t kCopyPiece = 16u << 20;
constexpr unsigned kCountBits = 30;

}  // namespace

/// dwords 0 means that length_of() computes the length.
struct SdmaProcessor::Opcode {
  uint32_t op, sub_op;
  const char* name;
  uint32_t dwords;
  Handler handler;
};

std::span<const SdmaProcessor::Opcode> SdmaProcessor::opcodes() {
  static constexpr Opcode kTable[] = {
      {0, 0, "NOP", 0, &SdmaProcessor::nop},
      {1, 0, "COPY linear", 7, &SdmaProcessor::copy_linear},
      {1, 4, "COPY linear window", 13, &SdmaProcessor::copy_window},
      {2, 0, "WRITE linear", 0, &SdmaProcessor::write},
      {4, 0, "INDIRECT", 6, &SdmaProcessor::indirect},
      {5, 0, "FENCE", 4, &SdmaProcessor::fence},
      {6, 0, "TRAP", 2, &SdmaProcessor::trap},
      {8, 0, "POLL_REGMEM", 6, &SdmaProcessor::poll_memory},
      {9, 0, "COND_EXE", 5, &SdmaProcessor::cond_execute},
      {10, 0, "ATOMIC", 8, &SdmaProcessor::atomic},
      {11, 0, "CONST_FILL", 5, &SdmaProcessor::constant_fill},
      {13, 1, "TIMESTAMP get", 3, &SdmaProcessor::timestamp},
      {13, 2, "TIMESTAMP get global", 3, &SdmaProcessor::timestamp},
      // Cache control: memory is always coherent here.
      {17, 0, "GCR", 5, &SdmaProcessor::nop},
      {17, 1, "GCR user", 5, &SdmaProcessor::nop},
  };
  return kTable;
}

const SdmaProcessor::Opcode* SdmaProcessor::find(uint32_t op, uint32_t sub_op) {
  for (const Opcode& entry : opcodes()) {
    if (entry.op == op && entry.sub_op == sub_op) return &entry;
  }
  return nullptr;
}

SdmaProcessor::SdmaProcessor(isa::Generation generation, const RingLayout& ring,
                             emu::MemoryMap& map, PacketHost& host)
    : generation_(generation), map_(map), peek_(map), host_(host), stream_(ring, 1) {}

bool SdmaProcessor::has_work() { return !failed_ && stream_.has_work(peek_); }

uint64_t SdmaProcessor::length_of(const Opcode& opcode, std::span<const uint32_t> head) const {
  if (opcode.dwords) return opcode.dwords;
  if (opcode.op == 0) return 1 + bits(head[0], 16, 14);
  return 5 + uint64_t{bits(head[3], 0, 20)};  // WRITE: count field holds the number minus one
}

Step SdmaProcessor::run(unsigned budget) {
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
    const uint64_t available = stream_.available();
    uint32_t head[4] = {};
    const size_t head_size = std::min<uint64_t>(4, available);
    if (!stream_.fetch(memory, 0, std::span(head, head_size))) {
      miss(memory, "packet");
      return Step::kFailed;
    }
    const uint32_t op = bits(head[0], 0, 8), sub_op = bits(head[0], 8, 8);
    const Opcode* opcode = find(op, sub_op);
    if (!opcode) {
      fail(fmt::format("unknown SDMA packet: opcode {} sub-opcode {} (header {:#010x} at {:#x})",
                       op, sub_op, head[0], stream_.address()));
      return Step::kFailed;
    }
    if (opcode->op == 2 && head_size < 4) {
      fail(fmt::format("truncated SDMA packet {}: {} dwords left", opcode->name, available));
      return Step::kFailed;
    }
    const uint64_t length = length_of(*opcode, head);
    if (length > available) {
      fail(fmt::format("truncated SDMA packet {}: needs {} dwords, {} are left", opcode->name,
                       length, available));
      return Step::kFailed;
    }
    packet_.resize(length);
    if (!stream_.fetch(memory, 0, packet_)) {
      miss(memory, "packet");
      return Step::kFailed;
    }
    stream_.advance(length);
    switch ((this->*opcode->handler)(memory, packet_)) {
      case Outcome::kDone:
        break;
      case Outcome::kRetry:
        stream_.retreat(length);
        return i ? Step::kProgress : Step::kStalled;
      case Outcome::kFailed:
        return Step::kFailed;
    }
  }
  return Step::kProgress;
}

SdmaProcessor::Outcome SdmaProcessor::nop(GuestMemory&, std::span<const uint32_t>) {
  return Outcome::kDone;
}

SdmaProcessor::Outcome SdmaProcessor::copy_linear(GuestMemory& memory,
                                                  std::span<const uint32_t> p) {
  // SDMA 4.4 counts with 30 bits already; the field holds the number minus one.
  uint64_t left = uint64_t{bits(p[1], 0, kCountBits)} + 1;
  uint64_t from = address_at(p, 3), to = address_at(p, 5);
  host_.count_copy(left);
  while (left && !host_.stopping()) {
    const uint64_t piece = std::min(left, kCopyPiece);
    if (!memory.copy(to, from, piece)) return miss(memory, "COPY linear");
    from += piece, to += piece, left -= piece;
  }
  return left ? Outcome::kRetry : Outcome::kDone;
}

SdmaProcessor::Outcome SdmaProcessor::copy_window(GuestMemory& memory,
                                                  std::span<const uint32_t> p) {
  const uint32_t element_log2 = bits(p[0], 29, 3);
  if (element_log2 > 4) {
    return fail(fmt::format("SDMA COPY linear window: element size {} is reserved", element_log2));
  }
  const bool old = generation_ == isa::Generation::kGfx9;
  const unsigned z_bits = old ? 11 : 13;
  struct Side {
    uint64_t base, x, y, z, pitch, slice;
  };
  const auto side = [&](size_t at) {
    return Side{
        address_at(p, at),          bits(p[at + 2], 0, 14),       bits(p[at + 2], 16, 14),
        bits(p[at + 3], 0, z_bits), bits(p[at + 3], 13, 19) + 1u, bits(p[at + 4], 0, 28) + 1u};
  };
  const Side source = side(1), target = side(6);
  const uint64_t width = bits(p[11], 0, 14) + 1u, height = bits(p[11], 16, 14) + 1u;
  const uint64_t depth = bits(p[12], 0, z_bits) + 1u;
  host_.count_copy(width * height * depth << element_log2);
  const auto row = [&](const Side& s, uint64_t y, uint64_t z) {
    return s.base + (((s.z + z) * s.slice + (s.y + y) * s.pitch + s.x) << element_log2);
  };
  for (uint64_t z = 0; z < depth; ++z) {
    for (uint64_t y = 0; y < height; ++y) {
      if (!memory.copy(row(target, y, z), row(source, y, z), width << element_log2)) {
        return miss(memory, "COPY linear window");
      }
    }
    if (host_.stopping()) break;
  }
  return Outcome::kDone;
}

SdmaProcessor::Outcome SdmaProcessor::write(GuestMemory& memory, std::span<const uint32_t> p) {
  const uint64_t address = address_at(p, 1);
  if (!memory.write(address, &p[4], (p.size() - 4) * 4)) return miss(memory, "WRITE linear");
  return Outcome::kDone;
}

SdmaProcessor::Outcome SdmaProcessor::indirect(GuestMemory&, std::span<const uint32_t> p) {
  if (stream_.enter(address_at(p, 1) & ~uint64_t{31}, bits(p[3], 0, 20))) return Outcome::kDone;
  return fail(stream_.error());
}

SdmaProcessor::Outcome SdmaProcessor::fence(GuestMemory& memory, std::span<const uint32_t> p) {
  if (!memory.store<uint32_t>(address_at(p, 1), p[3])) return miss(memory, "FENCE");
  return Outcome::kDone;
}

SdmaProcessor::Outcome SdmaProcessor::trap(GuestMemory&, std::span<const uint32_t> p) {
  host_.interrupt(bits(p[1], 0, 28));
  return Outcome::kDone;
}

SdmaProcessor::Outcome SdmaProcessor::poll_memory(GuestMemory& memory,
                                                  std::span<const uint32_t> p) {
  // The HDP flush form writes and polls registers of a cache that does not exist here.
  if (bits(p[0], 26, 1)) return Outcome::kDone;
  const uint32_t function = bits(p[0], 28, 3);
  if (!is_wait_function(function)) {
    return fail(fmt::format("SDMA POLL_REGMEM: function {} is reserved", function));
  }
  // "Always" reads nothing; ROCr flushes the HDP with it, at an address that does not exist.
  if (function == 0) return Outcome::kDone;
  if (!bits(p[0], 31, 1)) {
    return fail(fmt::format("SDMA POLL_REGMEM on unknown register {:#x}", p[1] >> 2));
  }
  uint32_t value = 0;
  if (!memory.load(address_at(p, 1), value)) return miss(memory, "POLL_REGMEM");
  return wait_satisfied(function, value & p[4], p[3]) ? Outcome::kDone : Outcome::kRetry;
}

SdmaProcessor::Outcome SdmaProcessor::cond_execute(GuestMemory& memory,
                                                   std::span<const uint32_t> p) {
  uint32_t value = 0;
  if (!memory.load(address_at(p, 1), value)) return miss(memory, "COND_EXE");
  const uint64_t count = bits(p[4], 0, 14);
  if (count > stream_.available()) {
    return fail(
        fmt::format("SDMA COND_EXE over {} dwords, {} are left", count, stream_.available()));
  }
  if (value != p[3]) stream_.advance(count);
  return Outcome::kDone;
}

SdmaProcessor::Outcome SdmaProcessor::atomic(GuestMemory& memory, std::span<const uint32_t> p) {
  const uint32_t operation = bits(p[0], 25, 7);
  switch (perform_atomic(memory, operation, address_at(p, 1), address_at(p, 3), address_at(p, 5))) {
    case AtomicOutcome::kDone:
      return Outcome::kDone;
    case AtomicOutcome::kCompareFailed:
      return bits(p[0], 16, 1) ? Outcome::kRetry : Outcome::kDone;
    case AtomicOutcome::kUnknownOperation:
      return fail(fmt::format("SDMA ATOMIC: unknown operation {}", operation));
    case AtomicOutcome::kNoMemory:
      break;
  }
  return miss(memory, "ATOMIC");
}

SdmaProcessor::Outcome SdmaProcessor::constant_fill(GuestMemory& memory,
                                                    std::span<const uint32_t> p) {
  const uint32_t size = bits(p[0], 30, 2);
  if (size == 3) return fail("SDMA CONST_FILL: fill size 3 is reserved");
  // The field holds bytes minus one, or minus one unit: whole units are meant either way.
  const uint64_t unit = uint64_t{1} << size;
  const uint64_t count = (uint64_t{bits(p[4], 0, kCountBits)} + unit) / unit * unit;
  if (!memory.fill(address_at(p, 1), p[3], 1u << size, count)) return miss(memory, "CONST_FILL");
  return Outcome::kDone;
}

SdmaProcessor::Outcome SdmaProcessor::timestamp(GuestMemory& memory, std::span<const uint32_t> p) {
  if (!memory.store<uint64_t>(address_at(p, 1), host_.clock())) return miss(memory, "TIMESTAMP");
  return Outcome::kDone;
}

SdmaProcessor::Outcome SdmaProcessor::fail(std::string what) {
  failure_.what = std::move(what);
  failed_ = true;
  return Outcome::kFailed;
}

SdmaProcessor::Outcome SdmaProcessor::miss(const GuestMemory& memory, std::string_view what) {
  failure_.memory = true;
  failure_.address = memory.miss().address;
  failure_.write = memory.miss().write;
  return fail(fmt::format("SDMA {}: {} at {:#x} is not accessible", what,
                          failure_.write ? "write" : "read", failure_.address));
}

}  // namespace lockstep::mockgpu
