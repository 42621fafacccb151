// SPDX-License-Identifier: MIT
// Fields in words: which are modifiers, and what a value means.
#include <algorithm>

#include "asm/describe.h"
#include "asm/printer.h"
#include "asm/symbols.h"
#include "isa/names.h"

namespace lockstep::asm_ {
namespace {

using isa::Field;
using isa::FieldValue;
using isa::Format;
using isa::Suffix;

/// How the value of a field reads.
enum class Read : uint8_t {
  kOpcode,
  kSource,      ///< 8- or 9-bit source code
  kScalarReg,   ///< number of a scalar register
  kScalarPair,  ///< in units of two
  kScalarQuad,  ///< in units of four, one on gfx12
  kVector,      ///< number of a VGPR
  kBits,        ///< one bit a source or result
  kFlag,
  kNumber,
  kSigned,
  kOperandNumber,  ///< a number that is an operand
};

struct FieldNote {
  Field field;
  Read read;
  const char* purpose;
};
constexpr FieldNote kNotes[] = {
    {Field::op, Read::kOpcode, "opcode"},
    {Field::opx, Read::kOpcode, "opcode of the first half"},
    {Field::opy, Read::kOpcode, "opcode of the second half"},
    {Field::sdst, Read::kScalarReg, "scalar result"},
    {Field::ssrc0, Read::kSource, "source 0"},
    {Field::ssrc1, Read::kSource, "source 1"},
    {Field::simm16, Read::kOperandNumber, "16-bit immediate"},
    {Field::soffset, Read::kSource, "scalar offset"},
    {Field::offset, Read::kSigned, "offset in bytes"},
    {Field::offset0, Read::kNumber, "offset, or its low byte"},
    {Field::offset1, Read::kNumber, "second offset, or the high byte"},
    {Field::imm, Read::kFlag, "the offset is an immediate"},
    {Field::glc, Read::kFlag, "cache policy; atomics return the old value"},
    {Field::slc, Read::kFlag, "cache policy"},
    {Field::dlc, Read::kFlag, "cache policy"},
    {Field::sc0, Read::kFlag, "cache policy; atomics return the old value"},
    {Field::sc1, Read::kFlag, "cache policy"},
    {Field::nt, Read::kFlag, "cache policy"},
    {Field::th, Read::kNumber, "temporal hint; bit 0 of atomics: return the old value"},
    {Field::scope, Read::kNumber, "coherence scope"},
    {Field::nv, Read::kFlag, "non-volatile"},
    {Field::soffset_en, Read::kFlag, "a register is added to the offset"},
    {Field::sdata, Read::kScalarReg, "scalar data"},
    {Field::sbase, Read::kScalarPair, "address"},
    {Field::vdst, Read::kVector, "result"},
    {Field::vdstx, Read::kVector, "result of the first half"},
    {Field::vdsty, Read::kNumber, "result of the second half, in units of two"},
    {Field::src0, Read::kSource, "source 0"},
    {Field::src1, Read::kSource, "source 1"},
    {Field::src2, Read::kSource, "source 2"},
    {Field::srcx0, Read::kSource, "source 0 of the first half"},
    {Field::srcy0, Read::kSource, "source 0 of the second half"},
    {Field::scale_src0, Read::kSource, "scale of source 0"},
    {Field::scale_src1, Read::kSource, "scale of source 1"},
    {Field::vsrc0, Read::kVector, "source 0"},
    {Field::vsrc1, Read::kVector, "source 1"},
    {Field::vsrc2, Read::kVector, "source 2"},
    {Field::vsrc3, Read::kVector, "source 3"},
    {Field::vsrcx1, Read::kVector, "source 1 of the first half"},
    {Field::vsrcy1, Read::kVector, "source 1 of the second half"},
    {Field::neg, Read::kBits, "negate (packed: the low halves)"},
    {Field::neg_hi, Read::kBits, "negate the high halves"},
    {Field::abs, Read::kBits, "absolute value"},
    {Field::opsel, Read::kBits, "high half of sources and result"},
    {Field::opsel_hi, Read::kBits, "high half for the high result"},
    {Field::opsel_hi2, Read::kFlag, "the same for source 2"},
    {Field::clamp, Read::kFlag, "clamp the result"},
    {Field::omod, Read::kNumber, "output scale: 1 = *2, 2 = *4, 3 = /2"},
    {Field::blgp, Read::kNumber, "lane pattern or format of matrix B"},
    {Field::cbsz, Read::kNumber, "broadcast size or format of matrix A"},
    {Field::abid, Read::kNumber, "broadcast block of matrix A"},
    {Field::acc, Read::kBits, "the registers are AGPRs"},
    {Field::acc_cd, Read::kFlag, "matrices C and D are in AGPRs"},
    {Field::waitexp, Read::kNumber, "wait for this EXPcnt"},
    {Field::wait_vdst, Read::kNumber, "wait for this VA_VDST"},
    {Field::wait_vm_vsrc, Read::kNumber, "wait for this VM_VSRC"},
    {Field::attr, Read::kNumber, "attribute"},
    {Field::attr_chan, Read::kNumber, "channel of the attribute"},
    {Field::data, Read::kVector, "data"},
    {Field::data0, Read::kVector, "data"},
    {Field::data1, Read::kVector, "second data"},
    {Field::vdata, Read::kVector, "data"},
    {Field::addr, Read::kVector, "address"},
    {Field::vaddr, Read::kVector, "address"},
    {Field::vaddr0, Read::kVector, "address 0"},
    {Field::vaddr1, Read::kVector, "address 1"},
    {Field::vaddr2, Read::kVector, "address 2"},
    {Field::vaddr3, Read::kVector, "address 3"},
    {Field::vaddr4, Read::kVector, "address 4"},
    {Field::saddr, Read::kScalarReg, "scalar address"},
    {Field::srsrc, Read::kScalarQuad, "resource"},
    {Field::ssamp, Read::kScalarQuad, "sampler"},
    {Field::samp, Read::kScalarQuad, "sampler"},
    {Field::gds, Read::kFlag, "global data share"},
    {Field::seg, Read::kNumber, "segment: 0 flat, 1 scratch, 2 global"},
    {Field::sve, Read::kFlag, "scratch uses the address VGPR (gfx90a: data goes to LDS)"},
    {Field::lds, Read::kFlag, "the data goes to LDS"},
    {Field::idxen, Read::kFlag, "an index VGPR is used"},
    {Field::offen, Read::kFlag, "an offset VGPR is used"},
    {Field::tfe, Read::kFlag, "one more register for the status"},
    {Field::lwe, Read::kFlag, "LOD warning"},
    {Field::format, Read::kNumber, "format of the elements"},
    {Field::dfmt, Read::kNumber, "data format"},
    {Field::nfmt, Read::kNumber, "number format"},
    {Field::d16, Read::kFlag, "16-bit data"},
    {Field::a16, Read::kFlag, "16-bit addresses"},
    {Field::r128, Read::kFlag, "resource of 128 bits"},
    {Field::da, Read::kFlag, "array"},
    {Field::dmask, Read::kNumber, "components"},
    {Field::unrm, Read::kFlag, "addresses are not normalised"},
    {Field::dim, Read::kNumber, "dimension"},
    {Field::nsa, Read::kFlag, "one more dword of addresses follows"},
    {Field::row, Read::kFlag, "the row is in M0"},
    {Field::done, Read::kFlag, "last export of this kind"},
    {Field::target, Read::kNumber, "target of the export"},
    {Field::en, Read::kNumber, "components"},
    {Field::dpp_ctrl, Read::kNumber, "lane pattern"},
    {Field::fi, Read::kFlag, "inactive lanes are read"},
    {Field::bc, Read::kFlag, "lanes out of range read 0"},
    {Field::src0_neg, Read::kFlag, "negate source 0"},
    {Field::src0_abs, Read::kFlag, "absolute value of source 0"},
    {Field::src1_neg, Read::kFlag, "negate source 1"},
    {Field::src1_abs, Read::kFlag, "absolute value of source 1"},
    {Field::bank_mask, Read::kNumber, "banks that are written"},
    {Field::row_mask, Read::kNumber, "rows that are written"},
    {Field::lane_sel, Read::kNumber, "three bits for each of eight lanes"},
    {Field::dst_sel, Read::kNumber, "part of the result"},
    {Field::dst_unused, Read::kNumber, "rest of the result: 0 pad, 1 sign-extend, 2 keep"},
    {Field::sd, Read::kFlag, "the scalar result is named"},
    {Field::src0_sel, Read::kNumber, "part of source 0"},
    {Field::src0_sext, Read::kFlag, "sign-extend source 0"},
    {Field::s0, Read::kFlag, "source 0 is a scalar"},
    {Field::src1_sel, Read::kNumber, "part of source 1"},
    {Field::src1_sext, Read::kFlag, "sign-extend source 1"},
    {Field::s1, Read::kFlag, "source 1 is a scalar"},
    {Field::literal, Read::kOperandNumber, "literal"},
};
static_assert(std::size(kNotes) == isa::kFieldCount, "every field has its note");

const FieldNote& note_of(Field field) {
  return *std::find_if(std::begin(kNotes), std::end(kNotes),
                       [&](const FieldNote& n) { return n.field == field; });
}

bool is_modifier(Read read) {
  return read == Read::kBits || read == Read::kFlag || read == Read::kNumber ||
         read == Read::kSigned;
}

/// Fields that say where an operand is, though they read like modifiers.
bool places_operand(const isa::Inst& inst, Field field) {
  switch (field) {
    case Field::acc:
    case Field::acc_cd:
    case Field::seg:
    case Field::sd:
    case Field::s0:
    case Field::s1:
    case Field::nsa:
    case Field::imm:
    case Field::soffset_en:
    case Field::vdsty:
      return true;
    case Field::sve:
      return inst.isa != isa::Isa::kGfx90a;
    default:
      return false;
  }
}

/// Offsets are signed but for these.
bool is_unsigned_offset(const isa::Inst& inst) {
  return inst.format == Format::MUBUF || inst.format == Format::MTBUF ||
         (inst.format == Format::FLAT && isa::generation_of(inst.isa) != isa::Generation::kGfx12);
}

std::string scalar(const isa::Inst& inst, unsigned code, unsigned dwords) {
  // gfx9 has M0 at 124, where later generations have null.
  const bool gfx9 = isa::generation_of(inst.isa) == isa::Generation::kGfx9;
  if (gfx9 && code == isa::kNull) return "m0";
  if (gfx9 && code == isa::kM0) return "none";
  return scalar_register(inst.isa, code, dwords);
}

std::string source(const isa::Inst& inst, unsigned code, const PrintOptions& options) {
  if (code >= isa::kSrcVgpr0) {
    return fmt::format("v{}", code - isa::kSrcVgpr0);
  }
  if (code < 128) return scalar(inst, code, 1);
  switch (code) {
    case isa::kSrcDpp8:
    case isa::kSrcDpp8Fi:
      if (inst.suffix == Suffix::kDpp8) return "a DPP8 dword follows";
      break;
    case isa::kSrcSdwa:
      if (inst.suffix == Suffix::kSdwa) return "an SDWA dword follows";
      break;
    case isa::kSrcDpp16:
      if (inst.suffix == Suffix::kDpp16) return "a DPP dword follows";
      break;
    case isa::kSrcLiteral:
      return inst.suffix == Suffix::kLiteral ? "a literal follows" : "no source";
    default:
      break;
  }
  constexpr unsigned kFirstFloat = 240, kLastFloat = 248, kLastInteger = 208;
  const Printer p(inst, options);
  isa::Operand o;
  o.code = static_cast<uint16_t>(code);
  o.type = isa::Type::B32;
  o.kind = code <= kLastInteger || (code >= kFirstFloat && code <= kLastFloat)
               ? isa::OperandKind::kInline
               : isa::OperandKind::kSpecial;
  return p.plain(o);
}

std::string value_text(const isa::Inst& inst, const FieldValue& f, Read read,
                       const PrintOptions& options) {
  const bool gfx12 = isa::generation_of(inst.isa) == isa::Generation::kGfx12;
  switch (read) {
    case Read::kOpcode:
      return std::string(isa::op_name(f.field == Field::opy ? inst.op_y : inst.op, inst.isa));
    case Read::kSource:
      return source(inst, f.value, options);
    case Read::kScalarReg:
      return scalar(inst, f.value, 1);
    case Read::kScalarPair:
      return scalar(inst, f.value * 2, 2);
    case Read::kScalarQuad:
      return scalar(inst, gfx12 ? f.value : f.value * 4, 4);
    case Read::kVector:
      return fmt::format("v{}", f.value);
    case Read::kSigned:
      return fmt::format("{}", is_unsigned_offset(inst) ? static_cast<int64_t>(f.value)
                                                        : int64_t{inst.get_signed(f.field)});
    case Read::kBits: {
      std::string text;
      for (unsigned i = 0; i < f.width; ++i)
        text += fmt::format("{}{}", i ? "," : "", f.value >> i & 1);
      return "[" + text + "]";
    }
    case Read::kFlag:
      return f.value ? "yes" : "no";
    case Read::kNumber:
      if (f.field == Field::dpp_ctrl) return dpp_ctrl_text(inst.isa, f.value);
      if (f.field == Field::target) return export_target_text(f.value);
      return "";
    case Read::kOperandNumber:
      return "";
  }
  return "";
}

}  // namespace

std::vector<ModifierValue> modifiers_of(const isa::Inst& inst) {
  std::vector<ModifierValue> list;
  for (const FieldValue& f : isa::fields_of(inst)) {
    if (f.fixed || f.value == 0) continue;
    const Read read = note_of(f.field).read;
    if (!is_modifier(read) || places_operand(inst, f.field)) continue;
    const bool negative = read == Read::kSigned && !is_unsigned_offset(inst);
    list.push_back({isa::field_name(f.field),
                    negative ? int64_t{inst.get_signed(f.field)} : int64_t{f.value}});
  }
  return list;
}

std::string field_meaning(const isa::Inst& inst, const FieldValue& field,
                          const PrintOptions& options) {
  if (field.fixed) return fmt::format("{} format", isa::format_name(inst.format));
  const FieldNote& note = note_of(field.field);
  const std::string value = value_text(inst, field, note.read, options);
  return value.empty() ? note.purpose : fmt::format("{}: {}", note.purpose, value);
}

}  // namespace lockstep::asm_
