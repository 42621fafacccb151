// SPDX-License-Identifier: MIT
// Hardware registers: which ids exist on which generation, what they hold, which bits a user wave
// may write.
#include "emu/hwreg.h"

#include <algorithm>

#include "emu/clock.h"

namespace lockstep::emu {
namespace {

using isa::Generation;

// Ids that all generations share.
constexpr unsigned kMode = 1, kStatus = 2, kGprAlloc = 5, kLdsAlloc = 6, kIbSts = 7;
// gfx9 and gfx11.
constexpr unsigned kTrapsts = 3, kShMemBases = 15;
// gfx9.
constexpr unsigned kHwIdGfx9 = 4, kXccId = 20;
// gfx11 and gfx12.
constexpr unsigned kFlatScratchLo = 20, kFlatScratchHi = 21, kHwId1 = 23, kHwId2 = 24,
                   kShaderCycles = 29;
// gfx12.
constexpr unsigned kStatePriv = 4, kExcpFlagPriv = 17, kExcpFlagUser = 18, kTrapCtrl = 19,
                   kShaderCyclesHi = 30;

constexpr uint32_t kExceptionBits = 0x1ff;  ///< sticky exception flags

/// STATUS: SCC in bit 0, EXECZ in bit 9, VCCZ in bit 10, IN_TG in bit 11, VALID in bit 16.
uint32_t status_of(const Context& c) {
  const WaveState& w = *c.wave;
  constexpr uint32_t kLive = 1u << 0 | 1u << 9 | 1u << 10 | 1u << 11 | 1u << 16;
  uint32_t status = w.status & ~kLive;
  status |=
      uint32_t{w.scc} | uint32_t{w.exec() == 0} << 9 | uint32_t{w.vcc() == 0} << 10 | 1u << 16;
  if (c.waves_in_group > 1) status |= 1u << 11;
  return status;
}

/// VGPR_SIZE in granules less one, from bit 12; VGPR_BASE 0.
uint32_t gpr_alloc_of(const Context& c) {
  const WaveState& w = *c.wave;
  const uint32_t granule =
      isa::generation_of(c.isa) == Generation::kGfx9 || w.wave_size == 32 ? 8 : 4;
  const uint32_t registers = w.num_vgprs + w.num_agprs;
  return (registers + granule - 1) / granule == 0 ? 0
                                                  : ((registers + granule - 1) / granule - 1) << 12;
}

/// LDS_SIZE in 128-dword units from bit 12; LDS_BASE 0.
uint32_t lds_alloc_of(const Context& c) { return (c.lds_size + 511) / 512 << 12; }

/// The 16 high bits of both apertures: private in 15:0, shared in 31:16.
uint32_t sh_mem_bases_of(const Context& c) {
  return static_cast<uint32_t>(c.private_base >> 48) | static_cast<uint32_t>(c.shared_base >> 48)
                                                           << 16;
}

}  // namespace

bool read_hwreg(const Context& c, unsigned id, uint32_t& value) {
  const WaveState& w = *c.wave;
  const Generation generation = isa::generation_of(c.isa);
  const bool gfx9 = generation == Generation::kGfx9, gfx12 = generation == Generation::kGfx12;
  switch (id) {
    case kMode:
      value = w.mode;
      return true;
    case kStatus:
      value = status_of(c);
      return true;
    case kGprAlloc:
      value = gpr_alloc_of(c);
      return true;
    case kLdsAlloc:
      value = lds_alloc_of(c);
      return true;
    case kIbSts:
      value = 0;
      return true;  // every counter is 0: memory is synchronous
    default:
      break;
  }
  if (!gfx12) {
    if (id == kTrapsts) return value = w.trapsts, true;
    if (id == kShMemBases) return value = sh_mem_bases_of(c), true;
  }
  if (gfx9) {
    if (id == kHwIdGfx9) return value = w.hw_id, true;
    if (id == kXccId && c.isa != isa::Isa::kGfx90a) return value = 0, true;
    return false;
  }
  switch (id) {
    case kFlatScratchLo:
      value = static_cast<uint32_t>(w.flat_scratch);
      return true;
    case kFlatScratchHi:
      value = static_cast<uint32_t>(w.flat_scratch >> 32);
      return true;
    case kHwId1:
      value = w.hw_id;
      return true;
    case kHwId2:
      value = 0;
      return true;
    // gfx11 has 20 bits of the counter, gfx12 all 64.
    case kShaderCycles:
      value = static_cast<uint32_t>(shader_clock()) & (gfx12 ? ~0u : 0xfffffu);
      return true;
    default:
      break;
  }
  if (!gfx12) return false;
  switch (id) {
    case kStatePriv:
      value = uint32_t{w.scc} << 9;
      return true;
    case kExcpFlagPriv:
      value = 0;
      return true;
    case kExcpFlagUser:
      value = w.trapsts & kExceptionBits;
      return true;
    case kTrapCtrl:
      value = 0;
      return true;
    case kShaderCyclesHi:
      value = static_cast<uint32_t>(shader_clock() >> 32);
      return true;
    default:
      return false;
  }
}

bool write_hwreg(Context& c, unsigned id, uint32_t value, uint32_t mask) {
  WaveState& w = *c.wave;
  const Generation generation = isa::generation_of(c.isa);
  const auto merge = [&](uint32_t& reg, uint32_t writable) {
    const uint32_t bits = mask & writable;
    reg = (reg & ~bits) | (value & bits);
  };
  if (id == kMode) return merge(w.mode, ~0u), true;
  if (id == kTrapsts && generation != Generation::kGfx12)
    return merge(w.trapsts, kExceptionBits), true;
  if (id == kExcpFlagUser && generation == Generation::kGfx12)
    return merge(w.trapsts, kExceptionBits), true;
  uint32_t unused = 0;
  return read_hwreg(
      c, id, unused);  // readable, but not writable from a user wave: the write has no effect
}

}  // namespace lockstep::emu
