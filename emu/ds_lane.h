// SPDX-License-Identifier: MIT
// DsLane: the DS operations that are no plain load, store or atomic: lane exchange, append
// counters, double exchange.
#pragma once
#include <array>
#include <cstdint>

#include "emu/context.h"
#include "emu/lds.h"

namespace lockstep::emu {

/// The lane that ds_swizzle_b32 with this offset reads for `lane`: one of the same group of 32.
unsigned swizzle_source(unsigned offset, unsigned lane);

class DsLane {
 public:
  DsLane(Context& context, const Uop& uop) : c(context), u(uop), lds_(context) {}

  Step nothing() const { return Step::kNext; }
  /// Every lane takes the value of the lane that the offset's pattern selects; an inactive one
  /// gives 0.
  Step swizzle();
  /// Push: lane i's data goes to lane (address + offset) / 4; the highest sender wins, lanes
  /// without one get 0.
  Step permute();
  /// Pull: lane i takes the data of lane (address + offset) / 4; an inactive one gives 0 unless
  /// fetch_inactive.
  Step bpermute(bool fetch_inactive);
  /// Adds or subtracts the number of active lanes at M0[15:0] + offset; all active lanes get the
  /// old value.
  Step append() { return count(1); }
  Step consume() { return count(-1); }
  /// Tiles of 16 columns over groups of 16 lanes, elements of `bits` bits: lanes load rows (of 16
  /// elements, spread over 16 / n lanes that hold n each) and receive columns.
  Step load_transposed(unsigned bits);
  /// Exchanges two elements of `dwords` dwords, offsets counted in `stride` elements.
  Step exchange_two(unsigned dwords, unsigned stride);

  // Global wave sync. The resource is M0[21:16] + offset; a value is that of the first active lane.
  Step sync_init();
  Step sync_barrier();
  Step sync_acquire();
  Step sync_release();
  Step sync_release_many();
  Step sync_release_all();

 private:
  using LaneValues = std::array<uint32_t, 64>;

  Step count(int sign);
  /// The unit; nullptr with a fault raised if the queue has none.
  GlobalWaveSync* sync();
  unsigned sync_resource() const;
  uint32_t sync_value() const;
  /// Goes on, or comes back to the same instruction.
  Step wait_unless(bool done) { return done ? Step::kNext : c.leave(ExitReason::kYield); }
  uint32_t offset16() const {
    return u.inst.get(isa::Field::offset0) | u.inst.get(isa::Field::offset1) << 8;
  }
  /// Lane that a byte address selects, seen from `lane`.
  unsigned selected(unsigned lane, uint32_t address) const;
  void write_active(const LaneValues& values);

  Context& c;
  const Uop& u;
  Lds lds_;
};

}  // namespace lockstep::emu
