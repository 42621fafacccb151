// SPDX-License-Identifier: MIT
// Lane, the scalar machine: state access. Semantics of rows are expressions over a machine `m`; this one executes now,
// one lane at a time. The primitives are split by theme over lane/int.h, lane/float.h, lane/convert.h, lane/cross.h and
// lane/scalar.h; lane.h puts them together. Each primitive is an exact function and has a test of its own.
#pragma once
#include <cstdint>

#include "emu/context.h"
#include "emu/half.h"
#include "emu/lane/sources.h"
#include "emu/lane/values.h"

namespace lockstep::emu {


class LaneBase {
 public:
  LaneBase(Context& context, const Uop& uop, const ValuSources& all) : c(context), u(uop), sources(all), mode_(context.wave->mode) {}

  Context& c;
  const Uop& u;
  const ValuSources& sources;  ///< all lanes of the sources, for XLANE rows
  unsigned lane = 0;  ///< the lane that is being evaluated

  // ---- state ----
  bool scc() const { return c.wave->scc; }
  void set_scc(bool bit) { c.wave->scc = bit; }
  uint64_t exec() const { return c.wave->exec(); }
  uint64_t vcc() const { return c.wave->vcc(); }
  uint32_t m0() const { return c.wave->scalar[isa::kM0]; }
  bool wave64() const { return c.wave->wave_size == 64; }
  isa::Generation generation() const { return isa::generation_of(c.isa); }

  // ---- MODE ----
  Round round32() const { return static_cast<Round>(mode_ >> ModeBits::kRound32 & 3); }
  Round round16_64() const { return static_cast<Round>(mode_ >> ModeBits::kRound16_64 & 3); }
  bool flush_in32() const { return !(mode_ >> ModeBits::kDenorm32 & 1); }
  bool flush_out32() const { return !(mode_ >> ModeBits::kDenorm32 & 2); }
  bool flush_in16_64() const { return !(mode_ >> ModeBits::kDenorm16_64 & 1); }
  bool flush_out16_64() const { return !(mode_ >> ModeBits::kDenorm16_64 & 2); }
  /// gfx12 has neither bit: it behaves as IEEE = 1, DX10_CLAMP = 1.
  bool ieee() const { return generation() == isa::Generation::kGfx12 || (mode_ & ModeBits::kIeee); }
  bool dx10_clamp() const { return generation() == isa::Generation::kGfx12 || (mode_ & ModeBits::kDx10Clamp); }
  bool fp16_ovfl() const { return mode_ & ModeBits::kFp16Ovfl; }

  // ---- the instruction's own modifiers ----
  bool clamp() const { return u.clamp; }

 private:
  uint32_t mode_;
};

}  // namespace lockstep::emu
