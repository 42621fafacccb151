// SPDX-License-Identifier: MIT
// Primitives over many registers of a lane, exchanges of rows of lanes, LDS-direct.
#include "emu/lane/small.h"
#include "emu/lds.h"

namespace lockstep::emu {
namespace {

constexpr unsigned kValues = 32;

uint32_t* lane_of(Context& c, const isa::Operand& o, unsigned lane) {
  return (o.kind == isa::OperandKind::kAgpr ? c.wave->agpr(o.code) : c.wave->vgpr(o.code)) + lane;
}

ElementFormat format_of(isa::Type t) {
  switch (t) {
    case isa::Type::F16:
      return {Element::kF16};
    case isa::Type::BF16:
      return {Element::kBf16};
    default:
      return {Element::kF32};
  }
}

}  // namespace

LaneAction LaneSmall::unpack32(SmallFloat f, float scale) const {
  const unsigned stride = c.wave->wave_size;
  const isa::Operand& out = u.ops.dst[0];
  const uint32_t* source = lane_of(c, u.ops.src[0], lane);
  uint32_t words[kValues] = {};
  const unsigned bits = format_of(out.type).bits();
  for (unsigned i = 0; i < kValues; ++i) {
    const auto code = static_cast<uint32_t>(packed_bits(source, stride, i, f.bits()));
    const uint32_t value = out.type == isa::Type::F16    ? small_to_f16(f, code, scale).bits
                           : out.type == isa::Type::BF16 ? small_to_bf16(f, code, scale).bits
                                                         : bits_of(small_to_f32(f, code, scale));
    append_bits(words, i * bits, bits, value);
  }
  uint32_t* dest = lane_of(c, out, lane);
  for (unsigned i = 0; i < kValues * bits / 32; ++i) dest[i * stride] = words[i];
  return {};
}

LaneAction LaneSmall::pack32_any(SmallFloat f, float scale, SmallRounding rounding,
                                 bool interleaved) const {
  const unsigned stride = c.wave->wave_size;
  const ElementFormat from = format_of(u.ops.src[0].type);
  uint32_t words[6] = {};
  for (unsigned i = 0; i < kValues; ++i) {
    const isa::Operand& o = u.ops.src[interleaved ? i % 2 : 0];
    const uint64_t raw =
        packed_bits(lane_of(c, o, lane), stride, interleaved ? i / 2 : i, from.bits());
    const double value = element_value<double>(from, raw);
    append_bits(words, i * f.bits(), f.bits(),
                encode_small(f, scaled_down(value, scale), rounding, overflow()));
    rounding.random = next_random(rounding.random);
  }
  uint32_t* dest = lane_of(c, u.ops.dst[0], lane);
  for (unsigned i = 0; i < kValues * f.bits() / 32; ++i) dest[i * stride] = words[i];
  return {};
}

WaveAction LaneSmall::swap_rows(unsigned distance) const {
  uint32_t* upper = lane_of(c, u.ops.dst[0], 0);
  uint32_t* lower = lane_of(c, u.ops.src[0], 0);
  const uint32_t op_sel = u.inst.get(isa::Field::opsel);
  const bool fetch_inactive = op_sel & 1, bound_control = op_sel & 2;
  const uint64_t active = exec();
  for (unsigned low = 0; low < c.wave->wave_size; ++low) {
    const unsigned high = low + distance;
    if (low & distance) continue;
    const bool low_on = active >> low & 1, high_on = active >> high & 1;
    const uint32_t from_low = lower[low], from_high = upper[high];
    if (low_on && (high_on || fetch_inactive || bound_control))
      lower[low] = high_on || fetch_inactive ? from_high : 0;
    if (high_on && (low_on || fetch_inactive || bound_control))
      upper[high] = low_on || fetch_inactive ? from_low : 0;
  }
  return {};
}

uint32_t LaneSmall::lds_direct() const {
  enum : uint32_t { kU8 = 0, kU16 = 1, kB32 = 2, kI8 = 4, kI16 = 5 };
  const uint32_t spec = m0(), type = spec >> 16 & 7;
  const uint32_t bytes = type == kU8 || type == kI8 ? 1 : type == kU16 || type == kI16 ? 2 : 4;
  uint32_t value = 0;
  Lds(c).load(spec & 0xffff, bytes, &value);
  if (type == kI8) return static_cast<uint32_t>(static_cast<int8_t>(value));
  if (type == kI16) return static_cast<uint32_t>(static_cast<int16_t>(value));
  return value;
}

}  // namespace lockstep::emu
