// SPDX-License-Identifier: MIT
// What a unit is compiled for: kind of host, guest, wave size, MODE.
#pragma once
#include "emu/jit/tier.h"
#include "emu/wave_state.h"
#include "isa/target.h"
#include "isa/types.h"

namespace lockstep::emu::jit {

/// What a unit is compiled for.
struct Mode {
  Tier tier = Tier::kAvx512;
  isa::Isa isa = isa::Isa::kGfx11;
  uint32_t wave_size = 32;
  uint32_t bits = 0;    ///< the MODE register
  bool count = false;   ///< blocks count how often they run
  bool verify = false;  ///< what cannot be run a second time stands in a block of its own
  bool keep = true;     ///< vector registers are in memory after a wave has ended
  bool flush_in32() const { return !(bits >> ModeBits::kDenorm32 & 1); }
  bool flush_out32() const { return !(bits >> ModeBits::kDenorm32 & 2); }
  bool flush_in16_64() const { return !(bits >> ModeBits::kDenorm16_64 & 1); }
  bool flush_out16_64() const { return !(bits >> ModeBits::kDenorm16_64 & 2); }
  bool nearest_even() const { return (bits & 0xf) == 0; }
  bool gfx9() const { return isa::generation_of(isa) == isa::Generation::kGfx9; }
  bool gfx12() const { return isa::generation_of(isa) == isa::Generation::kGfx12; }
  bool dx10_clamp() const { return gfx12() || (bits & ModeBits::kDx10Clamp); }
  bool ieee() const { return gfx12() || (bits & ModeBits::kIeee); }
};

constexpr bool is_quad(isa::Type t) {
  return t == isa::Type::F64 || t == isa::Type::B64 || t == isa::Type::I64 || t == isa::Type::U64;
}

}  // namespace lockstep::emu::jit
