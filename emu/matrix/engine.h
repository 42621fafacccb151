// SPDX-License-Identifier: MIT
// D = A * B + C for every matrix row: the row's operand types and shape are parameters.
//
// Rounding (docs/fidelity.md has the evidence): products are added in order of k to an accumulator
// that starts with C; f32 and f64 round at each step, 16-bit results are kept in f32 and rounded at
// the end, integers are exact, f8f6f4 products are kept in f64 and rounded at the end.
#pragma once
#include <algorithm>
#include <array>
#include <limits>
#include <type_traits>

#include "emu/matrix/call.h"
#include "emu/matrix/elements.h"
#include "emu/matrix/layout.h"
#include "emu/matrix/multiply.h"
#include "emu/matrix/wide.h"

namespace lockstep::emu {

/// Element format of a row's operand type. For IU types the sign is the instruction's.
constexpr ElementFormat element_format(isa::Type type, isa::Isa isa, bool is_signed) {
  using isa::Type;
  const bool flush = isa == isa::Isa::kGfx90a;  // its f16 and bf16 products flush denormals
  switch (type) {
    case Type::F64:
      return {Element::kF64};
    case Type::F16:
    case Type::PK_F16:
      return {Element::kF16, kFp8, flush};
    case Type::BF16:
    case Type::PK_BF16:
      return {Element::kBf16, kFp8, flush};
    case Type::FP8:
      return {Element::kSmall, fp8_of(isa)};
    case Type::BF8:
      return {Element::kSmall, bf8_of(isa)};
    case Type::I32:
      return {Element::kI32};
    case Type::I8:
    case Type::I8X4:
      return {Element::kI8};
    case Type::IU8:
      return {is_signed ? Element::kI8 : Element::kU8};
    case Type::IU4:
      return {is_signed ? Element::kI4 : Element::kU4};
    default:
      return {Element::kF32};
  }
}

/// The formats that CBSZ and BLGP choose for f8f6f4.
constexpr ElementFormat chosen_format(unsigned code) {
  constexpr SmallFloat kFormats[] = {kFp8, kBf8, kFp6, kBf6, kFp4};
  return {Element::kSmall, kFormats[std::min(code, 4u)]};
}

/// One execution. `A`, `B`, `C` are the row's operand types.
template <isa::Type A, isa::Type B, isa::Type C>
class MatrixEngine {
 public:
  static constexpr bool kInteger = C == isa::Type::I32;
  static constexpr bool kDouble = C == isa::Type::F64;
  static constexpr bool kHalfResult = C == isa::Type::F16 || C == isa::Type::BF16;
  using Value = std::conditional_t<kInteger, int32_t, std::conditional_t<kDouble, double, float>>;

  static constexpr WideResult kWide = kInteger               ? WideResult::kI32
                                      : C == isa::Type::F16  ? WideResult::kF16
                                      : C == isa::Type::BF16 ? WideResult::kBf16
                                                             : WideResult::kF32;

  explicit MatrixEngine(const MatrixCall& call) : call_(call) {}

  void wmma(unsigned k) {
    layout_ = wmma_layout(k);
    run<Value>();
  }
  void swmmac(unsigned k) {
    layout_ = wmma_layout(k);
    sparse_ = true;
    index_set_ = call_.opsel & 3;
    run<Value>();
  }
  void mfma(unsigned m, unsigned n, unsigned k, unsigned blocks) {
    layout_ = mfma_layout(m, n, k, blocks);
    broadcast_ = !kDouble;
    if constexpr (kDouble) {
      // The field of the lane pattern negates the operands of f64 products since gfx942.
      if (call_.isa != isa::Isa::kGfx90a) negate_ = call_.blgp;
    }
    run<Value>();
  }
  void mfma_xf32(unsigned m, unsigned n, unsigned k) {
    a_.kind = b_.kind = Element::kXf32;
    mfma(m, n, k, 1);
  }
  void smfmac(unsigned m, unsigned n, unsigned k) {
    layout_ = mfma_layout(m, n, k, 1);
    sparse_ = true;
    index_set_ = call_.cbsz == 0 ? call_.abid : 0;
    run<Value>();
  }
  /// Both operands in formats that the instruction chooses, with an exponent for each 32 values.
  void mfma_f8f6f4(unsigned m, unsigned n, unsigned k) {
    if constexpr (C == isa::Type::F32) {
      layout_ = mfma_layout(m, n, k, 1);
      a_ = chosen_format(call_.cbsz);
      b_ = chosen_format(call_.blgp);
      run<double>();
    }
  }

 private:
  static constexpr unsigned kMaxSource = 2048, kMaxResult = 2048;  // elements

