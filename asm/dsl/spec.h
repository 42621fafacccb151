// SPDX-License-Identifier: MIT
// From the operands of a row to the parameters of its builder function, while compiling.
#pragma once
#include "asm/dsl/operand.h"
#include "isa/memory_shape.h"
#include "isa/rows.h"

namespace lockstep::dsl {

using isa::Format;
using isa::Opnd;
using isa::Place;
using isa::Type;

constexpr uint64_t count_of(unsigned n) { return uint64_t{1} << n; }
constexpr uint64_t kAnyCount = ~uint64_t{1};
inline constexpr Spec kNothing{};
inline constexpr Spec kAnything{63, kAnyCount};

constexpr bool is_scalar_format(Format f) { return f <= Format::SMEM; }
constexpr bool is_mask(Type t) { return t == Type::MASK || t == Type::EXEC_MASK; }

/// Register counts. Fragments of matrices shrink with the wave size and on gfx12; the f8f6f4
/// operations take 8, 6 or 4 registers.
constexpr uint64_t counts(Format f, Opnd o) {
  if (is_mask(o.type)) return count_of(1) | count_of(2);
  uint64_t set = count_of(o.dwords);
  const bool fragment = f == Format::VOP3P && o.place == Place::kVgpr && o.type != Type::SET;
  if (fragment)
    for (const unsigned part : {2u, 4u}) set |= count_of(o.dwords / part ? o.dwords / part : 1);
  const bool matrix = f == Format::MAI || f == Format::VOP3PX2;
  if (matrix && o.type == Type::B256) set |= count_of(6) | count_of(4);
  return set;
}

constexpr Spec result_spec(Format f, Opnd o) {
  uint16_t takes = kTakesVgpr;
  if (is_scalar_format(f) || is_mask(o.type) || o.place == Place::kSgpr)
    takes = kTakesSgpr;
  else if (f == Format::MAI || f == Format::VOP3PX2)
    takes = kTakesVgpr | kTakesAgpr;
  return {takes, counts(f, o)};
}

/// True if every generation that has the row has it without a VOP3 form, so that sources but the
/// first must be VGPRs.
constexpr bool short_form_only(Format f, uint32_t flags, isa::Opcodes opcodes) {
  if (f != Format::VOP2 && f != Format::VOPC) return false;
  const bool on9 = opcodes.of[0] >= 0 || opcodes.of[1] >= 0 || opcodes.of[2] >= 0;
  const bool on11 = opcodes.of[3] >= 0 || opcodes.of[4] >= 0, on12 = opcodes.of[5] >= 0;
  return (!on9 || (flags & isa::E64_9)) && (!on11 || (flags & isa::E64_11)) &&
         (!on12 || (flags & isa::E64_12));
}

constexpr Spec source_spec(Format f, Opnd o, int position, uint32_t flags, isa::Opcodes opcodes) {
  constexpr uint16_t kScalarSource = kTakesSgpr | kTakesNumber | kTakesSpecial;
  const bool matrix = f == Format::MAI || f == Format::VOP3PX2;
  const uint64_t n = counts(f, o);
  if (o.place == Place::kLiteral || o.type == Type::SIMM32) return {kTakesNumber, 0};
  if (is_mask(o.type)) return {kTakesSgpr, n};
  if (f == Format::SOPK) return {kTakesSgpr, n};
  if (is_scalar_format(f) || o.place == Place::kScalar) return {kScalarSource, n};
  // The accumulator of a matrix operation may be a constant.
  if (o.place == Place::kVgpr && (matrix || f == Format::VOP3P) && position == 2)
    return {uint16_t(kTakesVgpr | kTakesNumber | (matrix ? kTakesAgpr : 0)), n};
  if (matrix) return {uint16_t(kTakesVgpr | kTakesAgpr | kTakesNumber), n};
  if (o.place == Place::kVgpr || f == Format::VINTERP) return {kTakesVgpr, n};
  if (position > 0 && short_form_only(f, flags, opcodes)) return {kTakesVgpr, n};
  return {uint16_t(kScalarSource | kTakesVgpr), n};
}

/// A number that stands as such in a DSL call: labels are operands of their own.
constexpr bool takes_number(Format f, Type t) {
  return t != Type::LABEL && (isa::is_immediate(t) || f == Format::SOPP);
}

/// v_accvgpr_mov is an arithmetic row on ACCVGPRs.
constexpr Spec with_accvgprs(Spec spec, bool takes_them) {
  if (takes_them) spec.takes |= kTakesAgpr;
  return spec;
}

template <Format kFormat, Opnd kOpnd, bool kAccvgprs>
using ResultArg = Arg<with_accvgprs(result_spec(kFormat, kOpnd), kAccvgprs)>;

template <Format kFormat, Opnd kOpnd, int kPosition, uint32_t kFlags, isa::Opcodes kOpcodes,
          bool kAccvgprs>
using SourceArg = std::conditional_t<
    kOpnd.type == Type::LABEL, Destination,
    std::conditional_t<
        takes_number(kFormat, kOpnd.type), Immediate,
        Arg<with_accvgprs(source_spec(kFormat, kOpnd, kPosition, kFlags, kOpcodes), kAccvgprs)>>>;

// Parameters of memory functions.
template <unsigned kDwords>
using VectorArg = Arg<Spec{kTakesVgpr, count_of(kDwords)}>;
template <unsigned kDwords>
using ScalarArg = Arg<Spec{kTakesSgpr, count_of(kDwords)}>;
/// Data registers; on gfx9 they may be ACCVGPRs.
template <unsigned kDwords>
using DataArg = Arg<Spec{kTakesVgpr | kTakesAgpr, count_of(kDwords)}>;
/// Buffer data: one more register with tfe.
template <unsigned kDwords>
using BufferData = Arg<Spec{kTakesVgpr | kTakesAgpr, count_of(kDwords) | count_of(kDwords + 1)}>;
using BufferAddress = Arg<Spec{kTakesVgpr | kTakesOff, count_of(1) | count_of(2)}>;
using ScalarOffset = Arg<Spec{kTakesSgpr | kTakesNumber | kTakesSpecial, count_of(1)}>;
using OffArg = Arg<Spec{kTakesOff, 0}>;
using ScratchAddress = Arg<Spec{kTakesVgpr | kTakesOff, count_of(1)}>;
using ScratchScalar = Arg<Spec{kTakesSgpr | kTakesOff, count_of(1)}>;
using AnyArg = Arg<kAnything>;
using AnyVector = Arg<Spec{kTakesVgpr | kTakesAgpr, kAnyCount}>;
using ScaleArg = Arg<Spec{kTakesVgpr | kTakesSgpr | kTakesNumber, count_of(1)}>;
using GlobalBase = Arg<Spec{kTakesSgpr | kTakesOff, count_of(2)}>;
using ImageResource = Arg<Spec{kTakesSgpr, count_of(8) | count_of(4)}>;
/// Data of a form that the row has; where it has not, nothing fits.
template <bool kExists, unsigned kDwords>
using DataIf = Arg<kExists ? Spec{kTakesVgpr | kTakesAgpr, count_of(kDwords)} : kNothing>;

/// Results, then sources, of the rows that may be one half of a pair.
struct Signature {
  isa::Op op;
  int count;
  Opnd operands[5];
};
template <class... T>
constexpr Signature signature(isa::Op op, T... operands) {
  return {op, static_cast<int>(sizeof...(T)), {operands...}};
}
namespace detail {
using namespace isa::rows;
#define LOCKSTEP_COMMA_LIST(...) __VA_OPT__(, ) __VA_ARGS__
#define ALU(format, id, g9, g11, g12, dsts, srcs, ...) \
  signature(isa::Op::id LOCKSTEP_COMMA_LIST dsts LOCKSTEP_COMMA_LIST srcs),
inline constexpr Signature kPairable[] = {
#include "isa/ops/vop1.def"
#define ALU(format, id, g9, g11, g12, dsts, srcs, ...) \
  signature(isa::Op::id LOCKSTEP_COMMA_LIST dsts LOCKSTEP_COMMA_LIST srcs),
#include "isa/ops/vop2.def"
};
#undef LOCKSTEP_COMMA_LIST
}  // namespace detail

/// Operand `position` (0: the result) of a half of a pair. Masks are VCC and not written; the second
/// source is a VGPR.
constexpr Spec dual_spec(isa::Op op, int position) {
  for (const Signature& row : detail::kPairable) {
    if (row.op != op) continue;
    int written = row.count;
    while (written > 0 && is_mask(row.operands[written - 1].type)) --written;
    if (position >= written) return kNothing;
    const Opnd o = row.operands[position];
    if (position == 0) return {kTakesVgpr, count_of(o.dwords)};
    if (o.place == Place::kLiteral) return {kTakesNumber, 0};
    if (position > 1) return {kTakesVgpr, count_of(o.dwords)};
    return {kTakesVgpr | kTakesSgpr | kTakesNumber | kTakesSpecial, count_of(o.dwords)};
  }
  return kNothing;
}
template <isa::Op kOp, int kPosition>
using DualArg = Arg<dual_spec(kOp, kPosition)>;

}  // namespace lockstep::dsl
