// SPDX-License-Identifier: MIT
// Elements of memory rows: how many bytes, and how they travel between memory order and registers.
#pragma once
#include <cstdint>

#include "emu/context.h"
#include "emu/lane/values.h"

namespace lockstep::emu {

constexpr unsigned kMaxElementDwords = 4;

constexpr unsigned element_bytes(isa::Type t) {
  using isa::Type;
  switch (t) {
    case Type::B8:
    case Type::I8:
    case Type::U8:
      return 1;
    case Type::B16:
    case Type::I16:
    case Type::U16:
      return 2;
    default:
      return isa::dwords_of(t) * 4u;
  }
}

/// Registers of a vector operand; register i of lane l is at [i * wave_size + l].
inline uint32_t* registers(WaveState& w, const isa::Operand& o) {
  return o.kind == isa::OperandKind::kAgpr ? w.agpr(o.code) : w.vgpr(o.code);
}

/// A sub-dword value as the register sees it.
template <isa::Type T>
constexpr uint32_t extended(uint32_t raw) {
  using isa::Type;
  switch (T) {
    case Type::I8:
      return static_cast<uint32_t>(static_cast<int32_t>(static_cast<int8_t>(raw)));
    case Type::I16:
      return static_cast<uint32_t>(static_cast<int32_t>(static_cast<int16_t>(raw)));
    case Type::U8:
    case Type::B8:
      return raw & 0xff;
    case Type::U16:
    case Type::B16:
      return raw & 0xffff;
    default:
      return raw;
  }
}

/// Writes a loaded element (`raw`: memory order, unused bytes 0) to one lane.
template <isa::MemParams P>
void put_element(uint32_t* dst, unsigned stride, unsigned lane, const uint32_t* raw) {
  constexpr unsigned kBytes = element_bytes(P.type);
  uint32_t& first = dst[lane];
  if constexpr (P.half == isa::MemHalf::kD16Lo) {
    first = (first & 0xffff0000) | (extended<P.type>(raw[0]) & 0xffff);
  } else if constexpr (P.half == isa::MemHalf::kD16Hi) {
    first = (first & 0x0000ffff) | extended<P.type>(raw[0]) << 16;
  } else if constexpr (kBytes <= 4) {
    first = extended<P.type>(raw[0]);
  } else {
    for (unsigned i = 0; i < kBytes / 4; ++i) dst[i * stride + lane] = raw[i];
  }
}

/// Reads what a store of one lane writes.
template <isa::MemParams P>
void get_element(const uint32_t* src, unsigned stride, unsigned lane, uint32_t* raw) {
  constexpr unsigned kBytes = element_bytes(P.type);
  if constexpr (kBytes <= 4) {
    raw[0] = P.half == isa::MemHalf::kD16Hi ? src[lane] >> 16 : src[lane];
  } else {
    for (unsigned i = 0; i < kBytes / 4; ++i) raw[i] = src[i * stride + lane];
  }
}

/// One value of one or two registers.
template <class T>
T get_value(const uint32_t* src, unsigned stride, unsigned lane) {
  uint64_t bits = src[lane];
  if constexpr (sizeof(T) == 8) bits |= static_cast<uint64_t>(src[stride + lane]) << 32;
  return from_bits<T>(bits);
}
template <class T>
void put_value(uint32_t* dst, unsigned stride, unsigned lane, T value) {
  const uint64_t bits = to_bits(value);
  dst[lane] = static_cast<uint32_t>(bits);
  if constexpr (sizeof(T) == 8) dst[stride + lane] = static_cast<uint32_t>(bits >> 32);
}

}  // namespace lockstep::emu