  MatrixLayout wmma_layout(unsigned k) const {
    const bool gfx11 = isa::generation_of(call_.isa) == isa::Generation::kGfx11;
    const MatrixShape shape{16, 16, static_cast<uint16_t>(k)};
    return {shape, call_.wave_size, gfx11 ? 1 : 256 / call_.wave_size, gfx11};
  }
  MatrixLayout mfma_layout(unsigned m, unsigned n, unsigned k, unsigned blocks) const {
    const MatrixShape shape{static_cast<uint16_t>(m), static_cast<uint16_t>(n),
                            static_cast<uint16_t>(k), static_cast<uint16_t>(blocks)};
    return {shape, call_.wave_size, kDouble ? 1u : 4u};
  }

  template <class T>
  void run() {
    if constexpr (!std::is_same_v<T, double>)
      if (!sparse_ && !call_.plain && multiply_wide({call_, layout_, a_, b_, kWide, broadcast_}))
        return;
    const MatrixShape& s = layout_.shape;
    const unsigned depth = sparse_ ? s.k / 2 : s.k;
    alignas(64) std::array<T, kMaxSource> a, b;
    alignas(64) std::array<T, kMaxResult> result;
    load_a(a.data(), depth);
    load_b(b.data());
    std::array<uint8_t, 128> pick;
    for (unsigned k = 0; k < depth; ++k) pick[k] = static_cast<uint8_t>(k);
    for (unsigned block = 0; block < s.blocks; ++block) {
      const T* block_b = b.data() + block * s.k * s.n;
      for (unsigned row = 0; row < s.m; ++row) {
        T* sums = result.data() + (block * s.m + row) * s.n;
        for (unsigned j = 0; j < s.n; ++j)
          sums[j] = kInteger ? T{} : accumulator<T>(layout_.result(block, row, j));
        if (sparse_) pick_rows(row, depth, pick.data());
        multiply_row(a.data() + (block * s.m + row) * depth, pick.data(), depth, block_b, s.n,
                     sums);
      }
    }
    if constexpr (kInteger) add_accumulator(result.data());
    store(result.data());
  }

  /// Bits of the element at `place` with the sign modifiers that A and B of 16-bit types have.
  uint64_t source_bits(const uint32_t* base, const ElementFormat& f, Place place, unsigned k,
                       unsigned source) const {
    uint64_t bits = packed_bits(base + place.lane, call_.wave_size, place.element, f.bits());
    if constexpr (A == isa::Type::F16 || A == isa::Type::BF16) {
      // neg_lo flips the even elements, neg_hi the odd ones.
      if ((k % 2 == 0 ? call_.neg : call_.neg_hi) >> source & 1) bits ^= 0x8000;
    }
    return bits;
  }

  template <class T>
  void load_a(T* out, unsigned depth) const {
    const MatrixShape& s = layout_.shape;
    const unsigned split = parts(a_);
    MatrixLayout layout = layout_;
    layout.split = split;
    for (unsigned block = 0; block < s.blocks; ++block) {
      // CBSZ: groups of 2^cbsz blocks take the block ABID of their group.
      const unsigned group = broadcast_ ? (1u << call_.cbsz) - 1 : 0;
      const unsigned from =
          std::min<unsigned>((block & ~group) | (call_.abid & group), s.blocks - 1u);
      for (unsigned row = 0; row < s.m; ++row)
        for (unsigned k = 0; k < depth; ++k) {
          const Place place = layout.source(s.m, depth, from, row, k);
          T value = element_value<T>(a_, source_bits(call_.a, a_, place, k, 0));
          if constexpr (kDouble) value = negate_ & 1 ? -value : value;
          *out++ = scaled(value, call_.scale_a, call_.scale_byte_a, row + s.m * (k / 32));
        }
    }
  }
  /// B in rows of n, so that the inner loop runs over contiguous columns.
  template <class T>
  void load_b(T* out) const {
    const MatrixShape& s = layout_.shape;
    MatrixLayout layout = layout_;
    layout.split = parts(b_);
    for (unsigned block = 0; block < s.blocks; ++block)
      for (unsigned k = 0; k < s.k; ++k)
        for (unsigned column = 0; column < s.n; ++column) {
          Place place = layout.source(s.n, s.k, block, column, k);
          if (broadcast_) place.lane = pattern_lane(call_.blgp, place.lane);
          T value = element_value<T>(b_, source_bits(call_.b, b_, place, k, 1));
          if constexpr (kDouble) value = negate_ & 2 ? -value : value;
          *out++ = scaled(value, call_.scale_b, call_.scale_byte_b, column + s.n * (k / 32));
        }
  }

  /// A lane's 8-bit values of f8f6f4 come from two parts of K: each half is one 16x16x64 (32x32x32)
  /// product's share. Only mixed formats and scales show it.
  unsigned parts(const ElementFormat& f) const {
    constexpr bool kChosen = A == isa::Type::B256;
    return kChosen && f.bits() == 8 ? 2 : 1;
  }

