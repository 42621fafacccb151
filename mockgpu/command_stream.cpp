// SPDX-License-Identifier: MIT
// Ring and indirect-buffer positions, wrapping, and the checks on what the program wrote there.
#include "mockgpu/command_stream.h"

#include <fmt/format.h>

namespace lockstep::mockgpu {
namespace {

// Hardware has two levels; a few more cost nothing, and a buffer that calls itself ends in an
// error.
constexpr size_t kMaxDepth = 6;
// A chain may be long, but one that never leaves indirect buffers is a loop.
constexpr unsigned kMaxChain = 1u << 20;

}  // namespace

CommandStream::CommandStream(const RingLayout& ring, uint32_t pointer_unit)
    : ring_(ring), unit_(pointer_unit), has_ring_(true) {
  frames_.push_back({ring.base, ring.size / 4, 0, 0});
}

CommandStream::State CommandStream::settle(GuestMemory& memory) {
  const size_t bottom = has_ring_ ? 1 : 0;
  while (frames_.size() > bottom && frames_.back().at >= frames_.back().end) {
    frames_.pop_back();
    if (frames_.size() == bottom) chained_ = 0;
  }
  if (frames_.size() > bottom) return State::kReady;
  if (!has_ring_) return State::kEmpty;

  Frame& ring = frames_.front();
  if (!started_) {
    uint64_t read = 0;
    if (!memory.load(ring_.read_pointer, read)) {
      return error(fmt::format("read pointer at {:#x} is not accessible", ring_.read_pointer));
    }
    ring.at = published_ = read * unit_ / 4;
    started_ = true;
  }
  if (ring.at != published_) {
    if (!memory.store<uint64_t>(ring_.read_pointer, ring.at * 4 / unit_)) {
      return error(fmt::format("read pointer at {:#x} is not accessible", ring_.read_pointer));
    }
    published_ = ring.at;
  }
  uint64_t write = 0;
  if (!memory.load(ring_.write_pointer, write)) {
    return error(fmt::format("write pointer at {:#x} is not accessible", ring_.write_pointer));
  }
  if (write * unit_ % 4 != 0) {
    return error(fmt::format("write pointer {:#x} is not a multiple of 4 bytes", write));
  }
  write = write * unit_ / 4;
  if (write < ring.at) {
    return error(fmt::format("write pointer {:#x} is behind the read pointer {:#x} (in dwords)",
                             write, ring.at));
  }
  if (write - ring.at > ring.size) {
    return error(fmt::format("ring overrun: {} dwords submitted, the ring holds {}",
                             write - ring.at, ring.size));
  }
  ring.end = write;
  return ring.at == ring.end ? State::kEmpty : State::kReady;
}

bool CommandStream::fetch(GuestMemory& memory, uint64_t offset, std::span<uint32_t> out) const {
  const Frame& frame = frames_.back();
  const uint64_t start = (frame.at + offset) % frame.size;
  const uint64_t first = std::min<uint64_t>(out.size(), frame.size - start);
  if (!memory.read(frame.base + start * 4, out.data(), first * 4)) return false;
  const uint64_t rest = out.size() - first;
  return rest == 0 || memory.read(frame.base, out.data() + first, rest * 4);
}

bool CommandStream::enter(uint64_t base, uint64_t dwords) {
  if (frames_.size() >= kMaxDepth) {
    error_ = fmt::format("indirect buffer at {:#x}: more than {} levels", base, kMaxDepth - 1);
    return false;
  }
  if (base % 4 != 0) {
    error_ = fmt::format("indirect buffer at {:#x} is not aligned to 4 bytes", base);
    return false;
  }
  if (dwords == 0) return true;
  frames_.push_back({base, dwords, 0, dwords});
  return true;
}

bool CommandStream::chain(uint64_t base, uint64_t dwords) {
  if (++chained_ > kMaxChain) {
    error_ =
        fmt::format("indirect buffer at {:#x}: chain of more than {} buffers", base, kMaxChain);
    return false;
  }
  if (in_indirect()) frames_.pop_back();
  return enter(base, dwords);
}

uint64_t CommandStream::address(uint64_t offset) const {
  if (frames_.empty()) return 0;
  const Frame& frame = frames_.back();
  return frame.base + (frame.at + offset) % frame.size * 4;
}

bool CommandStream::has_work(GuestMemory& memory) const {
  if (in_indirect()) return true;
  if (!has_ring_) return false;
  uint64_t write = 0;
  // A pointer that went away is work too: run() reports it.
  if (!memory.load(ring_.write_pointer, write)) return true;
  if (started_) return write * unit_ / 4 != frames_.front().at;
  uint64_t read = 0;
  return !memory.load(ring_.read_pointer, read) || read != write;
}

}  // namespace lockstep::mockgpu
