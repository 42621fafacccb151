// SPDX-License-Identifier: MIT
// The C++ types in which semantics see operands, and how they come from and go to register bits.
#pragma once
#include <bit>
#include <cstdint>
#include <type_traits>

#include "isa/types.h"

namespace lockstep::emu {

/// 16-bit floats are carried as bits: the host has no portable arithmetic for them.
struct Half {
  uint16_t bits = 0;
};
struct BHalf {
  uint16_t bits = 0;
};
/// Two values in one dword, low half first.
template <class T>
struct Pair16 {
  T lo{}, hi{};
};
using PkF16 = Pair16<Half>;
using PkBF16 = Pair16<BHalf>;
using PkU16 = Pair16<uint16_t>;
using PkI16 = Pair16<int16_t>;
struct PkF32 {
  float lo = 0, hi = 0;
};
struct PkB32 {
  uint32_t lo = 0, hi = 0;
};
/// A result with a lane-mask bit beside it (carry out, v_div_scale).
template <class T>
struct WithMask {
  T value{};
  bool bit = false;
};
/// Four dwords of one lane.
struct Words4 {
  uint32_t word[4] = {};
};
/// Results of a row that also writes its source register (v_swap).
template <class T>
struct Swapped {
  T to_dest{}, to_source{};
};
/// Rows that write no lane of their destination by themselves: an expression of this type is
/// evaluated once for the wave, whatever EXEC says, or once for each active lane.
struct WaveAction {};
struct LaneAction {};
/// What a row without semantics evaluates to.
struct NoSemantics {};

template <isa::Type T>
struct ValueOf {
  using type = uint32_t;  // B32, U32, U24, byte and nibble vectors, ...
};
#define LOCKSTEP_VALUE(name, cpp)   \
  template <>                       \
  struct ValueOf<isa::Type::name> { \
    using type = cpp;               \
  };
// clang-format off
LOCKSTEP_VALUE(B8, uint8_t) LOCKSTEP_VALUE(U8, uint8_t) LOCKSTEP_VALUE(I8, int8_t)
LOCKSTEP_VALUE(B16, uint16_t) LOCKSTEP_VALUE(U16, uint16_t)
LOCKSTEP_VALUE(I16, int16_t) LOCKSTEP_VALUE(F16, Half) LOCKSTEP_VALUE(BF16, BHalf)
LOCKSTEP_VALUE(I32, int32_t) LOCKSTEP_VALUE(I24, int32_t) LOCKSTEP_VALUE(SIMM16, int32_t)
LOCKSTEP_VALUE(LABEL, int32_t) LOCKSTEP_VALUE(F32, float) LOCKSTEP_VALUE(MIX, float)
LOCKSTEP_VALUE(F64, double) LOCKSTEP_VALUE(B64, uint64_t) LOCKSTEP_VALUE(U64, uint64_t)
LOCKSTEP_VALUE(I64, int64_t) LOCKSTEP_VALUE(PK_F16, PkF16) LOCKSTEP_VALUE(PK_BF16, PkBF16)
LOCKSTEP_VALUE(PK_U16, PkU16) LOCKSTEP_VALUE(PK_B16, PkU16) LOCKSTEP_VALUE(PK_I16, PkI16)
LOCKSTEP_VALUE(B128, Words4) LOCKSTEP_VALUE(PK_F32, PkF32) LOCKSTEP_VALUE(PK_B32, PkB32)
LOCKSTEP_VALUE(MASK, bool)
// clang-format on
#undef LOCKSTEP_VALUE
template <isa::Type T>
using Value = typename ValueOf<T>::type;

template <class T>
constexpr bool kIs64 = sizeof(T) == 8;

/// Bits of a register (pair) -> value. Narrow types take the low bits.
template <class T>
T from_bits(uint64_t bits) {
  if constexpr (std::is_same_v<T, bool>)
    return bits & 1;
  else if constexpr (std::is_same_v<T, float>)
    return std::bit_cast<float>(static_cast<uint32_t>(bits));
  else if constexpr (std::is_integral_v<T>)
    return static_cast<T>(bits);
  else if constexpr (sizeof(T) == 8)
    return std::bit_cast<T>(bits);
  else if constexpr (sizeof(T) == 4)
    return std::bit_cast<T>(static_cast<uint32_t>(bits));
  else
    return std::bit_cast<T>(static_cast<uint16_t>(bits));
}
template <class T>
uint64_t to_bits(T value) {
  if constexpr (std::is_same_v<T, bool>)
    return value;
  else if constexpr (std::is_integral_v<T>)
    return static_cast<std::make_unsigned_t<T>>(value);
  else if constexpr (sizeof(T) == 8)
    return std::bit_cast<uint64_t>(value);
  else if constexpr (sizeof(T) == 4)
    return std::bit_cast<uint32_t>(value);
  else
    return std::bit_cast<uint16_t>(value);
}

}  // namespace lockstep::emu
