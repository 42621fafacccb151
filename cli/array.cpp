// SPDX-License-Identifier: MIT
// Makes arrays: shapes, zeros, counting, random numbers.
#include "cli/array.h"

#include <fmt/format.h>

#include <charconv>

namespace lockstep::cli {
namespace {

uint64_t count_of(const Shape& shape) {
  uint64_t count = 1;
  for (const uint64_t n : shape) count *= n;
  return count;
}

uint64_t splitmix64(uint64_t seed, uint64_t index) {
  uint64_t x = seed + (index + 1) * 0x9e3779b97f4a7c15;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

/// Mantissa bits with the leading one: that many random bits give every value below 1 a fair share.
int precision_of(DType type) {
  switch (type) {
    case DType::kF16:
      return 11;
    case DType::kBF16:
      return 8;
    case DType::kF32:
      return 24;
    default:
      return 53;
  }
}

template <class F>
Array generate(DType type, const Shape& shape, F element) {
  Array array = make_zeros(type, shape);
  const uint64_t size = info_of(type).size;
  const uint64_t count = array.count();
  for (uint64_t i = 0; i < count; ++i) {
    store_element(type, array.bytes.data() + i * size, element(i));
  }
  return array;
}

}  // namespace

Result<Shape> parse_shape(std::string_view text, DType type) {
  const std::string whole(text);
  Shape shape;
  uint64_t bytes = info_of(type).size;
  while (true) {
    const size_t cross = text.find('x');
    const std::string_view part = text.substr(0, cross);
    uint64_t n = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), n);
    if (error != std::errc() || end != part.data() + part.size()) {
      return Error{fmt::format(
          "\"{}\" is no shape: write the sizes with x between them, like 1000 or 16x16", whole)};
    }
    if (n == 0) return Error{fmt::format("the shape {} has no elements", whole)};
    if (n > kMaxArrayBytes / bytes) {
      return Error{fmt::format("an array of shape {} would have more than {} GiB", whole,
                               kMaxArrayBytes >> 30)};
    }
    bytes *= n;
    shape.push_back(n);
    if (cross == std::string_view::npos) return shape;
    text.remove_prefix(cross + 1);
  }
}

std::string shape_text(const Shape& shape) {
  std::string text;
  for (const uint64_t n : shape) text += (text.empty() ? "" : "x") + std::to_string(n);
  return text;
}

Array make_zeros(DType type, const Shape& shape) {
  return {type, shape, std::vector<uint8_t>(count_of(shape) * info_of(type).size)};
}

Array make_iota(DType type, const Shape& shape) {
  return generate(type, shape,
                  [&](uint64_t i) { return element_from_int(type, static_cast<int64_t>(i)); });
}

Array make_random(DType type, const Shape& shape, uint64_t seed) {
  if (info_of(type).kind != DTypeClass::kFloat) {
    return generate(type, shape, [&](uint64_t i) {
      return element_from_int(type, static_cast<int64_t>(splitmix64(seed, i)));
    });
  }
  const int bits = precision_of(type);
  const double scale = 1.0 / static_cast<double>(uint64_t{1} << bits);
  return generate(type, shape, [&](uint64_t i) {
    const uint64_t random = splitmix64(seed, i) >> (64 - bits);
    return element_from_double(type, static_cast<double>(random) * scale);
  });
}

}  // namespace lockstep::cli
