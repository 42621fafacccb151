// SPDX-License-Identifier: MIT
// AQL packets as the HSA standard and amd_signal_t define them.
#include "mockgpu/aql.h"

#include <fmt/format.h>

#include <algorithm>

#include "loader/kernel_descriptor.h"

namespace lockstep::mockgpu {
namespace {

constexpr uint64_t kPacketBytes = 64;
enum PacketType : uint32_t {
  kVendorSpecific = 0,
  kInvalid = 1,
  kKernelDispatch = 2,
  kBarrierAnd = 3,
  kAgentDispatch = 4,
  kBarrierOr = 5,
};
constexpr uint32_t kVendorPm4Indirect = 1;
constexpr uint32_t kPm4IndirectBuffer = 0x3f;

// What the hardware's firmware and the trap handler report through queue_inactive_signal.
enum QueueError : uint64_t {
  kDimension = 0x2,
  kInvalidCode = 0x8,
  kPacketFormat = 0x20,
  kGroupSize = 0x40,
  kMemoryViolation = 0x2000'0000,
  kIllegalInstruction = 0x4000'0000,
  kTrap = 0x8000'0000,
};

uint64_t error_of(const emu::Fault& fault) {
  switch (fault.kind) {
    case emu::FaultKind::kIllegalInstruction:
    case emu::FaultKind::kUnsupportedInstruction:
      return kIllegalInstruction;
    case emu::FaultKind::kMisaligned:
      return kMemoryViolation;
    case emu::FaultKind::kBadDispatch:
      return kPacketFormat;
    default:
      return kTrap;
  }
}

}  // namespace

struct AqlProcessor::Packet {
  std::array<uint32_t, 16> words{};
  uint32_t type() const { return words[0] & 0xff; }
  uint32_t half(size_t byte) const { return words[byte / 4] >> (byte % 4 * 8) & 0xffff; }
  uint64_t quad(size_t byte) const {
    return words[byte / 4] | static_cast<uint64_t>(words[byte / 4 + 1]) << 32;
  }
  uint64_t signal() const { return quad(56); }
};

AqlProcessor::AqlProcessor(isa::Target target, const RingLayout& ring, emu::MemoryMap& map,
                           PacketHost& host)
    : target_(target),
      ring_(ring),
      map_(map),
      peek_(map),
      host_(host),
      signal_(ring.read_pointer - kQueueReadIndex, host),
      pm4_(target, map, host) {}

bool AqlProcessor::has_work() {
  if (failed_) return false;
  if (in_packet_) return true;
  uint64_t read = read_index_, write = 0;
  if (!started_ && !peek_.load(ring_.read_pointer, read)) return true;
  // A pointer that went away is work too: run() reports it.
  return !peek_.load(ring_.write_pointer, write) || read != write;
}

Step AqlProcessor::run(unsigned budget) {
  if (failed_) return Step::kFailed;
  GuestMemory pointers(map_);
  for (unsigned i = 0; i < budget; ++i) {
    const Step step = next(pointers);
    if (step == Step::kProgress) continue;
    if (step == Step::kFailed) return step;
    return i ? Step::kProgress : step;
  }
  return Step::kProgress;
}

Step AqlProcessor::next(GuestMemory& pointers) {
  if (!started_) {
    if (!pointers.load(ring_.read_pointer, read_index_)) {
      miss(pointers, "read index");
      return Step::kFailed;
    }
    started_ = true;
  }
  uint64_t write = 0;
  if (!pointers.load(ring_.write_pointer, write)) {
    miss(pointers, "write index");
    return Step::kFailed;
  }
  if (write == read_index_) return Step::kIdle;
  const uint64_t capacity = ring_.size / kPacketBytes;
  // Producers reserve their slot before they wait for room, so that the index may run ahead of the
  // ring.
  if (write < read_index_) {
    fail(fmt::format("AQL write index {:#x} is behind the read index {:#x}", write, read_index_));
    return Step::kFailed;
  }
  const uint64_t address = ring_.base + read_index_ % capacity * kPacketBytes;
  Packet packet;
  uint32_t header = 0;
  if (!pointers.load(address, header)) {
    miss(pointers, "packet");
    return Step::kFailed;
  }
  if ((header & 0xff) == kInvalid) return Step::kIdle;  // reserved, but not written yet
  if (signal_.waiting(pointers)) return Step::kStalled;
  // A program may remap memory between two packets: the picture must be no older than the packet.
  GuestMemory memory(map_);
  if (!memory.read(address, packet.words.data(), kPacketBytes)) {
    miss(memory, "packet");
    return Step::kFailed;
  }
  if (!in_packet_) started_at_ = host_.clock();
  switch (execute(memory, packet, address)) {
    case Outcome::kFailed:
      return Step::kFailed;
    case Outcome::kRetry:
      return Step::kStalled;
    case Outcome::kDone:
      break;
  }
  in_packet_ = false;
  // The slot is the producer's again once the read index has passed it: free it before that, and
  // signal after it, so that a program that waits for the signal finds the queue empty.
  if (!memory.store<uint32_t>(address, (header & 0xffff0000) | kInvalid)) {
    miss(memory, "packet header");
    return Step::kFailed;
  }
  ++read_index_;
  if (!memory.store(ring_.read_pointer, read_index_)) {
    miss(memory, "read index");
    return Step::kFailed;
  }
  return complete(memory, packet.signal()) == Outcome::kDone ? Step::kProgress : Step::kFailed;
}

AqlProcessor::Outcome AqlProcessor::execute(GuestMemory& memory, const Packet& packet,
                                            uint64_t address) {
  switch (packet.type()) {
    case kVendorSpecific:
      return vendor(memory, packet);
    case kKernelDispatch:
      return dispatch(memory, packet, address);
    case kBarrierAnd:
      return barrier(memory, packet, true);
    case kBarrierOr:
      return barrier(memory, packet, false);
    case kAgentDispatch:
      return fail(fmt::format("AQL agent dispatch packet at {:#x} on a GPU queue", address),
                  kPacketFormat);
    default:
      return fail(fmt::format("unknown AQL packet type {} (header {:#06x} at {:#x})", packet.type(),
                              packet.half(0), address),
                  kPacketFormat);
  }
}

AqlProcessor::Outcome AqlProcessor::vendor(GuestMemory&, const Packet& packet) {
  if (!in_packet_) {
    const uint32_t format = packet.half(2) & 0xff;
    const uint32_t pm4 = packet.words[1];
    if (format != kVendorPm4Indirect) {
      return fail(fmt::format("unknown AQL vendor packet: format {}", format), kPacketFormat);
    }
    if (pm4 >> 30 != 3 || (pm4 >> 8 & 0xff) != kPm4IndirectBuffer) {
      return fail(fmt::format("AQL vendor packet: PM4 header {:#010x} is no INDIRECT_BUFFER", pm4),
                  kPacketFormat);
    }
    if (!pm4_.run_indirect(packet.quad(8) & ~uint64_t{3}, packet.words[4] & 0xfffff)) {
      failure_ = pm4_.failure();
      failed_ = true;
      return Outcome::kFailed;
    }
    in_packet_ = true;
  }
  while (true) {
    switch (pm4_.run(64)) {
      case Step::kProgress:
        continue;
      case Step::kIdle:
        return Outcome::kDone;
      case Step::kStalled:
        return Outcome::kRetry;
      case Step::kFailed:
        failure_ = pm4_.failure();
        failed_ = true;
        return Outcome::kFailed;
    }
  }
}

AqlProcessor::Outcome AqlProcessor::barrier(GuestMemory& memory, const Packet& packet, bool all) {
  bool any_signal = false, any_done = false, all_done = true;
  for (size_t i = 0; i < 5; ++i) {
    const uint64_t signal = packet.quad(8 + i * 8);
    if (!signal) continue;
    int64_t value = 0;
    if (!memory.load(signal + kSignalValue, value)) return miss(memory, "barrier dependency");
    any_signal = true;
    (value == 0 ? any_done : all_done) = value == 0;
  }
  const bool done = !any_signal || (all ? all_done : any_done);
  return done ? Outcome::kDone : Outcome::kRetry;
}

AqlProcessor::Outcome AqlProcessor::dispatch(GuestMemory& memory, const Packet& packet,
                                             uint64_t address) {
  const uint32_t dimensions = packet.half(2) & 3;
  if (dimensions == 0) {
    return fail(fmt::format("AQL dispatch at {:#x}: 0 dimensions", address), kDimension);
  }
  const uint64_t object = packet.quad(32);
  std::array<uint8_t, loader::kKernelDescriptorSize> bytes{};
  if (!memory.read(object, bytes.data(), bytes.size())) return miss(memory, "kernel descriptor");
  const loader::KernelDescriptor descriptor = loader::parse_kernel_descriptor(bytes);
  if (const auto checked = loader::check_kernel_descriptor(descriptor, target_); !checked) {
    return fail(
        fmt::format("AQL dispatch: kernel descriptor at {:#x}: {}", object, checked.error()),
        kInvalidCode);
  }

  emu::DispatchRequest request;
  request.target = target_;
  request.memory = &map_;
  request.entry = object + static_cast<uint64_t>(descriptor.kernel_code_entry_byte_offset);
  request.rsrc1 = descriptor.compute_pgm_rsrc1;
  request.rsrc2 = descriptor.compute_pgm_rsrc2;
  request.rsrc3 = descriptor.compute_pgm_rsrc3;
  request.wave_size = loader::wave_size(descriptor, target_);
  request.scratch_bytes_per_lane = packet.words[6];
  request.lds_bytes = packet.words[7];
  for (uint32_t i = 0; i < 3; ++i) {
    request.block[i] = i < dimensions ? packet.half(4 + i * 2) : 1;
    request.grid[i] = i < dimensions ? packet.words[3 + i] : 1;
    if (request.block[i] == 0) {
      return fail(fmt::format("AQL dispatch at {:#x}: workgroup size 0 in {}", address, "xyz"[i]),
                  kGroupSize);
    }
    if (request.grid[i] == 0) {
      return fail(fmt::format("AQL dispatch at {:#x}: grid size 0 in {}", address, "xyz"[i]),
                  kDimension);
    }
  }

  // The emulator has scratch memory of its own; the agreement is kept because runtimes have limits
  // of their own, and programs see these.
  const uint32_t scratch = request.scratch_bytes_per_lane;
  if (scratch && !signal_.has_scratch(memory, scratch, request.wave_size)) return Outcome::kRetry;

  // User SGPRs in the order of the ABI; each exists only if the descriptor asks for it.
  std::vector<uint32_t>& user = request.user_sgprs;
  const auto push = [&](uint64_t value) {
    user.push_back(static_cast<uint32_t>(value));
    user.push_back(static_cast<uint32_t>(value >> 32));
  };
  const uint64_t queue = ring_.read_pointer - kQueueReadIndex;
  const loader::CodeProperties& wants = descriptor.properties;
  const loader::UserSgprLayout layout = loader::user_sgpr_layout(descriptor, target_);
  request.private_segment_buffer = layout.private_segment_buffer;
  request.flat_scratch_init = layout.flat_scratch_init;
  if (wants.private_segment_buffer) {  // the emulator supplies the memory and its resource
    user.resize(user.size() + 4);
  }
  if (wants.dispatch_ptr) push(address);
  if (wants.queue_ptr) push(queue);
  if (wants.kernarg_segment_ptr) push(packet.quad(40));
  if (wants.dispatch_id) push(read_index_);
  if (wants.flat_scratch_init) push(0);  // the emulator places the private segment itself
  if (const uint32_t count = descriptor.kernarg_preload_length) {
    std::vector<uint32_t> words(count);
    const uint64_t from = packet.quad(40) + descriptor.kernarg_preload_offset * uint64_t{4};
    if (!memory.read(from, words.data(), count * 4)) return miss(memory, "kernarg preload");
    user.insert(user.end(), words.begin(), words.end());
  }
  if (wants.private_segment_size) user.push_back(request.scratch_bytes_per_lane);

  const emu::DispatchResult result = host_.dispatch(request);
  if (result.ok) {
    if (scratch) signal_.release_scratch(memory);
    return Outcome::kDone;
  }
  failure_.fault = result.fault;
  return fail(result.fault.describe(), error_of(result.fault));
}

AqlProcessor::Outcome AqlProcessor::complete(GuestMemory& memory, uint64_t signal) {
  if (!signal) return Outcome::kDone;
  uint64_t mailbox = 0;
  uint32_t event = 0;
  // Times come before the value: whoever sees the value may read them.
  if (!memory.store(signal + kSignalStart, started_at_) ||
      !memory.store(signal + kSignalEnd, host_.clock()) ||
      !memory.load(signal + kSignalMailbox, mailbox) ||
      !memory.load(signal + kSignalEvent, event)) {
    return miss(memory, "completion signal");
  }
  auto* value = memory.aligned<uint64_t>(signal + kSignalValue, emu::Access::kWrite);
  if (!value) return miss(memory, "completion signal");
  std::atomic_ref(*value).fetch_sub(1);
  if (mailbox) {
    if (!memory.store<uint64_t>(mailbox, event)) return miss(memory, "signal mailbox");
    host_.interrupt(event);
  }
  return Outcome::kDone;
}

void AqlProcessor::report_error() {
  if (!error_code_) return;
  GuestMemory memory(map_);
  signal_.raise(memory, error_code_);
}

AqlProcessor::Outcome AqlProcessor::fail(std::string what, uint64_t error_code) {
  failure_.what = std::move(what);
  failed_ = true;
  error_code_ = error_code;
  return Outcome::kFailed;
}

AqlProcessor::Outcome AqlProcessor::miss(const GuestMemory& memory, std::string_view what) {
  failure_.memory = true;
  failure_.address = memory.miss().address;
  failure_.write = memory.miss().write;
  return fail(fmt::format("AQL {}: {} at {:#x} is not accessible", what,
                          failure_.write ? "write" : "read", failure_.address));
}

}  // namespace lockstep::mockgpu
