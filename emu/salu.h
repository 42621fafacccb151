// SPDX-License-Identifier: MIT
// Runs a scalar row on the executing machine: sources, evaluation, SCC or result.
#pragma once
#include "emu/scalar_lane.h"
#include "emu/scalar_operand.h"
#include "emu/valu.h"

namespace lockstep::emu {

template <class Row>
struct SaluTraits {
  static constexpr isa::Type type(const auto& list, size_t i) {
    return i < list.n ? list.v[i].type : isa::Type::kNone;
  }
  static constexpr isa::Type kDst = type(Row::kDsts, 0);
  using A = Value<type(Row::kSrcs, 0)>;
  using B = Value<type(Row::kSrcs, 1)>;
  using C = Value<type(Row::kSrcs, 2)>;
  using D = Value<kDst>;
  using Eval = decltype(Row::eval(std::declval<ScalarLane&>(), A{}, B{}, C{}, D{}));
  static constexpr bool kHasSemantics = !std::is_same_v<Eval, NoSemantics>;
};

template <class T>
bool read_salu(Context& c, const isa::Operand& o, T& value) {
  uint64_t bits = 0;
  if (!read_scalar(c, o, bits)) return false;
  value = from_bits<T>(bits);
  return true;
}

template <class Row>
Step exec_salu(Context& c, const Uop& u) {
  using R = SaluTraits<Row>;
  typename R::A a{};
  typename R::B b{};
  typename R::C cc{};
  typename R::D d{};
  if constexpr (Row::kSrcs.n > 0)
    if (!read_salu(c, u.ops.src[0], a)) return Step::kExit;
  if constexpr (Row::kSrcs.n > 1)
    if (!read_salu(c, u.ops.src[1], b)) return Step::kExit;
  if constexpr (Row::kSrcs.n > 2)
    if (!read_salu(c, u.ops.src[2], cc)) return Step::kExit;
  if constexpr ((Row::kFlags & isa::ACC) != 0)
    if (!read_salu(c, u.ops.dst[0], d)) return Step::kExit;
  ScalarLane m(c, u);
  const RoundingScope rounding(!isa::is_float(R::kDst)    ? Round::kNearestEven
                               : rounds_as_16_64(R::kDst) ? m.round16_64()
                                                          : m.round32());
  if constexpr (std::is_void_v<typename R::Eval>) {
    Row::eval(m, a, b, cc, d);
  } else {
    const auto result = Row::eval(m, a, b, cc, d);
    if (m.step() == Step::kExit) return Step::kExit;
    if constexpr (Row::kFormat == isa::Format::SOPC)
      c.wave->scc = result;
    else if constexpr (Row::kDsts.n > 0)
      write_scalar(c, m.dst_code(), u.ops.dst[0].dwords,
                   to_bits(static_cast<typename R::D>(result)));
  }
  return m.step();
}

/// Defines Salu_<id>: a row as a type.
#define LOCKSTEP_SALU_ROW(format, id, dsts, srcs, row_flags, ...)              \
  struct Salu_##id {                                                           \
    static constexpr isa::Op kOp = isa::Op::id;                                \
    static constexpr isa::Format kFormat = isa::Format::format;                \
    static constexpr uint32_t kFlags = row_flags;                              \
    static constexpr RowOpnds kDsts = row_opnds dsts;                          \
    static constexpr RowOpnds kSrcs = row_opnds srcs;                          \
    template <class M, class A, class B, class C, class D>                     \
    static auto eval([[maybe_unused]] M& m, [[maybe_unused]] const A& a,       \
                     [[maybe_unused]] const B& b, [[maybe_unused]] const C& c, \
                     [[maybe_unused]] const D& d) {                            \
      return __VA_ARGS__;                                                      \
    }                                                                          \
  };

template <class Row>
void add_salu(HandlerTable& table) {
  if constexpr (SaluTraits<Row>::kHasSemantics)
    table[static_cast<size_t>(Row::kOp)] = &exec_salu<Row>;
}

}  // namespace lockstep::emu
