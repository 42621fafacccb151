// SPDX-License-Identifier: MIT
// Nodes of 8-, 6- and 4-bit floats (emu/small_float.h says what they are), and of stochastic
// rounding.
#include "emu/jit/lower_vector.h"
#include "emu/small_float.h"

namespace lockstep::emu::jit {

using Xbyak::Opmask;
using Xbyak::Zmm;
using namespace Xbyak::util;

namespace {

constexpr int kEqual = 0, kLess = 1, kGreater = 6;  // vpcmpu
constexpr uint32_t kInfinity = 0x7f800000, kQuietNan = 0x7fc00000, kMagnitude = 0x7fffffff;

SmallFloat format_of(uint64_t kind, isa::Isa isa) {
  switch (static_cast<SmallKind>(kind)) {
    case SmallKind::kFp8:
      return fp8_of(isa);
    case SmallKind::kBf8:
      return bf8_of(isa);
    case SmallKind::kFp4:
      return kFp4;
    case SmallKind::kHalf:
      return {5, 10, 15, TopCodes::kInfinityAndNan};
    default:
      return {8, 7, 127, TopCodes::kInfinityAndNan};
  }
}

/// Bits of 2^n as an f32.
constexpr uint32_t power_of_two(int n) { return static_cast<uint32_t>(n + 127) << 23; }

}  // namespace

bool VectorLowering::small_node(const Node& node, int n) {
  switch (node.op) {
    case NodeOp::kSmallToF:
      small_to_float(node, n);
      return true;
    case NodeOp::kFToSmall:
    case NodeOp::kFToSmallRandom:
      float_to_small(node, n);
      return true;
    default:
      return false;
  }
}

void VectorLowering::where(const Opmask& k, const Zmm& d, uint32_t bits) {
  Place value = new_word();
  broadcast(Zmm(value.reg[0]), bits);
  h_.vmovdqa32(d | k, Zmm(value.reg[0]));
  drop(value);
}

void VectorLowering::small_to_float(const Node& node, int n) {
  const SmallFloat f = format_of(node.imm, mode_.isa);
  const uint32_t sign = f.sign_bit(), ones = sign - 1;
  const Zmm code = word(node.a), d = word_result(n, nullptr);
  Place magnitude = new_word(), mask = new_mask();
  const Zmm t(magnitude.reg[0]);
  const Opmask k(mask.reg[0]);
  // The fields at their places in an f32, denormals too; then the difference of the biases.
  h_.vpandd(t, code, all(ones));
  h_.vpslld(d, t, static_cast<uint8_t>(23 - f.mantissa_bits));
  h_.vmulps(d, d, all(power_of_two(127 - f.bias)));
  if (f.has_infinity()) {
    h_.vpcmpud(k, t, all(f.largest() + 1), kEqual);
    where(k, d, kInfinity);
    h_.vpcmpud(k, t, all(f.largest() + 1), kGreater);
    where(k, d, kQuietNan);
  } else if (f.top == TopCodes::kOneNan) {
    h_.vpcmpud(k, t, all(ones), kEqual);
    where(k, d, kQuietNan);
  }
  h_.vpandd(t, code, all(sign));
  h_.vpslld(t, t, static_cast<uint8_t>(32 - f.bits()));
  h_.vpord(d, d, t);
  if (f.top == TopCodes::kNegativeZero) {
    h_.vpcmpud(k, code, all(sign), kEqual);
    where(k, d, kQuietNan);
  }
  drop(magnitude);
  drop(mask);
}

/// Magnitudes below the smallest normal number (k), in units of the smallest number.
void VectorLowering::round_small_denormals(const Node& node, const SmallFloat& f, const Opmask& k,
                                           const Zmm& d, const Zmm& magnitude) {
  const uint32_t scale = power_of_two(f.bias - 1 + f.mantissa_bits);
  Place value = new_word();
  const Zmm v(value.reg[0]);
  h_.vmulps(v, magnitude, all(scale));
  if (node.op == NodeOp::kFToSmall) {
    constexpr uint32_t kOneUlp = 0x4b000000;  // 2^23: the sum's last bit is the unit
    h_.vsubps(v, v, all(kOneUlp | 0x80000000));
    h_.vpsubd(d | k, v, all(kOneUlp));
    drop(value);
    return;
  }
  // 32 bits of the fraction, exact, 16 at a time; a carry of their sum with the random number.
  constexpr uint32_t k2To16 = 0x47800000;
  Place integer = new_word(), fraction = new_word(), other = new_mask();
  const Zmm i(integer.reg[0]), bits(fraction.reg[0]);
  const Opmask carry(other.reg[0]);
  h_.vcvttps2dq(i, v);
  h_.vmovdqa32(d | k, i);
  for (int part = 0; part < 2; ++part) {
    h_.vcvtdq2ps(i, i);
    h_.vsubps(v, v, i);
    h_.vmulps(v, v, all(k2To16));
    h_.vcvttps2dq(i, v);
    if (part == 0)
      h_.vpslld(bits, i, 16);
    else
      h_.vpord(bits, bits, i);
  }
  h_.vpaddd(i, bits, word(node.b));
  h_.vpcmpud(carry | k, i, bits, kLess);
  h_.vpsubd(d | carry, d, all(0xffffffff));
  // What is this small is 0 with any random number: see encode_small().
  h_.vpcmpud(carry, magnitude, all(power_of_two(-10 - f.mantissa_bits - f.bias)), kLess);
  h_.vpxord(d | carry, d, d);
  for (Place* p : {&value, &integer, &fraction, &other}) drop(*p);
}

void VectorLowering::float_to_small(const Node& node, int n) {
  const SmallFloat f = format_of(node.imm, mode_.isa);
  const bool fnuz = f.top == TopCodes::kNegativeZero;
  const uint32_t sign = f.sign_bit();
  const int shift = 23 - f.mantissa_bits;
  const uint32_t nan = fnuz ? sign : f.has_nan() ? sign - 1 : f.largest();
  const uint32_t beyond = f.has_infinity() ? f.largest() + 1 : nan;
  const Zmm x = word(node.a);
  if (node.op == NodeOp::kFToSmallRandom) word(node.b);
  const Zmm d = word_result(n, nullptr);
  Place size = new_word(), mask = new_mask();
  const Zmm magnitude(size.reg[0]);
  const Opmask k(mask.reg[0]);
  h_.vpandd(magnitude, x, all(kMagnitude));
  if (node.op == NodeOp::kFToSmall) {
    h_.vpsrld(d, magnitude, static_cast<uint8_t>(shift));
    h_.vpandd(d, d, all(1));
    h_.vpaddd(d, d, all((1u << (shift - 1)) - 1));
  } else {
    h_.vpsrld(d, word(node.b), static_cast<uint8_t>(32 - shift));
  }
  h_.vpaddd(d, d, magnitude);
  h_.vpsrld(d, d, static_cast<uint8_t>(shift));
  if (const int difference = 127 - f.bias) {
    h_.vpsubd(d, d, all(static_cast<uint32_t>(difference) << f.mantissa_bits));
    h_.vpcmpud(k, magnitude, all(power_of_two(1 - f.bias)), kLess);
    round_small_denormals(node, f, k, d, magnitude);
  } else {
    constexpr uint32_t kTooSmall = 32;  // 2^-144: see encode_small()
    h_.vpcmpud(k, magnitude, all(kTooSmall), kLess);
    h_.vpxord(d | k, d, d);
  }
  h_.vpcmpud(k, d, all(f.largest()), kGreater);
  where(k, d, beyond);
  h_.vpcmpud(k, magnitude, all(kInfinity), kGreater);
  where(k, d, nan);
  const Zmm& t = magnitude;
  h_.vpsrld(t, x, static_cast<uint8_t>(32 - f.bits()));
  h_.vpandd(t, t, all(sign));
  if (fnuz) {
    h_.vptestmd(k, d, d);
    h_.vpord(d | k, d, t);
  } else {
    h_.vpord(d, d, t);
  }
  drop(size);
  drop(mask);
}

}  // namespace lockstep::emu::jit
