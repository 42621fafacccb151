// SPDX-License-Identifier: MIT
// Data formats of images: those of typed buffers, and the few that only images have.
#pragma once
#include <cstdint>
#include <optional>

#include "emu/buffer_format.h"

namespace lockstep::emu {

/// How the components of a format that only images have become numbers.
enum class TexelCode : uint8_t {
  kPlain,           ///< as `BufferFormat` says
  kSrgb,            ///< x, y and z on the sRGB curve; w is linear
  kSharedExponent,  ///< three fractions of 9 bits with one exponent of 5 bits
};

struct ImageFormat {
  BufferFormat element;
  TexelCode code = TexelCode::kPlain;

  unsigned bytes() const { return element.bytes(); }
  /// The texel as unsigned (or signed) numbers of its size, without conversion.
  ImageFormat unconverted(bool is_signed) const;
  /// Components x, y, z, w of a texel as registers hold them; absent ones are 0, 0, 0 and 1.
  void load(const uint32_t* raw, bool d16, uint32_t (&component)[4]) const;
  /// False: images of this format cannot be written.
  bool can_store() const { return code == TexelCode::kPlain; }
};

/// By the format number of gfx11 and gfx12; nullopt if it is not supported or means nothing.
std::optional<ImageFormat> image_format(unsigned number);
/// By data and number format of gfx9.
std::optional<ImageFormat> split_image_format(unsigned data, unsigned number);

}  // namespace lockstep::emu
