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

}  // namespace lockstep::emu
