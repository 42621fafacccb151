// SPDX-License-Identifier: MIT
// T# decoding and the linear layout. Fields are those of the public register headers (SQ_IMG_RSRC_WORD0..7 of gfx9, gfx11
// and gfx12); AMD's device library reads width, height, layers and levels from the same places. The order of levels is
// that of AMD's public address library.
#include "emu/image_resource.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <numeric>
#include <set>
#include <string>

namespace lockstep::emu {
namespace {

/// Texts of faults live as long as the process; there are few different ones.
const char* kept(std::string text) {
  static std::mutex mutex;
  static std::set<std::string> texts;
  const std::lock_guard lock(mutex);
  return texts.insert(std::move(text)).first->c_str();
}

std::string swizzle_name(isa::Generation generation, unsigned mode) {
  static constexpr const char* kGfx12[] = {"LINEAR",   "256B_2D", "4KB_2D",  "64KB_2D",
                                           "256KB_2D", "4KB_3D",  "64KB_3D", "256KB_3D"};
  static constexpr const char* kEarlier[] = {
      "LINEAR",   "256B_S",   "256B_D",   "256B_R",   "4KB_Z",    "4KB_S",    "4KB_D",
      "4KB_R",    "64KB_Z",   "64KB_S",   "64KB_D",   "64KB_R",   "reserved", "reserved",
      "reserved", "reserved", "64KB_Z_T", "64KB_S_T", "64KB_D_T", "64KB_R_T", "4KB_Z_X",
      "4KB_S_X",  "4KB_D_X",  "4KB_R_X",  "64KB_Z_X", "64KB_S_X", "64KB_D_X", "64KB_R_X",
      "VAR_Z_X",  "VAR_S_X",  "VAR_D_X",  "VAR_R_X"};
  if (generation != isa::Generation::kGfx12) return kEarlier[mode];
  return mode < std::size(kGfx12) ? kGfx12[mode] : "reserved";
}

struct Problem {
  FaultKind kind = FaultKind::kNone;
  std::string text;
};

Problem problem_of(isa::Generation generation, const ImageResource& r, bool has_format) {
  using enum FaultKind;
  const auto type = static_cast<ImageType>(r.type);
  if (r.type < static_cast<unsigned>(ImageType::k1D))
    return {kIllegalInstruction, fmt::format("the resource is no image: its TYPE is {}", r.type)};
  if (r.swizzle_mode != 0)
    return {kUnsupportedInstruction,
            fmt::format("the image is tiled (SW_MODE {}, {}); only linear images (SW_MODE 0) are "
                        "supported: create it with linear tiling",
                        r.swizzle_mode, swizzle_name(generation, r.swizzle_mode))};
  if (type == ImageType::k2DMsaa || type == ImageType::k2DMsaaArray)
    return {kUnsupportedInstruction,
            "multisampled images are always tiled; only linear images are supported"};
  if (r.is_compressed)
    return {kUnsupportedInstruction, "compressed images (COMPRESSION_EN) are not supported"};
  if (r.is_sliced_3d)
    return {kUnsupportedInstruction, "views of some slices of a 3D image are not supported"};
  if (r.max_level > 0 && generation == isa::Generation::kGfx9)
    return {kUnsupportedInstruction, "linear images with several levels are not supported on gfx9"};
  if (r.max_level > 0 && r.pitch)
    return {kUnsupportedInstruction,
            "linear images with several levels and a pitch of their own are not supported"};
  if (r.base_level > r.last_level || r.last_level > r.max_level)
    return {kIllegalInstruction,
            fmt::format("the levels {} to {} of the resource are not among 0 to {}, which its "
                        "MAX_MIP gives",
                        r.base_level, r.last_level, r.max_level)};
  if (!has_format)
    return {kUnsupportedInstruction,
            generation == isa::Generation::kGfx9
                ? fmt::format("no image format {} with number format {} is supported", r.format,
                              r.number_format)
                : fmt::format("image format {} is not supported (1 to 72 are: no depth, "
                              "subsampled or block-compressed formats)",
                              r.format)};
  return {};
}

}  // namespace

ImageResource ImageResource::decode(isa::Generation generation, const uint32_t words[8]) {
  const auto field = [&](unsigned word, unsigned low, unsigned width) {
    return words[word] >> low & ((1u << width) - 1);
  };
  ImageResource r;
  r.base = (words[0] | static_cast<uint64_t>(field(1, 0, 8)) << 32) << 8;
  for (unsigned i = 0; i < 4; ++i) r.select[i] = static_cast<uint8_t>(field(3, 3 * i, 3));
  r.swizzle_mode = field(3, 20, 5);
  r.type = field(3, 28, 4);
  const auto type = static_cast<ImageType>(r.type);
  const bool flat = type == ImageType::k1D || type == ImageType::k2D;
  if (generation == isa::Generation::kGfx9) {
    r.format = field(1, 20, 6);
    r.number_format = field(1, 26, 4);
    r.width = field(2, 0, 14) + 1;
    r.height = field(2, 14, 14) + 1;
    r.base_level = field(3, 12, 4);
    r.last_level = field(3, 16, 4);
    r.depth = field(4, 0, 13);
    r.pitch = field(4, 13, 16) + 1;
    r.first_layer = field(5, 0, 13);
    r.max_level = field(5, 28, 4);
    r.is_compressed = field(6, 21, 1);
    return r;
  }
  const bool gfx12 = generation == isa::Generation::kGfx12;
  const unsigned size_bits = gfx12 ? 16 : 14, depth_bits = gfx12 ? 14 : 13;
  r.format = field(1, gfx12 ? 17 : 20, 8);
  r.max_level = gfx12 ? field(1, 8, 5) : field(1, 16, 4);
  r.width = (field(1, 30, 2) | field(2, 0, size_bits - 2) << 2) + 1;
  r.height = field(2, 14, size_bits) + 1;
  r.base_level = gfx12 ? field(1, 25, 5) : field(3, 12, 4);
  r.last_level = gfx12 ? field(3, 15, 5) : field(3, 16, 4);
  r.depth = field(4, 0, depth_bits);
  r.first_layer = field(4, 16, depth_bits);
  // Without layers the depth and the bits above it hold the pitch less 1; 0: none is given.
  if (flat)
    if (const uint32_t pitch = field(4, 0, 16)) r.pitch = pitch + 1;
  r.is_sliced_3d = type == ImageType::k3D && field(5, 0, gfx12 ? 1 : 4);
  r.is_compressed = !gfx12 && field(6, 21, 1);
  return r;
}

std::optional<LinearImage> LinearImage::open(Context& c, const ImageResource& r) {
  const isa::Generation generation = isa::generation_of(c.isa);
  const bool gfx9 = generation == isa::Generation::kGfx9;
  const auto format = gfx9 ? split_image_format(r.format, r.number_format) : image_format(r.format);
  if (const Problem p = problem_of(generation, r, format.has_value()); !p.text.empty()) {
    c.raise(p.kind, -1, 0, 0, kept(p.text));
    return std::nullopt;
  }
  LinearImage image;
  image.resource_ = r;
  image.format_ = *format;
  const uint32_t bytes = format->bytes();
  // Rows start at multiples of 256 bytes, on gfx12 of 128.
  const uint32_t unit = generation == isa::Generation::kGfx12 ? 128 : 256;
  const uint32_t texels = unit / std::gcd(unit, bytes);
  const bool is_3d = image.type() == ImageType::k3D;
  const bool one_row = image.type() == ImageType::k1D || image.type() == ImageType::k1DArray;
  // The smallest level comes first, in each slice.
  for (uint32_t i = r.max_level + 1; i-- > 0;) {
    Level& level = image.levels_[i];
    level.width = std::max(r.width >> i, 1u);
    level.height = one_row ? 1 : std::max(r.height >> i, 1u);
    level.depth = is_3d ? std::max((r.depth + 1) >> i, 1u) : 1;
    const uint32_t pitch = r.pitch ? r.pitch : (level.width + texels - 1) / texels * texels;
    level.row_bytes = uint64_t{pitch} * bytes;
    level.offset = image.slice_bytes_;
    image.slice_bytes_ += level.row_bytes * level.height;
  }
  return image;
}

bool LinearImage::has_layers() const {
  return type() == ImageType::kCube || type() == ImageType::k1DArray ||
         type() == ImageType::k2DArray;
}

std::optional<uint64_t> LinearImage::address(const TexelPlace& place) const {
  if (place.level > resource_.last_level - resource_.base_level || place.sample)
    return std::nullopt;
  const Level& level = levels_[resource_.base_level + place.level];
  if (place.x >= level.width || place.y >= level.height) return std::nullopt;
  uint64_t slice = place.z;
  if (has_layers()) {
    slice += resource_.first_layer;
    if (slice > resource_.depth) return std::nullopt;
  } else {
    if (place.z >= level.depth) return std::nullopt;
    if (type() != ImageType::k3D) slice = resource_.first_layer;
  }
  return resource_.base + slice * slice_bytes_ + level.offset + place.y * level.row_bytes +
         uint64_t{place.x} * format_.bytes();
}

LinearImage::Size LinearImage::size(uint32_t level) const {
  Size out;
  out.levels = resource_.last_level - resource_.base_level + 1;
  if (level >= out.levels) return out;
  const Level& l = levels_[resource_.base_level + level];
  out.width = l.width;
  out.height = l.height;
  out.depth = l.depth;
  if (has_layers())
    out.depth =
        resource_.depth >= resource_.first_layer ? resource_.depth - resource_.first_layer + 1 : 0;
  return out;
}

}  // namespace lockstep::emu
