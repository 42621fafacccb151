// SPDX-License-Identifier: MIT
// Turns a row type (LOCKSTEP_VALU_ROW, LOCKSTEP_SALU_ROW) into a recipe.
#pragma once
#include <memory>
#include <vector>

#include "emu/emit/emit.h"
#include "emu/emit/emit_scalar.h"
#include "isa/types.h"

namespace lockstep::emu {

using RecipeTable = std::vector<std::unique_ptr<const Recipe>>;

void add_vop1_recipes(RecipeTable& table);
void add_vop2_recipes(RecipeTable& table);
void add_vop3_recipes(RecipeTable& table);
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
  constexpr bool kValue =
      std::is_base_of_v<Handle, Result> && !std::is_same_v<Result, emitted::Opaque>;
  if constexpr (kValue || std::is_same_v<Result, emitted::Recorded> ||
                requires(Result r) { r.bit; }) {
    M m;
    const A a = m.template leaf<A>(NodeOp::kSource, 0);
    const B b = m.template leaf<B>(NodeOp::kSource, 1);
    const C c = m.template leaf<C>(NodeOp::kSource, 2);
    const D d = m.template leaf<D>(NodeOp::kOld, 0);
    const auto result = Row::eval(m, a, b, c, d);
    if constexpr (std::is_same_v<Result, emitted::Pred>) {
      m.recipe.mask = static_cast<int8_t>(result.node);
    } else if constexpr (std::is_base_of_v<Handle, Result>) {
      if constexpr (Row::kDsts.n > 0) m.recipe.value = static_cast<int8_t>(result.node);
    } else if constexpr (!std::is_same_v<Result, emitted::Recorded>) {
      m.recipe.value = static_cast<int8_t>(result.value.node);
      m.recipe.mask = static_cast<int8_t>(result.bit.node);
    }
    if (!m.overflowed())
      table[static_cast<size_t>(Row::kOp)] = std::make_unique<const Recipe>(m.recipe);
  }
}

}  // namespace lockstep::emu
