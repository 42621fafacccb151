// SPDX-License-Identifier: MIT
// WMMA rows on the Lane machine. D = A (16 x K) * B (K x 16) + C.
//
// gfx11 layout (RDNA3 ISA guide, "WMMA"; confirmed with lane-distinct data in tests/emu): lane l
// holds row l % 16 of A and column l % 16 of B, K elements packed in consecutive VGPRs; all other
// 16-lane groups repeat lanes 0..15. VGPR i of C and D holds row i * G + l / 16, column l % 16,
// where G is the number of 16-lane groups (2 in wave32, 4 in wave64). 16-bit results use one half
// of each VGPR (op_sel[2]), the other half stays. Rounding: f32 results round once a product is
// added, in order of k; 16-bit results are accumulated in f32 and rounded at the end
// (docs/fidelity.md).
#include <algorithm>

#include "emu/half.h"
#include "emu/handlers.h"
#include "emu/valu.h"

namespace lockstep::emu {
namespace {

using namespace isa::rows;
using namespace isa;

constexpr unsigned kSize = 16;

/// Element k of a packed fragment: register k / per_dword, lane `lane`.
uint32_t packed_bits(const WaveState& w, unsigned first, unsigned lane, unsigned k, unsigned bits) {
  const unsigned per_dword = 32 / bits;
  const uint32_t word = w.vgpr(first + k / per_dword)[lane];
  return word >> (k % per_dword * bits) & ((bits == 32 ? 0 : 1u << bits) - 1u);
}

constexpr unsigned element_bits(Type t) {
  switch (t) {
    case Type::IU4:
      return 4;
    case Type::IU8:
      return 8;
    case Type::F32:
    case Type::I32:
      return 32;
    default:
      return 16;
  }
}

constexpr bool is_integer(Type t) { return t == Type::IU4 || t == Type::IU8; }

float to_float(Type t, uint32_t bits) {
  if (t == Type::F16) return widen(Half{static_cast<uint16_t>(bits)});
  if (t == Type::BF16) return widen(BHalf{static_cast<uint16_t>(bits)});
  return std::bit_cast<float>(bits);
}

int32_t to_int(uint32_t bits, unsigned width, bool is_signed) {
  const unsigned shift = 32 - width;
  return is_signed ? static_cast<int32_t>(bits << shift) >> shift : static_cast<int32_t>(bits);
}

template <class Row>
class WmmaMachine {
 public:
  WmmaMachine(Context& context, const Uop& uop) : c_(context), u_(uop), w_(*context.wave) {}

  Step wmma(unsigned k) {
    if (isa::generation_of(c_.isa) != Generation::kGfx11)
      return c_.raise(FaultKind::kUnsupportedInstruction, -1, 0, 0,
                      "WMMA has semantics for gfx11 targets only");
    neg_ = u_.inst.get(Field::neg);
    neg_hi_ = u_.inst.get(Field::neg_hi);
    groups_ = w_.wave_size / kSize;
    if constexpr (is_integer(kA))
      multiply_integer(k);
    else
      multiply_float(k);
    return Step::kNext;
  }

 private:
  static constexpr Type kA = Row::kSrcs.v[0].type, kC = Row::kSrcs.v[2].type;

  unsigned reg(int source) const { return u_.ops.src[source].code; }

  float element(int source, unsigned lane, unsigned k) const {
    uint32_t bits = packed_bits(w_, reg(source), lane, k, 16);
    // neg_lo flips the even elements of A or B, neg_hi the odd ones.
    if ((k % 2 == 0 ? neg_ : neg_hi_) >> source & 1) bits ^= 0x8000;
    return to_float(kA, bits);
  }

  uint32_t accumulator_bits(unsigned row, unsigned column) const {
    const isa::Operand& o = u_.ops.src[2];
    if (o.kind == OperandKind::kInline) return static_cast<uint32_t>(isa::inline_bits(o.code, kC));
    const uint32_t word = w_.vgpr(o.code + row / groups_)[row % groups_ * kSize + column];
    if (element_bits(kC) == 32) return word;
    return word >> (high_half() ? 16 : 0) & 0xffff;
  }

