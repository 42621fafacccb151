// SPDX-License-Identifier: MIT
// Turns the fields of an instruction into operands.
#include "isa/operand.h"

#include <bit>

namespace lockstep::isa {
namespace {

constexpr unsigned kInlineIntFirst = 128, kInlineIntLast = 208, kInlineFloatFirst = 240, kInlineFloatLast = 248;

/// gfx9 has M0 at 124 and nothing at 125, where later generations have NULL and M0.
uint16_t canonical_scalar(Isa isa, unsigned code) {
  const bool swapped = generation_of(isa) == Generation::kGfx9 && (code == kNull || code == kM0);
  return static_cast<uint16_t>(swapped ? code ^ 1u : code);
}

bool is_inline(unsigned code) {
  return (code >= kInlineIntFirst && code <= kInlineIntLast) || (code >= kInlineFloatFirst && code <= kInlineFloatLast);
}

/// VOP1, VOP2, VOPC and DPP forms of gfx11 and later place 16-bit values in halves: bit 7 of the VGPR number.
bool short_true16(const Inst& inst, Type type) {
  return fills_half(inst.isa, type) &&
         (inst.format == Format::VOP1 || inst.format == Format::VOP2 || inst.format == Format::VOPC);
}

class Reader {
 public:
  Reader(const Inst& inst, unsigned wave_size) : inst_(inst), wave_size_(wave_size) {}

  unsigned wave_size() const { return wave_size_; }
  Operand typed(Opnd spec) const {
    Operand o;
    o.type = spec.type;
    o.dwords = spec.type == Type::MASK || spec.type == Type::EXEC_MASK ? static_cast<uint8_t>(wave_size_ / 32) : spec.dwords;
    return o;
  }
  Operand scalar(unsigned code, Opnd spec) const {
    Operand o = typed(spec);
    o.kind = OperandKind::kScalar;
    o.code = canonical_scalar(inst_.isa, code);
    // Pairs and larger groups start at an aligned register: the low bits of the number are ignored.
    if (o.dwords > 1 && o.code < kNull) o.code &= static_cast<uint16_t>(o.dwords > 2 ? ~3 : ~1);
    return o;
  }
  Operand vgpr(unsigned number, Opnd spec, bool acc = false) const {
    Operand o = typed(spec);
    o.kind = acc ? OperandKind::kAgpr : OperandKind::kVgpr;
    o.code = static_cast<uint16_t>(number);
    if (short_true16(inst_, spec.type) && (number & 128)) {
      o.code &= 127;
      o.high_half = true;
    }
    return o;
  }
  /// A 7-, 8- or 9-bit source code.
  Operand source(unsigned code, Opnd spec) const {
    if (code >= kSrcVgpr0) return vgpr(code - kSrcVgpr0, spec);
    if (code < 128) return scalar(code, spec);
    Operand o = typed(spec);
    o.code = static_cast<uint16_t>(code);
    if (code == kSrcLiteral) {
      o.kind = OperandKind::kLiteral;
      o.value = inst_.literal();
    } else if (is_inline(code)) {
      o.kind = OperandKind::kInline;
      o.value = static_cast<uint32_t>(inline_bits(code, constant_type(spec.type)));
    } else {
      o.kind = OperandKind::kSpecial;
    }
    return o;
  }
  Operand immediate(uint32_t value, Opnd spec) const {
    Operand o = typed(spec);
    o.kind = OperandKind::kImmediate;
    o.value = value;
    return o;
  }
  Operand literal(Opnd spec) const { return source(kSrcLiteral, spec); }

 private:
  /// Scalar operations read integer constants as 32 bits, whatever part of them they use.
  Type constant_type(Type type) const {
    const bool scalar_alu = inst_.format == Format::SOP1 || inst_.format == Format::SOP2 || inst_.format == Format::SOPC;
    return scalar_alu && is_half(type) && type != Type::F16 ? Type::B32 : type;
  }

