// SPDX-License-Identifier: MIT
// What the row of an atomic does, as far as generated code knows it.
#pragma once
#include <cstdint>

#include "isa/inst.h"

namespace lockstep::emu::jit {

enum class AtomicKind : uint8_t {
  kNone,  ///< anything else
  kSwap,
  kCompareSwap,
  kAdd,
  kSub,
  kReverseSub,
  kAnd,
  kOr,
  kXor,
  kMinSigned,
  kMaxSigned,
  kMinUnsigned,
  kMaxUnsigned,
  kCountUp,
  kCountDown,
};
/// Found by running the row's expression once.
AtomicKind atomic_kind(isa::Op op);

}  // namespace lockstep::emu::jit
