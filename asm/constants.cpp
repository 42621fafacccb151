// SPDX-License-Identifier: MIT
// Numbers as inline constants and literals.
#include <bit>
#include <cmath>

#include "asm/assembler.h"

namespace lockstep::asm_ {
namespace {

using isa::Type;

constexpr unsigned kFirstInteger = 128, kFirstFloat = 240, kLastFloat = 248;

bool is_wide(Type t) {
  return t == Type::F64 || t == Type::B64 || t == Type::I64 || t == Type::U64;
}
bool is_half_integer(Type t) { return t == Type::I16 || t == Type::U16 || t == Type::B16; }
bool is_packed_integer(Type t) {
  return t == Type::PK_I16 || t == Type::PK_U16 || t == Type::PK_B16;
}

/// The code of the inline constant with these bits; integers are looked at first.
std::optional<unsigned> find_inline(uint64_t bits, uint64_t mask, Type type, bool integers,
                                    bool floats) {
  if (integers) {  // 0..64, then -1..-16
    constexpr uint64_t kMost = 64, kLeast = 16;
    const uint64_t value = bits & mask, negated = (0 - bits) & mask;
    if (value <= kMost) return kFirstInteger + static_cast<unsigned>(value);
    if (negated <= kLeast) return kFirstInteger + static_cast<unsigned>(kMost + negated);
  }
  if (floats)
    for (unsigned code = kFirstFloat; code <= kLastFloat; ++code)
      if (((isa::inline_bits(code, type) ^ bits) & mask) == 0) return code;
  return std::nullopt;
}

bool fits(int64_t value, unsigned width) {
  return value >= -(int64_t{1} << (width - 1)) && value < int64_t{1} << width;
}

/// Rounded to nearest even, as LLVM does; nothing where the value overflows or underflows.
std::optional<uint32_t> to_f32(double value) {
  const auto f = static_cast<float>(value);
  if (std::isinf(f) && !std::isinf(value)) return std::nullopt;
  if (f == 0 && value != 0) return std::nullopt;
  return std::bit_cast<uint32_t>(f);
}

std::optional<uint32_t> to_small_float(double value, int exponent_bits, int fraction_bits) {
  const uint32_t sign = std::signbit(value) ? 1u << (exponent_bits + fraction_bits) : 0;
  if (value == 0) return sign;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  int exponent = 0;
  std::frexp(std::fabs(value), &exponent);  // value = 0.1xxx * 2^exponent
  int e = exponent - 1 + bias;
  if (e < 1) e = 1;  // denormal
  const double scaled = std::ldexp(std::fabs(value), fraction_bits - (e - bias));
  auto fraction = static_cast<uint64_t>(std::nearbyint(scaled));
  if (fraction == 0) return std::nullopt;
  const uint64_t bits = (static_cast<uint64_t>(e - 1) << fraction_bits) + fraction;
  if (bits >> fraction_bits >= (1u << exponent_bits) - 1) return std::nullopt;
  return sign | static_cast<uint32_t>(bits);
}

std::optional<uint32_t> real_bits(double value, Type type) {
  switch (type) {
    case Type::F16:
    case Type::PK_F16:
      return to_small_float(value, 5, 10);
    case Type::BF16:
    case Type::PK_BF16:
      return to_small_float(value, 8, 7);
    default:
      return to_f32(value);
  }
}

std::optional<Constant> encode_real(double value, Type type, bool literal_only) {
  constexpr uint64_t kAll = ~uint64_t{0};
  if (is_wide(type)) {
    const auto bits = std::bit_cast<uint64_t>(value);
    if (!literal_only)
      if (const auto code = find_inline(bits, kAll, type, true, true)) return Constant{*code};
    if (type != Type::F64) return std::nullopt;
    return Constant{isa::kSrcLiteral, static_cast<uint32_t>(bits >> 32)};
  }
  if (is_half_integer(type) || is_packed_integer(type)) {
    const auto bits = to_f32(value);
    if (!bits || (is_half_integer(type) && !to_small_float(value, 5, 10))) return std::nullopt;
    if (!literal_only)
      if (const auto code = find_inline(*bits, UINT32_MAX, Type::F32, true, true))
        return Constant{*code};
    return Constant{isa::kSrcLiteral, *bits};
  }
  const auto bits = real_bits(value, type);
  if (!bits) return std::nullopt;
  // 1/(2 pi) as bf16 is cut off, not rounded.
  if (const auto f32 = to_f32(value);
      f32 == isa::inline_bits(kLastFloat, Type::F32) && !literal_only)
    return Constant{kLastFloat};
  if (!literal_only)
    if (const auto code = find_inline(*bits, UINT32_MAX, type, true, true)) return Constant{*code};
  return Constant{isa::kSrcLiteral, *bits};
}

}  // namespace

std::optional<Constant> encode_constant(const ParsedOperand& o, Type type, bool like_llvm_22) {
  if (o.kind == ParsedKind::kReal) return encode_real(o.real, type, o.literal);
  const auto bits = static_cast<uint64_t>(o.integer);
  if (is_wide(type)) {
    if (!o.literal)
      if (const auto code = find_inline(bits, ~uint64_t{0}, type, true, true))
        return Constant{*code};
    // What a sign does to a literal that is only the upper half of its value would be ambiguous.
    if (!fits(o.integer, 32) || o.neg || o.abs) return std::nullopt;
    return Constant{isa::kSrcLiteral, static_cast<uint32_t>(bits)};
  }
  const bool half = isa::is_half(type);
  const unsigned width = half ? 16 : 32;
  if (!fits(o.integer, width)) return std::nullopt;
  const uint64_t mask = (uint64_t{1} << width) - 1;
  if (!o.literal)
    // 0xffff is no -1 where the operand is an integer.
    if (const auto code =
            find_inline(bits, is_half_integer(type) ? UINT64_MAX : mask,
                        is_half_integer(type) ? Type::I64 : type, true, !is_half_integer(type)))
      return Constant{*code};
  const bool whole = like_llvm_22 && is_half_integer(type);
  return Constant{isa::kSrcLiteral, static_cast<uint32_t>(whole ? bits : bits & mask)};
}

std::optional<uint32_t> literal_bits(const ParsedOperand& o, Type type, bool like_llvm_22) {
  ParsedOperand only_literal = o;
  only_literal.literal = true;
  if (like_llvm_22 && type == Type::F16 && o.kind == ParsedKind::kInteger && o.integer < 0)
    type = Type::I16;
  const auto constant = encode_constant(only_literal, type, like_llvm_22);
  if (!constant) return std::nullopt;
  return constant->literal;
}

}  // namespace lockstep::asm_
