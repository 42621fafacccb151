// SPDX-License-Identifier: MIT
// Lane exchange of the DS unit: pulls by two-register permutations, pushes by scatters into the
// frame.
#include "emu/ds_lane.h"
#include "emu/jit/lower_vector.h"

namespace lockstep::emu::jit {

using isa::Field;
using isa::Op;
using isa::OperandKind;
using Xbyak::Opmask;
using Xbyak::Zmm;
using namespace Xbyak::util;

namespace {

constexpr unsigned kSlicesOfGroup = 2;  // 32 lanes

uint32_t offset16(const Uop& u) {
  return u.inst.get(Field::offset0) | u.inst.get(Field::offset1) << 8;
}

}  // namespace

bool VectorLowering::is_exchange(const Uop& u) {
  switch (u.inst.op) {
    case Op::ds_swizzle_b32:
    case Op::ds_permute_b32:
    case Op::ds_bpermute_b32:
    case Op::ds_bpermute_fi_b32:
      return true;
    default:
      return false;
  }
}

bool VectorLowering::covers_exchange(const Uop& u) const {
  const isa::Operands& o = u.ops;
  const bool has_data = u.inst.op != Op::ds_swizzle_b32;
  return !u.inst.get(Field::gds) && o.n_dst == 1 && o.dst[0].kind == OperandKind::kVgpr &&
         o.src[isa::kMemAddr].kind == OperandKind::kVgpr &&
         (!has_data || o.src[isa::kMemData].kind == OperandKind::kVgpr);
}

void VectorLowering::exchange(const Uop& u) {
  if (u.inst.op == Op::ds_permute_b32)
    push_lanes(u);
  else
    pull_lanes(u);
}

/// The number of the lane that an address selects; its bits above those that count are anything.
void VectorLowering::selected_lanes(const Uop& u, const Zmm& index, unsigned slice) {
  const Zmm address = r_.use(u.ops.src[isa::kMemAddr].code, slice);
  if (const uint32_t offset = offset16(u)) {
    h_.vpaddd(index, address, all(offset));
    h_.vpsrld(index, index, 2);
  } else {
    h_.vpsrld(index, address, 2);
  }
}

void VectorLowering::pull_lanes(const Uop& u) {
  const bool swizzles = u.inst.op == Op::ds_swizzle_b32;
  const unsigned source = u.ops.src[swizzles ? isa::kMemAddr : isa::kMemData].code;
  const bool whole_wave = slices_ > kSlicesOfGroup && !swizzles &&
                          isa::generation_of(mode_.isa) != isa::Generation::kGfx11;
  Place values[4], results[4];
  for (unsigned s = 0; s < slices_; ++s) {
    values[s] = new_word();
    const Zmm v(values[s].reg[0]);
    if (u.inst.op == Op::ds_bpermute_fi_b32)
      h_.vmovdqa32(v, r_.use(source, s));
    else
      h_.vmovdqa32(v | exec(s) | T_z, r_.use(source, s));  // inactive lanes give 0
    r_.unpin_all();
  }
  const auto pair = [&](unsigned first, const Zmm& d) {
    h_.vpermi2d(d, Zmm(values[first].reg[0]), Zmm(values[first + 1].reg[0]));
  };
  for (unsigned s = 0; s < slices_; ++s) {
    results[s] = new_word();
    const Zmm d(results[s].reg[0]);
    const unsigned group = s / kSlicesOfGroup * kSlicesOfGroup;
    if (swizzles) {
      std::array<uint32_t, kLanes> from;
      for (unsigned i = 0; i < kLanes; ++i) from[i] = swizzle_source(offset16(u), s * kLanes + i);
      h_.vmovdqa32(d, h_.ptr[h_.rip + h_.vector_constant(from)]);
    } else {
      selected_lanes(u, d, s);
    }
    if (!whole_wave) {
      pair(group, d);
    } else {
      Place upper = new_word();
      const Zmm high(upper.reg[0]);
      h_.vmovdqa32(high, d);
      h_.vptestmd(k7, d, all(kSlicesOfGroup * kLanes));
      pair(0, d);
      pair(kSlicesOfGroup, high);
      h_.vmovdqa32(d | k7, high);
      drop(upper);
    }
    r_.unpin_all();
  }
  for (unsigned s = 0; s < slices_; ++s) drop(values[s]);
  for (unsigned s = 0; s < slices_; ++s) {
    h_.vmovdqa32(r_.define(u.ops.dst[0].code, s, false) | exec(s), Zmm(results[s].reg[0]));
    drop(results[s]);
  }
}

/// Scatters write in order of the lanes, so the highest sender wins, as it must.
void VectorLowering::push_lanes(const Uop& u) {
  const bool in_groups = isa::generation_of(mode_.isa) == isa::Generation::kGfx11;
  const uint32_t selectable = in_groups ? kSlicesOfGroup * kLanes : mode_.wave_size;
  Place index_place = new_word();
  const Zmm index(index_place.reg[0]);
  const auto received = [&](unsigned s) { return h_.ptr[rsp + static_cast<int>(s * 64)]; };
  h_.vpxord(index, index, index);
  for (unsigned s = 0; s < slices_; ++s) h_.vmovdqu32(received(s), index);
  for (unsigned s = 0; s < slices_; ++s) {
    selected_lanes(u, index, s);
    h_.vpandd(index, index, all(selectable - 1));
    const unsigned group = in_groups ? s / kSlicesOfGroup * kSlicesOfGroup : 0;
    h_.kmovw(k7, exec(s));
    h_.vpscatterdd(h_.ptr[rsp + index * 4 + static_cast<int>(group * 64)] | k7,
                   r_.use(u.ops.src[isa::kMemData].code, s));
    r_.unpin_all();
  }
  for (unsigned s = 0; s < slices_; ++s) {
    h_.vmovdqu32(index, received(s));
    h_.vmovdqa32(r_.define(u.ops.dst[0].code, s, false) | exec(s), index);
    r_.unpin_all();
  }
  drop(index_place);
}

}  // namespace lockstep::emu::jit
