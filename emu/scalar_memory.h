// SPDX-License-Identifier: MIT
// SmemLane: scalar memory instructions: address, buffer bounds, transfer, clocks.
#pragma once
#include <cstdint>

#include "emu/global_memory.h"

namespace lockstep::emu {

/// Immediate part of the offset. gfx9 without IMM has none: the field names an SGPR, which is an
/// operand.
int32_t smem_offset(const isa::Inst& inst);

class SmemLane {
 public:
  SmemLane(Context& context, const Uop& uop) : c(context), u(uop) {}

  Step nothing() const { return Step::kNext; }
  Step shader_clock();
  Step realtime();
  /// `bytes` is the size of the element; sub-dword ones are extended by `sign_bits` (0: unsigned).
  Step load(unsigned bytes, bool is_signed);
  Step store(unsigned bytes);
  /// One read-modify-write: next(old, data, cmp). Compare-and-swap takes (data, cmp) from
  /// consecutive registers. Beyond a buffer's end nothing happens and 0 is returned.
  template <class T, class F>
  Step update(F&& next) {
    Place place;
    if (!resolve(sizeof(T), place)) return Step::kExit;
    const isa::Operand& operand = u.ops.src[isa::kSmemData];
    const T data = scalar_value<T>(operand.code);
    const T cmp =
        operand.dwords * 4u == 2 * sizeof(T) ? scalar_value<T>(operand.code + sizeof(T) / 4) : T{};
    T old{};
    LaneMemory memory(c);
    if (place.available >= sizeof(T) &&
        !memory.update<T>({Space::kGlobal, place.address}, 0, old,
                          [&](T seen) -> T { return next(seen, data, cmp); })) {
      c.fault.lane = -1;
      return Step::kExit;
    }
    if (u.ops.n_dst) write_value(sizeof(T) / 4, to_bits(old));
    return Step::kNext;
  }

 private:
  /// Resolved address of an access. Scalar buffers stop at `limit`: reads beyond it give 0, writes
  /// are dropped.
  struct Place {
    uint64_t address = 0;
    uint64_t available = ~uint64_t{0};
  };
  bool resolve(unsigned bytes, Place& place);
  void write64(uint64_t value) { write_value(2, value); }
  void write_value(unsigned dwords, uint64_t value);
  template <class T>
  T scalar_value(unsigned code) const {
    if (code == isa::kNull) return T{};
    return from_bits<T>(sizeof(T) == 8 ? c.wave->read64(code) : c.wave->scalar[code]);
  }

  Context& c;
  const Uop& u;
};

}  // namespace lockstep::emu
