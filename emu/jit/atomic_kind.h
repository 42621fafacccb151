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
  kSubClamp,        ///< not below 0
  kSubIf,           ///< only if there is that much
  kMaskOr,          ///< bits of data cleared, those of the second value set
  kWrap,            ///< less data if there is that much, else more by the second value
  kExchangeMarked,  ///< each half whose data has bit 31 set
  // ---- floats ----
  kCompareSwapFloat,
  kAddFloat,
  kMinFloat,
  kMaxFloat,
  kAddHalves,   ///< two f16
  kAddBfloats,  ///< two bf16
  // ---- gfx9's order: data is compared, the second value stored ----
  kSwapIfData,
  kSwapIfDataFloat,
};
/// Rows that read two values.
constexpr bool has_second_value(AtomicKind k) {
  return k == AtomicKind::kCompareSwap || k == AtomicKind::kCompareSwapFloat ||
         k == AtomicKind::kSwapIfData || k == AtomicKind::kSwapIfDataFloat ||
         k == AtomicKind::kMaskOr || k == AtomicKind::kWrap;
}
/// Found by running the row's expression once.
AtomicKind atomic_kind(isa::Op op);

}  // namespace lockstep::emu::jit
