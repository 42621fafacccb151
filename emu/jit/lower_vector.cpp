// SPDX-License-Identifier: MIT
// Vector instructions as a whole: sources, results, masks.
#include "emu/jit/lower_vector.h"

#include <algorithm>
#include <span>

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

/// By DPP.
bool is_permuted(const Uop& u) {
  return u.inst.suffix == isa::Suffix::kDpp16 || u.inst.suffix == isa::Suffix::kDpp8;
}

/// Drops flushes that MODE does not ask for, and what is not for this target.
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
    if (n.op == NodeOp::kWhereGfx9) alias[i] = m.gfx9() ? n.a : n.b;
  }
  for (int8_t* root : {&out.value, &out.high, &out.mask})
    if (*root >= 0) *root = static_cast<int8_t>(alias[*root]);
  return out;
}

/// How often each node is used, from the roots down: what no root needs is not evaluated.
void count_uses(Recipe& r) {
  r.uses.assign(r.count, 0);
  for (const int8_t root : {r.value, r.high, r.mask})
    if (root >= 0) ++r.uses[static_cast<size_t>(root)];
  for (size_t i = r.count; i-- > 0;) {
    if (!r.uses[i]) continue;
    const Node& n = r.nodes[i];
    const int inputs = inputs_of(n.op);
    if (inputs > 0) ++r.uses[n.a];
    if (inputs > 1) ++r.uses[n.b];
    if (inputs > 2) ++r.uses[n.c];
  }
}

/// omod acts only where denormal results are flushed and IEEE is off.
bool omod_acts(Type t, const Mode& m) {
  return !m.ieee() && (t == Type::F32 ? m.flush_out32() : m.flush_out16_64());
}

void append(Recipe& r, int8_t& root, NodeOp op, uint64_t imm) {
  r.nodes.push_back({op, static_cast<uint8_t>(root), 0, 0, imm});
  root = static_cast<int8_t>(r.count++);
}

/// Puts the instruction's output modifiers behind its result; false if that cannot be done.
bool append_modifiers(Recipe& r, Type t, const Uop& u, const Mode& m) {
  if (r.value < 0 || r.count + 4 > Recipe::kMaxNodes) return r.value < 0;
  static constexpr uint32_t kOmod[] = {0x3f800000, 0x40000000, 0x40800000, 0x3f000000};
  if (u.omod && isa::is_float(t) && omod_acts(t, m)) {
    if (t != Type::F32 && t != Type::F16) return false;
    append(r, r.value, t == Type::F32 ? NodeOp::kOmodF : NodeOp::kOmodH, kOmod[u.omod]);
  }
  if (!u.clamp) return true;
  switch (t) {
    case Type::F32:
      append(r, r.value, NodeOp::kClampF, 0);
      return true;
    case Type::PK_F32:
      if (u.inst.format != isa::Format::VOP3P) return true;  // conversions ignore it
      append(r, r.value, NodeOp::kClampF, 0);
      append(r, r.high, NodeOp::kClampF, 0);
      return true;
    case Type::F16:
      append(r, r.value, NodeOp::kClampH, 0);
      return true;
    case Type::PK_F16:
      append(r, r.value, NodeOp::kClampPk, 0);
      return true;
    case Type::F64:
      append(r, r.value, NodeOp::kClampD, 0);
      return true;
    default:
      return !isa::is_float(t);
  }
}

}  // namespace

const Recipe* VectorLowering::recipe(const Uop& u) {
  const uint32_t key =
      static_cast<uint32_t>(u.inst.op) << 3 | uint32_t{u.clamp} << 2 | uint32_t{u.omod};
  if (const auto it = specialised_.find(key); it != specialised_.end()) return it->second.get();
  auto& made = specialised_[key];
  const Recipe* general = recipe_of(u.inst.op, u.clamp);
  if (!general) return nullptr;
  auto special = std::make_unique<Recipe>(specialise(*general, mode_));
  const Type type = u.ops.n_dst > 0 ? u.ops.dst[0].type : Type::kNone;
  if (!append_modifiers(*special, type, u, mode_)) return nullptr;
  count_uses(*special);
  made = std::move(special);
  return made.get();
}

bool VectorLowering::makes_uniform(const Uop& u) {
  const isa::Format f = u.inst.format;
  return f == isa::Format::SOP1 || f == isa::Format::SOP2 || f == isa::Format::SOPC ||
         (u.ops.n_dst == 1 && isa::op_info(u.inst.op).dsts[0].place == isa::Place::kSgpr);
}

