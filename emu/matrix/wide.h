// SPDX-License-Identifier: MIT
// Dense matrix products on hosts with AVX-512, 16 columns at a time, with the bits of the plain loops.
#pragma once
#include "emu/matrix/call.h"
#include "emu/matrix/elements.h"
#include "emu/matrix/layout.h"

namespace lockstep::emu {

enum class WideResult : uint8_t { kF32, kF16, kBf16, kI32 };

struct WideProduct {
  const MatrixCall& call;
  MatrixLayout layout;
  ElementFormat a, b;
  WideResult result = WideResult::kF32;
  bool broadcast = false;  ///< CBSZ, ABID and BLGP choose blocks and lanes
};

/// BLGP of MFMA: which lane a lane takes B from.
constexpr unsigned pattern_lane(unsigned blgp, unsigned lane) {
  switch (blgp) {
    case 0:
      return lane;
    case 1:
      return lane % 32;
    case 2:
      return lane % 32 + 32;
    case 3:
      return (lane + 16) % 64;
    default:
      return lane % 16 + 16 * (blgp - 4u);
  }
}

/// False, with nothing done, where the host has no AVX-512 or the product is of a kind that stays
/// with the plain loops: narrower than 16 columns, f64, elements of odd widths.
bool multiply_wide(const WideProduct& product);

}  // namespace lockstep::emu