  bool high_half() const { return u_.inst.get(Field::opsel) & 4; }

  void write(unsigned row, unsigned column, uint32_t bits) { result_[row][column] = bits; }

  void commit() {
    const unsigned first = u_.ops.dst[0].code;
    for (unsigned row = 0; row < kSize; ++row)
      for (unsigned column = 0; column < kSize; ++column) {
        uint32_t& word = w_.vgpr(first + row / groups_)[row % groups_ * kSize + column];
        const uint32_t bits = result_[row][column];
        if (element_bits(kC) == 32)
          word = bits;
        else
          word = high_half() ? (word & 0x0000ffff) | bits << 16 : (word & 0xffff0000) | bits;
      }
  }

  void multiply_float(unsigned depth) {
    float a[kSize][32], b[kSize][32];
    for (unsigned i = 0; i < kSize; ++i)
      for (unsigned k = 0; k < depth; ++k) {
        a[i][k] = element(0, i, k);
        b[i][k] = element(1, i, k);
      }
    for (unsigned row = 0; row < kSize; ++row)
      for (unsigned column = 0; column < kSize; ++column) {
        float sum = to_float(kC, accumulator_bits(row, column));
        if (neg_hi_ & 4) sum = std::fabs(sum);  // on C the high bit means absolute value
        if (neg_ & 4) sum = -sum;
        for (unsigned k = 0; k < depth; ++k) sum = std::fma(a[row][k], b[column][k], sum);
        if constexpr (kC == Type::F16)
          write(row, column, narrow_to_half(sum).bits);
        else if constexpr (kC == Type::BF16)
          write(row, column, narrow_to_bfloat(sum).bits);
        else
          write(row, column, std::bit_cast<uint32_t>(sum));
      }
    commit();
  }

  void multiply_integer(unsigned depth) {
    constexpr unsigned kBits = element_bits(kA);
    int32_t a[kSize][32], b[kSize][32];
    for (unsigned i = 0; i < kSize; ++i)
      for (unsigned k = 0; k < depth; ++k) {
        a[i][k] = to_int(packed_bits(w_, reg(0), i, k, kBits), kBits, neg_ & 1);
        b[i][k] = to_int(packed_bits(w_, reg(1), i, k, kBits), kBits, neg_ & 2);
      }
    for (unsigned row = 0; row < kSize; ++row)
      for (unsigned column = 0; column < kSize; ++column) {
        int64_t sum = static_cast<int32_t>(accumulator_bits(row, column));
        for (unsigned k = 0; k < depth; ++k) sum += int64_t{a[row][k]} * b[column][k];
        if (u_.clamp) sum = std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX);
        write(row, column, static_cast<uint32_t>(sum));
      }
    commit();
  }

  Context& c_;
  const Uop& u_;
  WaveState& w_;
  uint32_t neg_ = 0, neg_hi_ = 0;
  unsigned groups_ = 2;
  uint32_t result_[kSize][kSize];
};

#define ALU(format, id, g9, g11, g12, dsts, srcs, flags, ...) \
  LOCKSTEP_VALU_ROW(id, dsts, srcs, flags, __VA_ARGS__)
#include "isa/ops/wmma.def"

template <class Row>
Step exec_wmma(Context& c, const Uop& u) {
  WmmaMachine<Row> m(c, u);
  return Row::eval(m, 0, 0, 0, 0);
}

template <class Row>
void add_wmma(HandlerTable& table) {
  using Eval = decltype(Row::eval(std::declval<WmmaMachine<Row>&>(), 0, 0, 0, 0));
  if constexpr (!std::is_same_v<Eval, NoSemantics>)
    table[static_cast<size_t>(Row::kOp)] = &exec_wmma<Row>;
}

}  // namespace

void add_wmma_handlers(HandlerTable& table) {
#define ALU(format, id, ...) add_wmma<Row_##id>(table);
#include "isa/ops/wmma.def"
}

}  // namespace lockstep::emu
