// SPDX-License-Identifier: MIT
// What kind of work a row is, and how close its results are to silicon: for reports.
#pragma once
#include <cstdint>
#include <string_view>

#include "isa/op.h"

namespace lockstep::isa {

enum class OpClass : uint8_t {
  kScalar,        ///< SALU arithmetic, moves, compares
  kControl,       ///< branches, waits, barriers, messages
  kScalarMemory,  ///< SMEM
  kVector,        ///< VALU, interpolation arithmetic
  kMatrix,        ///< WMMA, SWMMAC, MFMA, SMFMAC
  kVectorMemory,  ///< FLAT, GLOBAL, SCRATCH, buffers, images
  kLds,           ///< DS, LDS-direct
  kExport,
};
OpClass class_of(Op op);
/// "scalar", "control", "scalar memory", ...
std::string_view to_string(OpClass c);

enum class Fidelity : uint8_t {
  kExact,     ///< as the ISA says, to the bit
  kOneUlp,    ///< silicon may give a neighbouring number
  kModelled,  ///< the ISA leaves the order or the rounding open: docs/fidelity.md has our choice
};
/// By the rules of docs/fidelity.md. For rows that have semantics.
Fidelity fidelity_of(Op op);
/// "exact", "within 1 ulp", "modelled".
std::string_view to_string(Fidelity f);

}  // namespace lockstep::isa
