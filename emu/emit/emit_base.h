// SPDX-License-Identifier: MIT
// Ground of the Emit machine: handles of nodes, typed as the row types its operands, and how nodes
// are made. What a primitive does not record comes out as NotRecorded.
#pragma once
#include <array>
#include <cstdint>
#include <type_traits>

#include "emu/emit/recipe.h"
#include "emu/lane/values.h"

namespace lockstep::emu {

struct Handle {
  uint8_t node = 0;
};
namespace emitted {
struct U32 : Handle {};
struct I32 : Handle {};
struct U16 : Handle {};
struct I16 : Handle {};
struct F16 : Handle {};
struct BF16 : Handle {};
struct F32 : Handle {};
struct U64 : Handle {};
struct I64 : Handle {};
struct F64 : Handle {};
struct Pred : Handle {};
/// Two values in one word (F32: in two), the low one first.
template <class T>
struct Pk {
  T lo, hi;
};
template <class T>
struct IsPk : std::false_type {};
template <class T>
struct IsPk<Pk<T>> : std::true_type {};
/// A value with a predicate beside it.
template <class T>
struct WithPred {
  T value;
  Pred bit;
};
/// An operand of a type that no recorded primitive takes.
struct Opaque : Handle {};
struct NotRecorded {};
struct Recorded {};  ///< of a primitive without a value
}  // namespace emitted

/// Declines every primitive. Emit's own overloads are better matches where they fit.
class EmitDeclines {
 public:
#define PRIMITIVE(name)                          \
  template <class... A>                          \
  emitted::NotRecorded name(const A&...) const { \
    return {};                                   \
  }
#include "emu/emit/primitives.def"
#undef PRIMITIVE
};

template <class T>
concept Word32 = std::is_same_v<T, emitted::U32> || std::is_same_v<T, emitted::I32>;
template <class T>
concept Word16 = std::is_same_v<T, emitted::U16> || std::is_same_v<T, emitted::I16>;
template <class T>
concept Quad = std::is_same_v<T, emitted::U64> || std::is_same_v<T, emitted::I64>;
template <class T>
concept Count = Word32<T> || Word16<T> || std::is_integral_v<T>;
template <class T>
constexpr bool kSignedHandle = std::is_same_v<T, emitted::I32> || std::is_same_v<T, emitted::I16> ||
                               std::is_same_v<T, emitted::I64>;

/// Makes nodes. Primitives are in the classes derived from it.
class EmitBase : public EmitDeclines {
 public:
#define PRIMITIVE(name) using EmitDeclines::name;
#include "emu/emit/primitives.def"
#undef PRIMITIVE
  using U32 = emitted::U32;
  using I32 = emitted::I32;
  using U16 = emitted::U16;
  using I16 = emitted::I16;
  using F16 = emitted::F16;
  using BF16 = emitted::BF16;
  using F32 = emitted::F32;
  using U64 = emitted::U64;
  using I64 = emitted::I64;
  using F64 = emitted::F64;
  using Pred = emitted::Pred;
  template <class T>
  using Pk = emitted::Pk<T>;

  Recipe recipe;
  /// The row came out too long, or cannot be recorded for this use.
  bool declined() const { return declined_; }
  /// Records the row as instructions with their clamp bit run it.
  void set_clamp() { clamp_ = true; }
  /// The row asked for the clamp bit: both kinds have recipes of their own.
  bool reads_clamp() const { return reads_clamp_; }

  /// What was recorded.
  Recipe take() {
    recipe.nodes.assign(nodes_.begin(), nodes_.begin() + recipe.count);
    return std::move(recipe);
  }

  emitted::Recorded nop() const { return {}; }

  // ---- for the recorder ----
  template <class T>
  T leaf(NodeOp op, uint64_t imm) {
    T h;
    h.node = node({op, 0, 0, 0, imm});
    return h;
  }

 protected:
  template <class T>
  T constant(uint32_t bits) {
    return leaf<T>(NodeOp::kConstant, bits);
  }
  template <class T>
  T make(NodeOp op, Handle a = {}, Handle b = {}, Handle c = {}, uint64_t imm = 0) {
    T h;
    h.node = node({op, a.node, b.node, c.node, imm});
    return h;
  }
  template <class T>
  T as(const Handle& h) {
    T t;
    t.node = h.node;
    return t;
  }
  Pred and_pred(const Pred& a, const Pred& b) { return make<Pred>(NodeOp::kPredAnd, a, b); }
  Pred or_pred(const Pred& a, const Pred& b) { return make<Pred>(NodeOp::kPredOr, a, b); }
  bool is_false(const Pred& p) const { return nodes_[p.node].op == NodeOp::kFalse; }
  bool clamps() {
    reads_clamp_ = true;
    return clamp_;
  }
  void decline() { declined_ = true; }

 private:
  uint8_t node(const Node& n) {
    if (n.op == NodeOp::kConstant || n.op == NodeOp::kConstant64)
      for (uint8_t i = 0; i < recipe.count; ++i)
        if (nodes_[i].op == n.op && nodes_[i].imm == n.imm) return i;
    if (recipe.count == Recipe::kMaxNodes) {
      declined_ = true;
      return 0;
    }
    nodes_[recipe.count] = n;
    return recipe.count++;
  }
  std::array<Node, Recipe::kMaxNodes> nodes_;
  bool declined_ = false, clamp_ = false, reads_clamp_ = false;
};

}  // namespace lockstep::emu