  const Inst& inst_;
  unsigned wave_size_;
};

constexpr Opnd kMask{Type::MASK, 1, Place::kField};

void push_dst(Operands& list, Operand o) { list.dst[list.n_dst++] = o; }
void push_src(Operands& list, Operand o) { list.src[list.n_src++] = o; }

void read_salu(const Inst& inst, const Reader& r, Operands& list) {
  const OpInfo& info = inst.info();
  for (int i = 0; i < info.n_dsts; ++i) push_dst(list, r.scalar(inst.get(Field::sdst), info.dsts[i]));
  int position = 0;  // among the sources that have a field
  for (int i = 0; i < info.n_srcs; ++i) {
    const Opnd spec = info.srcs[i];
    if (spec.place == Place::kLiteral) {
      push_src(list, r.literal(spec));
      continue;
    }
    switch (spec.type) {
      case Type::SIMM16: case Type::LABEL:
        if (inst.format == Format::SOPC) {  // s_set_gpr_idx_on
          push_src(list, r.immediate(inst.get(Field::ssrc1), spec));
          break;
        }
        push_src(list, r.immediate(static_cast<uint32_t>(inst.get_signed(Field::simm16)), spec));
        break;
      case Type::SIMM32:
        push_src(list, r.literal(spec));
        break;
      case Type::HWREG: case Type::SENDMSG: case Type::WAITCNT: case Type::WAITCNT_DEPCTR: case Type::DELAY: case Type::CLAUSE:
      case Type::VERSION: case Type::WAIT_EVENT:
        push_src(list, r.immediate(inst.get(Field::simm16), spec));
        break;
      case Type::SENDMSG_RTN:
        push_src(list, r.immediate(inst.get(Field::ssrc0), spec));
        break;
      default:
        if (inst.format == Format::SOPP) push_src(list, r.immediate(inst.get(Field::simm16), spec));
        else if (inst.format == Format::SOPK) push_src(list, r.scalar(inst.get(Field::sdst), spec));
        else push_src(list, r.source(inst.get(position++ == 0 ? Field::ssrc0 : Field::ssrc1), spec));
    }
  }
}

/// Code of vector source i in this encoding.
unsigned source_code(const Inst& inst, int i) {
  const bool short_form = inst.format == Format::VOP1 || inst.format == Format::VOP2 || inst.format == Format::VOPC;
  if (i == 0) {
    switch (inst.suffix) {
      case Suffix::kDpp16: case Suffix::kDpp8: return kSrcVgpr0 + inst.get(Field::vsrc0);
      case Suffix::kSdwa: return (inst.get(Field::s0) ? 0 : kSrcVgpr0) + inst.get(Field::vsrc0);
      default: return inst.get(Field::src0);
    }
  }
  if (!short_form) return inst.get(i == 1 ? Field::src1 : Field::src2);
  if (inst.suffix == Suffix::kSdwa && inst.get(Field::s1)) return inst.get(Field::vsrc1);
  return kSrcVgpr0 + inst.get(Field::vsrc1);
}

/// Sign modifiers act on floating-point sources, and on the values that v_cndmask selects.
bool takes_sign_modifiers(const OpInfo& info, Type type) { return is_float(type) || info.id.starts_with("v_cndmask"); }

void apply_modifiers(const Inst& inst, int i, Operand& o) {
  const unsigned bit = 1u << i;
  const bool sign = takes_sign_modifiers(inst.info(), o.type);
  switch (inst.format) {
    case Format::VOP3: case Format::VOP3SD: case Format::VINTERP:
      o.neg = sign && inst.get(Field::neg) & bit;
      o.abs = sign && inst.get(Field::abs) & bit;
      if ((is_half(o.type) || fills_half(inst.isa, o.type)) && (o.kind == OperandKind::kVgpr || o.kind == OperandKind::kScalar)) o.high_half = inst.get(Field::opsel) & bit;
      break;
    case Format::VOP1: case Format::VOP2: case Format::VOPC:
      if (i > 1) break;
      o.neg = sign && inst.get(i == 0 ? Field::src0_neg : Field::src1_neg);
      o.abs = sign && inst.get(i == 0 ? Field::src0_abs : Field::src1_abs);
      o.sext = !sign && inst.get(i == 0 ? Field::src0_sext : Field::src1_sext);
      break;
    default: break;  // packed modifiers stay in the fields: neg, neg_hi, opsel, opsel_hi
  }
}

/// Register that receives the lane mask of a compare or a carry.
unsigned mask_result(const Inst& inst) {
  if (inst.format == Format::VOP3SD) return inst.get(Field::sdst);
  if (inst.format == Format::VOP3) return inst.get(Field::vdst);
  if (inst.suffix == Suffix::kSdwa && inst.format == Format::VOPC && inst.get(Field::sd)) return inst.get(Field::sdst);
  return kVccLo;
}

/// Registers of a matrix fragment. Rows say what wave32 of gfx11 takes (gfx12 for rows that gfx11 lacks).
Opnd fragment(const Inst& inst, unsigned wave_size, Opnd spec, bool is_accumulator) {
  const OpInfo& info = inst.info();
  unsigned n = spec.dwords;
  const bool on_gfx11 = info.opcodes.of[static_cast<size_t>(Isa::kGfx11)] >= 0;
  const bool is_16_bit = is_half(spec.type);
  // gfx11 keeps A and B twice, and 16-bit results in whole registers; gfx12 packs both.
  if (inst.isa == Isa::kGfx12 && on_gfx11 && (!is_accumulator || is_16_bit)) n /= 2;
  if (wave_size == 64 && (is_accumulator || inst.isa == Isa::kGfx12)) n /= 2;
  spec.dwords = static_cast<uint8_t>(n ? n : 1);
  return spec;
}

/// True if source `position` of a matrix operation or ACCVGPR move is an ACCVGPR.
bool in_accvgprs(const Inst& inst, int position) {
  const std::string_view id = inst.info().id;
  if (id == "v_accvgpr_read_b32" || id == "v_accvgpr_mov_b32") return true;
  if (id == "v_accvgpr_write_b32" || (inst.format != Format::MAI && inst.format != Format::VOP3PX2)) return false;
  // The index of v_smfmac is always a VGPR.
  if (position == 2) return inst.get(Field::acc_cd) && !id.starts_with("v_smfmac");
  return inst.get(Field::acc) >> position & 1;
}

/// Registers of 32 elements of the 8-, 6- and 4-bit formats that CBSZ and BLGP choose.
uint8_t small_float_dwords(unsigned format) {
  constexpr unsigned kLastByteFormat = 1, kLastSixBitFormat = 3;
  return format <= kLastByteFormat ? 8 : format <= kLastSixBitFormat ? 6 : 4;
}

void read_valu(const Inst& inst, const Reader& r, Operands& list) {
  const OpInfo& info = inst.info();
  const bool is_wmma = inst.format == Format::VOP3P && (info.id.starts_with("v_wmma") || info.id.starts_with("v_swmmac"));
  const bool short_form = inst.format == Format::VOP1 || inst.format == Format::VOP2 || inst.format == Format::VOPC;
  for (int i = 0; i < info.n_dsts; ++i) {
    const Opnd spec = is_wmma ? fragment(inst, r.wave_size(), info.dsts[i], true) : info.dsts[i];
    if (spec.type == Type::MASK) {
      push_dst(list, r.source(mask_result(inst), spec));
    } else if (spec.type == Type::EXEC_MASK) {
      push_dst(list, r.scalar(kExecLo, spec));
      // On gfx9 v_cmpx also writes a named mask, as v_cmp does.
      if (generation_of(inst.isa) == Generation::kGfx9) push_dst(list, r.source(mask_result(inst), kMask));
    } else if (spec.place == Place::kSgpr) {
      push_dst(list, r.source(inst.get(Field::vdst), spec));
    } else {
      const bool to_acc = inst.get(Field::acc_cd) || info.id == "v_accvgpr_write_b32" || info.id == "v_accvgpr_mov_b32";
      Operand o = r.vgpr(inst.get(Field::vdst), spec, to_acc);
      if ((inst.format == Format::VOP3 || inst.format == Format::VINTERP) && (is_half(spec.type) || fills_half(inst.isa, spec.type))) o.high_half = inst.get(Field::opsel) & 8;
      push_dst(list, o);
    }
  }
  int position = 0;  // among the sources that have a field
  for (int i = 0; i < info.n_srcs; ++i) {
    const bool is_fragment = is_wmma && info.srcs[i].type != Type::SET;
    const Opnd spec = is_fragment ? fragment(inst, r.wave_size(), info.srcs[i], i == 2) : info.srcs[i];
    if (spec.place == Place::kLiteral) {
      push_src(list, r.literal(spec));
      continue;
    }
    if (spec.type == Type::MASK) {
      push_src(list, short_form ? r.scalar(kVccLo, kMask) : r.source(inst.get(Field::src2), kMask));
      continue;
    }
    Operand o = r.source(source_code(inst, position), spec);
    if (o.kind == OperandKind::kVgpr && in_accvgprs(inst, position)) o.kind = OperandKind::kAgpr;
    if (info.id.ends_with("_f8f6f4") && position < 2) o.dwords = small_float_dwords(inst.get(position == 0 ? Field::cbsz : Field::blgp));
    apply_modifiers(inst, position, o);
    push_src(list, o);
    ++position;
  }
  if (inst.format == Format::VOP3PX2) {
    constexpr Opnd kScale{Type::B32, 1, Place::kField};
    push_src(list, r.source(inst.get(Field::scale_src0), kScale));
    push_src(list, r.source(inst.get(Field::scale_src1), kScale));
  }
}

constexpr Opnd b32s(unsigned n) { return {Type::B32, static_cast<uint8_t>(n), Place::kField}; }

unsigned data_dwords(const MemParams& p) {
  if (p.kind == MemKind::kLoadFormat || p.kind == MemKind::kStoreFormat) return p.half == MemHalf::kWhole ? p.count : (p.count + 1u) / 2;
  return p.type == Type::kNone ? 1 : dwords_of(p.type);
}

void set_src(Operands& list, unsigned position, Operand o) {
  list.src[position] = o;
  if (position >= list.n_src) list.n_src = static_cast<uint8_t>(position + 1);
}

bool returns_value(const Inst& inst) {
  if (inst.isa == Isa::kGfx12) return inst.get(Field::th) & 1;
  return generation_of(inst.isa) == Generation::kGfx9 ? inst.get(Field::sc0) : inst.get(Field::glc);
}

bool is_cmpswap(const Inst& inst) { return inst.info().id.find("cmpswap") != std::string_view::npos; }

/// Data registers of FLAT rows whose parameters do not say (blocks of registers, transposing loads); 0: cache control.
unsigned special_dwords(std::string_view id, unsigned wave_size) {
  constexpr unsigned kBlock = 32;
  if (id.ends_with("_block")) return kBlock;
  const unsigned waves32 = wave_size == 64 ? 2 : 1;  // a transposed tile is spread over all lanes
  if (id.ends_with("load_tr_b64")) return 2 / waves32;
  return id.ends_with("load_tr_b128") ? 4 / waves32 : 0;
}

void read_flat(const Inst& inst, const Reader& r, Operands& list) {
  MemParams p = inst.info().mem;
  unsigned n = data_dwords(p);
  if (p.kind == MemKind::kOther) {
    n = special_dwords(inst.info().id, r.wave_size());
    if (n == 0) return;
    p.kind = inst.info().id.find("store") != std::string_view::npos ? MemKind::kStore : MemKind::kLoad;
  }
  const bool acc = inst.get(Field::acc);
  const unsigned saddr = inst.get(Field::saddr);
  const bool gfx9 = generation_of(inst.isa) == Generation::kGfx9;
  const bool has_saddr = inst.format != Format::FLAT && saddr != kNull && !(gfx9 && saddr == 127);
  Operand off;
  off.kind = OperandKind::kOff;
  const bool to_lds = inst.isa == Isa::kGfx90a && inst.get(Field::sve);  // that bit is named LDS there
  if ((p.kind == MemKind::kLoad && !to_lds) || (p.kind == MemKind::kAtomic && returns_value(inst))) push_dst(list, r.vgpr(inst.get(Field::vdst), b32s(n), acc));
  if (p.address == MemAddress::kAddTid) {
    // No address VGPR: the lane number takes its place.
  } else if (inst.format == Format::SCRATCH) {
    // gfx90a has no SVE bit: the VGPR is used exactly when there is no scalar address.
    const bool has_vaddr = inst.isa == Isa::kGfx90a ? !has_saddr : inst.get(Field::sve);
    set_src(list, kMemAddr, has_vaddr ? r.vgpr(inst.get(Field::addr), b32s(1)) : off);
  } else {
    set_src(list, kMemAddr, r.vgpr(inst.get(Field::addr), b32s(has_saddr ? 1 : 2)));
  }
  if (p.kind == MemKind::kStore || p.kind == MemKind::kAtomic)
    set_src(list, kMemData, r.vgpr(inst.get(Field::data), b32s(p.kind == MemKind::kAtomic && is_cmpswap(inst) ? 2 * n : n), acc));
  set_src(list, kMemScalar, has_saddr ? r.scalar(saddr, b32s(inst.format == Format::SCRATCH ? 1 : 2)) : off);
}

void read_ds(const Inst& inst, const Reader& r, Operands& list) {
  const OpInfo& info = inst.info();
  const MemParams& p = info.mem;
  const bool acc = inst.get(Field::acc);
  const auto contains = [&](std::string_view s) { return info.id.find(s) != std::string_view::npos; };
  const unsigned n = data_dwords(p);
  const bool two = p.address == MemAddress::kTwo || p.address == MemAddress::kTwoStride64;
  switch (p.kind) {
    case MemKind::kLoad:
      push_dst(list, r.vgpr(inst.get(Field::vdst), b32s(two ? 2 * n : n), acc));
      if (p.address != MemAddress::kAddTid) set_src(list, kMemAddr, r.vgpr(inst.get(Field::addr), b32s(1)));
      break;
    case MemKind::kStore:
      if (p.address != MemAddress::kAddTid) set_src(list, kMemAddr, r.vgpr(inst.get(Field::addr), b32s(1)));
      set_src(list, kMemData, r.vgpr(inst.get(Field::data0), b32s(n), acc));
      if (two) set_src(list, kDsData1, r.vgpr(inst.get(Field::data1), b32s(n), acc));
      break;
    case MemKind::kAtomic:
      if (contains("_rtn_")) push_dst(list, r.vgpr(inst.get(Field::vdst), b32s(n), acc));
      set_src(list, kMemAddr, r.vgpr(inst.get(Field::addr), b32s(1)));
      set_src(list, kMemData, r.vgpr(inst.get(Field::data0), b32s(contains("condxchg32") ? 2 : n), acc));
      if (contains("cmpst") || contains("mskor") || contains("wrap")) set_src(list, kDsData1, r.vgpr(inst.get(Field::data1), b32s(n), acc));
      break;
    default: {
      if (contains("nop") || contains("gws_barrier") || contains("gws_init") || contains("gws_sema_br")) {
        if (contains("gws")) set_src(list, kMemData, r.vgpr(inst.get(Field::addr), b32s(1), acc));
        break;
      }
      if (contains("gws")) break;
      if (contains("storexchg_2addr")) {
        const unsigned size = contains("_b64") ? 2 : 1;
        push_dst(list, r.vgpr(inst.get(Field::vdst), b32s(2 * size), acc));
        set_src(list, kMemAddr, r.vgpr(inst.get(Field::addr), b32s(1)));
        set_src(list, kMemData, r.vgpr(inst.get(Field::data0), b32s(size), acc));
        set_src(list, kDsData1, r.vgpr(inst.get(Field::data1), b32s(size), acc));
        break;
      }
      const bool tr96 = contains("_tr_b6"), tr = contains("_tr_");
      const unsigned out = tr96 ? 3 : tr || contains("pop2_rtn_b64") || contains("gs_reg_rtn") ? 2 : 1;
      push_dst(list, r.vgpr(inst.get(Field::vdst), b32s(out), acc));
      if (contains("append") || contains("consume")) break;
      if (contains("gs_reg_rtn")) {
        set_src(list, kMemData, r.vgpr(inst.get(Field::data0), b32s(1), acc));
        break;
      }
      set_src(list, kMemAddr, r.vgpr(inst.get(Field::addr), b32s(1)));
      if (contains("permute")) set_src(list, kMemData, r.vgpr(inst.get(Field::data0), b32s(1), acc));
      if (contains("bvh_stack")) {
        set_src(list, kMemData, r.vgpr(inst.get(Field::data0), b32s(1)));
        set_src(list, kDsData1, r.vgpr(inst.get(Field::data1), b32s(contains("push8") ? 8 : 4)));
      }
    }
  }
}

void read_buffer(const Inst& inst, const Reader& r, Operands& list) {
  const MemParams& p = inst.info().mem;
  if (p.kind == MemKind::kOther && inst.info().id != "buffer_store_lds_b32") return;
  const bool acc = inst.get(Field::acc);
  unsigned n = data_dwords(p);
  const unsigned extra = inst.get(Field::tfe) ? 1 : 0;
  const bool offen = inst.get(Field::offen), idxen = inst.get(Field::idxen);
  if (p.kind == MemKind::kAtomic && is_cmpswap(inst)) n *= 2;
  const bool to_lds = inst.get(Field::lds);  // gfx9: the data goes to LDS instead of a VGPR
  const bool loads = p.kind == MemKind::kLoad || p.kind == MemKind::kLoadFormat;
  if (loads && !to_lds) push_dst(list, r.vgpr(inst.get(Field::vdata), b32s(n + extra), acc));
  if (p.kind == MemKind::kAtomic && returns_value(inst)) push_dst(list, r.vgpr(inst.get(Field::vdata), b32s(data_dwords(p) + extra), acc));
  Operand off;
  off.kind = OperandKind::kOff;
  if (p.kind != MemKind::kOther) set_src(list, kMemAddr, offen || idxen ? r.vgpr(inst.get(Field::vaddr), b32s(offen && idxen ? 2 : 1)) : off);
  if (!loads && p.kind != MemKind::kLoadLds && p.kind != MemKind::kOther) set_src(list, kMemData, r.vgpr(inst.get(Field::vdata), b32s(n + extra), acc));
  const unsigned srsrc = inst.get(Field::srsrc);
  set_src(list, kMemScalar, r.scalar(inst.isa == Isa::kGfx12 ? srsrc : srsrc * 4, b32s(4)));
  set_src(list, kMemSoffset, r.source(inst.get(Field::soffset), b32s(1)));
}

void read_smem(const Inst& inst, const Reader& r, Operands& list) {
  const OpInfo& info = inst.info();
  const MemParams& p = info.mem;
  const auto contains = [&](std::string_view s) { return info.id.find(s) != std::string_view::npos; };
  const bool buffer = info.id.starts_with("s_buffer") || info.id == "s_atc_probe_buffer";
  const bool prefetch = contains("prefetch");
  if (p.kind == MemKind::kOther) {
    if (info.id == "s_memtime" || info.id == "s_memrealtime") push_dst(list, r.scalar(inst.get(Field::sdata), b32s(2)));
    if (!prefetch && !contains("atc_probe") && !contains("discard")) return;
  }
  const Operand data = r.scalar(inst.get(Field::sdata), b32s(data_dwords(p) * (is_cmpswap(inst) ? 2 : 1)));
  if (p.kind == MemKind::kLoad) push_dst(list, data);
  if (!contains("pc_rel")) set_src(list, kSmemBase, r.scalar(inst.get(Field::sbase) * 2, b32s(buffer ? 4 : 2)));
  Operand off;
  off.kind = OperandKind::kOff;
  const unsigned soffset = inst.get(Field::soffset);
  if (generation_of(inst.isa) == Generation::kGfx9) {
    // Without IMM the low bits of the offset field name an SGPR; with SOFFSET_EN another SGPR is added.
    if (inst.get(Field::soffset_en)) set_src(list, kSmemOffset, r.scalar(soffset, b32s(1)));
    else if (!inst.get(Field::imm)) set_src(list, kSmemOffset, r.scalar(inst.get(Field::offset) & 127, b32s(1)));
    else set_src(list, kSmemOffset, off);
  } else {
    set_src(list, kSmemOffset, soffset == kNull ? off : r.scalar(soffset, b32s(1)));
  }
  if (p.kind == MemKind::kStore || p.kind == MemKind::kAtomic) {
    set_src(list, kSmemData, data);
    if (p.kind == MemKind::kAtomic && inst.get(Field::glc)) push_dst(list, r.scalar(inst.get(Field::sdata), b32s(data_dwords(p))));
  }
}

}  // namespace

bool fills_half(Isa isa, Type type) {
  switch (generation_of(isa)) {
    case Generation::kGfx9: return false;
    case Generation::kGfx11: return is_half(type);
    case Generation::kGfx12: return is_half(type) || type == Type::PK_FP8 || type == Type::PK_BF8;
  }
  return false;
}

uint64_t inline_bits(unsigned code, Type type) {
  const bool wide = type == Type::F64 || type == Type::B64 || type == Type::I64 || type == Type::U64;
  if (code >= kInlineIntFirst && code <= kInlineIntLast) {
    const int value = code <= 192 ? static_cast<int>(code) - 128 : 192 - static_cast<int>(code);
    const auto sign_extended = static_cast<uint64_t>(static_cast<int64_t>(value));
    return wide ? sign_extended : static_cast<uint32_t>(sign_extended);
  }
  if (code < kInlineFloatFirst || code > kInlineFloatLast) return 0;
  static constexpr double kFloats[] = {0.5, -0.5, 1.0, -1.0, 2.0, -2.0, 4.0, -4.0};
  static constexpr uint16_t kHalves[] = {0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000, 0xc000, 0x4400, 0xc400, 0x3118};
  constexpr uint32_t kInvTwoPi32 = 0x3e22f983;
  constexpr uint64_t kInvTwoPi64 = 0x3fc45f306dc9c882;
  const unsigned i = code - kInlineFloatFirst;
  const bool inv = i == 8;
  const uint32_t f32 = inv ? kInvTwoPi32 : std::bit_cast<uint32_t>(static_cast<float>(kFloats[i]));
  switch (type) {
    case Type::F64: case Type::B64: case Type::I64: case Type::U64: return inv ? kInvTwoPi64 : std::bit_cast<uint64_t>(kFloats[i]);
    case Type::F16: case Type::PK_F16: case Type::B16: case Type::I16: case Type::U16: case Type::PK_B16: return kHalves[i];
    case Type::BF16: case Type::PK_BF16: return f32 >> 16;
    default: return f32;
  }
}

Operands operands_of(const Inst& inst, unsigned wave_size) {
  Operands list;
  const Reader r(inst, wave_size);
  switch (inst.format) {
    case Format::SOP1: case Format::SOP2: case Format::SOPC: case Format::SOPK: case Format::SOPP:
      read_salu(inst, r, list);
      break;
    case Format::VOP1: case Format::VOP2: case Format::VOPC: case Format::VOP3: case Format::VOP3SD: case Format::VOP3P: case Format::MAI:
    case Format::VOP3PX2: case Format::VINTERP:
      read_valu(inst, r, list);
      break;
    case Format::LDSDIR:
      push_dst(list, r.vgpr(inst.get(Field::vdst), b32s(1)));
      break;
    case Format::FLAT: case Format::GLOBAL: case Format::SCRATCH:
      read_flat(inst, r, list);
      break;
    case Format::DS:
      read_ds(inst, r, list);
      break;
    case Format::MUBUF: case Format::MTBUF:
      read_buffer(inst, r, list);
      break;
    case Format::SMEM:
      read_smem(inst, r, list);
      break;
    case Format::VOPD: case Format::MIMG: case Format::VIMAGE: case Format::VSAMPLE: case Format::EXP:
      break;
  }
  return list;
}

Operands operands_of_half(const Inst& inst, int half, unsigned wave_size) {
  Operands list;
  const Reader r(inst, wave_size);
  const Op base = op_info(half == 0 ? inst.op : inst.op_y).base;
  const OpInfo& info = op_info(base);
  unsigned vdst = inst.get(Field::vdstx);
  if (half == 1) vdst = inst.get(Field::vdsty) * 2 + (~inst.get(Field::vdstx) & 1);
  if (info.n_dsts > 0) push_dst(list, r.vgpr(vdst, info.dsts[0]));
  int position = 0;
  for (int i = 0; i < info.n_srcs; ++i) {
    const Opnd spec = info.srcs[i];
    if (spec.place == Place::kLiteral) push_src(list, r.literal(spec));
    else if (spec.type == Type::MASK) push_src(list, r.scalar(kVccLo, kMask));
    else if (position++ == 0) push_src(list, r.source(inst.get(half == 0 ? Field::srcx0 : Field::srcy0), spec));
    else push_src(list, r.vgpr(inst.get(half == 0 ? Field::vsrcx1 : Field::vsrcy1), spec));
  }
  return list;
}

}  // namespace lockstep::isa
