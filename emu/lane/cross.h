// SPDX-License-Identifier: MIT
// Lane primitives: lanes of other numbers, registers of other numbers, and actions of the whole
// wave.
#pragma once
#include "emu/lane/media.h"

namespace lockstep::emu {

class LaneCross : public LaneMedia {
 public:
  using LaneMedia::LaneMedia;

  // ---- reading source 0 of another lane, active or not ----
  /// Source 0 of lane n modulo the wave size.
  uint32_t read_lane(uint32_t n) const { return source0(n & lane_limit()); }
  /// The lowest active lane; 0 if there is none.
  uint32_t first_lane(uint64_t exec) const {
    return exec ? static_cast<uint32_t>(std::countr_zero(exec)) : 0;
  }
  /// Source 0 of the lane of this row of 16 (with `other`, of its neighbour row) that the lane's
  /// nibble of high:low names. A lane that EXEC switches off gives 0 with op_sel bit 1
  /// (bound_ctrl), else `old`, unless op_sel bit 0 (fi) is set.
  uint32_t permlane16(uint32_t low, uint32_t high, uint32_t old, bool other) const {
    const uint64_t selectors = uint64_t{high} << 32 | low;
    return permlane16_var(static_cast<uint32_t>(selectors >> (lane % 16 * 4)), old, other);
  }
  /// The same with the selector in the low four bits of each lane's n.
  uint32_t permlane16_var(uint32_t n, uint32_t old, bool other) const {
    const unsigned from = ((lane ^ (other ? 16 : 0)) & ~15u) | (n & 15);
    const uint32_t op_sel = u.inst.get(isa::Field::opsel);
    if (exec() >> from & 1 || (op_sel & 1)) return source0(from);
    return op_sel & 2 ? 0 : old;
  }
  /// Wave64: source 0 of the lane 32 away. Wave32: `old`.
  uint32_t permlane64(uint32_t old) const { return wave64() ? source0(lane ^ 32) : old; }
  /// How many of the lanes whose bits are 1 in a lie below this lane: a covers lanes 0..31, or with
  /// `high` 32..63.
  uint32_t count_below(uint32_t a, bool high) const {
    const uint64_t below = (uint64_t{1} << lane) - 1;
    return popcount(a & static_cast<uint32_t>(high ? below >> 32 : below));
  }
  /// Source i of lane n of this lane's group of four, as f32 or f16.
  float quad_f32(unsigned i, unsigned n) const { return read_lane_of<float>(i, n); }
  Half quad_f16(unsigned i, unsigned n) const { return read_lane_of<Half>(i, n); }

  // ---- two results ----
  /// To the destination `a`, to the source register `b`.
  template <class T>
  Swapped<T> swap(T a, T b) const {
    return {a, b};
  }

  // ---- actions ----
  WaveAction nop() const { return {}; }
  /// Lane n (modulo the wave size) of the destination, whatever EXEC says.
  WaveAction write_lane(uint32_t n, uint32_t value) const {
    c.wave->vgpr(u.ops.dst[0].code)[n & lane_limit()] = value;
    return {};
  }
  /// This lane of the VGPR whose number is source 0's (destination's) plus offset. Beyond the
  /// grant: a fault.
  uint32_t read_relative(uint32_t offset) {
    const uint32_t* p = relative(u.ops.src[0].code, offset);
    return p ? p[lane] : 0;
  }
  LaneAction write_relative(uint32_t offset, uint32_t value) {
    if (uint32_t* p = relative(u.ops.dst[0].code, offset)) p[lane] = value;
    return {};
  }
  LaneAction swap_relative(uint32_t source_offset, uint32_t dest_offset) {
    uint32_t* a = relative(u.ops.src[0].code, source_offset);
    uint32_t* b = relative(u.ops.dst[0].code, dest_offset);
    if (a && b) std::swap(a[lane], b[lane]);
    return {};
  }
  bool failed() const { return failed_; }

 private:
  uint32_t lane_limit() const { return c.wave->wave_size - 1; }
  uint32_t source0(unsigned from) const { return emu::read_lane<uint32_t>(sources.src[0], from); }
  template <class T>
  T read_lane_of(unsigned i, unsigned n) const {
    return emu::read_lane<T>(sources.src[i], (lane & ~3u) + n);
  }
  uint32_t* relative(uint32_t base, uint32_t offset) {
    const uint64_t number = uint64_t{base} + offset;
    if (number < c.wave->num_vgprs) return c.wave->vgpr(static_cast<unsigned>(number));
    c.raise(FaultKind::kRegisterOutOfRange, static_cast<int>(lane), number, 0,
            "relative VGPR number beyond the grant");
    failed_ = true;
    return nullptr;
  }
  bool failed_ = false;
};

}  // namespace lockstep::emu
