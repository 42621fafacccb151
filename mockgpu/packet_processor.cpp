// SPDX-License-Identifier: MIT
// Comparison functions and memory atomics that several packet sets share.
#include "mockgpu/packet_processor.h"

namespace lockstep::mockgpu {
namespace {

// Numbers of the operation within its width; +0x20 for 64 bits, +0x40 for the form without return.
enum Operation : uint32_t {
  kSwap = 0x07,
  kCompareSwap = 0x08,
  kAdd = 0x0f,
  kSub = 0x10,
  kSignedMin = 0x11,
  kUnsignedMin = 0x12,
  kSignedMax = 0x13,
  kUnsignedMax = 0x14,
  kAnd = 0x15,
  kOr = 0x16,
  kXor = 0x17,
  kIncrement = 0x18,
  kDecrement = 0x19,
};

template <class T>
std::optional<T> apply(uint32_t operation, T old, T source, T compare) {
  using S = std::make_signed_t<T>;
  switch (operation) {
    case kSwap:
      return source;
    case kCompareSwap:
      return old == compare ? source : old;
    case kAdd:
      return old + source;
    case kSub:
      return old - source;
    case kSignedMin:
      return static_cast<S>(old) < static_cast<S>(source) ? old : source;
    case kUnsignedMin:
      return old < source ? old : source;
    case kSignedMax:
      return static_cast<S>(old) > static_cast<S>(source) ? old : source;
    case kUnsignedMax:
      return old > source ? old : source;
    case kAnd:
      return old & source;
    case kOr:
      return old | source;
    case kXor:
      return old ^ source;
    case kIncrement:
      return old >= source ? T{0} : static_cast<T>(old + 1);
    case kDecrement:
      return old == 0 || old > source ? source : static_cast<T>(old - 1);
    default:
      return std::nullopt;
  }
}

template <class T>
AtomicOutcome perform(GuestMemory& memory, uint32_t operation, uint64_t address, T source,
                      T compare) {
  if (!apply<T>(operation, 0, 0, 0)) return AtomicOutcome::kUnknownOperation;
  T* host = memory.aligned<T>(address, emu::Access::kWrite);
  if (!host) return AtomicOutcome::kNoMemory;
  std::atomic_ref<T> cell(*host);
  T old = cell.load();
  while (!cell.compare_exchange_weak(old, *apply<T>(operation, old, source, compare))) {
  }
  const bool failed = operation == kCompareSwap && old != compare;
  return failed ? AtomicOutcome::kCompareFailed : AtomicOutcome::kDone;
}

}  // namespace

bool is_wait_function(uint32_t function) { return function <= 6; }

bool wait_satisfied(uint32_t function, uint64_t value, uint64_t reference) {
  switch (function) {
    case 0:
      return true;
    case 1:
      return value < reference;
    case 2:
      return value <= reference;
    case 3:
      return value == reference;
    case 4:
      return value != reference;
    case 5:
      return value >= reference;
    case 6:
      return value > reference;
    default:
      return false;
  }
}

AtomicOutcome perform_atomic(GuestMemory& memory, uint32_t operation, uint64_t address,
                             uint64_t source, uint64_t compare) {
  if (operation >= 0x80) return AtomicOutcome::kUnknownOperation;
  const uint32_t base = operation & 0x1f;
  if (operation & 0x20) return perform<uint64_t>(memory, base, address, source, compare);
  return perform<uint32_t>(memory, base, address, static_cast<uint32_t>(source),
                           static_cast<uint32_t>(compare));
}

}  // namespace lockstep::mockgpu
