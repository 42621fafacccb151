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

/// Operands that a row was given, to be known again.
constexpr uint64_t kOld = 11, kData = 22, kCompare = 33, kResult = 44;

class AtomicProbe {
 public:
  AtomicKind kind = AtomicKind::kNone;
  int calls = 0;

  template <class T>
  bool eq(T a, T b) {
    compared_ = is(a, kOld) && is(b, kCompare);
    ++calls;
    return true;
  }
  template <class T>
  T select(bool, T a, T b) {
    if (!compared_ || calls != 1 || !is(a, kData) || !is(b, kOld)) return other<T>();
    kind = AtomicKind::kCompareSwap;
    return result<T>();
  }
  template <class T>
  T add(T a, T b) {
    return ordered<T>(AtomicKind::kAdd, a, b);
  }
  PkF16 add(PkF16, PkF16) { return other<PkF16>(); }
  PkBF16 add(PkBF16, PkBF16) { return other<PkBF16>(); }
  template <class T>
  T sub(T a, T b) {
    return ordered<T>(is(a, kData) ? AtomicKind::kReverseSub : AtomicKind::kSub, a, b);
  }
  template <class T>
  T and_(T a, T b) {
    return ordered<T>(AtomicKind::kAnd, a, b);
  }
  template <class T>
  T or_(T a, T b) {
    return ordered<T>(AtomicKind::kOr, a, b);
  }
  template <class T>
  T xor_(T a, T b) {
    return ordered<T>(AtomicKind::kXor, a, b);
  }
  template <class T>
  T min(T a, T b) {
    return ordered<T>(std::is_signed_v<T> ? AtomicKind::kMinSigned : AtomicKind::kMinUnsigned, a,
                      b);
  }
  template <class T>
  T max(T a, T b) {
    return ordered<T>(std::is_signed_v<T> ? AtomicKind::kMaxSigned : AtomicKind::kMaxUnsigned, a,
                      b);
  }
  template <class T>
  T count_up(T a, T b) {
    return is(a, kOld) ? ordered<T>(AtomicKind::kCountUp, a, b) : other<T>();
  }
  template <class T>
  T count_down(T a, T b) {
    return is(a, kOld) ? ordered<T>(AtomicKind::kCountDown, a, b) : other<T>();
  }
  template <class T>
  T invert(T) {
    return other<T>();
  }
  template <class T>
  T sub_clamp(T, T) {
    return other<T>();
  }
  template <class T>
  T sub_if(T, T) {
    return other<T>();
  }
  template <class T>
  T ge_sub_or_add(T, T, T) {
    return other<T>();
  }
  uint64_t exchange_marked(uint64_t, uint64_t) { return other<uint64_t>(); }

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
  T other() {
    calls = 99;
    kind = AtomicKind::kNone;
    return result<T>();
  }
  /// One operation on the two operands. Floats are left to the handlers: their NaNs depend on order.
  template <class T>
  T ordered(AtomicKind k, T a, T b) {
    const bool both = (is(a, kOld) && is(b, kData)) || (is(a, kData) && is(b, kOld));
    if (calls++ || !both || !std::is_integral_v<T>) return other<T>();
    kind = k;
    return result<T>();
  }
  bool compared_ = false;
};

template <class Row>
AtomicKind kind_of() {
  using T = typename Row::T;
  if constexpr (!std::is_integral_v<T>) {
    return AtomicKind::kNone;
  } else if constexpr (std::is_same_v<decltype(Row::eval(std::declval<AtomicProbe&>(), T{}, T{},
                                                         T{})),
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

std::array<AtomicKind, kOpCount> find_kinds() {
  std::array<AtomicKind, kOpCount> kinds{};
#define MEM(...)
#define MEM_ATOMIC(format, id, ...) kinds[static_cast<size_t>(Op::id)] = kind_of<Mem_##id>();
#include "isa/ops/ds.def"
#define MEM(...)
#define MEM_ATOMIC(format, id, ...) kinds[static_cast<size_t>(Op::id)] = kind_of<Mem_##id>();
#include "isa/ops/flat.def"
  return kinds;
}

}  // namespace

AtomicKind atomic_kind(isa::Op op) {
  static const std::array<AtomicKind, kOpCount> kinds = find_kinds();
  return kinds[static_cast<size_t>(op)];
}

}  // namespace lockstep::emu::jit
