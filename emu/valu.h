// SPDX-License-Identifier: MIT
// Runs a vector row on the Lane machine: reads sources of every active lane, evaluates, applies
// output modifiers, writes.
#pragma once
#include <bit>
#include <cfenv>

#include "emu/handlers.h"
#include "emu/lane/lane.h"
#include "emu/lane/sources.h"
#include "emu/sdwa.h"
#include "isa/rows.h"

namespace lockstep::emu {

/// Resolves the sources of a vector instruction, DPP and SDWA included. False: a register is out of
/// range or special source is unknown; the fault is raised in `c`.
bool prepare_sources(Context& c, const Uop& u, ValuSources& s);

/// Copies VGPR sources away, so that a row may read lanes that it has written already.
void take_snapshots(Context& c, const Uop& u, ValuSources& s);

/// Where a vector result goes. Narrow results keep what `keep` says of the old register.
struct LaneDest {
  uint32_t* lo = nullptr;
  uint32_t* hi = nullptr;
  uint32_t shift = 0;
  uint32_t keep = 0;
};
/// False where a 16-bit result clears the other half of its register.
bool keeps_other_half(const isa::Inst& inst);
LaneDest prepare_dest(Context& c, const Uop& u, const isa::Operand& dst);

template <class T>
void write_lane(const LaneDest& d, unsigned lane, T value) {
  if constexpr (std::is_same_v<T, Words4>) {
    const auto next = d.hi - d.lo;
    for (int i = 0; i < 4; ++i) d.lo[i * next + lane] = value.word[i];
    return;
  } else {
    const uint64_t bits = to_bits(value);
    if constexpr (sizeof(T) == 8) {
      d.lo[lane] = static_cast<uint32_t>(bits);
      d.hi[lane] = static_cast<uint32_t>(bits >> 32);
    } else {
      d.lo[lane] = (d.lo[lane] & d.keep) | static_cast<uint32_t>(bits) << d.shift;
    }
  }
}

/// Host rounding for the duration of one instruction, if MODE asks for anything but nearest even.
class RoundingScope {
 public:
  explicit RoundingScope(Round round) : changed_(round != Round::kNearestEven) {
    static constexpr int kHost[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    if (changed_) std::fesetround(kHost[static_cast<int>(round)]);
  }
  ~RoundingScope() {
    if (changed_) std::fesetround(FE_TONEAREST);
  }
  RoundingScope(const RoundingScope&) = delete;
  RoundingScope& operator=(const RoundingScope&) = delete;

 private:
  bool changed_;
};

constexpr bool rounds_as_16_64(isa::Type t) {
  using isa::Type;
  return t == Type::F64 || t == Type::F16 || t == Type::PK_F16 || t == Type::BF16 ||
         t == Type::PK_BF16;
}

/// A row as a type. Expanded by the translation units in emu/rows/.
///   struct Row { kOp, kFlags, kDsts, kSrcs, eval(m, a, b, c, d) }
template <class Row, class Machine = Lane>
struct RowTraits {
  static constexpr isa::Type type(const auto& list, size_t i) {
    return i < list.n ? list.v[i].type : isa::Type::kNone;
  }
  static constexpr isa::Type kDst = type(Row::kDsts, 0);
  static constexpr isa::Type kA = type(Row::kSrcs, 0), kB = type(Row::kSrcs, 1),
                             kC = type(Row::kSrcs, 2);
  using D = Value<kDst>;
  using A = Value<kA>;
  using B = Value<kB>;
  using C = Value<kC>;
  using Eval = decltype(Row::eval(std::declval<Machine&>(), A{}, B{}, C{}, D{}));
  static constexpr bool kHasSemantics = !std::is_same_v<Eval, NoSemantics>;
};

template <class T>
struct IsWithMask : std::false_type {};
template <class T>
struct IsWithMask<WithMask<T>> : std::true_type {};
template <class T>
struct IsSwapped : std::false_type {};
template <class T>
struct IsSwapped<Swapped<T>> : std::true_type {};

/// Runs one vector row.
template <class Row>
Step run_valu(Context& c, const Uop& u) {
  using R = RowTraits<Row>;
  ValuSources s;
  if (!prepare_sources(c, u, s)) return Step::kExit;
  if constexpr ((Row::kFlags & isa::XLANE) != 0) take_snapshots(c, u, s);
  const RoundingScope rounding(rounds_as_16_64(R::kDst)
                                   ? static_cast<Round>(c.wave->mode >> ModeBits::kRound16_64 & 3)
                                   : static_cast<Round>(c.wave->mode >> ModeBits::kRound32 & 3));
  Lane m(c, u, s);
  uint64_t mask = 0;
  constexpr bool kMaskResult = R::kDst == isa::Type::MASK || R::kDst == isa::Type::EXEC_MASK;
  constexpr bool kScalarResult = Row::kDsts.n > 0 && Row::kDsts.v[0].place == isa::Place::kSgpr;
  constexpr bool kSwap = IsSwapped<typename R::Eval>::value;
  LaneDest dest, swapped;
  if constexpr (Row::kDsts.n > 0 && !kMaskResult && !kScalarResult)
    dest = prepare_dest(c, u, u.ops.dst[0]);
  if constexpr (kSwap) swapped = prepare_dest(c, u, u.ops.src[0]);
  auto evaluate = [&](unsigned lane) {
    m.lane = lane;
    typename R::A a{};
    typename R::B b{};
    typename R::C cc{};
    typename R::D d{};
    if constexpr (Row::kSrcs.n > 0) a = read_lane<typename R::A>(s.src[0], lane);
    if constexpr (Row::kSrcs.n > 1) b = read_lane<typename R::B>(s.src[1], lane);
    if constexpr (Row::kSrcs.n > 2) cc = read_lane<typename R::C>(s.src[2], lane);
    if constexpr ((Row::kFlags & isa::ACC) != 0 || kSwap) {
      LaneSource old{dest.lo, dest.hi, 1, dest.shift};
      d = read_lane<typename R::D>(old, lane);
    }
    return Row::eval(m, a, b, cc, d);
  };
  if constexpr (kScalarResult) {
    // v_readlane, v_s_exp and friends: one value for the wave, whatever EXEC says.
    const uint32_t value = static_cast<uint32_t>(to_bits(m.finish(evaluate(0))));
    if (u.ops.dst[0].code != isa::kNull) c.wave->scalar[u.ops.dst[0].code] = value;
    return Step::kNext;
  } else if constexpr (std::is_same_v<typename R::Eval, WaveAction>) {
    evaluate(0);
    return Step::kNext;
  } else {
    for (uint64_t left = s.active; left; left &= left - 1) {
      const unsigned lane = static_cast<unsigned>(std::countr_zero(left));
      const typename R::Eval result = evaluate(lane);
      if constexpr (std::is_same_v<typename R::Eval, LaneAction>) {
        (void)result;
      } else if constexpr (kSwap) {
        write_lane(dest, lane, result.to_dest);
        write_lane(swapped, lane, result.to_source);
      } else if constexpr (kMaskResult)
        mask |= static_cast<uint64_t>(result) << lane;
      else if constexpr (IsWithMask<std::remove_cvref_t<decltype(result)>>::value) {
        write_lane(dest, lane, m.finish(result.value));
        mask |= static_cast<uint64_t>(result.bit) << lane;
      } else {
        write_lane(dest, lane, m.finish(result));
      }
    }
    if constexpr (kMaskResult) c.wave->write_mask(u.ops.dst[0].code, mask);
    if constexpr (Row::kDsts.n == 2) c.wave->write_mask(u.ops.dst[1].code, mask);
    if constexpr (R::kDst == isa::Type::EXEC_MASK) {
      // gfx9's v_cmpx also writes the named mask register; RDNA's writes EXEC alone.
      if (u.ops.n_dst == 2) c.wave->write_mask(u.ops.dst[1].code, mask);
    }
    return m.failed() ? Step::kExit : Step::kNext;
  }
}

/// Handler of one vector row.
template <class Row>
Step exec_valu(Context& c, const Uop& u) {
  if (u.inst.suffix == isa::Suffix::kSdwa) return exec_sdwa(c, u, &run_valu<Row>);
  return run_valu<Row>(c, u);
}

/// Turns the operand lists of a row into something a constant expression can index.
struct RowOpnds {
  isa::Opnd v[3];
  uint8_t n;
};
template <class... T>
constexpr RowOpnds row_opnds(T... o) {
  return {{o...}, sizeof...(T)};
}

/// Defines Row_<id>. `NOSEM` marks rows that are encoded but not executed yet.
#define LOCKSTEP_VALU_ROW(id, dsts, srcs, row_flags, ...)                      \
  struct Row_##id {                                                            \
    static constexpr isa::Op kOp = isa::Op::id;                                \
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
#define NOSEM \
  NoSemantics {}

template <class Row>
void add_valu(HandlerTable& table) {
  if constexpr (RowTraits<Row>::kHasSemantics)
    table[static_cast<size_t>(Row::kOp)] = &exec_valu<Row>;
}

}  // namespace lockstep::emu
