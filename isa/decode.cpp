// SPDX-License-Identifier: MIT
// Table-driven decoding, field access and encoding: every position comes from isa/formats.def.
#include <array>
#include <cstring>

#include "isa/check.h"
#include "isa/inst.h"
#include "isa/layout.h"

namespace lockstep::isa {

using namespace detail;

namespace {

/// Top bits of the second half of VOP3PX2, which is a VOP3P word.
constexpr uint32_t kScaledTop = 0x1a7;
constexpr unsigned kScaledTopBits = 9;

/// VOP3PX2 is v_mfma_ld_scale_b32 followed by one of two matrix operations; alone, the first half
/// is a VOP3P word.
bool has_scaled_half(size_t available, const uint32_t* words) {
  constexpr unsigned kFirstOp = 0x2d, kLastOp = 0x2e;
  const unsigned op = words[2] >> 16 & 0x7f;
  return available >= 12 && words[2] >> (32 - kScaledTopBits) == kScaledTop &&
         (op == kFirstOp || op == kLastOp);
}

/// The pattern of every value of the top nine bits, by generation; one more than its number, 0 for
/// none. VOP3PX2, whose pattern is longer, is looked for on its own.
constexpr unsigned kIndexBits = 9;
struct PatternIndex {
  uint8_t of[kGenerations][1 << kIndexBits];
};
constexpr PatternIndex build_pattern_index() {
  PatternIndex index{};
  for (unsigned g = 0; g < kGenerations; ++g)
    for (unsigned top = 0; top < 1u << kIndexBits; ++top)
      for (size_t i = 0; i < std::size(kPatterns); ++i) {
        const Pattern& p = kPatterns[i];
        if (!(p.generations >> g & 1) || p.top_bits > kIndexBits) continue;
        if (top >> (kIndexBits - p.top_bits) != p.value) continue;
        index.of[g][top] = static_cast<uint8_t>(i + 1);
        break;
      }
  return index;
}
constexpr PatternIndex kPatternIndex = build_pattern_index();
constexpr const Pattern* kScaledPattern = [] {
  for (const Pattern& p : kPatterns)
    if (p.format == Format::VOP3PX2) return &p;
  return static_cast<const Pattern*>(nullptr);
}();

const Pattern* find_pattern(const Inst& inst, size_t available) {
  const uint32_t word = inst.words[0];
  if (inst.isa == Isa::kGfx950 &&
      word >> (32 - kScaledPattern->top_bits) == kScaledPattern->value &&
      has_scaled_half(available, inst.words))
    return kScaledPattern;
  const unsigned i = kPatternIndex.of[generation_index(inst.isa)][word >> (32 - kIndexBits)];
  return i ? &kPatterns[i - 1] : nullptr;
}

uint32_t extract(const uint32_t* words, unsigned low, unsigned width) {
  const unsigned word = low / 32, shift = low % 32;
  uint64_t value = words[word];
  if (shift + width > 32) value |= static_cast<uint64_t>(words[word + 1]) << 32;
  return static_cast<uint32_t>(value >> shift & ((uint64_t{1} << width) - 1));
}

void insert(uint32_t* words, unsigned low, unsigned width, uint32_t value) {
  const unsigned word = low / 32, shift = low % 32;
  const uint64_t mask = ((uint64_t{1} << width) - 1) << shift;
  uint64_t both = words[word];
  if (shift + width > 32) both |= static_cast<uint64_t>(words[word + 1]) << 32;
  both = (both & ~mask) | static_cast<uint64_t>(value) << shift;
  words[word] = static_cast<uint32_t>(both);
  if (shift + width > 32) words[word + 1] = static_cast<uint32_t>(both >> 32);
}

struct Found {
  unsigned low = 0, width = 0;
};
Found locate(const Inst& inst, Field field) {
  if (inst.suffix != Suffix::kNone) {
    const Position s = kLayout.suffix[static_cast<size_t>(inst.suffix)][static_cast<size_t>(field)];
    if (s.width) return {(inst.size - suffix_bytes(inst.suffix)) * 8u + s.low, s.width};
  }
  const Position b = kLayout.base[generation_index(inst.isa)][static_cast<size_t>(inst.format)]
                                 [static_cast<size_t>(field)];
  if (b.low + b.width > inst.size * 8u)
    return {};  // the NSA dword of image operations may be missing
  return {b.low, b.width};
}

/// VOP3 words whose result list has a lane mask in second place use the VOP3SD layout.
bool uses_sdst(const OpInfo& info) { return info.n_dsts == 2 && info.dsts[1].type == Type::MASK; }

Format long_form(const OpInfo& info) { return uses_sdst(info) ? Format::VOP3SD : Format::VOP3; }

bool is_vector_short(Format f) {
  return f == Format::VOP1 || f == Format::VOP2 || f == Format::VOPC;
}
bool is_vop3_like(Format f) {
  return f == Format::VOP3 || f == Format::VOP3SD || f == Format::VOP3P;
}

bool has_dpp(const OpInfo& info, Format format, Isa isa) {
  switch (generation_of(isa)) {
    case Generation::kGfx9:
      return is_vector_short(format) && !(info.flags & DPP_9);
    case Generation::kGfx11:
      return !(info.flags & (is_vector_short(format) ? DPP_11 : DPP64_11));
    case Generation::kGfx12:
      return !(info.flags & (is_vector_short(format) ? DPP_12 : DPP64_12));
  }
  return false;
}

/// What source code `code` in src0 announces, if the row has that form.
Suffix suffix_of_src0(const OpInfo& info, Format format, Isa isa, unsigned code) {
  const bool gfx9 = generation_of(isa) == Generation::kGfx9;
  switch (code) {
    case kSrcDpp16:
      return has_dpp(info, format, isa) ? Suffix::kDpp16 : Suffix::kNone;
    case kSrcDpp8:
    case kSrcDpp8Fi:
      return !gfx9 && has_dpp(info, format, isa) ? Suffix::kDpp8 : Suffix::kNone;
    case kSrcSdwa:
      return gfx9 && is_vector_short(format) && !(info.flags & SDWA_9) ? Suffix::kSdwa
                                                                       : Suffix::kNone;
    default:
      return Suffix::kNone;
  }
}

/// True if any source field of this encoding that the row uses holds the literal mark.
bool wants_literal(const Inst& inst) {
  const OpInfo& info = op_info(inst.op);
  auto is = [&](Field f) { return inst.get(f) == kSrcLiteral; };
  switch (inst.format) {
    case Format::SOP1:
      return info.n_srcs > 0 && info.srcs[0].type != Type::SENDMSG_RTN && is(Field::ssrc0);
    case Format::SOP2:
    case Format::SOPC:
      for (int i = 0; i < info.n_srcs; ++i)
        if (info.srcs[i].place == Place::kLiteral) return true;
      return is(Field::ssrc0) || (is(Field::ssrc1) && info.srcs[1].type != Type::SIMM16);
    case Format::SOPK:
      return info.n_srcs > 0 && info.srcs[info.n_srcs - 1].type == Type::SIMM32;
    case Format::VOP1:
    case Format::VOPC:
      return info.n_srcs > 0 && is(Field::src0);
    case Format::VOP2:
      for (int i = 0; i < info.n_srcs; ++i)
        if (info.srcs[i].place == Place::kLiteral) return true;
      return is(Field::src0);
    case Format::VOP3:
    case Format::VOP3SD:
    case Format::VOP3P:
      if (generation_of(inst.isa) == Generation::kGfx9) return false;
      return (info.n_srcs > 0 && is(Field::src0)) || (info.n_srcs > 1 && is(Field::src1)) ||
             (info.n_srcs > 2 && is(Field::src2));
    case Format::VOPD: {
      const auto uses_k = [](Op op) {
        const OpInfo& base = op_info(op_info(op).base);
        return base.srcs[1].place == Place::kLiteral || base.srcs[2].place == Place::kLiteral;
      };
      return is(Field::srcx0) || is(Field::srcy0) || uses_k(inst.op) || uses_k(inst.op_y);
    }
    default:
      return false;
  }
}

}  // namespace

bool Inst::has(Field field) const { return locate(*this, field).width != 0; }

uint32_t Inst::get(Field field) const {
  const Found at = locate(*this, field);
  return at.width ? extract(words, at.low, at.width) : 0;
}

int32_t Inst::get_signed(Field field) const {
  const Found at = locate(*this, field);
  if (!at.width) return 0;
  const uint32_t value = extract(words, at.low, at.width);
  return static_cast<int32_t>(value << (32 - at.width)) >> (32 - at.width);
}

bool Inst::set(Field field, uint32_t value) {
  const Found at = locate(*this, field);
  if (!at.width || (at.width < 32 && value >> at.width)) return false;
  insert(words, at.low, at.width, value);
  return true;
}

std::string Inst::hex() const {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (unsigned i = 0; i < size; ++i) {
    const unsigned byte = words[i / 4] >> (i % 4 * 8) & 0xff;
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

const char* to_string(DecodeError error) {
  switch (error) {
    case DecodeError::kNone:
      return "no error";
    case DecodeError::kTruncated:
      return "the instruction is cut off";
    case DecodeError::kUnknownFormat:
      return "no encoding of this target starts with these bits";
    case DecodeError::kUnknownOpcode:
      return "no such opcode on this target";
    case DecodeError::kBadOperand:
      return "an operand names a register or constant that does not exist";
    case DecodeError::kBadSuffix:
      return "the instruction has no such DPP, SDWA or literal form";
  }
  return "?";
}

DecodeError decode(Isa isa, std::span<const uint8_t> bytes, Inst& out, Names names) {
  Inst inst;
  inst.isa = isa;
  if (bytes.size() < 4) return DecodeError::kTruncated;
  const size_t available = bytes.size() < sizeof inst.words ? bytes.size() : sizeof inst.words;
  std::memcpy(inst.words, bytes.data(), available);
  const Pattern* pattern = find_pattern(inst, bytes.size());
  if (!pattern) return DecodeError::kUnknownFormat;
  inst.size = pattern->bytes;
  if (inst.size > bytes.size()) return DecodeError::kTruncated;
  inst.format = pattern->format;
  const Generation generation = generation_of(isa);

  if (inst.format == Format::FLAT && generation != Generation::kGfx12) {
    const unsigned seg = inst.get(Field::seg);
    if (seg == 3) return DecodeError::kUnknownFormat;
    inst.format = seg == 1 ? Format::SCRATCH : seg == 2 ? Format::GLOBAL : Format::FLAT;
  }
  if (inst.format == Format::VOPD) {
    const auto x = op_at(isa, Format::VOPD, inst.get(Field::opx));
    const auto y = op_at(isa, Format::VOPD, inst.get(Field::opy));
    if (!x || !y) return DecodeError::kUnknownOpcode;
    inst.op = *x;
    inst.op_y = *y;
  } else {
    const unsigned opcode = inst.get(Field::op);
    auto op = op_at(isa, inst.format, opcode);
    if (!op && inst.format == Format::MUBUF && generation == Generation::kGfx12) {
      op = op_at(isa, Format::MTBUF, opcode);
      inst.format = Format::MTBUF;
    }
    if (!op) return DecodeError::kUnknownOpcode;
    inst.op = *op;
    const OpInfo& info = op_info(inst.op);
    if (inst.format == Format::VOP3) inst.format = long_form(info);
    if (inst.format == Format::VOP3P && info.format == Format::MAI) inst.format = Format::MAI;
  }

  const OpInfo& info = op_info(inst.op);
  if (is_vector_short(inst.format) || is_vop3_like(inst.format)) {
    const unsigned code = inst.get(Field::src0);
    if (info.n_srcs > 0) inst.suffix = suffix_of_src0(info, inst.format, isa, code);
    const bool marked =
        code == kSrcDpp16 || code == kSrcDpp8 || code == kSrcDpp8Fi || code == kSrcSdwa;
    if (marked && info.n_srcs > 0 && inst.suffix == Suffix::kNone) return DecodeError::kBadSuffix;
  }
  if (inst.suffix == Suffix::kNone && wants_literal(inst)) inst.suffix = Suffix::kLiteral;
  inst.size = static_cast<uint8_t>(inst.size + suffix_bytes(inst.suffix));
  if (inst.format == Format::MIMG && generation == Generation::kGfx11 && inst.get(Field::nsa))
    inst.size = 12;
  if (inst.size > bytes.size()) return DecodeError::kTruncated;
  for (unsigned i = inst.size / 4u; i < 5; ++i) inst.words[i] = 0;
  if (!operands_exist(inst, names)) return DecodeError::kBadOperand;
  out = inst;
  return DecodeError::kNone;
}

Result<Inst> make_inst(Isa isa, Op op, Format format, Suffix suffix) {
  const OpInfo& info = op_info(op);
  Inst inst;
  inst.isa = isa;
  inst.op = op;
  inst.format = format == Format::VOP3 || format == Format::VOP3SD ? long_form(info) : format;
  inst.suffix = suffix;
  const int opcode = opcode_in(op, isa, inst.format);
  const Pattern* pattern = find_pattern(isa, inst.format);
  if (opcode < 0 || !pattern)
    return Error{std::string(info.id) + " has no such encoding on this target"};
  inst.size = static_cast<uint8_t>(pattern->bytes + suffix_bytes(suffix));
  inst.words[0] = pattern->value << (32 - pattern->top_bits);
  if (inst.format == Format::VOP3PX2) inst.words[2] = kScaledTop << (32 - kScaledTopBits);
  if (generation_of(isa) != Generation::kGfx12) {
    if (inst.format == Format::SCRATCH) inst.set(Field::seg, 1);
    if (inst.format == Format::GLOBAL) inst.set(Field::seg, 2);
  }
  const bool single = inst.format == Format::EXP;  // the format is the operation
  if (!single && !inst.set(Field::op, static_cast<uint32_t>(opcode)))
    return Error{std::string(info.id) + ": the opcode does not fit its field"};
  return inst;
}

Result<Inst> make_vopd(Isa isa, Op x, Op y, Suffix suffix) {
  const int opx = opcode_in(x, isa, Format::VOPD), opy = opcode_in(y, isa, Format::VOPD);
  const Pattern* pattern = find_pattern(isa, Format::VOPD);
  if (opx < 0 || opy < 0 || !pattern) return Error{"no such VOPD pair on this target"};
  Inst inst;
  inst.isa = isa;
  inst.op = x;
  inst.op_y = y;
  inst.format = Format::VOPD;
  inst.suffix = suffix;
  inst.size = static_cast<uint8_t>(pattern->bytes + suffix_bytes(suffix));
  inst.words[0] = pattern->value << (32 - pattern->top_bits);
  if (!inst.set(Field::opx, static_cast<uint32_t>(opx)))
    return Error{std::string(op_info(x).id) + " cannot be the first half of a pair"};
  if (!inst.set(Field::opy, static_cast<uint32_t>(opy)))
    return Error{std::string(op_info(y).id) + " cannot be the second half of a pair"};
  return inst;
}

}  // namespace lockstep::isa
