// SPDX-License-Identifier: MIT
// Memory as one lane of a vector instruction reaches it: device memory, LDS through a generic
// address, or scratch.
#pragma once
#include <cstdint>
#include <cstring>

#include "emu/context.h"
#include "emu/lane/values.h"
#include "emu/lds.h"

namespace lockstep::emu {

enum class Space : uint8_t { kGlobal, kLds, kScratch };
struct MemTarget {
  Space space = Space::kGlobal;
  uint64_t address = 0;  ///< guest address, LDS offset, or the lane's private address
};

/// The immediate offset of a FLAT, GLOBAL or SCRATCH instruction. FLAT's is unsigned before gfx12:
/// the sign bit is ignored.
inline int32_t flat_offset(const isa::Inst& inst) {
  const bool is_unsigned =
      inst.format == isa::Format::FLAT && isa::generation_of(inst.isa) != isa::Generation::kGfx12;
  return is_unsigned ? static_cast<int32_t>(inst.get(isa::Field::offset) & 0xfff)
                     : inst.get_signed(isa::Field::offset);
}

/// A read-modify-write of device memory that other threads may touch at the same time. Returns the
/// old value.
template <class T, class F>
T atomic_update(uint8_t* host, F&& next) {
  using Bits = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
  auto* word = reinterpret_cast<Bits*>(host);
  Bits seen = __atomic_load_n(word, __ATOMIC_RELAXED);
  for (;;) {
    const T old = from_bits<T>(seen);
    const Bits wanted = static_cast<Bits>(to_bits<T>(next(old)));
    if (__atomic_compare_exchange_n(word, &seen, wanted, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
      return old;
  }
}

class LaneMemory {
 public:
  explicit LaneMemory(Context& c) : c_(c), lds_(c) {}

  /// False: the access faults; the fault is raised in the context and nothing of this access took
  /// effect.
  bool load(const MemTarget& t, unsigned lane, uint32_t bytes, void* out) {
    if (t.space == Space::kGlobal) {
      if (const uint8_t* host = c_.memory->translate(t.address, bytes, Access::kRead)) {
        std::memcpy(out, host, bytes);
        return true;
      }
    }
    return load_slow(t, lane, bytes, static_cast<uint8_t*>(out));
  }
  bool store(const MemTarget& t, unsigned lane, uint32_t bytes, const void* in) {
    if (t.space == Space::kGlobal) {
      if (uint8_t* host = c_.memory->translate(t.address, bytes, Access::kWrite)) {
        std::memcpy(host, in, bytes);
        return true;
      }
    }
    return store_slow(t, lane, bytes, static_cast<const uint8_t*>(in));
  }
  /// Atomics must be aligned, in every memory.
  template <class T, class F>
  bool update(const MemTarget& t, unsigned lane, T& old, F&& next) {
    if (t.address % sizeof(T) != 0) return fail(FaultKind::kMisaligned, t, lane, sizeof(T));
    switch (t.space) {
      case Space::kGlobal: {
        uint8_t* host = c_.memory->translate(t.address, sizeof(T), Access::kWrite);
        if (!host) return fail(FaultKind::kMemoryWrite, t, lane, sizeof(T));
        old = atomic_update<T>(host, next);
        return true;
      }
      case Space::kLds:
        old = lds_.update<T>(static_cast<uint32_t>(t.address), next);
        return true;
      case Space::kScratch: {
        if (!load(t, lane, sizeof(T), &old)) return false;
        const T value = next(old);
        return store(t, lane, sizeof(T), &value);
      }
    }
    return false;
  }

 private:
  bool load_slow(const MemTarget& t, unsigned lane, uint32_t bytes, uint8_t* out);
  bool store_slow(const MemTarget& t, unsigned lane, uint32_t bytes, const uint8_t* in);
  bool fail(FaultKind kind, const MemTarget& t, unsigned lane, uint32_t bytes);
  /// Calls f(offset, host, bytes) for the pieces of an access that is not one host interval; false
  /// if one is missing.
  template <class F>
  bool for_pieces(const MemTarget& t, unsigned lane, uint32_t bytes, Access access, F&& f);

  Context& c_;
  Lds lds_;
};

}  // namespace lockstep::emu
