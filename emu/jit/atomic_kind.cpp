// SPDX-License-Identifier: MIT
// A machine that notes which primitive an atomic row calls, and with what.
#include "emu/jit/atomic_kind.h"

#include <array>
#include <type_traits>

#include "emu/mem_rows.h"

namespace lockstep::emu::jit {
namespace {

using namespace isa::rows;
using namespace isa;

/// Operands that a row was given and what a primitive gave, to be known again.
constexpr uint64_t kOld = 11, kData = 22, kCompare = 33, kResult = 44, kInverted = 55, kMasked = 66;

class AtomicProbe {
 public:
  AtomicKind kind = AtomicKind::kNone;
  int calls = 0;

  template <class T>
  bool eq(T a, T b) {
    compared_ = is(a, kOld) ? to_bits(b) : 0;
    ++calls;
    return true;
  }
  template <class T>
  T select(bool, T a, T b) {
    constexpr bool kFloat = std::is_floating_point_v<T>;
    if (calls != 1 || !is(b, kOld)) return other<T>();
    if (compared_ == kCompare && is(a, kData))
      kind = kFloat ? AtomicKind::kCompareSwapFloat : AtomicKind::kCompareSwap;
    else if (compared_ == kData && is(a, kCompare))
      kind = kFloat ? AtomicKind::kSwapIfDataFloat : AtomicKind::kSwapIfData;
    else
      return other<T>();
    return result<T>();
  }
  template <class T>
  T add(T a, T b) {
    if constexpr (std::is_same_v<T, PkF16>)
      return ordered<T>(AtomicKind::kAddHalves, a, b);
    else if constexpr (std::is_same_v<T, PkBF16>)
      return ordered<T>(AtomicKind::kAddBfloats, a, b);
    else
      return ordered<T>(std::is_integral_v<T> ? AtomicKind::kAdd : AtomicKind::kAddFloat, a, b);
  }
  template <class T>
  T sub(T a, T b) {
    if (is(a, kData) && is(b, kOld)) return made<T>(AtomicKind::kReverseSub);
    return ordered<T>(AtomicKind::kSub, a, b);
  }
  template <class T>
  T and_(T a, T b) {
    if (!is(a, kOld) || !is(b, kInverted)) return ordered<T>(AtomicKind::kAnd, a, b);
    return from_bits<T>(kMasked);
  }
  template <class T>
  T or_(T a, T b) {
    if (!is(a, kMasked) || !is(b, kCompare)) return ordered<T>(AtomicKind::kOr, a, b);
    return made<T>(AtomicKind::kMaskOr);
  }
  template <class T>
  T xor_(T a, T b) {
    return ordered<T>(AtomicKind::kXor, a, b);
  }
  template <class T>
  T invert(T a) {
    return is(a, kData) ? from_bits<T>(kInverted) : other<T>();
  }
  template <class T>
  T min(T a, T b) {
    return ordered<T>(
        of<T>(AtomicKind::kMinSigned, AtomicKind::kMinUnsigned, AtomicKind::kMinFloat), a, b);
  }
  template <class T>
  T max(T a, T b) {
    return ordered<T>(
        of<T>(AtomicKind::kMaxSigned, AtomicKind::kMaxUnsigned, AtomicKind::kMaxFloat), a, b);
  }
  template <class T>
  T count_up(T a, T b) {
    return ordered<T>(AtomicKind::kCountUp, a, b);
  }
  template <class T>
  T count_down(T a, T b) {
    return ordered<T>(AtomicKind::kCountDown, a, b);
  }
  template <class T>
  T sub_clamp(T a, T b) {
    return ordered<T>(AtomicKind::kSubClamp, a, b);
  }
  template <class T>
  T sub_if(T a, T b) {
    return ordered<T>(AtomicKind::kSubIf, a, b);
  }
  template <class T>
  T ge_sub_or_add(T a, T b, T c) {
    return is(c, kCompare) ? ordered<T>(AtomicKind::kWrap, a, b) : other<T>();
  }
  uint64_t exchange_marked(uint64_t a, uint64_t b) {
    return ordered<uint64_t>(AtomicKind::kExchangeMarked, a, b);
  }

 private:
  template <class T>
  static bool is(T value, uint64_t which) {
    return to_bits(value) == which;
  }
  template <class T>
  static T result() {
    return from_bits<T>(kResult);
  }
  template <class T>
  static AtomicKind of(AtomicKind is_signed, AtomicKind is_unsigned, AtomicKind is_float) {
    if (std::is_floating_point_v<T>) return is_float;
    return std::is_signed_v<T> ? is_signed : is_unsigned;
  }
  template <class T>
  T other() {
    calls = 99;
    kind = AtomicKind::kNone;
    return result<T>();
  }
  template <class T>
  T made(AtomicKind k) {
    if (calls++) return other<T>();
    kind = k;
    return result<T>();
  }
  /// One operation on memory and data, in this order: NaNs depend on it.
  template <class T>
  T ordered(AtomicKind k, T a, T b) {
    return is(a, kOld) && is(b, kData) ? made<T>(k) : other<T>();
  }
  uint64_t compared_ = 0;  ///< with memory
};

template <class Row>
AtomicKind kind_of() {
  using T = typename Row::T;
  if constexpr (std::is_same_v<decltype(Row::eval(std::declval<AtomicProbe&>(), T{}, T{}, T{})),
                               NoSemantics>) {
    return AtomicKind::kNone;
  } else {
    AtomicProbe probe;
    const T value =
        Row::eval(probe, from_bits<T>(kOld), from_bits<T>(kData), from_bits<T>(kCompare));
    if (probe.calls == 0) return to_bits(value) == kData ? AtomicKind::kSwap : AtomicKind::kNone;
    return to_bits(value) == kResult ? probe.kind : AtomicKind::kNone;
  }
}

#define MEM(...)
#define MEM_ATOMIC(format, id, g9, g11, g12, type, ...) \
  LOCKSTEP_ATOMIC_ROW(format, id, type, __VA_ARGS__)
#include "isa/ops/ds.def"
#define MEM(...)
#define MEM_ATOMIC(format, id, g9, g11, g12, type, ...) \
  LOCKSTEP_ATOMIC_ROW(format, id, type, __VA_ARGS__)
#include "isa/ops/flat.def"
#define MEM(...)
#define MEM_ATOMIC(format, id, g9, g11, g12, type, ...) \
  LOCKSTEP_ATOMIC_ROW(format, id, type, __VA_ARGS__)
#include "isa/ops/buffer.def"

std::array<AtomicKind, kOpCount> find_kinds() {
  std::array<AtomicKind, kOpCount> kinds{};
#define MEM(...)
#define MEM_ATOMIC(format, id, ...) kinds[static_cast<size_t>(Op::id)] = kind_of<Mem_##id>();
#include "isa/ops/ds.def"
#define MEM(...)
#define MEM_ATOMIC(format, id, ...) kinds[static_cast<size_t>(Op::id)] = kind_of<Mem_##id>();
#include "isa/ops/flat.def"
#define MEM(...)
#define MEM_ATOMIC(format, id, ...) kinds[static_cast<size_t>(Op::id)] = kind_of<Mem_##id>();
#include "isa/ops/buffer.def"
  return kinds;
}

}  // namespace

AtomicKind atomic_kind(isa::Op op) {
  static const std::array<AtomicKind, kOpCount> kinds = find_kinds();
  return kinds[static_cast<size_t>(op)];
}

}  // namespace lockstep::emu::jit
