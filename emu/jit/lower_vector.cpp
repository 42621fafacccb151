// SPDX-License-Identifier: MIT
// Vector instructions as a whole: sources, results, masks.
#include "emu/jit/lower_vector.h"

#include "emu/special.h"
#include "emu/valu.h"

namespace lockstep::emu::jit {

using isa::OperandKind;
using isa::Type;
using Xbyak::Zmm;
using namespace Xbyak::util;

namespace {

bool is_flush(NodeOp op, const Mode& m, bool& wanted) {
  switch (op) {
    case NodeOp::kFlushIn:
      wanted = m.flush_in32();
      return true;
    case NodeOp::kFlushOut:
      wanted = m.flush_out32();
      return true;
    case NodeOp::kFlushInD:
    case NodeOp::kFlushInH:
      wanted = m.flush_in16_64();
      return true;
    case NodeOp::kFlushOutD:
    case NodeOp::kFlushOutH:
      wanted = m.flush_out16_64();
      return true;
    default:
      return false;
  }
}

/// Drops flushes that MODE does not ask for.
Recipe specialise(const Recipe& r, const Mode& m) {
  Recipe out = r;
  uint8_t alias[Recipe::kMaxNodes];
  for (uint8_t i = 0; i < r.count; ++i) {
    Node& n = out.nodes[i];
    n.a = n.a < i ? alias[n.a] : n.a;
    n.b = n.b < i ? alias[n.b] : n.b;
    n.c = n.c < i ? alias[n.c] : n.c;
    bool wanted = true;
    alias[i] = is_flush(n.op, m, wanted) && !wanted ? n.a : i;
  }
  for (int8_t* root : {&out.value, &out.mask})
    if (*root >= 0) *root = static_cast<int8_t>(alias[*root]);
  return out;
}

bool is_quad(Type t) {
  return t == Type::F64 || t == Type::B64 || t == Type::I64 || t == Type::U64;
}

}  // namespace

const Recipe* VectorLowering::recipe(isa::Op op) {
  if (const auto it = specialised_.find(op); it != specialised_.end()) return &it->second;
  const Recipe* general = recipe_of(op);
  return general ? &specialised_.emplace(op, specialise(*general, mode_)).first->second : nullptr;
}

bool VectorLowering::operand_covered(const isa::Operand& o) const {
  if (o.type == Type::MASK && (o.kind != OperandKind::kScalar || o.code == isa::kNull))
    return false;
  switch (o.kind) {
    case OperandKind::kVgpr:
    case OperandKind::kScalar:
    case OperandKind::kInline:
    case OperandKind::kLiteral:
      return !o.sext;
    default:
      return false;
  }
}

bool VectorLowering::covers(const Uop& u) {
  const isa::OpInfo& info = isa::op_info(u.inst.op);
  if (!recipe(u.inst.op)) return false;
  if (u.clamp || u.omod || (info.flags & (isa::XLANE | isa::SWAP | isa::HI16))) return false;
  if (u.inst.suffix != isa::Suffix::kNone && u.inst.suffix != isa::Suffix::kLiteral) return false;
  if (!mode_.nearest_even() || (mode_.bits & ModeBits::kFp16Ovfl)) return false;
  for (int i = 0; i < info.n_srcs && i < 3; ++i)
    if (!operand_covered(u.ops.src[i])) return false;
  if (u.ops.n_dst > 0 && u.ops.dst[0].kind != OperandKind::kVgpr &&
      u.ops.dst[0].type != Type::MASK && u.ops.dst[0].type != Type::EXEC_MASK)
    return false;
  return true;
}

void VectorLowering::load_exec() {
  for (unsigned s = 0; s < slices_; ++s)
    h_.kmovw(exec(s),
             h_.word[h_.wave + Host::scalar_offset(isa::kExecLo) + static_cast<int>(2 * s)]);
}

// ---- places ----

VectorLowering::Place VectorLowering::new_word() {
  Place p;
  p.kind = Place::Kind::kWord;
  p.reg[0] = r_.temporary().getIdx();
  p.owned = true;
  return p;
}

VectorLowering::Place VectorLowering::new_quad() {
  Place p = new_word();
  p.kind = Place::Kind::kQuad;
  p.reg[1] = r_.temporary().getIdx();
  return p;
}

VectorLowering::Place VectorLowering::new_mask() {
  for (int i = static_cast<int>(slices_) + 1; i < 8; ++i) {
    if (!(free_masks_ >> i & 1)) continue;
    free_masks_ = static_cast<uint8_t>(free_masks_ & ~(1u << i));
    Place p;
    p.kind = Place::Kind::kMask;
    p.reg[0] = i;
    p.owned = true;
    return p;
  }
  throw Xbyak::Error(Xbyak::ERR_INTERNAL);  // the compiler gives the unit up
}

void VectorLowering::drop(Place& p) {
  if (p.owned) {
    if (p.kind == Place::Kind::kMask) {
      free_masks_ = static_cast<uint8_t>(free_masks_ | 1u << p.reg[0]);
    } else {
      r_.release(Zmm(p.reg[0]));
      if (p.kind == Place::Kind::kQuad && p.reg[1] != p.reg[0]) r_.release(Zmm(p.reg[1]));
    }
  }
  p = Place{};
}

void VectorLowering::own(Place& p) {
  if (p.owned) return;
  Place copy = new_word();
  h_.vmovdqa32(Zmm(copy.reg[0]), Zmm(p.reg[0]));
  p = copy;
}

void VectorLowering::used(int n) {
  if (--uses_[n] == 0) drop(at_[n]);
}

void VectorLowering::begin(const Recipe& recipe) {
  recipe_ = &recipe;
  free_masks_ = 0xfe;
  for (int i = 0; i < recipe.count; ++i) {
    uses_[i] = 0;
    at_[i] = Place{};
  }
  // From the roots down: what no root needs is not evaluated.
  if (recipe.value >= 0) ++uses_[recipe.value];
  if (recipe.mask >= 0) ++uses_[recipe.mask];
  for (int i = recipe.count - 1; i >= 0; --i) {
    if (!uses_[i]) continue;
    const Node& n = recipe.nodes[i];
    const int inputs = inputs_of(n.op);
    if (inputs > 0) ++uses_[n.a];
    if (inputs > 1) ++uses_[n.b];
    if (inputs > 2) ++uses_[n.c];
  }
}

// ---- sources ----

void VectorLowering::split_quads(const Zmm& lo, const Zmm& hi, Place& quads) {
  const Zmm low(quads.reg[0]), high(quads.reg[1]);
  h_.vmovdqa32(low, h_.ptr[h_.table(&HostTables::low_quads)]);
  h_.vmovdqa32(high, h_.ptr[h_.table(&HostTables::high_quads)]);
  h_.vpermi2d(low, lo, hi);
  h_.vpermi2d(high, lo, hi);
}

VectorLowering::Place VectorLowering::register_words(const isa::Operand& o, unsigned slice) {
  Place p;
  if (!is_quad(o.type)) {
    p.kind = Place::Kind::kWord;
    p.reg[0] = r_.use(o.code, slice).getIdx();
    return p;
  }
  const Zmm lo = r_.use(o.code, slice), hi = r_.use(o.code + 1u, slice);
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
  const uint32_t sign = isa::is_half(o.type)       ? 0x8000
                        : isa::is_packed16(o.type) ? 0x80008000
                                                   : 0x80000000;
  Zmm from(p.reg[0]);
  if (!p.owned) p = new_word();
  const Zmm d(p.reg[0]);
  if (o.abs) {
    h_.vpandd(d, from, all(~sign));
    from = d;
  }
  if (o.neg) h_.vpxord(d, from, all(sign));
}

VectorLowering::Place VectorLowering::source(const isa::Operand& o, unsigned slice) {
  Place p;
  if (o.type == Type::MASK) {
    p = new_mask();
    const Opmask k(p.reg[0]);
    h_.kmovw(k, h_.word[h_.wave + Host::scalar_offset(o.code) + static_cast<int>(2 * slice)]);
    return p;
  }
  if (o.kind == OperandKind::kVgpr) {
    p = register_words(o, slice);
    extend_half(o, p);
    apply_modifiers(o, p);
    return p;
  }
  // The same for all lanes.
  const bool quad = is_quad(o.type);
  p = new_word();
  const Zmm d(p.reg[0]);
  if (o.kind == OperandKind::kScalar && o.code != isa::kNull) {
    if (quad && o.dwords == 2) {
      h_.vpbroadcastq(d, h_.scalar64(o.code));
    } else if (quad) {
      h_.mov(eax, h_.scalar(o.code));
      h_.vpbroadcastq(d, rax);
    } else {
      h_.vpbroadcastd(d, h_.scalar(o.code));
      extend_half(o, p);
    }
  } else {
    const uint64_t bits = o.kind == OperandKind::kInline    ? isa::inline_bits(o.code, o.type)
                          : o.kind == OperandKind::kLiteral ? literal_bits(o.value, o.type)
                                                            : 0;
    if (quad) {
      h_.vpbroadcastq(d, h_.qword[h_.rip + h_.constant64(bits)]);
    } else {
      uint32_t value = static_cast<uint32_t>(bits);
      if (isa::is_half(o.type)) {
        if (o.high_half) value >>= 16;
        value = o.type == Type::I16 ? static_cast<uint32_t>(static_cast<int16_t>(value))
                                    : value & 0xffff;
      }
      broadcast(d, value);
    }
  }
  if (quad) {
    p.kind = Place::Kind::kQuad;
    p.reg[1] = p.reg[0];
    if (o.neg || o.abs) {
      p.reg[1] = r_.temporary().getIdx();
      h_.vmovdqa64(Zmm(p.reg[1]), d);
    }
  }
  apply_modifiers(o, p);
  return p;
}

// ---- results ----

void VectorLowering::write_value(const Uop& u, Place& p, unsigned slice) {
  const isa::Operand& dst = u.ops.dst[0];
  const Opmask k = exec(slice);
  if (p.kind == Place::Kind::kQuad) {
    Place words = new_quad();
    const Zmm lo(words.reg[0]), hi(words.reg[1]);
    h_.vmovdqa32(lo, h_.ptr[h_.table(&HostTables::low_words)]);
    h_.vmovdqa32(hi, h_.ptr[h_.table(&HostTables::high_words)]);
    h_.vpermi2d(lo, Zmm(p.reg[0]), Zmm(p.reg[1]));
    h_.vpermi2d(hi, Zmm(p.reg[0]), Zmm(p.reg[1]));
    h_.vmovdqa32(r_.define(dst.code, slice, false) | k, lo);
    h_.vmovdqa32(r_.define(dst.code + 1u, slice, false) | k, hi);
    drop(words);
    return;
  }
  const Zmm d = r_.define(dst.code, slice, false);
  if (isa::is_half(dst.type)) {
    own(p);
    const Zmm t(p.reg[0]);
    const bool keep = keeps_other_half(u.inst);
    if (keep && dst.high_half)
      h_.vpslld(t, t, 16);
    else
      h_.vpandd(t, t, all(0xffff));
    constexpr int kOrAnd = 0xf8;  // a | (b & c)
    if (keep) h_.vpternlogd(t, d, all(dst.high_half ? 0x0000ffff : 0xffff0000), kOrAnd);
  }
  h_.vmovdqa32(d | k, Zmm(p.reg[0]));
}

void VectorLowering::collect_mask(int n, unsigned slice) {
  const Opmask k(at_[n].reg[0]);
  if (at_[n].owned) {
    h_.kandw(k, k, exec(slice));
    h_.kmovw(slice == 0 ? r8d : eax, k);
  } else {
    throw Xbyak::Error(Xbyak::ERR_INTERNAL);
  }
  if (slice == 0) return;
  h_.shl(rax, static_cast<int>(16 * slice));
  h_.or_(r8, rax);
}

void VectorLowering::store_mask(const Uop& u) {
  const isa::Operand& first = u.ops.dst[0];
  const auto write = [&](unsigned code) {
    if (code == isa::kNull) return;
    if (mode_.wave_size == 64)
      h_.mov(h_.scalar64(code), r8);
    else
      h_.mov(h_.scalar(code), r8d);
    if (code == isa::kExecLo || code == isa::kExecHi) load_exec();
  };
  if (first.type == Type::EXEC_MASK) {
    write(isa::kExecLo);
    if (u.ops.n_dst == 2) write(u.ops.dst[1].code);
  } else {
    write(first.type == Type::MASK ? first.code : u.ops.dst[1].code);
  }
}

// ---- instructions ----

bool VectorLowering::evaluate(const Uop& u, unsigned slice, const Zmm* target) {
  for (int n = 0; n < recipe_->count; ++n) {
    if (!uses_[n]) continue;
    node(u, n, slice, target && n == recipe_->value ? target : nullptr);
  }
  return target && recipe_->value >= 0 && at_[recipe_->value].kind == Place::Kind::kNone;
}

void VectorLowering::instruction(const Uop& u) {
  const Recipe& recipe = *this->recipe(u.inst.op);
  for (unsigned slice = 0; slice < slices_; ++slice) {
    begin(recipe);
    const bool word_result = recipe.value >= 0 && !is_quad(u.ops.dst[0].type) &&
                             !isa::is_half(u.ops.dst[0].type) && recipe.mask < 0 &&
                             uses_[recipe.value] == 1;
    Zmm target;
    if (word_result) target = r_.define(u.ops.dst[0].code, slice, false) | exec(slice);
    const bool direct = evaluate(u, slice, word_result ? &target : nullptr);
    if (recipe.mask >= 0) {
      collect_mask(recipe.mask, slice);
      if (recipe.mask != recipe.value) drop(at_[recipe.mask]);
    }
    if (recipe.value >= 0 && !direct) {
      write_value(u, at_[recipe.value], slice);
      drop(at_[recipe.value]);
    }
    r_.unpin_all();
  }
  if (recipe.mask >= 0) store_mask(u);
}

void VectorLowering::pair(const Uop& x, const Uop& y) {
  for (unsigned slice = 0; slice < slices_; ++slice) {
    begin(*recipe(x.inst.op));
    evaluate(x, slice, nullptr);
    Place px = at_[recipe_->value];
    begin(*recipe(y.inst.op));
    evaluate(y, slice, nullptr);
    Place py = at_[recipe_->value];
    own(py);  // it may be the register that x writes
    write_value(x, px, slice);
    write_value(y, py, slice);
    drop(px);
    drop(py);
    r_.unpin_all();
  }
}

}  // namespace lockstep::emu::jit
