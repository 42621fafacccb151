// SPDX-License-Identifier: MIT
// Turns a row type (LOCKSTEP_VALU_ROW, LOCKSTEP_SALU_ROW) into a recipe.
#pragma once
#include <memory>
#include <vector>

#include "emu/emit/emit.h"
#include "emu/emit/emit_scalar.h"
#include "isa/types.h"

namespace lockstep::emu {

struct RowRecipes {
  std::unique_ptr<const Recipe> plain, clamped;
  bool reads_clamp = false;  ///< else `plain` is for both
};
using RecipeTable = std::vector<RowRecipes>;

void add_vop1_recipes(RecipeTable& table);
void add_vop2_recipes(RecipeTable& table);
void add_vop3_recipes(RecipeTable& table);
void add_vop3p_recipes(RecipeTable& table);
void add_vopc_recipes(RecipeTable& table);
void add_salu_recipes(RecipeTable& table);
void add_sopp_recipes(RecipeTable& table);

template <class Row, int I>
constexpr isa::Type source_type() {
  return I < Row::kSrcs.n ? Row::kSrcs.v[I].type : isa::Type::kNone;
}
template <class Row>
constexpr isa::Type dest_type() {
  return Row::kDsts.n > 0 ? Row::kDsts.v[0].type : isa::Type::kNone;
}

/// Leaves of one operand.
template <class T, class M>
T operand_leaf(M& m, bool old, uint32_t index) {
  if constexpr (emitted::IsPk<T>::value) {
    using E = decltype(T::lo);
    return {m.template leaf<E>(old ? NodeOp::kOldLow : NodeOp::kSourceLow, index),
            m.template leaf<E>(old ? NodeOp::kOldHigh : NodeOp::kSourceHigh, index)};
  } else {
    return m.template leaf<T>(old ? NodeOp::kOld : NodeOp::kSource, index);
  }
}

template <class T>
constexpr bool kIsResult =
    (std::is_base_of_v<Handle, T> && !std::is_same_v<T, emitted::Opaque>) ||
    emitted::IsPk<T>::value || std::is_same_v<T, emitted::Recorded> || requires(T r) { r.bit; };

/// Records one row on machine M; nothing if the row uses a primitive that M declines.
template <class Row, class M>
void record(RecipeTable& table) {
  using A = typename HandleOf<source_type<Row, 0>()>::type;
  using B = typename HandleOf<source_type<Row, 1>()>::type;
  using C = typename HandleOf<source_type<Row, 2>()>::type;
  using D = typename HandleOf<dest_type<Row>()>::type;
  using Result =
      decltype(Row::eval(std::declval<M&>(), std::declval<const A&>(), std::declval<const B&>(),
                         std::declval<const C&>(), std::declval<const D&>()));
  if constexpr (kIsResult<Result>) {
    const auto run = [](bool clamp, bool& reads_clamp) -> std::unique_ptr<const Recipe> {
      M m;
      if (clamp) m.set_clamp();
      const A a = operand_leaf<A>(m, false, 0);
      const B b = operand_leaf<B>(m, false, 1);
      const C c = operand_leaf<C>(m, false, 2);
      const D d = operand_leaf<D>(m, true, 0);
      const auto result = Row::eval(m, a, b, c, d);
      if constexpr (std::is_same_v<Result, emitted::Pred>) {
        m.recipe.mask = static_cast<int8_t>(result.node);
      } else if constexpr (std::is_base_of_v<Handle, Result>) {
        if constexpr (Row::kDsts.n > 0) m.recipe.value = static_cast<int8_t>(result.node);
      } else if constexpr (emitted::IsPk<Result>::value) {
        m.packed_result(result);
      } else if constexpr (!std::is_same_v<Result, emitted::Recorded>) {
        m.recipe.value = static_cast<int8_t>(result.value.node);
        m.recipe.mask = static_cast<int8_t>(result.bit.node);
      }
      reads_clamp = m.reads_clamp();
      return m.declined() ? nullptr : std::make_unique<const Recipe>(m.take());
    };
    RowRecipes& row = table[static_cast<size_t>(Row::kOp)];
    row.plain = run(false, row.reads_clamp);
    bool ignored = false;
    if (row.reads_clamp) row.clamped = run(true, ignored);
  }
}

}  // namespace lockstep::emu