bool VectorLowering::operand_covered(const Uop& u, const isa::Operand& o) const {
  if (o.type == Type::MASK && (o.kind != OperandKind::kScalar || o.code == isa::kNull))
    return false;
  const bool sdwa = u.inst.suffix == isa::Suffix::kSdwa;
  if (sdwa && (o.dwords == 2 || isa::is_packed16(o.type))) return false;
  const bool signs = o.type == Type::PK_F32 && u.inst.format != isa::Format::VOP3P;
  if (signs && (o.neg || o.abs)) return false;
  switch (o.kind) {
    case OperandKind::kVgpr:
    case OperandKind::kScalar:
    case OperandKind::kInline:
    case OperandKind::kLiteral:
      return !o.sext || sdwa;
    default:
      return false;
  }
}

/// Scalar rows of floats: lane 0 of a vector whose sources are the same everywhere.
bool VectorLowering::covers_scalar_float(const Uop& u) {
  const isa::OpInfo& info = isa::op_info(u.inst.op);
  const std::span sources(u.ops.src, static_cast<size_t>(info.n_srcs));
  const bool result = u.ops.n_dst == 1 && isa::is_float(u.ops.dst[0].type);
  return (result || std::ranges::any_of(
                        sources, [](const isa::Operand& o) { return isa::is_float(o.type); })) &&
         covers(u);
}

