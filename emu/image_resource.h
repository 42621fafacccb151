// SPDX-License-Identifier: MIT
// Image resources (T#): decoding, checks, and where texels of linear images lie.
#pragma once
#include <cstdint>
#include <optional>

#include "emu/context.h"
#include "emu/image_format.h"

namespace lockstep::emu {

/// TYPE of a resource; lower numbers are no images.
enum class ImageType : uint8_t {
  k1D = 8,
  k2D = 9,
  k3D = 10,
  kCube = 11,
  k1DArray = 12,
  k2DArray = 13,
  k2DMsaa = 14,
  k2DMsaaArray = 15,
};

/// The fields of a resource as numbers; nothing is checked yet.
struct ImageResource {
  uint64_t base = 0;    ///< address of the lowest byte
  unsigned type = 0;    ///< ImageType, if that has such a value
  uint32_t width = 1;   ///< of level 0, in texels
  uint32_t height = 1;  ///< of level 0, in rows
  uint32_t depth = 0;   ///< 3D: slices - 1; arrays and cubes: last layer; else see `pitch`
  uint32_t pitch = 0;   ///< texels from row to row; 0: as the width asks
  uint32_t first_layer = 0;
  uint32_t base_level = 0, last_level = 0;
  uint32_t max_level = 0;  ///< of the memory, of which the resource may show a part
  unsigned swizzle_mode = 0;
  uint8_t select[4] = {};                  ///< destination select: 0, 1, 4..7 = x..w
  unsigned format = 0, number_format = 0;  ///< gfx9: data format and number format
  bool is_sliced_3d = false;               ///< a view of some slices of a 3D image
  bool is_compressed = false;

  static ImageResource decode(isa::Generation generation, const uint32_t words[8]);
};

/// Texel coordinates as the instruction gives them; parts that it lacks are 0.
struct TexelPlace {
  uint32_t x = 0, y = 0;
  uint32_t z = 0;       ///< slice of a 3D image, layer of an array, face of a cube
  uint32_t sample = 0;  ///< of a multisampled image
  uint32_t level = 0;   ///< from base_level on
};

/// A linear image whose resource has been checked.
class LinearImage {
 public:
  /// nullopt with a fault raised in `c`, whose text names what is not supported.
  static std::optional<LinearImage> open(Context& c, const ImageResource& resource);

  const ImageFormat& format() const { return format_; }
  const ImageResource& resource() const { return resource_; }
  /// Address of a texel; nullopt if it lies outside.
  std::optional<uint64_t> address(const TexelPlace& place) const;

  struct Size {
    uint32_t width = 0, height = 0;
    uint32_t depth = 0;  ///< slices, or layers
    uint32_t levels = 0;
  };
  /// Size of a level (counted from base_level); a level that is not there has no extent.
  Size size(uint32_t level) const;

 private:
  static constexpr unsigned kMaxLevels = 32;
  struct Level {
    uint32_t width = 0, height = 0, depth = 0;
    uint64_t offset = 0;  ///< in a slice
    uint64_t row_bytes = 0;
  };
  ImageType type() const { return static_cast<ImageType>(resource_.type); }
  bool has_layers() const;

  ImageResource resource_;
  ImageFormat format_;
  Level levels_[kMaxLevels];
  uint64_t slice_bytes_ = 0;
};

}  // namespace lockstep::emu
