// SPDX-License-Identifier: MIT
// Matrix rows by name: shape and types are read off the mnemonic, elements are placed by layouts
// written here once more, and results are compared with a plain product of integers.
#pragma once
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>
#include <regex>
#include <string>
#include <vector>

#include "emu/handlers.h"
#include "isa/operand.h"

namespace lockstep::emu::testing {

using isa::Field;

/// Value of a code of a small float, from the definition of the format.
inline double small_value(unsigned exponent_bits, unsigned mantissa_bits, int bias, uint32_t code) {
  const unsigned bits = 1 + exponent_bits + mantissa_bits;
  const int exponent = static_cast<int>(code >> mantissa_bits & ((1u << exponent_bits) - 1));
  const double fraction = code & ((1u << mantissa_bits) - 1);
  const double scale = std::ldexp(1.0, -static_cast<int>(mantissa_bits));
  const double magnitude = exponent ? std::ldexp(1 + fraction * scale, exponent - bias)
                                    : std::ldexp(fraction * scale, 1 - bias);
  return code >> (bits - 1) ? -magnitude : magnitude;
}

/// One kind of element: its width, and random codes whose values are small integers.
struct Kind {
  std::string name;
  bool fnuz = false, is_signed = true;

  unsigned bits() const {
    static const std::map<std::string, unsigned> kBits = {
        {"f64", 64}, {"f32", 32}, {"xf32", 32}, {"i32", 32}, {"f16", 16}, {"bf16", 16}, {"fp8", 8},
        {"bf8", 8},  {"i8", 8},   {"iu8", 8},   {"fp6", 6},  {"bf6", 6},  {"fp4", 4},   {"iu4", 4}};
    return kBits.at(name);
  }
  double value(uint64_t code) const {
    if (name == "f64") return std::bit_cast<double>(code);
    if (name == "f32" || name == "xf32") return std::bit_cast<float>(static_cast<uint32_t>(code));
    const auto c = static_cast<uint32_t>(code);
    if (name == "f16") return small_value(5, 10, 15, c);
    if (name == "bf16") return std::bit_cast<float>(c << 16);
    if (name == "fp8") return small_value(4, 3, fnuz ? 8 : 7, c);
    if (name == "bf8") return small_value(5, 2, fnuz ? 16 : 15, c);
    if (name == "fp6") return small_value(2, 3, 1, c);
    if (name == "bf6") return small_value(3, 2, 3, c);
    if (name == "fp4") return small_value(2, 1, 1, c);
    const bool negative = is_signed && c >> (bits() - 1);
    return static_cast<double>(c) - (negative ? std::ldexp(1, static_cast<int>(bits())) : 0);
  }
  /// A code with an integer value of at most 8 in magnitude (any code of integer types).
  uint64_t pick(std::mt19937& random) const {
    if (name[0] == 'i') return name == "i32" ? random() % 1000 : random() & ((1u << bits()) - 1);
    const int wanted = static_cast<int>(random() % 17) - 8;
    if (name == "f64") return std::bit_cast<uint64_t>(static_cast<double>(wanted));
    if (name == "f32" || name == "xf32") return std::bit_cast<uint32_t>(static_cast<float>(wanted));
    if (name == "bf16") return std::bit_cast<uint32_t>(static_cast<float>(wanted)) >> 16;
    static std::map<std::string, std::vector<uint32_t>> codes;
    auto& known = codes[name + (fnuz ? "fnuz" : "")];
    const uint32_t end = known.empty() ? 1u << bits() : 0;
    for (uint32_t code = 0; code < end; ++code) {
      const double v = value(code);
      if (v == std::floor(v) && std::fabs(v) <= 8 && !(v == 0 && std::signbit(v)))
        known.push_back(code);
    }
    return known[random() % known.size()];
  }
};

/// What a mnemonic says.
struct MatrixName {
  unsigned m = 16, n = 16, k = 16, blocks = 1;
  bool sparse = false;
  Kind a, b, c;
};

inline MatrixName parse_matrix_name(const std::string& id, isa::Isa isa) {
  static const std::regex kPattern(
      "v_(smfmac|swmmac|mfma|wmma)_(?:scale_)?(\\w+?)_(\\d+)x(\\d+)x(\\d+)_?"
      "(?:(\\d+)b_)?([a-z0-9]+?)(?:_1k|_([a-z0-9]+))?");
  std::smatch match;
  EXPECT_TRUE(std::regex_match(id, match, kPattern)) << id;
  MatrixName name;
  name.sparse = match[1].str()[0] == 's';
  name.m = std::stoul(match[3]);
  name.n = std::stoul(match[4]);
  name.k = std::stoul(match[5]);
  if (match[6].matched) name.blocks = std::stoul(match[6]);
  name.c.name = match[2];
  name.a.name = match[7];
  name.b.name = match[8].matched ? match[8].str() : match[7].str();
  name.a.fnuz = name.b.fnuz = isa == isa::Isa::kGfx942;
  return name;
}

class MatrixProbe {
 public:
  static constexpr unsigned kA = 8, kB = 24, kC = 40, kD = 80, kIndex = 120, kScaleA = 124,
                            kScaleB = 125;

