// SPDX-License-Identifier: MIT
// What tests of packet processors share: guest memory, a recording host, and a ring to write
// packets into.
#pragma once
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <initializer_list>
#include <memory>
#include <vector>

#include "emu/memory_map.h"
#include "mockgpu/packet_processor.h"

namespace lockstep::mockgpu::testing {

/// Guest memory at addresses that are not host addresses, so that a missing translation is seen.
class GuestRam {
 public:
  uint64_t add(uint64_t base, uint64_t size, bool writable = true) {
    blocks_.push_back(std::make_unique<std::vector<uint64_t>>((size + 7) / 8));
    emu::Allocation allocation;
    allocation.base = base;
    allocation.size = size;
    allocation.host = reinterpret_cast<uint8_t*>(blocks_.back()->data());
    allocation.writable = writable;
    allocation.label = "test";
    EXPECT_TRUE(map.add(allocation));
    return base;
  }
  template <class T>
  T get(uint64_t address) {
    T value{};
    EXPECT_TRUE(GuestMemory(map).read(address, &value, sizeof value));
    return value;
  }
  template <class T>
  void set(uint64_t address, T value) {
    EXPECT_TRUE(GuestMemory(map).write(address, &value, sizeof value));
  }
  void put(uint64_t address, const std::vector<uint32_t>& words) {
    EXPECT_TRUE(GuestMemory(map).write(address, words.data(), words.size() * 4));
  }
  /// The program frees the block and maps another one there. The old one stays, with its bytes: who
  /// still sees it is found out.
  void remap(uint64_t base, uint64_t size) {
    EXPECT_TRUE(map.remove(base));
    add(base, size);
  }
  emu::MemoryMap map;

 private:
  std::vector<std::unique_ptr<std::vector<uint64_t>>> blocks_;
};

class RecordingHost : public PacketHost {
 public:
  emu::DispatchResult dispatch(emu::DispatchRequest& request) override {
    requests.push_back(request);
    if (on_dispatch) return on_dispatch(request);
    return {};
  }
  uint64_t clock() override { return ++ticks; }
  void interrupt(uint32_t context_id) override {
    interrupts.push_back(context_id);
    if (on_interrupt) on_interrupt();
  }
  void count_copy(uint64_t bytes) override { copied += bytes; }
  bool stopping() override { return false; }

  std::vector<emu::DispatchRequest> requests;
  std::function<emu::DispatchResult(const emu::DispatchRequest&)> on_dispatch;
  std::function<void()> on_interrupt;
  std::vector<uint32_t> interrupts;
  uint64_t ticks = 1000;
  uint64_t copied = 0;
};

inline constexpr uint64_t kRingBase = 0x100000, kRingBytes = 4096;
inline constexpr uint64_t kReadPointer = 0x200000, kWritePointer = 0x200008;
inline constexpr uint64_t kData = 0x300000, kDataBytes = 0x10000;
inline constexpr uint64_t kRemapped = 0x400000, kRemappedBytes = 0x1000;
inline constexpr uint64_t kNowhere = 0xdead0000;

/// A ring with its pointers and a block of data memory. `unit` is what one count of a pointer
/// stands for.
class RingFixture {
 public:
  explicit RingFixture(uint32_t unit) : unit_(unit) {
    ram.add(kRingBase, kRingBytes);
    ram.add(kReadPointer, 0x100);
    ram.add(kData, kDataBytes);
  }
  RingLayout layout() const { return {kRingBase, kRingBytes, kReadPointer, kWritePointer}; }
  void submit(const std::vector<uint32_t>& words) {
    for (const uint32_t word : words) {
      ram.set(kRingBase + put_ % kRingBytes, word);
      put_ += 4;
    }
    ram.set<uint64_t>(kWritePointer, put_ / unit_);
  }
  /// Starts at another position, as a ring that has been in use.
  void start_at(uint64_t bytes) {
    put_ = bytes;
    ram.set<uint64_t>(kReadPointer, bytes / unit_);
    ram.set<uint64_t>(kWritePointer, bytes / unit_);
  }
  uint64_t consumed() { return ram.get<uint64_t>(kReadPointer) * unit_; }
  uint64_t submitted() const { return put_; }

  GuestRam ram;
  RecordingHost host;

 private:
  uint32_t unit_;
  uint64_t put_ = 0;
};

/// Runs until nothing moves any more and returns the last step.
inline Step run_all(PacketProcessor& processor) {
  for (int i = 0; i < 10000; ++i) {
    const Step step = processor.run(64);
    if (step != Step::kProgress) return step;
  }
  ADD_FAILURE() << "the processor never comes to rest";
  return Step::kFailed;
}

inline uint32_t low(uint64_t value) { return static_cast<uint32_t>(value); }
inline uint32_t high(uint64_t value) { return static_cast<uint32_t>(value >> 32); }

/// A type-3 packet.
inline std::vector<uint32_t> pm4(uint32_t op, std::vector<uint32_t> payload) {
  const auto count = static_cast<uint32_t>(payload.size()) - 1;
  payload.insert(payload.begin(), 3u << 30 | (count & 0x3fff) << 16 | op << 8);
  return payload;
}

inline std::vector<uint32_t> join(std::initializer_list<std::vector<uint32_t>> parts) {
  std::vector<uint32_t> all;
  for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

}  // namespace lockstep::mockgpu::testing