  template <class T>
  static T scaled(T value, const uint32_t* scales, unsigned byte, unsigned lane) {
    if constexpr (std::is_same_v<T, double> && A == isa::Type::B256) {
      if (!scales) return value;
      const uint32_t exponent = scales[lane] >> 8 * byte & 0xff;
      constexpr uint32_t kNan = 0xff;
      if (exponent == kNan) return std::numeric_limits<T>::quiet_NaN();
      return value * std::ldexp(1.0, static_cast<int>(exponent) - 127);
    } else {
      return value;
    }
  }

  /// Which row of B each element of a sparse row of A meets.
  void pick_rows(unsigned row, unsigned depth, uint8_t* pick) const {
    const unsigned groups = layout_.k_groups(layout_.shape.m);
    const unsigned per_lane = depth / groups, bits = 2 * per_lane;
    const unsigned shift = bits >= 32 ? 0 : index_set_ * bits % 32;
    for (unsigned k = 0; k < depth; ++k) {
      const uint32_t word = call_.index[row + layout_.shape.m * (k / per_lane)] >> shift;
      pick[k] = static_cast<uint8_t>(k / 2 * 4 + (word >> k % per_lane * 2 & 3));
    }
  }

  uint64_t accumulator_bits(Place place) const {
    if (!call_.c) return call_.c_constant;
    const uint32_t* lane = call_.c + place.lane;
    if constexpr (!kHalfResult) {
      return packed_bits(lane, call_.wave_size, place.element, kDouble ? 64 : 32);
    } else {
      if (!layout_.repeated) return packed_bits(lane, call_.wave_size, place.element, 16);
      return lane[place.element * call_.wave_size] >> (high_half() ? 16 : 0) & 0xffff;
    }
  }
  /// gfx11 places 16-bit results in one half of a register.
  bool high_half() const { return call_.opsel & 4; }

  template <class T>
  T accumulator(Place place) const {
    T value = element_value<T>(c_, accumulator_bits(place));
    if constexpr (!kInteger) {
      if (call_.neg_hi & 4) value = std::fabs(value);  // on C the high bit is the absolute value
      if ((call_.neg | negate_) & 4) value = -value;
    }
    return value;
  }

  /// Integer products are summed alone, so that only the sum with C can leave 32 bits.
  void add_accumulator(int32_t* result) const {
    const MatrixShape& s = layout_.shape;
    for (unsigned block = 0; block < s.blocks; ++block)
      for (unsigned row = 0; row < s.m; ++row)
        for (unsigned column = 0; column < s.n; ++column, ++result) {
          const int64_t sum =
              int64_t{*result} + accumulator<int32_t>(layout_.result(block, row, column));
          *result = static_cast<int32_t>(
              call_.clamp ? std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX) : sum);
        }
  }

  template <class T>
  void store(const T* result) const {
    const MatrixShape& s = layout_.shape;
    for (unsigned block = 0; block < s.blocks; ++block)
      for (unsigned row = 0; row < s.m; ++row)
        for (unsigned column = 0; column < s.n; ++column)
          write(layout_.result(block, row, column), *result++);
  }
  template <class T>
  void write(Place place, T value) const {
    const unsigned stride = call_.wave_size;
    uint32_t* lane = call_.d + place.lane;
    if constexpr (kInteger) {
      lane[place.element * stride] = static_cast<uint32_t>(value);
    } else if constexpr (kDouble) {
      const uint64_t bits = std::bit_cast<uint64_t>(value);
      lane[2 * place.element * stride] = static_cast<uint32_t>(bits);
      lane[(2 * place.element + 1) * stride] = static_cast<uint32_t>(bits >> 32);
    } else if constexpr (kHalfResult) {
      const uint32_t bits = C == isa::Type::F16 ? narrow_to_half(value).bits
                                                : narrow_to_bfloat(static_cast<float>(value)).bits;
      const bool high = layout_.repeated ? high_half() : place.element % 2;
      uint32_t& word = lane[(layout_.repeated ? place.element : place.element / 2) * stride];
      word = high ? (word & 0x0000ffff) | bits << 16 : (word & 0xffff0000) | bits;
    } else {
      lane[place.element * stride] =
          std::bit_cast<uint32_t>(flushed(static_cast<float>(value), a_.flush));
    }
  }

  const MatrixCall& call_;
  MatrixLayout layout_{};
  ElementFormat a_ = element_format(A, call_.isa, call_.neg & 1);
  ElementFormat b_ = element_format(B, call_.isa, call_.neg & 2);
  ElementFormat c_ = element_format(C, call_.isa, true);
  bool sparse_ = false;
  bool broadcast_ = false;  ///< CBSZ, ABID and BLGP choose blocks and lanes
  unsigned index_set_ = 0;
  uint8_t negate_ = 0;
};

}  // namespace lockstep::emu
