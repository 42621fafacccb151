// SPDX-License-Identifier: MIT
// The table of recipes, recorded once.
#include "emu/emit/recipe.h"

#include "emu/emit/record.h"

namespace lockstep::emu {

int inputs_of(NodeOp op) {
  switch (op) {
    case NodeOp::kSource:
    case NodeOp::kSourceLow:
    case NodeOp::kSourceHigh:
    case NodeOp::kOld:
    case NodeOp::kOldLow:
    case NodeOp::kOldHigh:
    case NodeOp::kConstant:
    case NodeOp::kConstant64:
    case NodeOp::kFalse:
    case NodeOp::kScc:
    case NodeOp::kExec:
    case NodeOp::kVccz:
    case NodeOp::kExecz:
    case NodeOp::kNextPc:
    case NodeOp::kLanesBelow:
    case NodeOp::kVccMask:
    case NodeOp::kPartShift:
      return 0;
    case NodeOp::kNot:
    case NodeOp::kNot64:
    case NodeOp::kPopcount:
    case NodeOp::kLeadingZeros:
    case NodeOp::kReverseBits:
    case NodeOp::kShlHalves:
    case NodeOp::kSarHalves:
    case NodeOp::kExtendHalves:
    case NodeOp::kTruncF:
    case NodeOp::kFloorF:
    case NodeOp::kCeilF:
    case NodeOp::kRndneF:
    case NodeOp::kSqrtF:
    case NodeOp::kRcpF:
    case NodeOp::kFlushIn:
    case NodeOp::kFlushOut:
    case NodeOp::kFlushAlways:
    case NodeOp::kFrexpMantF:
    case NodeOp::kFrexpExpF:
    case NodeOp::kOmodF:
    case NodeOp::kClampF:
    case NodeOp::kHOrder:
    case NodeOp::kOrderH:
    case NodeOp::kOmodH:
    case NodeOp::kClampH:
    case NodeOp::kClampPk:
    case NodeOp::kTruncD:
    case NodeOp::kFloorD:
    case NodeOp::kCeilD:
    case NodeOp::kRndneD:
    case NodeOp::kFlushInD:
    case NodeOp::kFlushOutD:
    case NodeOp::kSqrtD:
    case NodeOp::kFrexpMantD:
    case NodeOp::kFrexpExpD:
    case NodeOp::kClampD:
    case NodeOp::kMulConstantD:
    case NodeOp::kAddConstantD:
    case NodeOp::kWithinD:
    case NodeOp::kExponentD:
    case NodeOp::kSignificandD:
    case NodeOp::kI32ToF:
    case NodeOp::kU32ToF:
    case NodeOp::kFToI32:
    case NodeOp::kFToU32:
    case NodeOp::kI32ToD:
    case NodeOp::kU32ToD:
    case NodeOp::kFToD:
    case NodeOp::kDToF:
    case NodeOp::kDToFOdd:
    case NodeOp::kHighWordD:
    case NodeOp::kDToI32:
    case NodeOp::kDToU32:
    case NodeOp::kHToF:
    case NodeOp::kFToH:
    case NodeOp::kFToHZero:
    case NodeOp::kFlushInH:
    case NodeOp::kFlushOutH:
    case NodeOp::kPredNot:
    case NodeOp::kReverseBits64:
    case NodeOp::kPopcount64:
    case NodeOp::kLeadingZeros64:
    case NodeOp::kSpreadBits:
    case NodeOp::kCollectBits:
    case NodeOp::kSmallToF:
    case NodeOp::kFToSmall:
      return 1;
    case NodeOp::kSelect:
    case NodeOp::kSelect64:
    case NodeOp::kSelectBits:
    case NodeOp::kFunnel:
    case NodeOp::kPerm:
    case NodeOp::kTruthTable:
    case NodeOp::kFmaF:
    case NodeOp::kFmaOddF:
    case NodeOp::kFmaD:
    case NodeOp::kByQuarterD:
    case NodeOp::kWhereZeroD:
      return 3;
    default:
      return 2;
  }
}

const Recipe* recipe_of(isa::Op op, bool clamp) {
  static const RecipeTable table = [] {
    RecipeTable t(isa::kOpCount);
    add_vop1_recipes(t);
    add_vop2_recipes(t);
    add_vop3_recipes(t);
    add_vop3p_recipes(t);
    add_vopc_recipes(t);
    add_salu_recipes(t);
    add_sopp_recipes(t);
    return t;
  }();
  const RowRecipes& row = table[static_cast<size_t>(op)];
  return clamp && row.reads_clamp ? row.clamped.get() : row.plain.get();
}

}  // namespace lockstep::emu
