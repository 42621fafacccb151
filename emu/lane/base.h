// SPDX-License-Identifier: MIT
// Lane, the scalar machine: state access. Semantics of rows are expressions over a machine `m`;
// this one executes now, one lane at a time. The primitives are split by theme over lane/int.h,
// lane/float.h, lane/convert.h, lane/cross.h and lane/scalar.h; lane.h puts them together. Each
// primitive is an exact function and has a test of its own.
#pragma once
#include <cstdint>

#include "emu/context.h"
#include "emu/half.h"
#include "emu/lane/sources.h"
#include "emu/lane/values.h"

namespace lockstep::emu {

class LaneBase {
 public:
  LaneBase(Context& context, const Uop& uop, const ValuSources& all)
      : c(context), u(uop), sources(all), mode_(context.wave->mode) {
    const uint32_t mode = mode_;
    const bool gfx12 = isa::generation_of(context.isa) == isa::Generation::kGfx12;
    round32_ = static_cast<Round>(mode >> ModeBits::kRound32 & 3);
    round16_64_ = static_cast<Round>(mode >> ModeBits::kRound16_64 & 3);
    flush_in32_ = !(mode >> ModeBits::kDenorm32 & 1);
    flush_out32_ = !(mode >> ModeBits::kDenorm32 & 2);
    flush_in16_64_ = !(mode >> ModeBits::kDenorm16_64 & 1);
    flush_out16_64_ = !(mode >> ModeBits::kDenorm16_64 & 2);
    ieee_ = gfx12 || (mode & ModeBits::kIeee);
    dx10_clamp_ = gfx12 || (mode & ModeBits::kDx10Clamp);
  }

  Context& c;
  const Uop& u;
  const ValuSources& sources;  ///< all lanes of the sources, for XLANE rows
  unsigned lane = 0;           ///< the lane that is being evaluated

  // ---- state ----
  bool scc() const { return c.wave->scc; }
  void set_scc(bool bit) { c.wave->scc = bit; }
  uint64_t exec() const { return c.wave->exec(); }
  uint64_t vcc() const { return c.wave->vcc(); }
  uint32_t m0() const { return c.wave->scalar[isa::kM0]; }
  bool wave64() const { return c.wave->wave_size == 64; }
  isa::Generation generation() const { return isa::generation_of(c.isa); }

  // ---- MODE, taken apart once for each instruction ----
  Round round32() const { return round32_; }
  Round round16_64() const { return round16_64_; }
  bool flush_in32() const { return flush_in32_; }
  bool flush_out32() const { return flush_out32_; }
  bool flush_in16_64() const { return flush_in16_64_; }
  bool flush_out16_64() const { return flush_out16_64_; }
  /// gfx12 has neither bit: it behaves as IEEE = 1, DX10_CLAMP = 1.
  bool ieee() const { return ieee_; }
  bool dx10_clamp() const { return dx10_clamp_; }
  bool fp16_ovfl() const { return mode_ & ModeBits::kFp16Ovfl; }

  // ---- the instruction's own modifiers ----
  bool clamp() const { return u.clamp; }

 private:
  uint32_t mode_;
  Round round32_, round16_64_;
  bool flush_in32_, flush_out32_, flush_in16_64_, flush_out16_64_, ieee_, dx10_clamp_;
};

}  // namespace lockstep::emu
