// SPDX-License-Identifier: MIT
// An n-dimensional array in C order: making, printing as NumPy does, reading and writing .npy
// files.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/dtype.h"
#include "isa/result.h"

namespace lockstep::cli {

using Shape = std::vector<uint64_t>;

/// Most bytes that one array may have: more is a typing error or asks for more than a card has.
inline constexpr uint64_t kMaxArrayBytes = uint64_t{1} << 36;

struct Array {
  DType type = DType::kF32;
  Shape shape;
  std::vector<uint8_t> bytes;

  uint64_t count() const { return bytes.size() / info_of(type).size; }
};

/// "16x16" or "1000"; every part a number. The product must fit kMaxArrayBytes.
Result<Shape> parse_shape(std::string_view text, DType type);
/// "16x16"
std::string shape_text(const Shape& shape);

Array make_zeros(DType type, const Shape& shape);
/// 0, 1, 2, ... Integers wrap; floats are rounded.
Array make_iota(DType type, const Shape& shape);
/// Floats in [0, 1), integers over their whole range. Depends on type, number of elements and seed
/// only: element i comes from the i-th SplitMix64 output of the seed.
Array make_random(DType type, const Shape& shape, uint64_t seed);

/// As NumPy prints it: aligned columns, arrays of more than `threshold` elements shortened.
std::string array_text(DType type, const Shape& shape, std::span<const uint8_t> bytes,
                       uint64_t threshold = 1000);

/// Reads a .npy file of exactly that element type (bf16: uint16 or two raw bytes). Big-endian and
/// Fortran-order files are converted.
Result<Array> read_npy(const std::string& path, DType type);
Result<Array> parse_npy(std::span<const uint8_t> file, DType type);
Result<void> write_npy(const std::string& path, DType type, const Shape& shape,
                       std::span<const uint8_t> bytes);

}  // namespace lockstep::cli
