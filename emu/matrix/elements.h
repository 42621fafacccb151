// SPDX-License-Identifier: MIT
// Elements of matrix fragments: widths, and bits to arithmetic values.
#pragma once
#include <bit>
#include <cmath>
#include <cstdint>

#include "emu/half.h"
#include "emu/small_float.h"
#include "isa/types.h"

namespace lockstep::emu {

/// What an element is. One of these for each way of reading bits.
enum class Element : uint8_t { kF64, kF32, kXf32, kF16, kBf16, kSmall, kI32, kI8, kU8, kI4, kU4 };

struct ElementFormat {
  Element kind = Element::kF32;
  SmallFloat small = kFp8;  ///< kSmall
  bool flush = false;       ///< denormals count as zero

  constexpr unsigned bits() const {
    switch (kind) {
      case Element::kF64:
        return 64;
      case Element::kF16:
      case Element::kBf16:
        return 16;
      case Element::kSmall:
        return small.bits();
      case Element::kI8:
      case Element::kU8:
        return 8;
      case Element::kI4:
      case Element::kU4:
        return 4;
      default:
        return 32;
    }
  }
};

/// Bits of element `n` in one lane's packed registers. `stride` words lie between registers.
inline uint64_t packed_bits(const uint32_t* lane, unsigned stride, unsigned n, unsigned bits) {
  const unsigned low = n * bits, word = low / 32, shift = low % 32;
  uint64_t window = lane[word * stride];
  if (shift + bits > 32) window |= static_cast<uint64_t>(lane[(word + 1) * stride]) << 32;
  return bits == 64 ? window : window >> shift & ((uint64_t{1} << bits) - 1);
}

/// Adds an element to words whose bits there are 0.
inline void append_bits(uint32_t* words, unsigned low, unsigned bits, uint32_t value) {
  words[low / 32] |= value << low % 32;
  if (low % 32 + bits > 32) words[low / 32 + 1] |= value >> (32 - low % 32);
}

inline float flushed(float value, bool flush) {
  return flush && std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0f, value) : value;
}

/// The 10 fraction bits that xf32 multiplies, rounded to nearest even.
inline float round_to_xf32(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7f800000) == 0x7f800000) return value;
  constexpr unsigned kDropped = 13;
  bits += (1u << (kDropped - 1)) - 1 + (bits >> kDropped & 1);
  return std::bit_cast<float>(bits & ~((1u << kDropped) - 1));
}

template <class T>
T element_value(const ElementFormat& f, uint64_t bits) {
  switch (f.kind) {
    case Element::kF64:
      return static_cast<T>(std::bit_cast<double>(bits));
    case Element::kF32:
      return static_cast<T>(flushed(std::bit_cast<float>(static_cast<uint32_t>(bits)), f.flush));
    case Element::kXf32:
      return static_cast<T>(round_to_xf32(std::bit_cast<float>(static_cast<uint32_t>(bits))));
    case Element::kF16: {
      const bool denormal = f.flush && (bits & 0x7c00) == 0;
      return static_cast<T>(widen(Half{static_cast<uint16_t>(denormal ? bits & 0x8000 : bits)}));
    }
    case Element::kBf16:
      return static_cast<T>(flushed(widen(BHalf{static_cast<uint16_t>(bits)}), f.flush));
    case Element::kSmall:
      return static_cast<T>(decode_small(f.small, static_cast<uint32_t>(bits)));
    case Element::kI32:
      return static_cast<T>(static_cast<int32_t>(bits));
    case Element::kI8:
      return static_cast<T>(static_cast<int8_t>(bits));
    case Element::kI4:
      return static_cast<T>(static_cast<int32_t>(static_cast<uint32_t>(bits) << 28) >> 28);
    case Element::kU8:
    case Element::kU4:
      return static_cast<T>(bits);
  }
  return T{};
}

}  // namespace lockstep::emu
