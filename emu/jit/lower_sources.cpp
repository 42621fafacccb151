// SPDX-License-Identifier: MIT
// Operands of vector instructions: registers and constants, halves and pairs, modifiers, SDWA
// parts, DPP permutations.
#include "emu/dpp.h"
#include "emu/jit/lower_vector.h"
#include "emu/packed.h"
#include "emu/sdwa.h"
#include "emu/special.h"

namespace lockstep::emu::jit {

using isa::Field;
using isa::OperandKind;
using isa::Type;
using Xbyak::Opmask;
using Xbyak::Ymm;
using Xbyak::Zmm;
using namespace Xbyak::util;

namespace {

uint64_t constant_bits(const isa::Operand& o) {
  switch (o.kind) {
    case OperandKind::kInline:
      return isa::inline_bits(o.code, o.type);
    case OperandKind::kLiteral:
      return literal_bits(o.value, o.type);
    default:
      return 0;
  }
}

bool is_permuted(const Uop& u, int i) {
  return i == 0 && (u.inst.suffix == isa::Suffix::kDpp16 || u.inst.suffix == isa::Suffix::kDpp8);
}

}  // namespace

void VectorLowering::split_quads(const Zmm& lo, const Zmm& hi, Place& quads) {
  h_.words_to_quads(Zmm(quads.reg[0]), Zmm(quads.reg[1]), lo, hi);
}

VectorLowering::Place VectorLowering::register_words(const Uop& u, int i, unsigned slice) {
  const isa::Operand& o = i < 0 ? u.ops.dst[0] : u.ops.src[i];
  const auto word = [&](unsigned part) {
    return is_permuted(u, i) ? Zmm(dpp_[slice][part].reg[0]) : r_.use(o.code + part, slice);
  };
  Place p;
  if (!is_quad(o.type)) {
    p.kind = Place::Kind::kWord;
    p.reg[0] = word(0).getIdx();
    return p;
  }
  const Zmm lo = word(0), hi = word(1);
  p = new_quad();
  split_quads(lo, hi, p);
  return p;
}

void VectorLowering::extend_half(const isa::Operand& o, Place& p) {
  if (!isa::is_half(o.type)) return;
  const bool is_signed = o.type == Type::I16;
  const Zmm from(p.reg[0]);
  Place out = p.owned ? p : new_word();
  const Zmm d(out.reg[0]);
  if (o.high_half) {
    if (is_signed)
      h_.vpsrad(d, from, 16);
    else
      h_.vpsrld(d, from, 16);
  } else if (is_signed) {
    h_.vpslld(d, from, 16);
    h_.vpsrad(d, d, 16);
  } else {
    h_.vpandd(d, from, all(0xffff));
  }
  p = out;
}

void VectorLowering::apply_modifiers(const isa::Operand& o, Place& p) {
  if (!o.neg && !o.abs) return;
  if (p.kind == Place::Kind::kQuad) {
    for (const int reg : p.reg) {
      if (o.abs) h_.vpandq(Zmm(reg), Zmm(reg), all64(0x7fffffffffffffff));
      if (o.neg) h_.vpxorq(Zmm(reg), Zmm(reg), all64(0x8000000000000000));
    }
    return;
  }
  const uint32_t sign = isa::is_half(o.type) ? 0x8000 : 0x80000000;
  Zmm from(p.reg[0]);
  if (!p.owned) p = new_word();
  const Zmm d(p.reg[0]);
  if (o.abs) {
    h_.vpandd(d, from, all(~sign));
    from = d;
  }
  if (o.neg) h_.vpxord(d, from, all(sign));
}

/// A word that is the same for all lanes.
VectorLowering::Place VectorLowering::broadcast_operand(const isa::Operand& o) {
  Place p = new_word();
  if (o.kind == OperandKind::kScalar && o.code != isa::kNull)
    h_.vpbroadcastd(Zmm(p.reg[0]), h_.scalar(o.code));
  else
    broadcast(Zmm(p.reg[0]), static_cast<uint32_t>(constant_bits(o)));
  return p;
}

VectorLowering::Place VectorLowering::source(const Uop& u, int i, unsigned slice) {
  isa::Operand o = u.ops.src[i];
  if (u.inst.format == isa::Format::VOP3P) {
    if (o.type == Type::MIX) return mixed_source(u, i, slice);
    // Accumulators of dot products: neg_hi is the absolute value.
    const PackedSource packed = packed_source(u.inst, i);
    o.neg = o.type == Type::F32 && packed.negate_low;
    o.abs = o.type == Type::F32 && packed.negate_high;
  }
  Place p;
  if (o.type == Type::MASK) {
    p = new_mask();
    const Opmask k(p.reg[0]);
    h_.kmovw(k, h_.word[h_.wave + Host::scalar_offset(o.code) + static_cast<int>(2 * slice)]);
    return p;
  }
  if (o.kind == OperandKind::kVgpr) {
    p = register_words(u, i, slice);
    select_part(u, i, p);
    extend_half(o, p);
    apply_modifiers(o, p);
    return p;
  }
  if (!is_quad(o.type)) {
    p = broadcast_operand(o);
    select_part(u, i, p);
    extend_half(o, p);
    apply_modifiers(o, p);
    return p;
  }
  p = new_word();
  const Zmm d(p.reg[0]);
  if (o.kind == OperandKind::kScalar && o.code != isa::kNull) {
    if (o.dwords == 2) {
      h_.vpbroadcastq(d, h_.scalar64(o.code));
    } else {
      h_.mov(eax, h_.scalar(o.code));
      h_.vpbroadcastq(d, rax);
    }
  } else {
    h_.vpbroadcastq(d, h_.qword[h_.rip + h_.constant64(constant_bits(o))]);
  }
  p.kind = Place::Kind::kQuad;
  p.reg[1] = p.reg[0];
  if (o.neg || o.abs) {
    p.reg[1] = r_.temporary().getIdx();
    h_.vmovdqa64(Zmm(p.reg[1]), d);
  }
  apply_modifiers(o, p);
  return p;
}

// ---- packed sources ----

VectorLowering::Place VectorLowering::element(const Uop& u, int i, bool high, bool old,
                                              unsigned slice) {
  const isa::Operand& o = old ? u.ops.dst[0] : u.ops.src[i];
  PackedSource how{false, true, o.neg, o.neg};
  if (u.inst.format == isa::Format::VOP3P && !old) how = packed_source(u.inst, i);
  if (o.type == Type::PK_B32) how.high_from_high = how.low_from_high;
  const bool from_high = high ? how.high_from_high : how.low_from_high;
  const bool words = o.type == Type::PK_F32 || o.type == Type::PK_B32;
  Place p;
  if (o.kind == OperandKind::kVgpr) {
    p.kind = Place::Kind::kWord;
    const bool second = words && from_high;
    p.reg[0] = (is_permuted(u, old ? -1 : i) ? Zmm(dpp_[slice][second].reg[0])
                                             : r_.use(o.code + second, slice))
                   .getIdx();
  } else if (words && from_high) {
    p = new_word();
    if (o.kind == OperandKind::kScalar && o.code != isa::kNull && o.dwords == 2)
      h_.vpbroadcastd(Zmm(p.reg[0]), h_.scalar(o.code + 1u));
    else
      broadcast(Zmm(p.reg[0]), static_cast<uint32_t>(constant_bits(o) >> 32));
  } else {
    p = broadcast_operand(o);
  }
  isa::Operand one = o;
  one.neg = isa::is_float(o.type) && (high ? how.negate_high : how.negate_low);
  if (!words) {
    one.high_half = from_high;
    one.type = o.type == Type::PK_I16 ? Type::I16 : Type::F16;
    extend_half(one, p);
  } else {
    one.abs = false;
  }
  apply_modifiers(one, p);
  return p;
}

VectorLowering::Place VectorLowering::mixed_source(const Uop& u, int i, unsigned slice) {
  const PackedSource how = packed_source(u.inst, i);
  isa::Operand o = u.ops.src[i];
  Place p = o.kind == OperandKind::kVgpr ? register_words(u, i, slice) : broadcast_operand(o);
  if (how.high_from_high) {
    o.type = Type::F16;
    o.high_half = how.low_from_high;
    extend_half(o, p);
    const Ymm half(p.reg[0]);
    h_.vpmovdw(half, Zmm(p.reg[0]));
    h_.vcvtph2ps(Zmm(p.reg[0]), half);
  }
  o.type = Type::F32;
  o.abs = how.negate_high;
  o.neg = how.negate_low;
  apply_modifiers(o, p);
  return p;
}

// ---- SDWA ----

void VectorLowering::select_part(const Uop& u, int i, Place& p) {
  if (u.inst.suffix != isa::Suffix::kSdwa || i > 1) return;
  const SdwaPart part = part_of(u.inst.get(i == 0 ? Field::src0_sel : Field::src1_sel));
  if (part.width == 32) return;
  const Zmm from(p.reg[0]);
  if (!p.owned) p = new_word();
  const Zmm d(p.reg[0]);
  h_.vpslld(d, from, static_cast<uint8_t>(32 - part.width - part.shift));
  if (u.ops.src[i].sext)
    h_.vpsrad(d, d, static_cast<uint8_t>(32 - part.width));
  else
    h_.vpsrld(d, d, static_cast<uint8_t>(32 - part.width));
}

void VectorLowering::merge_part(const Uop& u, Place& p, const Zmm& old) {
  const SdwaPart part = part_of(u.inst.get(Field::dst_sel));
  if (part.width == 32) return;
  own(p);
  const Zmm t(p.reg[0]);
  const auto up = static_cast<uint8_t>(32 - part.width);
  const auto shift = static_cast<uint8_t>(part.shift);
  h_.vpslld(t, t, up);
  if (u.inst.get(Field::dst_unused) == kSdwaSignExtend)
    h_.vpsrad(t, t, up);
  else
    h_.vpsrld(t, t, up);
  if (shift) h_.vpslld(t, t, shift);
  constexpr int kOrAnd = 0xf8;  // a | (b & c)
  const uint32_t mask = (0xffffffffu >> up) << shift;
  if (u.inst.get(Field::dst_unused) == kSdwaPreserve) h_.vpternlogd(t, old, all(~mask), kOrAnd);
}

// ---- DPP ----

void VectorLowering::begin_dpp(const Uop& u) {
  const DppLanes dpp = dpp_lanes(u.inst);
  dpp_crosses_ = false;
  for (unsigned lane = 0; lane < mode_.wave_size; ++lane) {
    const int from = dpp.source(lane, mode_.wave_size);
    dpp_crosses_ |= from != kNoLane && static_cast<unsigned>(from) / kLanes != lane / kLanes;
  }
  // Lanes of other slices may be overwritten before their turn.
  if (!dpp_crosses_) return;
  free_masks_ = 0xfe;
  for (unsigned slice = 0; slice < slices_; ++slice) {
    permute_dpp(u, slice);
    r_.unpin_all();
  }
}

void VectorLowering::select_dpp(const Uop& u, unsigned slice) {
  if (!dpp_crosses_) permute_dpp(u, slice);
}

void VectorLowering::end_dpp(unsigned slice) {
  for (Place& p : dpp_[slice])
    if (p.kind != Place::Kind::kNone) drop(p);
  h_.kmovw(exec(slice),
           h_.word[h_.wave + Host::scalar_offset(isa::kExecLo) + static_cast<int>(2 * slice)]);
}

void VectorLowering::permute_dpp(const Uop& u, unsigned slice) {
  const DppLanes dpp = dpp_lanes(u.inst);
  const isa::Operand& o = u.ops.src[0];
  // Lanes come from at most two slices, which one index vector tells apart by bit 4.
  std::array<uint32_t, 16> index{};
  int slices[2] = {-1, -1};
  uint32_t enabled = 0, sourced = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const unsigned in_wave = slice * kLanes + lane;
    if (dpp.enabled(in_wave)) enabled |= 1u << lane;
    const int from = dpp.source(in_wave, mode_.wave_size);
    if (from == kNoLane) continue;
    sourced |= 1u << lane;
    const int of = from / kLanes;
    if (slices[0] < 0) slices[0] = of;
    if (of != slices[0]) slices[1] = of;
    index[lane] = static_cast<uint32_t>(from % kLanes + (of == slices[0] ? 0 : kLanes));
  }
  if (slices[0] < 0) slices[0] = static_cast<int>(slice);
  Place indices = new_word();
  const Zmm idx(indices.reg[0]);
  h_.vmovdqa32(idx, h_.ptr[h_.rip + h_.vector_constant(index)]);
  const auto permute = [&](const Zmm& d, const Zmm& a, const Zmm& b) {
    if (slices[1] < 0) {
      h_.vpermd(d, idx, a);
    } else {
      h_.vmovdqa32(d, idx);
      h_.vpermi2d(d, a, b);
    }
  };
  // The lanes that have a source.
  Place valid = new_mask();
  const Opmask k(valid.reg[0]);
  h_.mov(eax, sourced);
  h_.kmovw(k, eax);
  if (!dpp.fetch_inactive) {
    Place a = new_word(), b = new_word();
    const Zmm za(a.reg[0]), zb(b.reg[0]);
    Place other = new_mask();
    const Opmask m(other.reg[0]);
    const auto spread = [&](const Zmm& d, int of) {
      h_.kmovw(m, h_.word[h_.wave + Host::scalar_offset(isa::kExecLo) + 2 * of]);
      h_.vpmovm2d(d, m);
    };
    spread(za, slices[0]);
    if (slices[1] >= 0) spread(zb, slices[1]);
    Place t = new_word();
    permute(Zmm(t.reg[0]), za, zb);
    h_.vpmovd2m(m, Zmm(t.reg[0]));
    h_.kandw(k, k, m);
    for (Place* p : {&a, &b, &t, &other}) drop(*p);
  }
  for (unsigned part = 0; part < (o.dwords == 2 ? 2u : 1u); ++part) {
    Place& value = dpp_[slice][part];
    value = new_word();
    const Zmm a = r_.use(o.code + part, static_cast<unsigned>(slices[0]));
    const Zmm b = slices[1] < 0 ? a : r_.use(o.code + part, static_cast<unsigned>(slices[1]));
    permute(Zmm(value.reg[0]), a, b);
    h_.vmovdqa32(Zmm(value.reg[0]) | k | T_z, Zmm(value.reg[0]));
  }
  // Lanes without a source see 0 with bound_ctrl, else they do not execute.
  const Opmask active = exec(slice);
  if (!dpp.bound_zero) h_.kandw(active, active, k);
  if (enabled != 0xffff) {
    h_.mov(eax, enabled);
    h_.kmovw(k, eax);
    h_.kandw(active, active, k);
  }
  drop(valid);
  drop(indices);
}

}  // namespace lockstep::emu::jit
