// SPDX-License-Identifier: MIT
// The architectural state of one wave: everything that can be saved, loaded and compared.
#pragma once
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>

#include "isa/operand.h"
#include "isa/target.h"

namespace lockstep::emu {

/// MODE register bits (ISA guides, "MODE register"). Round: 0 nearest even, 1 +inf, 2 -inf, 3 zero.
/// Denormals: bit 0 of each pair keeps source denormals, bit 1 keeps result denormals.
struct ModeBits {
  static constexpr unsigned kRound32 = 0, kRound16_64 = 2, kDenorm32 = 4, kDenorm16_64 = 6;
  static constexpr uint32_t kDx10Clamp = 1u << 8, kIeee = 1u << 9, kFp16Ovfl = 1u << 23;
  /// gfx9 only: relative VGPR numbers; vector instructions are skipped; stack of forks.
  static constexpr uint32_t kGprIndex = 1u << 27, kSkipVector = 1u << 28;
  static constexpr unsigned kForkDepth = 29;
};

/// 64-byte aligned storage for vector registers: [register][lane].
struct AlignedDelete {
  void operator()(uint32_t* p) const { ::operator delete[](p, std::align_val_t{64}); }
};
using RegisterFile = std::unique_ptr<uint32_t[], AlignedDelete>;

/// Scalar registers by canonical code: s0.., VCC 106, TTMP 108, M0 125, EXEC 126 (isa/operand.h).
inline constexpr unsigned kScalars = 128;

struct WaveState {
  /// Copied when a wave starts, 16 bytes at a time. More would make allocations slow.
  alignas(16) uint32_t scalar[kScalars] = {};
  uint64_t pc = 0;  ///< guest address of the next instruction
  bool scc = false;
  uint32_t wave_size = 32;
  uint32_t mode = 0;
  uint32_t status = 0;
  uint32_t trapsts = 0;
  uint32_t hw_id = 0;           ///< HW_REG_HW_ID / HW_ID1
  uint64_t flat_scratch = 0;    ///< address of lane 0's dword 0 of this wave's private memory
  uint32_t barrier_done = 0;    ///< gfx12: completed barriers not yet waited for (emu/barriers.h)
  uint32_t joined_barrier = 0;  ///< gfx12: number of the named barrier, 0 = none
  uint32_t num_vgprs = 0;       ///< granted by the descriptor
  uint32_t num_agprs = 0;
  uint32_t num_sgprs = 0;
  RegisterFile vgprs;  ///< num_vgprs x wave_size
  RegisterFile agprs;  ///< num_agprs x wave_size

  uint64_t read64(unsigned code) const {
    uint64_t v;
    std::memcpy(&v, &scalar[code], 8);
    return v;
  }
  void write64(unsigned code, uint64_t v) { std::memcpy(&scalar[code], &v, 8); }
  uint64_t lane_mask() const { return wave_size == 64 ? ~uint64_t{0} : 0xffffffffu; }
  /// Active lanes; bits of lanes that do not exist are 0. (EXEC_HI is plain storage in wave32.)
  uint64_t exec() const { return read64(isa::kExecLo) & lane_mask(); }
  uint64_t vcc() const { return read64(isa::kVccLo) & lane_mask(); }
  /// Writes a lane mask to a scalar register (pair): one register in wave32, two in wave64.
  void write_mask(unsigned code, uint64_t mask) {
    if (code == isa::kNull) return;
    scalar[code] = static_cast<uint32_t>(mask);
    if (wave_size == 64) scalar[code + 1] = static_cast<uint32_t>(mask >> 32);
  }
  uint64_t read_mask(unsigned code) const { return wave_size == 64 ? read64(code) : scalar[code]; }
  uint32_t* vgpr(unsigned r) { return &vgprs[size_t{r} * wave_size]; }
  const uint32_t* vgpr(unsigned r) const { return &vgprs[size_t{r} * wave_size]; }
  uint32_t* agpr(unsigned r) { return &agprs[size_t{r} * wave_size]; }

  /// Sets sizes and zeroes everything. Registers are granted once, not grown.
  void allocate(uint32_t lanes, uint32_t vgpr_count, uint32_t agpr_count, uint32_t sgpr_count);
  /// Becomes equal to `other`, its sizes included.
  void copy_from(const WaveState& other);
};

/// Which part differs first, with both values ("v5 lane 3: 0x1 against 0x2"); empty if none does.
/// Both must have the same sizes.
std::string first_difference(const WaveState& a, const WaveState& b);

}  // namespace lockstep::emu
