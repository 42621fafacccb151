// SPDX-License-Identifier: MIT
// MODE.GPR_IDX_EN: M0[7:0] is added to the numbers of the VGPRs that M0[15:12] names (src0, src1,
// src2, vdst) in vector arithmetic. MODE.VSKIP: vector instructions do nothing.
#include "emu/special_modes.h"

#include <algorithm>

namespace lockstep::emu {
namespace {

using isa::Format;
using isa::OperandKind;

enum class Kind : uint8_t { kScalar, kArithmetic, kMemory };

Kind kind_of(Format format) {
  switch (format) {
    case Format::SOP1:
    case Format::SOP2:
    case Format::SOPC:
    case Format::SOPK:
    case Format::SOPP:
    case Format::SMEM:
      return Kind::kScalar;
    case Format::VOP1:
    case Format::VOP2:
    case Format::VOPC:
    case Format::VOP3:
    case Format::VOP3SD:
    case Format::VOP3P:
      return Kind::kArithmetic;
    default:
      return Kind::kMemory;
  }
}

}  // namespace

Step execute_in_special_mode(Context& c, const Uop& u) {
  const Kind kind = kind_of(u.inst.format);
  if (kind == Kind::kScalar) return u.exec(c, u);
  if (c.wave->mode & ModeBits::kSkipVector) return Step::kNext;
  const uint32_t m0 = c.wave->scalar[isa::kM0];
  const uint32_t index = m0 & 0xff, which = m0 >> 12 & 15;
  if (kind == Kind::kMemory || which == 0) return u.exec(c, u);
  Uop moved = u;
  const auto move = [&](isa::Operand& o, unsigned bit) {
    if (o.kind != OperandKind::kVgpr || !(which >> bit & 1)) return true;
    o.code = static_cast<uint16_t>(o.code + index);
    return o.code + std::max<uint32_t>(o.dwords, 1) <= c.wave->num_vgprs;
  };
  constexpr unsigned kDestBit = 3;
  bool good = true;
  for (unsigned i = 0; i < std::min<unsigned>(u.ops.n_src, kDestBit); ++i)
    good &= move(moved.ops.src[i], i);
  if (u.ops.n_dst > 0) good &= move(moved.ops.dst[0], kDestBit);
  if (!good)
    return c.raise(FaultKind::kRegisterOutOfRange, -1, 0, 0,
                   "M0 makes the relative VGPR number too large");
  return moved.exec(c, moved);
}

}  // namespace lockstep::emu
