// SPDX-License-Identifier: MIT
// Format numbers of images beyond those of buffers, and their conversions. The numbers are those of the public register
// headers (IMG_FORMAT of gfx11, IMG_DATA_FORMAT and IMG_NUM_FORMAT of gfx9).
#include "emu/image_format.h"

#include <array>
#include <bit>
#include <cmath>
#include <iterator>

#include "emu/half.h"

namespace lockstep::emu {
namespace {

using Bits = std::array<uint8_t, 4>;
using enum NumberType;

// As in buffer_format.cpp, x (the lowest bits) comes first.
constexpr Bits k5_6_5 = {5, 6, 5}, k1_5_5_5 = {5, 5, 5, 1}, k5_5_5_1 = {1, 5, 5, 5},
               k4_4_4_4 = {4, 4, 4, 4}, k4_4 = {4, 4}, k5_9_9_9 = {9, 9, 9, 5};

constexpr unsigned kFirstOfImages = 64;
constexpr ImageFormat kOfImages[] = {
    {{{8}, kUnorm}, TexelCode::kSrgb},          {{{8, 8}, kUnorm}, TexelCode::kSrgb},
    {{{8, 8, 8, 8}, kUnorm}, TexelCode::kSrgb}, {{k5_9_9_9, kFloat}, TexelCode::kSharedExponent},
    {{k5_6_5, kUnorm}, TexelCode::kPlain},      {{k1_5_5_5, kUnorm}, TexelCode::kPlain},
    {{k5_5_5_1, kUnorm}, TexelCode::kPlain},    {{k4_4_4_4, kUnorm}, TexelCode::kPlain},
    {{k4_4, kUnorm}, TexelCode::kPlain},
};

constexpr unsigned kFirstDataOfImages = 16, kSrgbNumber = 9;
constexpr Bits kDataOfImages[] = {k5_6_5, k1_5_5_5, k5_5_5_1, k4_4_4_4};

uint32_t register_bits(float value, bool d16) {
  return d16 ? narrow_to_half(value).bits : std::bit_cast<uint32_t>(value);
}

/// The curve of IEC 61966-2-1.
float linear_of_srgb(uint32_t raw) {
  const double c = raw / 255.0;
  return static_cast<float>(c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4));
}

/// Fractions have no hidden bit: the value is fraction * 2^(exponent - 15 - 9).
void load_shared_exponent(uint32_t raw, bool d16, uint32_t (&component)[4]) {
  constexpr unsigned kFraction = 9;
  constexpr int kBias = 15 + static_cast<int>(kFraction);
  const int exponent = static_cast<int>(raw >> 3 * kFraction) - kBias;
  for (unsigned i = 0; i < 3; ++i) {
    const uint32_t fraction = raw >> i * kFraction & ((1u << kFraction) - 1);
    component[i] = register_bits(std::ldexp(static_cast<float>(fraction), exponent), d16);
  }
  component[3] = register_bits(1, d16);
}

}  // namespace

ImageFormat ImageFormat::unconverted(bool is_signed) const {
  constexpr Bits kOfDwords[] = {{}, {32}, {32, 32}, {32, 32, 32}, {32, 32, 32, 32}};
  const unsigned size = bytes();
  ImageFormat out;
  out.element.type = is_signed ? kSint : kUint;
  if (size < 4)
    out.element.bits = {static_cast<uint8_t>(8 * size)};
  else
    out.element.bits = kOfDwords[size / 4];
  return out;
}

void ImageFormat::load(const uint32_t* raw, bool d16, uint32_t (&component)[4]) const {
  if (code == TexelCode::kSharedExponent) return load_shared_exponent(raw[0], d16, component);
  unpack_element(element, raw, d16, component);
  if (code != TexelCode::kSrgb) return;
  for (unsigned i = 0; i < 3 && element.bits[i]; ++i)
    component[i] = register_bits(linear_of_srgb(raw[0] >> 8 * i & 0xff), d16);
}

std::optional<ImageFormat> image_format(unsigned number) {
  if (const auto plain = unified_format(number)) return ImageFormat{*plain};
  if (number < kFirstOfImages || number - kFirstOfImages >= std::size(kOfImages))
    return std::nullopt;
  return kOfImages[number - kFirstOfImages];
}

std::optional<ImageFormat> split_image_format(unsigned data, unsigned number) {
  if (number == kSrgbNumber) {
    const auto plain = split_format(data, 0);
    const bool bytes_only = plain && plain->bits[0] == 8;
    return bytes_only ? std::optional(ImageFormat{*plain, TexelCode::kSrgb}) : std::nullopt;
  }
  if (const auto plain = split_format(data, number)) return ImageFormat{*plain};
  if (data < kFirstDataOfImages || data - kFirstDataOfImages >= std::size(kDataOfImages) ||
      number != 0)
    return std::nullopt;
  return ImageFormat{{kDataOfImages[data - kFirstDataOfImages], kUnorm}};
}

}  // namespace lockstep::emu
