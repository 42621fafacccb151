// SPDX-License-Identifier: MIT
// Fills fields with random values until the assembler accepts what the printer makes of them.
#include "diff/instruction.h"

#include <algorithm>
#include <span>

#include "asm/assemble.h"
#include "asm/print.h"
#include "isa/operand.h"

namespace lockstep::diff {
namespace {

using isa::Field;
using isa::Format;
using isa::Generation;
using isa::Op;
using isa::Suffix;

constexpr int kAttempts = 200;
constexpr uint32_t kInlineZero = 128;

class Filler {
 public:
  Filler(isa::Inst& inst, const Registers& registers, Random& random)
      : inst_(inst), r_(registers), random_(random) {}

  void fill() {
    const isa::OpInfo& info = inst_.info();
    switch (info.format) {
      case Format::FLAT:
      case Format::GLOBAL:
        return flat();
      case Format::DS:
        return ds();
      case Format::MUBUF:
      case Format::MTBUF:
        return buffer();
      case Format::SMEM:
        return smem();
      case Format::VOPD:
        return pair();
      default:
        return alu();
    }
  }

 private:
  void set(Field field, uint32_t value) {
    if (inst_.has(field)) inst_.set(field, value);
  }
  Generation generation() const { return isa::generation_of(inst_.isa); }
  uint32_t vgpr() {
    // Even numbers suit every width.
    const uint32_t r = random_.below(r_.vgprs);
    return wide() || random_.one_in(2) ? r & ~1u : r;
  }
  bool wide() const {
    const isa::OpInfo& info = inst_.info();
    for (const isa::Opnd& o : info.dsts)
      if (o.dwords > 1) return true;
    for (const isa::Opnd& o : info.srcs)
      if (o.dwords > 1) return true;
    return info.mem.kind != isa::MemKind::kNone;
  }
  uint32_t sgpr() { return (kFirstSgpr + random_.below(kLastSgpr - kFirstSgpr)) & ~1u; }
  uint32_t scalar_source() {
    switch (random_.below(8)) {
      case 0:
        return kInlineZero + random_.below(81);
      case 1:
        return 240 + random_.below(9);  // 0.5 to 1/(2 pi)
      case 2:
        return isa::kVccLo;
      case 3:
        return random_.one_in(2) ? unsigned{isa::kExecLo} : unsigned{isa::kScc};  // SCC
      default:
        return sgpr();
    }
  }
  uint32_t source() { return random_.one_in(3) ? scalar_source() : isa::kSrcVgpr0 + vgpr(); }

