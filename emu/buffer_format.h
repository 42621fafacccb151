// SPDX-License-Identifier: MIT
// Typed buffer elements: formats of each generation, and conversion between memory and registers.
#pragma once
#include <array>
#include <cstdint>
#include <optional>

#include "isa/target.h"

namespace lockstep::emu {

enum class NumberType : uint8_t { kUnorm, kSnorm, kUscaled, kSscaled, kUint, kSint, kFloat };

struct BufferFormat {
  std::array<uint8_t, 4> bits = {};  ///< width of x, y, z, w; x lies in the lowest bits
  NumberType type = NumberType::kUint;

  unsigned components() const;
  unsigned bytes() const;
};

/// By the unified format number of gfx11 and gfx12; nullopt if the number means nothing.
std::optional<BufferFormat> unified_format(unsigned number);
/// By data and number format of gfx9.
std::optional<BufferFormat> split_format(unsigned data, unsigned number);

/// One component: raw bits of its width <-> what a 32-bit (or, with d16, 16-bit) register holds.
uint32_t to_register(NumberType type, unsigned bits, uint32_t raw, bool d16);
uint32_t from_register(NumberType type, unsigned bits, uint32_t value, bool d16);
/// What a component that the format lacks reads as.
uint32_t missing_component(NumberType type, unsigned component, bool d16);
/// 1 as this type holds it.
uint32_t one_of(NumberType type, bool d16);

/// Components of an element in memory (4 dwords, unused bits 0) as registers hold them; absent ones
/// read as 0, 0, 0 and 1.
void unpack_element(const BufferFormat& format, const uint32_t* raw, bool d16,
                    uint32_t (&component)[4]);
/// What a destination select gives: 0 and 1 are constants, 4 to 7 are x to w.
uint32_t select_component(NumberType type, unsigned select, const uint32_t (&component)[4],
                          bool d16);
/// Adds component i to an element that starts as 0.
void pack_component(const BufferFormat& format, unsigned i, uint32_t value, bool d16,
                    uint32_t* raw);

/// Component i of one lane in the registers of a format access: a register each, or with d16 two in
/// a register, whose other half stays.
inline void put_component(uint32_t* dst, unsigned stride, unsigned lane, unsigned i, bool d16,
                          uint32_t value) {
  if (!d16) {
    dst[i * stride + lane] = value;
    return;
  }
  uint32_t& reg = dst[i / 2 * stride + lane];
  reg = i % 2 ? (reg & 0xffff) | value << 16 : (reg & 0xffff0000) | (value & 0xffff);
}
inline uint32_t get_component(const uint32_t* src, unsigned stride, unsigned lane, unsigned i,
                              bool d16) {
  if (!d16) return src[i * stride + lane];
  return src[i / 2 * stride + lane] >> (i % 2 ? 16 : 0) & 0xffff;
}

}  // namespace lockstep::emu
