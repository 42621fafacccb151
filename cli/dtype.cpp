// SPDX-License-Identifier: MIT
// Element types: the table and conversions.
#include "cli/dtype.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>

namespace lockstep::cli {
namespace {

using enum DType;
using enum DTypeClass;

constexpr std::array<DTypeInfo, 12> kTypes = {{
    {kI8, "i8", "int8", "i1", 1, kSigned},
    {kI16, "i16", "int16", "i2", 2, kSigned},
    {kI32, "i32", "int32", "i4", 4, kSigned},
    {kI64, "i64", "int64", "i8", 8, kSigned},
    {kU8, "u8", "uint8", "u1", 1, kUnsigned},
    {kU16, "u16", "uint16", "u2", 2, kUnsigned},
    {kU32, "u32", "uint32", "u4", 4, kUnsigned},
    {kU64, "u64", "uint64", "u8", 8, kUnsigned},
    {kF16, "f16", "float16", "f2", 2, kFloat},
    {kBF16, "bf16", "bfloat16", "u2", 2, kFloat},  // NumPy has none: its bits travel as uint16
    {kF32, "f32", "float32", "f4", 4, kFloat},
    {kF64, "f64", "float64", "f8", 8, kFloat},
}};

uint64_t size_mask(unsigned bytes) { return bytes == 8 ? ~0ull : (1ull << bytes * 8) - 1; }

/// double -> bf16 in one rounding: to float with round-to-odd, then to nearest even.
uint16_t bf16_from_double(double value) {
  if (std::isnan(value)) return 0x7fc0;
  float nearest = static_cast<float>(value);
  uint32_t bits = std::bit_cast<uint32_t>(nearest);
  if (!std::isinf(nearest) && static_cast<double>(nearest) != value && (bits & 1) == 0) {
    // Even and inexact: step towards the exact value, whose float neighbour is odd.
    const bool above = std::fabs(value) > std::fabs(static_cast<double>(nearest));
    bits = above || (bits & 0x7fffffff) == 0 ? bits + 1 : bits - 1;
  }
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

double exact_value(DType type, uint64_t bits) {
  switch (type) {
    case kF16:
      return static_cast<double>(std::bit_cast<_Float16>(static_cast<uint16_t>(bits)));
    case kBF16:
      return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
    case kF32:
      return std::bit_cast<float>(static_cast<uint32_t>(bits));
    case kF64:
      return std::bit_cast<double>(bits);
    default:
      return 0;
  }
}

}  // namespace

const DTypeInfo& info_of(DType type) { return kTypes[static_cast<size_t>(type)]; }
std::span<const DTypeInfo> all_dtypes() { return kTypes; }

std::optional<DType> find_dtype(std::string_view name) {
  for (const DTypeInfo& t : kTypes) {
    if (t.name == name) return t.type;
  }
  return std::nullopt;
}

std::string dtype_list() {
  std::string names;
  for (const DTypeInfo& t : kTypes) names += (names.empty() ? "" : " ") + std::string(t.name);
  return names;
}

std::optional<uint64_t> parse_element(DType type, std::string_view text) {
  const DTypeInfo& t = info_of(type);
  if (text.empty()) return std::nullopt;
  if (t.kind == kFloat) {
    const std::string copy(text);
    if (std::isspace(static_cast<unsigned char>(copy[0]))) return std::nullopt;
    char* end = nullptr;
    const double value = std::strtod(copy.c_str(), &end);
    if (*end != 0) return std::nullopt;
    // f32 through strtof: decimal text rounds once, not twice.
    if (type == kF32) return std::bit_cast<uint32_t>(std::strtof(copy.c_str(), nullptr));
    return element_from_double(type, value);
  }
  const bool negative = text[0] == '-';
  if (negative) text.remove_prefix(1);
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    base = 16;
    text.remove_prefix(2);
  }
  uint64_t magnitude = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), magnitude, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  const uint64_t mask = size_mask(t.size);
  const uint64_t most = t.kind == kUnsigned ? (negative ? 0 : mask) : (mask >> 1) + negative;
  // A signed number in hex may name all its bits: i32:0xffffffff is -1.
  const bool bit_pattern = base == 16 && !negative && magnitude <= mask;
  if (magnitude > most && !bit_pattern) return std::nullopt;
  return (negative ? 0 - magnitude : magnitude) & mask;
}

uint64_t element_from_double(DType type, double value) {
  switch (type) {
    case kF16:
      return std::bit_cast<uint16_t>(static_cast<_Float16>(value));
    case kBF16:
      return bf16_from_double(value);
    case kF32:
      return std::bit_cast<uint32_t>(static_cast<float>(value));
    case kF64:
      return std::bit_cast<uint64_t>(value);
    default:
      return element_from_int(type, static_cast<int64_t>(value));
  }
}

uint64_t element_from_int(DType type, int64_t value) {
  const DTypeInfo& t = info_of(type);
  if (t.kind == kFloat) return element_from_double(type, static_cast<double>(value));
  return static_cast<uint64_t>(value) & size_mask(t.size);
}

double printable_value(DType type, uint64_t bits) {
  const double exact = exact_value(type, bits);
  if (type == kF64 || !std::isfinite(exact) || exact == 0) return exact;
  for (int digits = 0; digits < 9; ++digits) {
    const double shorter = std::strtod(fmt::format("{:.{}e}", exact, digits).c_str(), nullptr);
    if (element_from_double(type, shorter) == bits) return shorter;
  }
  return exact;
}

std::string integer_text(DType type, uint64_t bits) {
  const DTypeInfo& t = info_of(type);
  if (t.kind == kUnsigned) return std::to_string(bits);
  const unsigned shift = 64 - t.size * 8;
  return std::to_string(static_cast<int64_t>(bits << shift) >> shift);
}

std::string element_text(DType type, uint64_t bits) {
  if (info_of(type).kind != kFloat) return integer_text(type, bits);
  return fmt::format("{}", printable_value(type, bits));
}

uint64_t load_element(DType type, const uint8_t* from) {
  uint64_t bits = 0;
  std::memcpy(&bits, from, info_of(type).size);
  return bits;
}

void store_element(DType type, uint8_t* to, uint64_t bits) {
  std::memcpy(to, &bits, info_of(type).size);
}

}  // namespace lockstep::cli
