// SPDX-License-Identifier: MIT
// Instructions that read or write other lanes or accumulation registers: outside recipes, because
// they look at the wave.
#include "emu/jit/lower_vector.h"

namespace lockstep::emu::jit {

using isa::Op;
using isa::OperandKind;
using Xbyak::Opmask;
using Xbyak::Zmm;
using namespace Xbyak::util;

namespace {

bool is_uniform(const isa::Operand& o) {
  return o.kind == OperandKind::kScalar || o.kind == OperandKind::kInline ||
         o.kind == OperandKind::kLiteral;
}
bool is_agpr(const isa::Operand& o) { return o.kind == OperandKind::kAgpr; }
bool is_vgpr(const isa::Operand& o) { return o.kind == OperandKind::kVgpr; }

/// Bits of a constant operand.
uint32_t constant_word(const isa::Operand& o) {
  return o.kind == OperandKind::kInline ? static_cast<uint32_t>(isa::inline_bits(o.code, o.type))
                                        : o.value;
}

constexpr uint32_t kFetchInactive = 1, kBoundZero = 2;  // op_sel of permlane16

}  // namespace

bool VectorLowering::is_lane_operation(const Uop& u) {
  switch (u.inst.op) {
    case Op::v_readfirstlane_b32:
    case Op::v_readlane_b32:
    case Op::v_writelane_b32:
    case Op::v_permlane16_b32:
    case Op::v_permlanex16_b32:
    case Op::v_permlane16_var_b32:
    case Op::v_permlanex16_var_b32:
    case Op::v_permlane64_b32:
    case Op::v_swap_b32:
    case Op::v_swap_b16:
    case Op::v_permlane16_swap_b32:
    case Op::v_permlane32_swap_b32:
    case Op::v_accvgpr_read_b32:
    case Op::v_accvgpr_write_b32:
    case Op::v_accvgpr_mov_b32:
      return true;
    default:
      return false;
  }
}

bool VectorLowering::covers_lane_operation(const Uop& u) const {
  const isa::Operands& o = u.ops;
  if (u.inst.suffix != isa::Suffix::kNone && u.inst.suffix != isa::Suffix::kLiteral) return false;
  for (int i = 0; i < o.n_src && i < 3; ++i)
    if (o.src[i].neg || o.src[i].abs) return false;
  switch (u.inst.op) {
    case Op::v_readfirstlane_b32:
      return is_vgpr(o.src[0]) && o.dst[0].kind == OperandKind::kScalar;
    case Op::v_readlane_b32:
      return is_vgpr(o.src[0]) && o.dst[0].kind == OperandKind::kScalar && is_uniform(o.src[1]);
    case Op::v_writelane_b32:
      return is_vgpr(o.dst[0]) && is_uniform(o.src[0]) && is_uniform(o.src[1]);
    case Op::v_permlane16_b32:
    case Op::v_permlanex16_b32:
      return is_vgpr(o.src[0]) && is_vgpr(o.dst[0]) && is_uniform(o.src[1]) && is_uniform(o.src[2]);
    case Op::v_permlane16_var_b32:
    case Op::v_permlanex16_var_b32:
      return is_vgpr(o.src[0]) && is_vgpr(o.dst[0]) && is_vgpr(o.src[1]);
    case Op::v_accvgpr_read_b32:
    case Op::v_accvgpr_write_b32:
    case Op::v_accvgpr_mov_b32:
      return (is_vgpr(o.src[0]) || is_uniform(o.src[0]) || is_agpr(o.src[0])) &&
             (is_vgpr(o.dst[0]) || is_agpr(o.dst[0]));
    default:
      return is_vgpr(o.src[0]) && is_vgpr(o.dst[0]);
  }
}

void VectorLowering::lane_operation(const Uop& u) {
  free_masks_ = 0xfe;
  switch (u.inst.op) {
    case Op::v_readfirstlane_b32:
    case Op::v_readlane_b32:
      read_lane(u);
      break;
    case Op::v_writelane_b32:
      write_lane(u);
      break;
    case Op::v_permlane16_b32:
    case Op::v_permlane16_var_b32:
      permlane16(u, false);
      break;
    case Op::v_permlanex16_b32:
    case Op::v_permlanex16_var_b32:
      permlane16(u, true);
      break;
    case Op::v_permlane64_b32:
      permlane64(u);
      break;
    case Op::v_accvgpr_read_b32:
    case Op::v_accvgpr_write_b32:
    case Op::v_accvgpr_mov_b32:
      accumulator(u);
      break;
    case Op::v_permlane16_swap_b32:
      swap_rows(u, 1);
      break;
    case Op::v_permlane32_swap_b32:
      swap_rows(u, 2);
      break;
    case Op::v_swap_b16:
      swap_halves(u);
      break;
    default:
      swap(u);
  }
  r_.unpin_all();
}

/// A uniform operand in eax.
void VectorLowering::uniform_word(const isa::Operand& o) {
  if (o.kind == OperandKind::kScalar && o.code != isa::kNull)
    h_.mov(eax, h_.scalar(o.code));
  else
    h_.mov(eax, o.kind == OperandKind::kScalar ? 0 : constant_word(o));
}

void VectorLowering::read_lane(const Uop& u) {
  const unsigned vgpr = u.ops.src[0].code, to = u.ops.dst[0].code;
  r_.write_back(vgpr);
  if (u.inst.op == Op::v_readfirstlane_b32) {
    // The lowest active lane, or lane 0.
    if (mode_.wave_size == 64)
      h_.mov(rcx, h_.scalar64(isa::kExecLo));
    else
      h_.mov(ecx, h_.scalar(isa::kExecLo));
    h_.xor_(eax, eax);
    h_.bsf(rcx, rcx);
    h_.cmovnz(eax, ecx);
  } else {
    uniform_word(u.ops.src[1]);
    h_.and_(eax, mode_.wave_size - 1);
  }
  h_.mov(eax, dword[h_.vgprs + rax * 4 + r_.displacement(vgpr)]);
  if (to == isa::kNull) return;
  h_.mov(h_.scalar(to), eax);
  if (to == isa::kExecLo || to == isa::kExecHi) load_exec();
}

void VectorLowering::write_lane(const Uop& u) {
  uniform_word(u.ops.src[1]);
  h_.and_(eax, mode_.wave_size - 1);
  h_.xor_(ecx, ecx);
  h_.bts(rcx, rax);
  uniform_word(u.ops.src[0]);
  Place k = new_mask();
  const Opmask only(k.reg[0]);
  for (unsigned slice = 0; slice < slices_; ++slice) {
    h_.kmovw(only, ecx);
    h_.vpbroadcastd(r_.define(u.ops.dst[0].code, slice, false) | only, eax);
    h_.shr(rcx, 16);
  }
  drop(k);
}

/// Lanes of a row of 16 by selectors of four bits: in two uniform words, or in a register.
void VectorLowering::permlane16(const Uop& u, bool other) {
  const bool uniform = u.ops.n_src == 3;
  const uint32_t op_sel = u.inst.get(isa::Field::opsel);
  const unsigned source = u.ops.src[0].code, to = u.ops.dst[0].code;
  Place results[4];
  Place index_place = new_word(), k_place = new_mask();
  const Zmm index(index_place.reg[0]);
  const Opmask k(k_place.reg[0]);
  if (uniform) {
    std::array<uint32_t, kLanes> shifts;
    for (uint32_t i = 0; i < kLanes; ++i) shifts[i] = i % 8 * 4;
    uniform_word(u.ops.src[1]);
    h_.vpbroadcastd(index, eax);
    h_.mov(eax, 0xff00);
    h_.kmovw(k, eax);
    uniform_word(u.ops.src[2]);
    h_.vpbroadcastd(index | k, eax);
    h_.vpsrlvd(index, index, h_.ptr[h_.rip + h_.vector_constant(shifts)]);
  }
  for (unsigned slice = 0; slice < slices_; ++slice) {
    const unsigned from = other ? slice ^ 1 : slice;
    if (!uniform) h_.vmovdqa32(index, r_.use(u.ops.src[1].code, slice));
    const Zmm value = r_.use(source, from);
    results[slice] = new_word();
    const Zmm d(results[slice].reg[0]);
    if (op_sel & kFetchInactive) {
      h_.vpermd(d, index, value);
    } else {
      // Lanes whose source is switched off: 0, or the old value.
      h_.vpmovm2d(d, exec(from));
      h_.vpermd(d, index, d);
      h_.vpmovd2m(k, d);
      if (op_sel & kBoundZero) {
        h_.vpermd(d | k | T_z, index, value);
      } else {
        h_.vmovdqa32(d, r_.use(to, slice));
        h_.vpermd(d | k, index, value);
      }
    }
    r_.unpin_all();
  }
  for (unsigned slice = 0; slice < slices_; ++slice) {
    h_.vmovdqa32(r_.define(to, slice, false) | exec(slice), Zmm(results[slice].reg[0]));
    drop(results[slice]);
  }
  drop(index_place);
  drop(k_place);
}

void VectorLowering::permlane64(const Uop& u) {
  if (mode_.wave_size != 64) return;  // the destination keeps its value
  Place results[4];
  for (unsigned slice = 0; slice < slices_; ++slice) {
    results[slice] = new_word();
    h_.vmovdqa32(Zmm(results[slice].reg[0]), r_.use(u.ops.src[0].code, slice ^ 2));
  }
  for (unsigned slice = 0; slice < slices_; ++slice) {
    h_.vmovdqa32(r_.define(u.ops.dst[0].code, slice, false) | exec(slice),
                 Zmm(results[slice].reg[0]));
    drop(results[slice]);
  }
}

/// Moves to and from accumulation registers, which are not cached.
void VectorLowering::accumulator(const Uop& u) {
  const isa::Operand &to = u.ops.dst[0], &from = u.ops.src[0];
  h_.mov(rcx, h_.ptr[h_.wave + static_cast<int>(offsetof(WaveState, agprs))]);
  const auto memory = [&](const isa::Operand& o, unsigned slice) {
    return h_.ptr[rcx + static_cast<int>((o.code * slices_ + slice) * 64)];
  };
  if (is_uniform(from)) uniform_word(from);
  for (unsigned slice = 0; slice < slices_; ++slice) {
    Place value = new_word();
    const Zmm v(value.reg[0]);
    if (is_agpr(from))
      h_.vmovdqa32(v, memory(from, slice));
    else if (is_vgpr(from))
      h_.vmovdqa32(v, r_.use(from.code, slice));
    else
      h_.vpbroadcastd(v, eax);
    if (is_agpr(to)) {
      // A masked store would keep later loads from being forwarded.
      Place old = new_word();
      h_.vmovdqa32(Zmm(old.reg[0]), memory(to, slice));
      h_.vmovdqa32(Zmm(old.reg[0]) | exec(slice), v);
      h_.vmovdqa32(memory(to, slice), Zmm(old.reg[0]));
      drop(old);
    } else {
      h_.vmovdqa32(r_.define(to.code, slice, false) | exec(slice), v);
    }
    drop(value);
    r_.unpin_all();
  }
}

void VectorLowering::swap(const Uop& u) {
  for (unsigned slice = 0; slice < slices_; ++slice) {
    const Zmm a = r_.define(u.ops.src[0].code, slice, false);
    const Zmm b = r_.define(u.ops.dst[0].code, slice, false);
    Place old = new_word();
    h_.vmovdqa32(Zmm(old.reg[0]), b);
    h_.vmovdqa32(b | exec(slice), a);
    h_.vmovdqa32(a | exec(slice), Zmm(old.reg[0]));
    drop(old);
    r_.unpin_all();
  }
}

/// Halves of two registers, or of one.
void VectorLowering::swap_halves(const Uop& u) {
  const isa::Operand &from = u.ops.src[0], &to = u.ops.dst[0];
  constexpr int kSelectFirst = 0xca;  // vpternlog: a ? b : c
  for (unsigned slice = 0; slice < slices_; ++slice) {
    const Zmm a = r_.define(from.code, slice, false), b = r_.define(to.code, slice, false);
    Place first = new_word(), second = new_word(), mask = new_word();
    const Zmm x(first.reg[0]), y(second.reg[0]), m(mask.reg[0]);
    const auto half = [&](const Zmm& d, const Zmm& of, bool high, bool to_high) {
      if (high == to_high)
        h_.vmovdqa32(d, of);
      else if (high)
        h_.vpsrld(d, of, 16);
      else
        h_.vpslld(d, of, 16);
    };
    const auto merge = [&](const Zmm& d, const Zmm& value, bool high) {
      broadcast(m, high ? 0xffff0000 : 0x0000ffff);
      h_.vpternlogd(m, value, d, kSelectFirst);
      h_.vmovdqa32(d | exec(slice), m);
    };
    half(x, a, from.high_half, to.high_half);
    half(y, b, to.high_half, from.high_half);
    merge(b, x, to.high_half);
    merge(a, y, from.high_half);
    for (Place* p : {&first, &second, &mask}) drop(*p);
    r_.unpin_all();
  }
}

/// Slices of the source whose bit `distance` is 0 against those of the destination above.
void VectorLowering::swap_rows(const Uop& u, unsigned distance) {
  const uint32_t op_sel = u.inst.get(isa::Field::opsel);
  for (unsigned low = 0; low < slices_; ++low) {
    const unsigned high = low + distance;
    if (low & distance) continue;
    const Zmm a = r_.define(u.ops.src[0].code, low, false),
              b = r_.define(u.ops.dst[0].code, high, false);
    Place from_a = new_word(), from_b = new_word(), both = new_mask();
    const Zmm x(from_a.reg[0]), y(from_b.reg[0]);
    const Opmask k(both.reg[0]);
    h_.kandw(k, exec(low), exec(high));
    h_.vmovdqa32(x, a);
    h_.vmovdqa32(y, b);
    if (op_sel & kFetchInactive) {
      h_.vmovdqa32(a | exec(low), y);
      h_.vmovdqa32(b | exec(high), x);
    } else if (op_sel & kBoundZero) {
      h_.vmovdqa32(x | exec(low) | T_z, x);
      h_.vmovdqa32(y | exec(high) | T_z, y);
      h_.vmovdqa32(a | exec(low), y);
      h_.vmovdqa32(b | exec(high), x);
    } else {
      h_.vmovdqa32(a | k, y);
      h_.vmovdqa32(b | k, x);
    }
    for (Place* p : {&from_a, &from_b, &both}) drop(*p);
    r_.unpin_all();
  }
}

}  // namespace lockstep::emu::jit
