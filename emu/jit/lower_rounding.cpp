// SPDX-License-Identifier: MIT
// MODEs that round otherwise than to nearest even, and FP16_OVFL: which recipes are right there, and
// the host's rounding mode around them.
#include <string_view>

#include "emu/jit/lower_vector.h"

namespace lockstep::emu::jit {

using isa::Type;

namespace {

enum class Sense : uint8_t {
  kNone,    ///< rounds nothing, or always in one way
  kHost,    ///< rounds as the host's rounding mode says
  kHalf,    ///< the same, and makes halves
  kNearest  ///< right only where MODE rounds to nearest even
};

Sense sense_of(NodeOp op) {
  if (op <= NodeOp::kMulWideS || (op >= NodeOp::kEq && op <= NodeOp::kPredOr)) return Sense::kNone;
  switch (op) {
    case NodeOp::kAddF:
    case NodeOp::kSubF:
    case NodeOp::kMulF:
    case NodeOp::kFmaF:
    case NodeOp::kAddD:
    case NodeOp::kSubD:
    case NodeOp::kMulD:
    case NodeOp::kFmaD:
    case NodeOp::kI32ToF:
    case NodeOp::kU32ToF:
    case NodeOp::kDToF:
      return Sense::kHost;
    case NodeOp::kFToH:
      return Sense::kHalf;
    case NodeOp::kMinF:
    case NodeOp::kMaxF:
    case NodeOp::kMinimumF:
    case NodeOp::kMaximumF:
    case NodeOp::kTruncF:
    case NodeOp::kFloorF:
    case NodeOp::kCeilF:
    case NodeOp::kRndneF:
    case NodeOp::kFlushIn:
    case NodeOp::kFlushOut:
    case NodeOp::kFlushAlways:
    case NodeOp::kFrexpMantF:
    case NodeOp::kFrexpExpF:
    case NodeOp::kClassF:
    case NodeOp::kClampF:
    case NodeOp::kMinD:
    case NodeOp::kMaxD:
    case NodeOp::kMinimumD:
    case NodeOp::kMaximumD:
    case NodeOp::kTruncD:
    case NodeOp::kFloorD:
    case NodeOp::kCeilD:
    case NodeOp::kRndneD:
    case NodeOp::kFlushInD:
    case NodeOp::kFlushOutD:
    case NodeOp::kFrexpMantD:
    case NodeOp::kFrexpExpD:
    case NodeOp::kClassD:
    case NodeOp::kClampD:
    case NodeOp::kFToI32:
    case NodeOp::kFToU32:
    case NodeOp::kI32ToD:
    case NodeOp::kU32ToD:
    case NodeOp::kFToD:
    case NodeOp::kHighWordD:
    case NodeOp::kDToI32:
    case NodeOp::kDToU32:
    case NodeOp::kHToF:
    case NodeOp::kFlushInH:
    case NodeOp::kFlushOutH:
      return Sense::kNone;
    default:
      return Sense::kNearest;
  }
}

Sense sense_of(const Recipe& r) {
  Sense sense = Sense::kNone;
  for (size_t i = 0; i < r.count; ++i)
    if (r.uses[i]) sense = std::max(sense, sense_of(r.nodes[i].op));
  return sense;
}

Type result_type(const Uop& u) { return u.ops.n_dst > 0 ? u.ops.dst[0].type : Type::kNone; }

/// Rows whose recipes are written for nearest even, though none of their nodes is.
bool is_for_nearest(isa::Op op) {
  const std::string_view id = isa::op_info(op).id;
  return id.starts_with("v_div_fixup") || id.starts_with("v_cvt_pk_f16_f32");
}

}  // namespace

bool VectorLowering::rounds_right(const Uop& u) {
  const bool saturates = mode_.bits & ModeBits::kFp16Ovfl;
  if (mode_.nearest_even() && !saturates) return true;
  if (is_for_nearest(u.inst.op)) return false;
  const Sense sense = sense_of(*recipe(u));
  const Type result = result_type(u);
  if (sense == Sense::kNearest || result == Type::BF16 || result == Type::PK_BF16) return false;
  if (sense == Sense::kHalf && saturates) return false;
  if (sense == Sense::kNone) return true;
  // Sources that are halves or words round in two places.
  for (int i = 0; i < u.ops.n_src; ++i)
    if (u.ops.src[i].type == Type::MIX) return false;
  return result == Type::F32 || result == Type::PK_F32 || result == Type::F64 ||
         result == Type::F16 || result == Type::PK_F16;
}

/// MXCSR for the rounding that MODE has for this result; no exception is unmasked.
void VectorLowering::set_rounding(uint32_t mode) {
  constexpr uint32_t kUsual = 0x1f80, kHost[] = {0, 2, 1, 3};
  h_.ldmxcsr(h_.dword[h_.rip + h_.constant(kUsual | kHost[mode & 3] << 13)]);
}

void VectorLowering::rounded(const Uop& u, const std::function<void()>& code) {
  const Type t = result_type(u);
  const bool wide = t == Type::F64 || t == Type::F16 || t == Type::PK_F16;
  const uint32_t mode = mode_.bits >> (wide ? ModeBits::kRound16_64 : ModeBits::kRound32) & 3;
  if (mode == 0 || is_lane_operation(u) || !recipe(u) || sense_of(*recipe(u)) == Sense::kNone)
    return code();
  set_rounding(mode);
  code();
  set_rounding(0);
}

}  // namespace lockstep::emu::jit
