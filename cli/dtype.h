// SPDX-License-Identifier: MIT
// Element types of arguments: names, sizes, NumPy's spelling, text to bits and bits to text.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace lockstep::cli {

enum class DType : uint8_t {
  kI8,
  kI16,
  kI32,
  kI64,
  kU8,
  kU16,
  kU32,
  kU64,
  kF16,
  kBF16,
  kF32,
  kF64
};
enum class DTypeClass : uint8_t { kSigned, kUnsigned, kFloat };

struct DTypeInfo {
  DType type;
  std::string_view name;        ///< "f32"
  std::string_view numpy_name;  ///< "float32"
  std::string_view npy;         ///< little-endian descr without the order mark: "f4"
  uint8_t size;
  DTypeClass kind;
};

const DTypeInfo& info_of(DType type);
std::span<const DTypeInfo> all_dtypes();
std::optional<DType> find_dtype(std::string_view name);
/// "i8 i16 ... f64", for messages.
std::string dtype_list();

/// Bits of a number written as text ("5", "-0x10", "1.5", "inf"), in the low bytes; nullopt if it
/// is no number of the type or out of its range.
std::optional<uint64_t> parse_element(DType type, std::string_view text);
/// Bits of a number as an element of the type, rounded to nearest even; integers wrap.
uint64_t element_from_double(DType type, double value);
uint64_t element_from_int(DType type, int64_t value);
/// Value of an element of a float type. The result prints, with the fewest digits that identify a
/// double, as the fewest digits that identify the element in its own type.
double printable_value(DType type, uint64_t bits);
/// Value of an integer element; unsigned ones above INT64_MAX come out as text only.
std::string integer_text(DType type, uint64_t bits);
/// Shortest text that reads back as the same element.
std::string element_text(DType type, uint64_t bits);

uint64_t load_element(DType type, const uint8_t* from);
void store_element(DType type, uint8_t* to, uint64_t bits);

}  // namespace lockstep::cli