  void alu() {
    const bool salu = inst_.format <= Format::SOPP;
    for (const Field f : {Field::src0, Field::src1, Field::src2})
      if (inst_.has(f) && !(inst_.suffix != Suffix::kNone && f == Field::src0)) set(f, source());
    for (const Field f : {Field::ssrc0, Field::ssrc1}) set(f, scalar_source());
    if (inst_.suffix == Suffix::kLiteral) {
      // v_fmamk and v_fmaak have a literal and no source that names it.
      if (!has_own_literal()) {
        std::vector<Field> sources;
        for (const Field f : {Field::src0, Field::src1, Field::src2, Field::ssrc0, Field::ssrc1})
          if (inst_.has(f)) sources.push_back(f);
        if (!sources.empty())
          set(sources[random_.below(static_cast<uint32_t>(sources.size()))], isa::kSrcLiteral);
      } else {
        set(Field::src0, source());
      }
      static constexpr uint32_t kBits[] = {0xffff, 0xff, 0xffffffff, 0xffffffff};
      set(Field::literal, static_cast<uint32_t>(random_.next()) & random_.pick(kBits));
    }
    for (const Field f : {Field::vsrc0, Field::vsrc1, Field::vdst, Field::vsrc2, Field::vsrc3})
      if (inst_.has(f)) set(f, vgpr());
    if (inst_.has(Field::vdst) && scalar_result()) set(Field::vdst, sgpr());
    const unsigned special = salu ? isa::kExecLo : isa::kVccLo;
    set(Field::sdst, random_.one_in(12) ? special : sgpr());
    set(Field::simm16, random_.below(0x10000));
    modifiers();
    if (inst_.suffix == Suffix::kDpp16 || inst_.suffix == Suffix::kDpp8) dpp();
    if (inst_.suffix == Suffix::kSdwa) sdwa();
    if (inst_.format == Format::MAI) matrix();
  }
  bool has_own_literal() const {
    for (const isa::Opnd& o : inst_.info().srcs)
      if (o.place == isa::Place::kLiteral) return true;
    return false;
  }
  bool scalar_result() const {
    const isa::OpInfo& info = inst_.info();
    return info.n_dsts > 0 &&
           (info.dsts[0].place == isa::Place::kSgpr || info.dsts[0].type == isa::Type::MASK);
  }
  void modifiers() {
    for (const Field f : {Field::neg, Field::abs, Field::opsel, Field::neg_hi})
      if (inst_.has(f) && random_.one_in(3)) set(f, random_.below(8));
    set(Field::opsel_hi, random_.one_in(3) ? random_.below(4) : 3);
    set(Field::opsel_hi2, random_.one_in(4) ? 0 : 1);
    if (random_.one_in(6)) set(Field::clamp, 1);
    if (random_.one_in(8)) set(Field::omod, random_.below(4));
  }
  void dpp() {
    static constexpr uint32_t kControls[] = {
        0x00,  0x1b,  0x4e,  0xb1,  0x101, 0x104, 0x10f, 0x111, 0x118, 0x11f, 0x121, 0x12c, 0x140,
        0x141, 0x150, 0x155, 0x15f, 0x161, 0x16f, 0x130, 0x134, 0x138, 0x13c, 0x142, 0x143};
    set(Field::dpp_ctrl, random_.pick(kControls));
    set(Field::row_mask, random_.one_in(2) ? 15 : random_.below(16));
    set(Field::bank_mask, random_.one_in(2) ? 15 : random_.below(16));
    set(Field::bc, random_.below(2));
    set(Field::fi, random_.below(2));
    set(Field::lane_sel, static_cast<uint32_t>(random_.next()) & 0xffffff);
    for (const Field f : {Field::src0_neg, Field::src0_abs, Field::src1_neg, Field::src1_abs})
      if (random_.one_in(4)) set(f, 1);
  }
  void sdwa() {
    for (const Field f : {Field::dst_sel, Field::src0_sel, Field::src1_sel})
      set(f, random_.below(7));
    set(Field::dst_unused, random_.below(3));
    for (const Field f : {Field::src0_neg, Field::src0_abs, Field::src1_neg, Field::src1_abs,
                          Field::src0_sext, Field::src1_sext, Field::clamp})
      if (random_.one_in(4)) set(f, 1);
  }
  void matrix() {
    const auto matrix_register = [&](uint32_t most) { return random_.below(most / 2) * 2; };
    const bool accumulate = r_.agprs && random_.one_in(2);
    set(Field::acc_cd, accumulate);
    const uint32_t room = accumulate ? r_.agprs : r_.vgprs;
    set(Field::vdst, matrix_register(room));
    for (const Field f : {Field::src0, Field::src1})
      set(f, isa::kSrcVgpr0 + matrix_register(r_.vgprs));
    const bool sparse = inst_.info().id.find("smfmac") != std::string_view::npos;
    const bool zero = !sparse && random_.one_in(4);
    const uint32_t room2 = sparse ? r_.vgprs : room;  // the index set is never an accumulator
    set(Field::src2, zero ? kInlineZero : isa::kSrcVgpr0 + matrix_register(room2));
    if (!sparse && random_.one_in(4)) set(Field::blgp, random_.below(8));
    if (random_.one_in(4)) set(Field::cbsz, random_.below(4));
    if (random_.one_in(4)) set(Field::abid, random_.below(4));
    if (r_.agprs && random_.one_in(4)) set(Field::acc, random_.below(4));
  }
  void pair() {
    for (const Field f : {Field::srcx0, Field::srcy0}) set(f, source());
    for (const Field f : {Field::vsrcx1, Field::vsrcy1, Field::vdstx, Field::vdsty}) set(f, vgpr());
    if (inst_.suffix == Suffix::kLiteral) {
      set(random_.one_in(2) ? Field::srcx0 : Field::srcy0, isa::kSrcLiteral);
      set(Field::literal, static_cast<uint32_t>(random_.next()));
    }
  }
  void data() {
    for (const Field f : {Field::vdst, Field::data, Field::data0, Field::data1, Field::vdata})
      set(f, vgpr());
    const bool atomic = inst_.info().mem.kind == isa::MemKind::kAtomic;
    if (atomic && random_.one_in(2)) {
      for (const Field f : {Field::th, generation() == Generation::kGfx9 ? Field::sc0 : Field::glc})
        set(f, 1);
    }
    if (r_.agprs && random_.one_in(3)) set(Field::acc, 1);
  }
  void flat() {
    data();
    // Without a register for the address, only the scalar base is left.
    const bool no_vgpr = inst_.info().mem.address == isa::MemAddress::kAddTid;
    const bool with_base = inst_.format == Format::GLOBAL && (no_vgpr || random_.one_in(2));
    constexpr unsigned kNoneOnGfx9 = 127;
    set(Field::addr, with_base ? r_.offset() : r_.address);
    set(Field::vaddr, with_base ? r_.offset() : r_.address);
    set(Field::saddr, with_base                           ? kMemorySgpr
                      : generation() == Generation::kGfx9 ? kNoneOnGfx9
                                                          : unsigned{isa::kNull});
    if (random_.one_in(2)) set(Field::offset, random_.below(2) * 16);
  }
  void ds() {
    data();
    set(Field::addr, r_.offset());
    const isa::MemAddress shape = inst_.info().mem.address;
    if (shape == isa::MemAddress::kTwo || shape == isa::MemAddress::kTwoStride64) {
      set(Field::offset0, random_.below(2));
      set(Field::offset1, 2 + random_.below(2));
    } else if (inst_.info().id.starts_with("ds_swizzle")) {
      set(Field::offset0, random_.below(256));
      set(Field::offset1, random_.below(256));
    } else if (random_.one_in(2)) {
      set(Field::offset0, random_.below(2) * 16);
    }
  }
  void buffer() {
    data();
    set(Field::vaddr, r_.offset());
    set(Field::offen, 1);
    set(Field::srsrc, generation() == Generation::kGfx12 ? kResourceSgpr : kResourceSgpr / 4);
    set(Field::soffset, generation() == Generation::kGfx12 ? unsigned{isa::kNull} : kInlineZero);
    if (random_.one_in(2)) set(Field::offset, random_.below(2) * 16);
    set(Field::format, 1 + random_.below(63));
    // gfx9: 8 and 16 bits normalised or integer, 32 bits integer or float.
    static constexpr uint32_t kSmall[] = {1, 2, 3, 5, 10, 12}, kLarge[] = {4, 11, 13, 14};
    static constexpr uint32_t kSmallKinds[] = {0, 1, 4, 5}, kLargeKinds[] = {4, 5, 7};
    const bool small = random_.one_in(2);
    set(Field::dfmt, small ? random_.pick(kSmall) : random_.pick(kLarge));
    set(Field::nfmt, small ? random_.pick(kSmallKinds) : random_.pick(kLargeKinds));
  }
  void smem() {
    const bool resource = inst_.info().id.starts_with("s_buffer");
    set(Field::sbase, (resource ? kResourceSgpr : kMemorySgpr) / 2);
    set(Field::sdata, (kFirstSgpr + random_.below(4) * 16));
    set(Field::imm, 1);
    set(Field::offset, random_.below(64) * 4);
    if (generation() != Generation::kGfx9) set(Field::soffset, isa::kNull);
  }