  MatrixProbe(const std::string& id, isa::Isa isa, unsigned wave_size)
      : isa_(isa), lanes(wave_size), name(parse_matrix_name(id, isa)) {
    wave.allocate(wave_size, 128, 128, 106);
    wave.write64(isa::kExecLo, wave.lane_mask());
    context.wave = &wave;
    context.isa = isa;
    isa::Op op = isa::Op::kCount;
    for (int i = 0; i < isa::kOpCount; ++i)
      if (isa::op_info(static_cast<isa::Op>(i)).id == id) op = static_cast<isa::Op>(i);
    auto inst = isa::make_inst(isa, op, isa::op_info(op).format);
    EXPECT_TRUE(bool(inst)) << id;
    uop.inst = *inst;
    set(Field::vdst, kD);
    set(Field::src0, isa::kSrcVgpr0 + kA);
    set(Field::src1, isa::kSrcVgpr0 + kB);
    set(Field::src2, isa::kSrcVgpr0 + (name.sparse ? kIndex : kC));
    if (uop.inst.has(Field::scale_src0)) {
      set(Field::scale_src0, isa::kSrcVgpr0 + kScaleA);
      set(Field::scale_src1, isa::kSrcVgpr0 + kScaleB);
    }
  }

  void set(Field field, uint32_t value) { ASSERT_TRUE(uop.inst.set(field, value)); }
  void run() {
    uop.size = uop.inst.size;
    uop.clamp = uop.inst.get(Field::clamp);
    uop.ops = isa::operands_of(uop.inst, wave.wave_size);
    const ExecFn fn = handlers()[static_cast<size_t>(uop.inst.op)];
    ASSERT_NE(fn, nullptr);
    ASSERT_EQ(fn(context, uop), Step::kNext);
  }

  /// Element e of a lane's packed registers.
  void put(unsigned base, unsigned lane, unsigned e, unsigned bits, uint64_t code) {
    const unsigned step = bits == 6 ? 2 : std::min(bits, 32u);  // parts that stay in one register
    const uint32_t ones = step == 32 ? ~0u : (1u << step) - 1;
    for (unsigned bit = 0; bit < bits; bit += step) {
      const unsigned at = e * bits + bit;
      uint32_t& word = wave.vgpr(base + at / 32)[lane];
      word = (word & ~(ones << at % 32)) | (static_cast<uint32_t>(code >> bit) & ones) << at % 32;
    }
  }
  uint64_t get(unsigned base, unsigned lane, unsigned e, unsigned bits) {
    uint64_t code = 0;
    const unsigned step = bits == 6 ? 2 : std::min(bits, 32u);
    const uint32_t ones = step == 32 ? ~0u : (1u << step) - 1;
    for (unsigned bit = 0; bit < bits; bit += step) {
      const unsigned at = e * bits + bit;
      code |= static_cast<uint64_t>(wave.vgpr(base + at / 32)[lane] >> at % 32 & ones) << bit;
    }
    return code;
  }

  isa::Isa isa_;
  unsigned lanes;
  MatrixName name;
  WaveState wave;
  Context context;
  Uop uop;
};

}  // namespace lockstep::emu::testing
