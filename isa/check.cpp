// SPDX-License-Identifier: MIT
// Which operand values exist.
#include "isa/check.h"

#include "isa/operand.h"
#include "isa/operand_reader.h"

namespace lockstep::isa {
namespace {

constexpr unsigned kVgprs = 256, kTtmpEnd = 124, kXnackMask = 104;

bool scalar_exists(const Inst& inst, unsigned code, unsigned dwords, Names names) {
  const bool gfx9 = generation_of(inst.isa) == Generation::kGfx9;
  if (gfx9 && code == kNull) return names == Names::kLlvm && dwords <= 2;
  if (dwords <= 1 || code == kNull) return true;
  if (gfx9 && dwords == 2 && (code == kXnackMask - 1u || code == kXnackMask + 1u)) return false;
  if (dwords == 2) return code != kVccHi && code != kM0 && code != kExecHi;
  // On gfx9 FLAT_SCRATCH and XNACK_MASK are the last four; LLVM 22 has no name for them together.
  const unsigned sgprs =
      names == Names::kLlvm && inst.isa == Isa::kGfx950 ? 102u : unsigned{kVccLo};
  return code + dwords <= sgprs || (code >= kTtmp0 && code + dwords <= kTtmpEnd);
}

/// The second pair is 64 bits of address that LLVM names since it knows gfx1250.
bool special_exists(unsigned code, unsigned dwords, Names names) {
  if (names == Names::kLlvm && ((code == kLdsDirect && dwords <= 1) || code == kFlatScratchBase ||
                                (code == kFlatScratchBase + 1 && dwords <= 1)))
    return true;
  return (code >= kSharedBase && code <= kPopsExitingWaveId) || (code >= kVccz && code <= kScc);
}

bool exists(const Inst& inst, const Operand& o, Names names) {
  switch (o.kind) {
    case OperandKind::kScalar:
      return scalar_exists(inst, o.code, o.dwords, names);
    case OperandKind::kVgpr:
      return o.code + o.dwords <= kVgprs || names == Names::kLlvm;
    case OperandKind::kAgpr:
      return o.code + o.dwords <= kVgprs;
    case OperandKind::kSpecial:
      return special_exists(o.code, o.dwords, names);
    case OperandKind::kLiteral:
      return inst.suffix == Suffix::kLiteral;
    default:
      return true;
  }
}

/// Rows whose operands are single registers or constants: for them it is enough to look at the
/// source codes. Most of real code is of that kind, and decode() checks every instruction.
enum class Shape : uint8_t { kOther, kVector, kScalar };
Shape shape_of(const OpInfo& info) {
  const bool vector = info.format == Format::VOP1 || info.format == Format::VOP2 ||
                      info.format == Format::VOPC || info.format == Format::VOP3;
  const bool scalar =
      info.format == Format::SOP1 || info.format == Format::SOP2 || info.format == Format::SOPC;
  if ((!vector && !scalar) || (info.flags & SWAP)) return Shape::kOther;
  const auto single = [](const Opnd& o) {
    return o.dwords == 1 && o.type < Type::MASK &&
           (o.place == Place::kField || o.place == Place::kScalar);
  };
  for (int i = 0; i < info.n_dsts; ++i) {
    const bool to_vcc = info.format == Format::VOPC;  // only short forms take this way
    if (!single(info.dsts[i]) && !to_vcc) return Shape::kOther;
  }
  for (int i = 0; i < info.n_srcs; ++i)
    if (!single(info.srcs[i])) return Shape::kOther;
  return vector ? Shape::kVector : Shape::kScalar;
}

constexpr unsigned kSourceCodes = 512;
struct Shapes {
  Shape of[kOpCount];
  bool code_exists[2][2][2][kSourceCodes];  ///< Names; gfx9 or later; without or with a literal
  Shapes() {
    for (int i = 0; i < kOpCount; ++i) of[i] = shape_of(op_info(static_cast<Op>(i)));
    for (const Names names : {Names::kHardware, Names::kLlvm})
      for (const bool later : {false, true})
        for (const bool literal : {false, true})
          for (unsigned code = 0; code < kSourceCodes; ++code) {
            // gfx9 has nothing at 125.
            const bool scalar = code < 128 && (later || code != kM0 || names == Names::kLlvm);
            code_exists[static_cast<int>(names)][later][literal][code] =
                code >= kSrcVgpr0 || scalar || (literal && code == kSrcLiteral) ||
                detail::is_inline(code) || special_exists(code, 1, names);
          }
  }
};

/// kOther: not decided here.
enum class Verdict : uint8_t { kBad, kGood, kOther };
Verdict check_single(const Inst& inst, Names names) {
  static const Shapes shapes;
  if (inst.suffix != Suffix::kNone && inst.suffix != Suffix::kLiteral) return Verdict::kOther;
  const Shape shape = shapes.of[static_cast<size_t>(inst.op)];
  if (shape == Shape::kOther) return Verdict::kOther;
  const OpInfo& info = inst.info();
  const bool* exists =
      shapes.code_exists[static_cast<int>(names)][generation_of(inst.isa) != Generation::kGfx9]
                        [inst.suffix == Suffix::kLiteral];
  const auto verdict = [](bool good) { return good ? Verdict::kGood : Verdict::kBad; };
  if (shape == Shape::kScalar) {
    const bool first = info.n_srcs < 1 || exists[inst.get(Field::ssrc0)];
    const bool second = info.n_srcs < 2 || exists[inst.get(Field::ssrc1)];
    return verdict(first && second && (info.n_dsts == 0 || exists[inst.get(Field::sdst)]));
  }
  if (inst.format != Format::VOP3)
    return verdict(info.n_srcs == 0 || exists[inst.get(Field::src0)]);
  if (info.format == Format::VOPC) return Verdict::kOther;  // its mask is a register that is named
  return verdict((info.n_srcs < 1 || exists[inst.get(Field::src0)]) &&
                 (info.n_srcs < 2 || exists[inst.get(Field::src1)]) &&
                 (info.n_srcs < 3 || exists[inst.get(Field::src2)]));
}

bool is_matrix(const OpInfo& info) {
  constexpr int kLongestScalar = 4;
  const auto whole = [](const Opnd& o) {
    return o.place == Place::kVgpr || o.dwords > kLongestScalar;
  };
  return info.n_srcs == 3 && whole(info.srcs[0]) && whole(info.srcs[1]) &&
         (info.format == Format::MAI || info.format == Format::VOP3P);
}

bool all_exist(const Inst& inst, const Operands& list, Names names) {
  for (int i = 0; i < list.n_dst; ++i) {
    const OperandKind kind = list.dst[i].kind;
    const bool is_register =
        kind == OperandKind::kScalar || kind == OperandKind::kVgpr || kind == OperandKind::kAgpr;
    const bool mask = list.dst[i].type == Type::MASK || inst.info().dsts[i].place == Place::kSgpr;
    const bool named = names == Names::kLlvm && kind == OperandKind::kSpecial && mask;
    if (!(is_register || named) || !exists(inst, list.dst[i], names)) return false;
  }
  for (int i = 0; i < list.n_src; ++i)
    if (!exists(inst, list.src[i], names)) return false;
  // A swap writes its source too, and the A and B fragments of a matrix are whole registers: neither can be a constant.
  const OpInfo& info = inst.info();
  const auto in_registers = [&](int i) {
    return list.src[i].kind == OperandKind::kVgpr || list.src[i].kind == OperandKind::kAgpr;
  };
  if ((info.flags & SWAP) && !in_registers(0) && names == Names::kHardware) return false;
  const bool addend = in_registers(2) || list.src[2].kind == OperandKind::kInline;
  if (is_matrix(info) && !(in_registers(0) && in_registers(1) && addend)) return false;
  // Blocks of registers (v_cvt_scalef32_*_pk32_*) are no constants either.
  constexpr int kLongestScalar = 4;
  for (int i = 0; i < info.n_srcs && inst.format == Format::VOP3; ++i)
    if (info.srcs[i].dwords > kLongestScalar && !in_registers(i)) return false;
  return true;
}

/// The scalar groups of an image operation; the sizes of its vector groups depend on the mnemonic
/// and are known where it is printed (isa/image_shape.h).
bool image_groups_exist(const Inst& inst, Names names) {
  const bool gfx12 = generation_of(inst.isa) == Generation::kGfx12;
  constexpr unsigned kScalarCodes = 128;
  const auto group_exists = [&](Field field, unsigned dwords) {
    const unsigned code = gfx12 ? inst.get(field) & ~3u : inst.get(field) * 4;
    return code < kScalarCodes && scalar_exists(inst, code, dwords, names);
  };
  const bool ray = inst.info().id.find("_bvh") != std::string_view::npos;
  constexpr unsigned kSampler = 4, kResource = 8, kRayResource = 4;
  return group_exists(Field::srsrc, ray ? kRayResource : kResource) &&
         group_exists(gfx12 ? Field::samp : Field::ssamp, kSampler);
}

}  // namespace

bool operands_exist(const Inst& inst, Names names, unsigned wave_size) {
  if (inst.format == Format::SOPP) return true;  // immediates only
  if (inst.format == Format::MIMG || inst.format == Format::VIMAGE ||
      inst.format == Format::VSAMPLE)
    return image_groups_exist(inst, names);
  if (const Verdict v = check_single(inst, names); v != Verdict::kOther) return v == Verdict::kGood;
  if (!wave_size) wave_size = generation_of(inst.isa) == Generation::kGfx9 ? 64 : 32;
  if (inst.format == Format::VOPD)
    return all_exist(inst, operands_of_half(inst, 0, wave_size), names) &&
           all_exist(inst, operands_of_half(inst, 1, wave_size), names);
  return all_exist(inst, operands_of(inst, wave_size), names);
}

}  // namespace lockstep::isa