  isa::Inst& inst_;
  const Registers& r_;
  Random& random_;
};

std::optional<isa::Inst> accepted(const isa::Inst& inst, uint32_t wave_size) {
  isa::Inst decoded;
  const std::span bytes(reinterpret_cast<const uint8_t*>(inst.words), size_t{inst.size});
  if (isa::decode(inst.isa, bytes, decoded) != isa::DecodeError::kNone) return std::nullopt;
  asm_::PrintOptions print;
  print.wave_size = wave_size;
  asm_::AsmOptions options;
  options.isa = inst.isa;
  options.wave_size = wave_size;
  const auto again = asm_::assemble_line(asm_::print(decoded, print), options);
  if (!again || again.inst().op != inst.op || again.inst().format != inst.format ||
      again.inst().suffix != inst.suffix)
    return std::nullopt;
  return again.inst();
}

/// Only registers that the layout has.
bool in_range(const isa::Operands& list, const Registers& r) {
  const auto fits = [&](const isa::Operand& o) {
    const unsigned end = o.code + std::max<unsigned>(1, o.dwords);
    if (o.kind == isa::OperandKind::kVgpr) return end <= r.total();
    return o.kind != isa::OperandKind::kAgpr || end <= r.agprs;
  };
  return std::all_of(list.dst, list.dst + list.n_dst, fits) &&
         std::all_of(list.src, list.src + list.n_src, fits);
}
bool in_range(const isa::Inst& inst, const Registers& r, uint32_t wave_size) {
  if (inst.format != Format::VOPD) return in_range(isa::operands_of(inst, wave_size), r);
  return in_range(isa::operands_of_half(inst, 0, wave_size), r) &&
         in_range(isa::operands_of_half(inst, 1, wave_size), r);
}

}  // namespace

std::vector<Form> forms_of(isa::Op op, isa::Isa isa) {
  const isa::OpInfo& info = isa::op_info(op);
  std::vector<Form> forms;
  for (const Format format : {info.format, Format::VOP3}) {
    if (format == Format::VOP3 && info.format != Format::VOP1 && info.format != Format::VOP2 &&
        info.format != Format::VOPC && info.format != Format::VOP3)
      continue;
    if (!forms.empty() && format == info.format) continue;
    for (const Suffix suffix :
         {Suffix::kNone, Suffix::kLiteral, Suffix::kDpp16, Suffix::kDpp8, Suffix::kSdwa}) {
      const bool made = info.format == Format::VOPD
                            ? suffix == Suffix::kNone || suffix == Suffix::kLiteral
                            : static_cast<bool>(isa::make_inst(isa, op, format, suffix));
      if (made) forms.push_back({format, suffix});
    }
  }
  return forms;
}

Registers registers_for(isa::Op op, isa::Isa isa) {
  const isa::OpInfo& info = isa::op_info(op);
  Registers r;
  unsigned most = 0;
  for (const auto* list : {&info.dsts[0], &info.srcs[0]})
    for (int i = 0; i < (list == &info.dsts[0] ? 2 : 3); ++i)
      most = std::max<unsigned>(most, list[i].dwords);
  const bool cdna = isa::generation_of(isa) == Generation::kGfx9;
  if (info.format == Format::MAI || most > 4) r.vgprs = most > 16 ? 104 : 72;
  if (cdna && (info.format == Format::MAI || info.id.find("accvgpr") != std::string_view::npos))
    r.agprs = most > 16 ? 64 : 32;
  if (cdna && info.mem.kind != isa::MemKind::kNone) r.agprs = 32;
  r.address = r.vgprs;
  return r;
}

std::optional<isa::Inst> random_instruction(isa::Isa isa, isa::Op op, Form form,
                                            const Registers& registers, uint32_t wave_size,
                                            Random& random) {
  const bool dual = isa::op_info(op).format == Format::VOPD;
  std::vector<Op> partners;
  if (dual)
    for (int i = 0; i < isa::kOpCount; ++i)
      if (isa::op_info(static_cast<Op>(i)).format == Format::VOPD &&
          isa::exists_on(static_cast<Op>(i), isa))
        partners.push_back(static_cast<Op>(i));
  const auto random_pair = [&] {
    const Op other = partners[random.below(static_cast<uint32_t>(partners.size()))];
    return random.one_in(2) ? isa::make_vopd(isa, op, other, form.suffix)
                            : isa::make_vopd(isa, other, op, form.suffix);
  };
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    auto inst = dual ? random_pair() : isa::make_inst(isa, op, form.format, form.suffix);
    if (!inst) continue;
    Filler(*inst, registers, random).fill();
    if (auto good = accepted(*inst, wave_size); good && in_range(*good, registers, wave_size))
      return good;
  }
  return std::nullopt;
}

}  // namespace lockstep::diff
