// SPDX-License-Identifier: MIT
// Format tables and component conversions of typed buffer accesses.
#include "emu/buffer_format.h"

#include <algorithm>
#include <cmath>

#include "emu/half.h"

namespace lockstep::emu {
namespace {

using Bits = std::array<uint8_t, 4>;
using enum NumberType;

// Names list components from the highest bits down; here x, the lowest, comes first.
constexpr Bits k8 = {8}, k16 = {16}, k8_8 = {8, 8}, k32 = {32}, k16_16 = {16, 16},
               k10_11_11 = {11, 11, 10}, k11_11_10 = {10, 11, 11}, k10_10_10_2 = {2, 10, 10, 10},
               k2_10_10_10 = {10, 10, 10, 2}, k8_8_8_8 = {8, 8, 8, 8}, k32_32 = {32, 32},
               k16_16_16_16 = {16, 16, 16, 16}, k32_32_32 = {32, 32, 32},
               k32_32_32_32 = {32, 32, 32, 32};

constexpr BufferFormat kUnified[] = {
    {},
    {k8, kUnorm},
    {k8, kSnorm},
    {k8, kUscaled},
    {k8, kSscaled},
    {k8, kUint},
    {k8, kSint},
    {k16, kUnorm},
    {k16, kSnorm},
    {k16, kUscaled},
    {k16, kSscaled},
    {k16, kUint},
    {k16, kSint},
    {k16, kFloat},
    {k8_8, kUnorm},
    {k8_8, kSnorm},
    {k8_8, kUscaled},
    {k8_8, kSscaled},
    {k8_8, kUint},
    {k8_8, kSint},
    {k32, kUint},
    {k32, kSint},
    {k32, kFloat},
    {k16_16, kUnorm},
    {k16_16, kSnorm},
    {k16_16, kUscaled},
    {k16_16, kSscaled},
    {k16_16, kUint},
    {k16_16, kSint},
    {k16_16, kFloat},
    {k10_11_11, kFloat},
    {k11_11_10, kFloat},
    {k10_10_10_2, kUnorm},
    {k10_10_10_2, kSnorm},
    {k10_10_10_2, kUint},
    {k10_10_10_2, kSint},
    {k2_10_10_10, kUnorm},
    {k2_10_10_10, kSnorm},
    {k2_10_10_10, kUscaled},
    {k2_10_10_10, kSscaled},
    {k2_10_10_10, kUint},
    {k2_10_10_10, kSint},
    {k8_8_8_8, kUnorm},
    {k8_8_8_8, kSnorm},
    {k8_8_8_8, kUscaled},
    {k8_8_8_8, kSscaled},
    {k8_8_8_8, kUint},
    {k8_8_8_8, kSint},
    {k32_32, kUint},
    {k32_32, kSint},
    {k32_32, kFloat},
    {k16_16_16_16, kUnorm},
    {k16_16_16_16, kSnorm},
    {k16_16_16_16, kUscaled},
    {k16_16_16_16, kSscaled},
    {k16_16_16_16, kUint},
    {k16_16_16_16, kSint},
    {k16_16_16_16, kFloat},
    {k32_32_32, kUint},
    {k32_32_32, kSint},
    {k32_32_32, kFloat},
    {k32_32_32_32, kUint},
    {k32_32_32_32, kSint},
    {k32_32_32_32, kFloat},
};
static_assert(std::size(kUnified) == 64);

constexpr Bits kData[] = {{},       k8,        k16,          k8_8,        k32,
                          k16_16,   k10_11_11, k11_11_10,    k10_10_10_2, k2_10_10_10,
                          k8_8_8_8, k32_32,    k16_16_16_16, k32_32_32,   k32_32_32_32};

int32_t sign_extend(uint32_t raw, unsigned bits) {
  return static_cast<int32_t>(raw << (32 - bits)) >> (32 - bits);
}
uint32_t ones(unsigned bits) { return bits == 32 ? ~0u : (1u << bits) - 1; }

/// The unsigned floats of 10 and 11 bits: 5 exponent bits, the rest fraction. They are halves
/// without a sign.
float small_float(uint32_t raw, unsigned bits) {
  return widen(Half{static_cast<uint16_t>(raw << (15 - bits))});
}
uint32_t to_small_float(float value, unsigned bits) {
  const unsigned fraction = bits - 5;
  if (std::isnan(value)) return ones(bits);
  if (!(value > 0)) return 0;
  const uint32_t infinity = 31u << fraction;
  if (std::isinf(value)) return infinity;
  // One unit in the last place is 2^(exponent - fraction); below 2^-14 it stays that of the
  // denormals.
  const int exponent = std::max(std::ilogb(value), -14);
  const double units =
      std::nearbyint(std::ldexp(static_cast<double>(value), static_cast<int>(fraction) - exponent));
  const auto magnitude =
      static_cast<uint32_t>(units) + (static_cast<uint32_t>(exponent + 14) << fraction);
  return std::min(magnitude, infinity);
}

float to_float(NumberType type, unsigned bits, uint32_t raw) {
  switch (type) {
    case kUnorm:
      return static_cast<float>(raw / static_cast<double>(ones(bits)));
    case kSnorm:
      return static_cast<float>(
          std::max(sign_extend(raw, bits) / static_cast<double>(ones(bits - 1)), -1.0));
    case kUscaled:
      return static_cast<float>(raw);
    case kSscaled:
      return static_cast<float>(sign_extend(raw, bits));
    case kFloat:
      return bits == 32   ? std::bit_cast<float>(raw)
             : bits == 16 ? widen(Half{static_cast<uint16_t>(raw)})
                          : small_float(raw, bits);
    default:
      return 0;
  }
}

uint32_t clamp_round(double value, double low, double high, unsigned bits) {
  if (std::isnan(value)) return 0;
  return static_cast<uint32_t>(static_cast<int64_t>(std::nearbyint(std::clamp(value, low, high)))) &
         ones(bits);
}

uint32_t from_float(NumberType type, unsigned bits, float value) {
  const double unsigned_max = ones(bits), signed_max = ones(bits - 1);
  switch (type) {
    case kUnorm:
      return clamp_round(std::clamp<double>(value, 0, 1) * unsigned_max, 0, unsigned_max, bits);
    case kSnorm:
      return clamp_round(std::clamp<double>(value, -1, 1) * signed_max, -signed_max, signed_max,
                         bits);
    case kUscaled:
      return clamp_round(std::trunc(value), 0, unsigned_max, bits);
    case kSscaled:
      return clamp_round(std::trunc(value), -signed_max - 1, signed_max, bits);
    case kFloat:
      return bits == 32   ? std::bit_cast<uint32_t>(value)
             : bits == 16 ? narrow_to_half(value).bits
                          : to_small_float(value, bits);
    default:
      return 0;
  }
}

bool is_integer(NumberType type) { return type == kUint || type == kSint; }

constexpr unsigned kElementDwords = 4;
/// Bits [low, low + width) of a little-endian element.
uint32_t take_bits(const uint32_t* raw, unsigned low, unsigned width) {
  uint64_t window = raw[low / 32];
  if (low / 32 + 1 < kElementDwords) window |= static_cast<uint64_t>(raw[low / 32 + 1]) << 32;
  return static_cast<uint32_t>(window >> low % 32) & ones(width);
}
void put_bits(uint32_t* raw, unsigned low, uint32_t value) {
  const uint64_t window = static_cast<uint64_t>(value) << low % 32;
  raw[low / 32] |= static_cast<uint32_t>(window);
  if (low / 32 + 1 < kElementDwords) raw[low / 32 + 1] |= static_cast<uint32_t>(window >> 32);
}

}  // namespace

unsigned BufferFormat::components() const {
  return static_cast<unsigned>(
      std::count_if(bits.begin(), bits.end(), [](uint8_t b) { return b != 0; }));
}
unsigned BufferFormat::bytes() const { return (bits[0] + bits[1] + bits[2] + bits[3]) / 8u; }

std::optional<BufferFormat> unified_format(unsigned number) {
  if (number == 0 || number >= std::size(kUnified)) return std::nullopt;
  return kUnified[number];
}

std::optional<BufferFormat> split_format(unsigned data, unsigned number) {
  static constexpr std::optional<NumberType> kTypes[] = {kUnorm, kSnorm, kUscaled,     kSscaled,
                                                         kUint,  kSint,  std::nullopt, kFloat};
  if (data == 0 || data >= std::size(kData) || number >= std::size(kTypes) || !kTypes[number])
    return std::nullopt;
  return BufferFormat{kData[data], *kTypes[number]};
}

uint32_t to_register(NumberType type, unsigned bits, uint32_t raw, bool d16) {
  raw &= ones(bits);
  if (type == kUint) return d16 ? raw & 0xffff : raw;
  if (type == kSint) return static_cast<uint32_t>(sign_extend(raw, bits)) & (d16 ? 0xffff : ~0u);
  if (type == kFloat && bits == 32 && !d16) return raw;
  if (type == kFloat && bits == 16 && d16) return raw;
  const float value = to_float(type, bits, raw);
  return d16 ? narrow_to_half(value).bits : std::bit_cast<uint32_t>(value);
}

uint32_t from_register(NumberType type, unsigned bits, uint32_t value, bool d16) {
  if (d16) value &= 0xffff;
  if (is_integer(type)) {
    if (d16 && type == kSint) value = static_cast<uint32_t>(sign_extend(value, 16));
    return value & ones(bits);
  }
  if (type == kFloat && bits == 32 && !d16) return value;
  if (type == kFloat && bits == 16 && d16) return value;
  return from_float(type, bits,
                    d16 ? widen(Half{static_cast<uint16_t>(value)}) : std::bit_cast<float>(value));
}

uint32_t one_of(NumberType type, bool d16) {
  if (is_integer(type)) return 1;
  return d16 ? 0x3c00 : 0x3f800000;
}
uint32_t missing_component(NumberType type, unsigned component, bool d16) {
  return component == 3 ? one_of(type, d16) : 0;
}

void unpack_element(const BufferFormat& format, const uint32_t* raw, bool d16,
                    uint32_t (&component)[4]) {
  for (unsigned i = 0, low = 0; i < 4; low += format.bits[i++])
    component[i] = format.bits[i] ? to_register(format.type, format.bits[i],
                                                take_bits(raw, low, format.bits[i]), d16)
                                  : missing_component(format.type, i, d16);
}

uint32_t select_component(NumberType type, unsigned select, const uint32_t (&component)[4],
                          bool d16) {
  if (select >= 4) return component[select - 4];
  return select == 1 ? one_of(type, d16) : 0;
}

void pack_component(const BufferFormat& format, unsigned i, uint32_t value, bool d16,
                    uint32_t* raw) {
  unsigned low = 0;
  for (unsigned before = 0; before < i; ++before) low += format.bits[before];
  put_bits(raw, low, from_register(format.type, format.bits[i], value, d16));
}

}  // namespace lockstep::emu
