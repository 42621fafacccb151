// SPDX-License-Identifier: MIT
// Where a packet processor reads from: a ring and the indirect buffers it called, as a small stack.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "mockgpu/packet_processor.h"

namespace lockstep::mockgpu {

/// Positions are in dwords. The stack makes waits resumable at any depth: a packet that has to wait
/// is simply read again later.
class CommandStream {
 public:
  /// pointer_unit: bytes that one count of the read and write pointers stands for.
  CommandStream(const RingLayout& ring, uint32_t pointer_unit);
  /// A stream without a ring: only indirect buffers that enter() starts.
  CommandStream() = default;

  enum class State : uint8_t { kReady, kEmpty, kError };
  /// Leaves finished indirect buffers, looks at the write pointer, publishes the read pointer.
  State settle(GuestMemory& memory);
  /// Dwords that the current buffer still holds.
  uint64_t available() const {
    return frames_.empty() ? 0 : frames_.back().end - frames_.back().at;
  }
  bool fetch(GuestMemory& memory, uint64_t offset, std::span<uint32_t> out) const;
  void advance(uint64_t dwords) { frames_.back().at += dwords; }
  void retreat(uint64_t dwords) { frames_.back().at -= dwords; }
  /// Calls an indirect buffer; false (with error()) if nested too deep.
  bool enter(uint64_t base, uint64_t dwords);
  /// Continues in another buffer instead of the rest of this one.
  bool chain(uint64_t base, uint64_t dwords);
  bool in_indirect() const { return frames_.size() > (has_ring_ ? 1u : 0u); }
  /// Guest address of a dword at an offset from here, for reports.
  uint64_t address(uint64_t offset = 0) const;
  /// Unread packets, or an indirect buffer that is not finished.
  bool has_work(GuestMemory& memory) const;
  const std::string& error() const { return error_; }

 private:
  struct Frame {
    uint64_t base = 0;
    uint64_t size = 0;  ///< dwords; positions wrap here (a ring) or never reach it
    uint64_t at = 0;
    uint64_t end = 0;
  };
  State error(std::string text) {
    error_ = std::move(text);
    return State::kError;
  }

  RingLayout ring_;
  uint32_t unit_ = 4;
  bool has_ring_ = false;
  bool started_ = false;
  uint64_t published_ = 0;
  unsigned chained_ = 0;
  std::vector<Frame> frames_;
  std::string error_;
};

}  // namespace lockstep::mockgpu
