// SPDX-License-Identifier: MIT
// What the Emit machine records: the expression of a row as a short list of nodes. A recipe is made
// once for each row; the JIT lowers it for each instruction to host code, slice by slice.
#pragma once
#include <cstdint>
#include <vector>

#include "isa/op.h"

namespace lockstep::emu {

/// Operations of a recipe. A word is 32 bits a lane (narrower integers are kept extended by their
/// sign, halves in the low 16 bits with zeros above), a quad 64 bits a lane, a predicate one bit.
enum class NodeOp : uint8_t {
  // ---- leaves ----
  kSource,     ///< imm: index of the source
  kSourceLow,  ///< the same, of packed types: one element, halves as words
  kSourceHigh,
  kOld,  ///< the old value of the destination
  kOldLow,
  kOldHigh,
  kConstant,    ///< word: imm
  kConstant64,  ///< quad: imm
  kFalse,       ///< predicate
  kScc,         ///< scalar only, as kExec, kVccz, kExecz, kNextPc
  kExec,        ///< word; quad if imm
  kVccz,
  kExecz,
  kNextPc,
  kVccMask,     ///< predicate: this lane's bit
  kLanesBelow,  ///< word: a one for each of lanes 0..31 that is below this lane; imm: of 32..63
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
  kReverseBits,
  kTruthTable,  ///< of a, b, c; the table is the instruction's
  kPack,        ///< low halves of a and b
  // ---- bytes and halves of words ----
  kPerm,            ///< bytes of a:b, c: selectors; see LaneMedia::perm
  kAverageBytes,    ///< (a + b + 1) / 2
  kSadBytes,        ///< sum of distances
  kSadMaskedBytes,  ///< ... of bytes where b is not 0
  kShlHalves,       ///< by imm
  kSarHalves,
  kExtendHalves,  ///< right by imm's low byte; with the sign if NEG of source imm >> 8 is set
  kDotHalves,     ///< signed: low * low + high * high
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
  kMulWideS,
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
  kMinimumF,  ///< a NaN beats a number
  kMaximumF,
  kScaleF,      ///< a * 2^b, b: word
  kFrexpMantF,  ///< in [0.5, 1); zeros, infinities and NaNs as they are
  kFrexpExpF,   ///< word
  kFmaOddF,     ///< rounded to odd: rounds to a half innocuously afterwards
  kClassF,      ///< predicate: a is in a class of mask b
  kOmodF,       ///< imm: factor's bits; zeros and denormals become +0
  kClampF,      ///< to 0..1 by MODE's rule for NaNs
  // ---- halves ----
  kHOrder,  ///< a word that orders as f32 does and is a NaN of the same kind where the half is one
  kOrderH,  ///< and back
  kOmodH,
  kClampH,
  kClampPk,
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
  kMinD,
  kMaxD,
  kMinimumD,
  kMaximumD,
  kSqrtD,
  kDivD,
  kScaleD,  ///< a * 2^b, b: integral quad
  kLdexpD,  ///< a * 2^b, b: word
  kFrexpMantD,
  kFrexpExpD,
  kClassD,
  kClampD,
  // ---- f64 inside functions: at most one operand is a NaN ----
  kHornerD,       ///< a * b + imm
  kMulConstantD,  ///< a * imm
  kAddConstantD,
  kWithinD,  ///< between -imm and imm; NaN stays
  kExponentD,
  kSignificandD,  ///< in [3/4, 3/2); default NaN where negative
  kByQuarterD,    ///< quarters a (imm is added): b or c (odd), negative in 2 and 3
  kWhereZeroD,    ///< a == 0 ? b : c
  // ---- conversions ----
  kI32ToF,
  kU32ToF,
  kFToI32,  ///< truncates, saturates, NaN gives 0
  kFToU32,
  kI32ToD,
  kU32ToD,
  kFToD,
  kDToF,
  kHighWordD,  ///< word
  kDToFOdd,    ///< rounded to odd
  kDToI32,     ///< as kFToI32
  kDToU32,
  kHToF,  ///< half in the low 16 bits
  kFToH,  ///< MODE's rounding
  kFToHZero,
  kFlushInH,
  kFlushOutH,
  // ---- small floats: codes in the low bits of a word; imm: SmallKind ----
  kSmallToF,        ///< exact; a has no other bits
  kFToSmall,        ///< to nearest even
  kFToSmallRandom,  ///< stochastic, with the random number b
  kPartShift,       ///< leaf, word: imm is a PartShift
  kWhereGfx9,       ///< a on gfx9, else b
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
  // ---- scalar rows only ----
  kReverseBits64,
  kPopcount64,      ///< word
  kLeadingZeros64,  ///< word; 64 for 0
  kSpreadBits,      ///< bits of a from bit 0 on, to where the ones of imm are
  kCollectBits,     ///< and back
  kAddOverflows,    ///< predicate: signed a + b
  kSubOverflows,
};

/// Formats of small floats; which one fp8 and bf8 are is the target's affair.
enum class SmallKind : uint8_t { kFp8, kBf8, kFp4, kHalf, kBHalf };
/// Parts of registers that op_sel names.
enum class PartShift : uint8_t { kSourceByte, kSourceHalf, kResultByte, kResultHalf };

struct Node {
  NodeOp op = NodeOp::kConstant;
  uint8_t a = 0, b = 0, c = 0;  ///< earlier nodes
  uint64_t imm = 0;
};

/// How many of a node's fields a, b, c name nodes.
int inputs_of(NodeOp op);

struct Recipe {
  static constexpr int kMaxNodes = 120;
  static constexpr int8_t kNone = -1;
  std::vector<Node> nodes;
  std::vector<uint8_t> uses;  ///< of each node by others and as a root; filled for lowering only
  uint8_t count = 0;
  int8_t value = kNone;  ///< node of the (first) result
  int8_t high = kNone;   ///< second word of the result, of packed f32 rows
  int8_t mask = kNone;   ///< predicate: result of a compare, carry out, SCC of SOPC rows
  // Scalar rows:
  int8_t scc = kNone;     ///< predicate written to SCC
  int8_t exec = kNone;    ///< value written to EXEC
  bool branches = false;  ///< goes to the target of the row's label if `condition`, or always
  int8_t condition = kNone;
  int8_t jump = kNone;  ///< address to go on at, whose two low bits do not count
};

/// The recipe of a row, or nullptr where the row uses a primitive that Emit does not record: such
/// rows run through their Lane handler. `clamp`: for instructions with their clamp bit; recipes
/// contain what the primitives do about it, not the clamp of floating-point results.
const Recipe* recipe_of(isa::Op op, bool clamp = false);

}  // namespace lockstep::emu
