// SPDX-License-Identifier: MIT
// What the Emit machine records: the expression of a row as a short list of nodes. A recipe is made
// once for each row; the JIT lowers it for each instruction to host code, slice by slice.
#pragma once
#include <array>
#include <cstdint>

#include "isa/op.h"

namespace lockstep::emu {

/// Operations of a recipe. A word is 32 bits a lane (narrower integers are kept extended by their
/// sign, halves in the low 16 bits with zeros above), a quad 64 bits a lane, a predicate one bit.
enum class NodeOp : uint8_t {
  // ---- leaves ----
  kSource,      ///< imm: index of the source
  kOld,         ///< the old value of the destination
  kConstant,    ///< word: imm
  kConstant64,  ///< quad: imm, sign-extended
  kFalse,       ///< predicate
  kScc,         ///< scalar only, as kExec, kVccz, kExecz, kNextPc
  kExec,        ///< word; quad if imm
  kVccz,
  kExecz,
  kNextPc,
  // ---- words ----
  kAdd,
  kSub,
  kMul,
  kMulHiU,
  kMulHiS,
  kAnd,
  kOr,
  kXor,
  kNot,
  kShl,  ///< counts modulo 32
  kShr,
  kSar,
  kMinU,
  kMaxU,
  kMinS,
  kMaxS,
  kSelect,      ///< a: predicate; b if it is 1, else c
  kSelectBits,  ///< bits of b where a is 1, else of c
  kFunnel,      ///< low word of (a:b) >> (c modulo 32)
  kPopcount,
  kLeadingZeros,  ///< 32 for 0
  kAddIf,         ///< a + 1 where predicate b
  kSubIf,
  // ---- quads ----
  kAdd64,
  kSub64,
  kMul64,
  kAnd64,
  kOr64,
  kXor64,
  kNot64,
  kShl64,  ///< b: word, modulo 64
  kShr64,
  kSar64,
  kSelect64,
  kMulWideU,  ///< word * word to quad
  // ---- f32; NaN results are the first NaN source, quiet ----
  kAddF,
  kSubF,
  kMulF,
  kFmaF,
  kMinF,  ///< minimum and maximum by MODE and generation
  kMaxF,
  kTruncF,
  kFloorF,
  kCeilF,
  kRndneF,
  kSqrtF,
  kRcpF,
  kFlushIn,   ///< denormal to zero of its sign if MODE flushes f32 sources
  kFlushOut,  ///< ... results
  kFlushAlways,
  // ---- f64 ----
  kAddD,
  kSubD,
  kMulD,
  kFmaD,
  kTruncD,
  kFloorD,
  kCeilD,
  kRndneD,
  kFlushInD,
  kFlushOutD,
  // ---- conversions ----
  kI32ToF,
  kU32ToF,
  kFToI32,  ///< truncates, saturates, NaN gives 0
  kFToU32,
  kI32ToD,
  kU32ToD,
  kFToD,
  kDToF,
  kHToF,  ///< half in the low 16 bits
  kFToH,  ///< MODE's rounding
  kFToHZero,
  kFlushInH,
  kFlushOutH,
  // ---- predicates ----
  kEq,
  kLtU,
  kLtS,
  kEq64,
  kLtU64,
  kLtS64,
  kEqF,
  kLtF,
  kLeF,
  kGtF,
  kGeF,
  kLgF,
  kOrderedF,
  kEqD,
  kLtD,
  kLeD,
  kGtD,
  kGeD,
  kLgD,
  kOrderedD,
  kPredNot,
  kPredAnd,
  kPredOr,
  // ---- scalar flags ----
  kAddOverflows,  ///< predicate: signed a + b
  kSubOverflows,
};

struct Node {
  NodeOp op = NodeOp::kConstant;
  uint8_t a = 0, b = 0, c = 0;  ///< earlier nodes
  uint32_t imm = 0;
};

/// How many of a node's fields a, b, c name nodes.
int inputs_of(NodeOp op);

struct Recipe {
  static constexpr int kMaxNodes = 24;
  static constexpr int8_t kNone = -1;
  std::array<Node, kMaxNodes> nodes = {};
  uint8_t count = 0;
  int8_t value = kNone;  ///< node of the (first) result
  int8_t mask = kNone;   ///< predicate: result of a compare, carry out, SCC of SOPC rows
  // Scalar rows:
  int8_t scc = kNone;     ///< predicate written to SCC
  int8_t exec = kNone;    ///< value written to EXEC
  bool branches = false;  ///< goes to the target of the row's label if `condition`, or always
  int8_t condition = kNone;
};

/// The recipe of a row, or nullptr where the row uses a primitive that Emit does not record: such
/// rows run through their Lane handler.
const Recipe* recipe_of(isa::Op op);

}  // namespace lockstep::emu
