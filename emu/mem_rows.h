// SPDX-License-Identifier: MIT
// Memory rows as types. Loads and stores are parameters of an engine; atomics and odd rows have an
// expression.
#pragma once
#include "emu/atomic_lane.h"
#include "emu/handlers.h"
#include "isa/rows.h"

#ifndef NOSEM
#define NOSEM \
  NoSemantics {}
#endif

namespace lockstep::emu {

/// Defines Mem_<id>. The expression of kOther rows goes over a machine m of the format.
#define LOCKSTEP_MEM_ROW(format, id, params, ...)               \
  struct Mem_##id {                                             \
    static constexpr isa::Op kOp = isa::Op::id;                 \
    static constexpr isa::Format kFormat = isa::Format::format; \
    static constexpr isa::MemParams kMem = params;              \
    template <class M>                                          \
    static auto eval([[maybe_unused]] M& m) {                   \
      return __VA_ARGS__;                                       \
    }                                                           \
  };
/// Defines Mem_<id> of an atomic: the new value of memory.
#define LOCKSTEP_ATOMIC_ROW(format, id, element, ...)                                        \
  struct Mem_##id {                                                                          \
    static constexpr isa::Op kOp = isa::Op::id;                                              \
    static constexpr isa::Format kFormat = isa::Format::format;                              \
    static constexpr isa::MemParams kMem = isa::rows::atomic(element);                       \
    using T = Value<kMem.type>;                                                              \
    template <class M>                                                                       \
    static auto eval([[maybe_unused]] M& m, [[maybe_unused]] T old, [[maybe_unused]] T data, \
                     [[maybe_unused]] T cmp) {                                               \
      return __VA_ARGS__;                                                                    \
    }                                                                                        \
  };

template <class Row, class M>
constexpr bool other_has_semantics() {
  return !std::is_same_v<decltype(Row::eval(std::declval<M&>())), NoSemantics>;
}
template <class Row>
constexpr bool atomic_has_semantics() {
  using T = typename Row::T;
  return !std::is_same_v<decltype(Row::eval(std::declval<AtomicLane&>(), T{}, T{}, T{})),
                         NoSemantics>;
}

}  // namespace lockstep::emu