bool VectorLowering::covers(const Uop& u) {
  const isa::OpInfo& info = isa::op_info(u.inst.op);
  if (is_lane_operation(u)) return covers_lane_operation(u);
  if (is_exchange(u)) return covers_exchange(u);
  if (info.flags & (isa::XLANE | isa::SWAP)) return false;
  const Recipe* r = recipe(u);
  if (!r || (r->high >= 0 && u.inst.suffix == isa::Suffix::kSdwa)) return false;
  if (!rounds_right(u)) return false;
  for (int i = 0; i < info.n_srcs && i < 3; ++i)
    if (!operand_covered(u, u.ops.src[i])) return false;
  const bool uniform =
      u.ops.n_dst == 1 && u.ops.dst[0].kind == OperandKind::kScalar && makes_uniform(u);
  if (u.ops.n_dst > 0 && u.ops.dst[0].kind != OperandKind::kVgpr && !uniform &&
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
  std::copy_n(recipe.uses.begin(), recipe.count, uses_);
  std::fill_n(at_, recipe.count, Place{});
}

// ---- results ----

void VectorLowering::write_value(const Uop& u, Place& p, unsigned slice) {
  const isa::Operand& dst = u.ops.dst[0];
  const Opmask k = exec(slice);
  if (p.kind == Place::Kind::kQuad) {
    Place words = new_quad();
    const Zmm lo(words.reg[0]), hi(words.reg[1]);
    h_.low_words(lo, Zmm(p.reg[0]), Zmm(p.reg[1]));
    h_.high_words(hi, Zmm(p.reg[0]), Zmm(p.reg[1]));
    h_.vmovdqa32(r_.define(dst.code, slice, false) | k, lo);
    h_.vmovdqa32(r_.define(dst.code + 1u, slice, false) | k, hi);
    drop(words);
    return;
  }
  const Zmm d = r_.define(dst.code, slice, false);
  if (isa::is_half(dst.type)) {
    own(p);
    const Zmm t(p.reg[0]);
    const bool packed = u.inst.format == isa::Format::VOP3P;
    const bool keep = packed || keeps_other_half(u.inst);
    const bool high = dst.high_half || (isa::op_info(u.inst.op).flags & isa::HI16);
    if (keep && high)
      h_.vpslld(t, t, 16);
    else
      h_.vpandd(t, t, all(0xffff));
    constexpr int kOrAnd = 0xf8;  // a | (b & c)
    if (keep) h_.vpternlogd(t, d, all(high ? 0x0000ffff : 0xffff0000), kOrAnd);
  }
  if (u.inst.suffix == isa::Suffix::kSdwa) merge_part(u, p, d);
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
  if (slice == 0 || h_.half() != Host::kBoth) return;
  h_.shl(rax, static_cast<int>(16 * slice));
  h_.or_(r8, rax);
}

/// The bits of eight lanes: those that come later must see them, those of other lanes do not matter.
void VectorLowering::store_half_of_mask(const Uop& u, unsigned slice) {
  for (int i = 0; i < u.ops.n_dst; ++i) {
    const isa::Operand& o = u.ops.dst[i];
    if (o.type != Type::MASK || o.code == isa::kNull) continue;
    h_.mov(h_.byte[h_.wave + Host::scalar_offset(o.code) + static_cast<int>(2 * slice) + h_.half()],
           slice == 0 ? r8b : al);
  }
}

void VectorLowering::store_mask(const Uop& u) {
  const isa::Operand& first = u.ops.dst[0];
  const auto write = [&](unsigned code) {
    if (code == isa::kNull) return;
    if (mode_.wave_size == 64)
      h_.mov(h_.scalar64(code), r8);
    else
      h_.mov(h_.scalar(code), r8d);
    const bool pair = mode_.wave_size == 64 && code + 1 == isa::kExecLo;
    if (pair || code == isa::kExecLo || code == isa::kExecHi) load_exec();
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
  rounded(u, [&] { unrounded(u); });
}

void VectorLowering::unrounded(const Uop& u) {
  if (is_lane_operation(u)) return lane_operation(u);
  if (is_exchange(u)) return exchange(u);
  if (makes_uniform(u)) return uniform_result(u);
  if (is_permuted(u)) begin_dpp(u);
  for (unsigned slice = 0; slice < slices_; ++slice) unrounded_slice(u, slice);
  if (recipe(u)->mask >= 0) store_mask(u);
}

bool VectorLowering::lanes_are_apart(const Uop& u) const {
  if (is_lane_operation(u) || is_exchange(u) || makes_uniform(u) || is_permuted(u)) return false;
  for (int i = 0; i < u.ops.n_dst; ++i) {
    const isa::Operand& o = u.ops.dst[i];
    if (o.kind == OperandKind::kVgpr) continue;
    // EXEC changes for all, and masks are to start where others start.
    const bool exec = o.code == isa::kExecLo || o.code == isa::kExecHi;
    if (o.type != Type::MASK || exec || o.code % (mode_.wave_size / 32) != 0) return false;
  }
  return true;
}

void VectorLowering::in_slice(const Uop& u, unsigned slice) {
  rounded(u, [&] { unrounded_slice(u, slice); });
}

void VectorLowering::unrounded_slice(const Uop& u, unsigned slice) {
  const Recipe& recipe = *this->recipe(u);
  begin(recipe);
  if (is_permuted(u)) select_dpp(u, slice);
  const bool word_result = recipe.value >= 0 && recipe.high < 0 && recipe.mask < 0 &&
                           !is_quad(u.ops.dst[0].type) && !isa::is_half(u.ops.dst[0].type) &&
                           u.inst.suffix != isa::Suffix::kSdwa && uses_[recipe.value] == 1;
  Zmm target;
  if (word_result) target = r_.define(u.ops.dst[0].code, slice, false) | exec(slice);
  const bool direct = evaluate(u, slice, word_result ? &target : nullptr);
  if (recipe.mask >= 0) {
    collect_mask(recipe.mask, slice);
    if (recipe.mask != recipe.value) drop(at_[recipe.mask]);
  }
  if (recipe.high >= 0) {
    // Either may be the register that the other one writes.
    own(at_[recipe.value]);
    own(at_[recipe.high]);
  }
  if (recipe.value >= 0 && !direct) {
    write_value(u, at_[recipe.value], slice);
    drop(at_[recipe.value]);
  }
  if (recipe.high >= 0) {
    h_.vmovdqa32(r_.define(u.ops.dst[0].code + 1u, slice, false) | exec(slice),
                 Zmm(at_[recipe.high].reg[0]));
    drop(at_[recipe.high]);
  }
  if (is_permuted(u)) end_dpp(slice);
  r_.unpin_all();
  if (recipe.mask >= 0 && h_.half() != Host::kBoth) store_half_of_mask(u, slice);
}

/// One value for the wave, to a scalar register: that of lane 0, whatever EXEC says.
void VectorLowering::uniform_result(const Uop& u) {
  begin(*recipe(u));
  evaluate(u, 0, nullptr);
  if (u.inst.format == isa::Format::SOPC) {
    h_.kmovw(eax, mask(recipe_->mask));
    drop(at_[recipe_->mask]);
    r_.unpin_all();
    h_.and_(eax, 1);
    h_.mov(h_.scc(), al);
    return;
  }
  h_.vmovd(eax, Xbyak::Xmm(at_[recipe_->value].reg[0]));
  drop(at_[recipe_->value]);
  r_.unpin_all();
  if (isa::is_half(u.ops.dst[0].type)) h_.movzx(eax, ax);
  const unsigned to = u.ops.dst[0].code;
  if (to != isa::kNull) h_.mov(h_.scalar(to), eax);
  if (to == isa::kExecLo || to == isa::kExecHi) load_exec();
}

void VectorLowering::pair(const Uop& x, const Uop& y) {
  for (unsigned slice = 0; slice < slices_; ++slice) pair_in_slice(x, y, slice);
}

void VectorLowering::pair_in_slice(const Uop& x, const Uop& y, unsigned slice) {
  begin(*recipe(x));
  rounded(x, [&] { evaluate(x, slice, nullptr); });
  Place px = at_[recipe_->value];
  begin(*recipe(y));
  rounded(y, [&] { evaluate(y, slice, nullptr); });
  Place py = at_[recipe_->value];
  own(py);  // it may be the register that x writes
  write_value(x, px, slice);
  write_value(y, py, slice);
  drop(px);
  drop(py);
  r_.unpin_all();
}

}  // namespace lockstep::emu::jit
