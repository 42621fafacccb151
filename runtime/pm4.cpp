// SPDX-License-Identifier: MIT
// Writes PM4 packets.
#include "runtime/pm4.h"

#include <initializer_list>
#include <utility>

namespace lockstep::runtime {
namespace {

enum Opcode : uint32_t {
  kDispatchDirect = 0x15,
  kIndirectBuffer = 0x3f,
  kEventWrite = 0x46,
  kReleaseMem = 0x49,
  kAcquireMem = 0x58,
  kSetShReg = 0x76,
};

// Offsets from the first shader register.
constexpr uint32_t kStartX = 0x204, kPgmLo = 0x20c, kPgmRsrc1 = 0x212, kResourceLimits = 0x215,
                   kTmpringSize = 0x218, kRestartX = 0x21b, kUserData0 = 0x240;
constexpr uint32_t kPgmRsrc3Gfx9 = 0x22d, kPgmRsrc3 = 0x228;

// COMPUTE_DISPATCH_INITIATOR
constexpr uint32_t kShaderEnable = 1u << 0, kForceStartAtZero = 1u << 2,
                   kThreadDimensions = 1u << 5, kWave32 = 1u << 15;

constexpr uint32_t kCsPartialFlush = 0x07 | 4u << 8, kFlushAndTimestamp = 0x14 | 5u << 8;
// gfx9: write back and invalidate L2, invalidate L1.
constexpr uint32_t kReleaseGfx9 = 1u << 15 | 1u << 16 | 1u << 17;
// gfx11 and later: write back GLM and GL2, invalidate GLM, GLV, GL1 and GL2.
constexpr uint32_t kRelease = 1u << 12 | 1u << 13 | 1u << 14 | 1u << 15 | 1u << 20 | 1u << 21;
// CP_COHER_CNTL: instruction and scalar caches, L1, L2 with write-back.
constexpr uint32_t kAcquireGfx9 = 1u << 29 | 1u << 27 | 1u << 23 | 1u << 22 | 1u << 18;
// GCR_CNTL: GLI, GLM, GLK, GLV, GL1, GL2.
constexpr uint32_t kAcquire =
    1u << 0 | 1u << 4 | 1u << 5 | 1u << 6 | 1u << 7 | 1u << 8 | 1u << 9 | 1u << 14 | 1u << 15;
constexpr uint32_t kWrite64 = 2u << 29, kInterruptAfterWrite = 2u << 24;

class Writer {
 public:
  void packet(Opcode opcode, std::initializer_list<uint32_t> payload) {
    packet(opcode, std::vector<uint32_t>(payload));
  }
  void packet(Opcode opcode, const std::vector<uint32_t>& payload) {
    // Bit 1: the packet is for the compute pipe.
    words_.push_back(3u << 30 | (static_cast<uint32_t>(payload.size()) - 1) << 16 | opcode << 8 |
                     1u << 1);
    words_.insert(words_.end(), payload.begin(), payload.end());
  }
  void registers(uint32_t first, std::vector<uint32_t> values) {
    values.insert(values.begin(), first);
    packet(kSetShReg, values);
  }
  std::vector<uint32_t> take() { return std::move(words_); }

 private:
  std::vector<uint32_t> words_;
};

uint32_t low(uint64_t v) { return static_cast<uint32_t>(v); }
uint32_t high(uint64_t v) { return static_cast<uint32_t>(v >> 32); }

void acquire(Writer& w, isa::Generation generation) {
  if (generation == isa::Generation::kGfx9)
    w.packet(kAcquireMem, {kAcquireGfx9, 0xffffffff, 0xff, 0, 0, 10});
  else
    w.packet(kAcquireMem, {0, 0xffffffff, 0xff, 0, 0, 10, kAcquire});
}

}  // namespace

std::vector<uint32_t> pm4_acquire(isa::Generation generation) {
  Writer w;
  acquire(w, generation);
  return w.take();
}

std::vector<uint32_t> pm4_indirect(uint64_t address, uint32_t dwords) {
  constexpr uint32_t kValid = 1u << 23;
  Writer w;
  w.packet(kIndirectBuffer, {low(address), high(address), dwords | kValid});
  return w.take();
}

std::vector<uint32_t> pm4_launch(isa::Generation generation, const Pm4Launch& launch,
                                 const Pm4Completion& completion) {
  const bool gfx9 = generation == isa::Generation::kGfx9;
  Writer w;
  acquire(w, generation);
  constexpr uint32_t kLdsUnit = 512;
  const uint32_t lds = (launch.lds_bytes + kLdsUnit - 1) / kLdsUnit;
  w.registers(kPgmLo, {low(launch.entry >> 8), high(launch.entry >> 8)});
  w.registers(kPgmRsrc1, {launch.rsrc1, (launch.rsrc2 & ~(0x1ffu << 15)) | lds << 15});
  w.registers(gfx9 ? kPgmRsrc3Gfx9 : kPgmRsrc3, {launch.rsrc3});
  w.registers(kTmpringSize, {0});
  w.registers(kRestartX, {0, 0, 0});
  if (!launch.user_data.empty()) w.registers(kUserData0, launch.user_data);
  w.registers(kResourceLimits, {0});
  w.registers(kStartX, {0, 0, 0, launch.block[0], launch.block[1], launch.block[2]});
  // With thread dimensions the last workgroup may be partial.
  const uint32_t initiator =
      kShaderEnable | kForceStartAtZero | kThreadDimensions | (launch.wave32 ? kWave32 : 0);
  w.packet(kDispatchDirect, {launch.items[0], launch.items[1], launch.items[2], initiator});
  w.packet(kEventWrite, {kCsPartialFlush});

  const uint32_t event = kFlushAndTimestamp | (gfx9 ? kReleaseGfx9 : kRelease);
  w.packet(kReleaseMem,
           {event, kWrite64, low(completion.value_address), high(completion.value_address),
            low(completion.value), high(completion.value), 0});
  w.packet(kReleaseMem, {event, kWrite64 | kInterruptAfterWrite, low(completion.mailbox),
                         high(completion.mailbox), completion.event, 0, completion.event});
  return w.take();
}

}  // namespace lockstep::runtime
