// SPDX-License-Identifier: MIT
// The state of one wave as differential tests set it and read it back: a flat list of dwords, the
// same on every back end.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "isa/result.h"
#include "isa/target.h"

namespace lockstep::diff {

/// Places of scalar state in the list. s0.. come first.
enum Scalar : uint32_t {
  kSgpr0 = 0,
  kVccLo = 106,
  kVccHi = 107,
  kM0 = 108,
  kExecLo = 109,
  kExecHi = 110,
  kScc = 111,
  kMode = 112,
  kScalarWords = 128,  ///< what follows kMode is unused
};

/// MODE bits that programs may set and tests compare: rounding, denormals, and where the target has
/// them clamp, IEEE and f16 overflow.
uint32_t mode_mask(isa::Generation generation);

/// What a program needs, and where it stands in the list: scalars, VGPRs, ACCVGPRs, LDS, memory.
struct Layout {
  isa::Target target = isa::Target::kGfx1100;
  uint32_t wave_size = 32;
  uint32_t vgprs = 8;         ///< v0..; a multiple of 8, at most kMostVgprs
  uint32_t agprs = 0;         ///< CDNA; a multiple of 8
  uint32_t lds_bytes = 0;     ///< a multiple of 256
  uint32_t memory_bytes = 0;  ///< device memory of one wave; a multiple of 256
  uint32_t slot = 0;          ///< which piece of memory the first input has

  uint32_t vgpr_at(uint32_t r, uint32_t lane) const { return kScalarWords + r * wave_size + lane; }
  uint32_t agpr_at(uint32_t r, uint32_t lane) const { return vgpr_at(vgprs + r, lane); }
  uint32_t lds_at() const { return vgpr_at(vgprs + agprs, 0); }
  uint32_t memory_at() const { return lds_at() + lds_bytes / 4; }
  uint32_t words() const { return memory_at() + memory_bytes / 4; }
  uint64_t lane_mask() const { return wave_size == 64 ? ~uint64_t{0} : 0xffffffffu; }
  /// "v5 lane 3", "s7", "lds[0x40]", "memory[0x10]"
  std::string name_of(uint32_t word) const;
  /// Bits of a word that mean something: 0 for what the target does not have.
  uint32_t compared_bits(uint32_t word) const;
  friend bool operator==(const Layout&, const Layout&) = default;
};
/// The capture kernel needs the registers above it.
inline constexpr uint32_t kMostVgprs = 248, kMostAgprs = 128, kMostLdsBytes = 32768,
                          kMostMemoryBytes = 1 << 20, kMostSlots = 64;
/// Fails with a sentence if a size is out of range.
Result<void> check_layout(const Layout& layout);

using State = std::vector<uint32_t>;  ///< Layout::words() of them

/// Everything known and nothing special: registers hold a pattern of their number and lane, EXEC is
/// all lanes, MODE what compilers set, memory and LDS a pattern.
State background(const Layout& layout);

/// Where the memory of wave number `index` of a batch is: the same on every back end.
uint64_t memory_address(const Layout& layout, uint32_t index);

/// One word that differs.
struct Difference {
  uint32_t word = 0;
  uint32_t a = 0, b = 0;
};
/// Up to `limit` of them.
std::vector<Difference> differences(const Layout& layout, const State& a, const State& b,
                                    size_t limit = SIZE_MAX);
/// "v5 lane 3: 0x3f800000 (1) against 0x40000000 (2)"
std::string describe(const Layout& layout, const Difference& d);

}  // namespace lockstep::diff
