// SPDX-License-Identifier: MIT
// FLAT, GLOBAL and SCRATCH rows on the executing machine.
#include <bit>

#include "emu/global_memory.h"
#include "emu/matrix/elements.h"
#include "emu/mem_element.h"
#include "emu/mem_rows.h"
#include "emu/scalar_operand.h"

namespace lockstep::emu {
namespace {

using namespace isa::rows;
using namespace isa;

/// Address part of an instruction, resolved once for all lanes.
class FlatAddress {
 public:
  FlatAddress(Context& c, const Uop& u) : c_(c), stride_(c.wave->wave_size) {
    const Operand& vaddr = u.ops.src[kMemAddr];
    const Operand& saddr = u.ops.src[kMemScalar];
    if (vaddr.kind == OperandKind::kVgpr) {
      lo_ = c.wave->vgpr(vaddr.code);
      wide_ = vaddr.dwords == 2;
    }
    if (saddr.kind == OperandKind::kScalar) read_scalar(c, saddr, base_);
    base_ += static_cast<uint64_t>(int64_t{flat_offset(u.inst)});
    if (u.inst.info().mem.address == MemAddress::kAddTid) lane_bytes_ = 4;
  }

  template <Format F>
  MemTarget at(unsigned lane) const {
    uint64_t address = base_ + lane * lane_bytes_;
    if (lo_) {
      address += lo_[lane];
      if (wide_) address += static_cast<uint64_t>(lo_[stride_ + lane]) << 32;
    }
    if constexpr (F == Format::SCRATCH) return {Space::kScratch, static_cast<uint32_t>(address)};
    if constexpr (F == Format::FLAT) {
      const auto aperture = static_cast<uint32_t>(address >> 32);
      if (aperture == c_.shared_base >> 32) return {Space::kLds, static_cast<uint32_t>(address)};
      if (aperture == c_.private_base >> 32)
        return {Space::kScratch, static_cast<uint32_t>(address)};
    }
    return {Space::kGlobal, address};
  }

 private:
  const Context& c_;
  const uint32_t* lo_ = nullptr;
  uint32_t stride_;
  bool wide_ = false;
  uint64_t base_ = 0;
  uint64_t lane_bytes_ = 0;
};

/// Elements go to LDS at M0[15:0] + instruction offset + lane * size (of a dword at least).
template <Format F, MemParams P>
Step flat_load_lds(Context& c, const Uop& u) {
  const FlatAddress address(c, u);
  LaneMemory memory(c);
  const Lds lds(c);
  constexpr unsigned kBytes = element_bytes(P.type), kStep = std::max(kBytes, 4u);
  const uint32_t base =
      (c.wave->scalar[kM0] & 0xffff) + static_cast<uint32_t>(u.inst.get_signed(Field::offset));
  for (uint64_t left = c.wave->exec(); left; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    uint32_t raw[kMaxElementDwords] = {};
    if (!memory.load(address.at<F>(lane), lane, kBytes, raw)) return Step::kExit;
    raw[0] = extended<P.type>(raw[0]);
    lds.store(base + lane * kStep, kStep, raw);
  }
  return Step::kNext;
}

template <Format F, MemParams P>
Step flat_load(Context& c, const Uop& u) {
  if (u.ops.n_dst == 0) return flat_load_lds<F, P>(c, u);  // gfx90a's LDS bit
  WaveState& w = *c.wave;
  const FlatAddress address(c, u);
  LaneMemory memory(c);
  uint32_t* dst = registers(w, u.ops.dst[0]);
  for (uint64_t left = w.exec(); left; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    uint32_t raw[kMaxElementDwords] = {};
    if (!memory.load(address.at<F>(lane), lane, element_bytes(P.type), raw)) return Step::kExit;
    put_element<P>(dst, w.wave_size, lane, raw);
  }
  return Step::kNext;
}

template <Format F, MemParams P>
Step flat_store(Context& c, const Uop& u) {
  WaveState& w = *c.wave;
  const FlatAddress address(c, u);
  LaneMemory memory(c);
  const uint32_t* src = registers(w, u.ops.src[kMemData]);
  for (uint64_t left = w.exec(); left; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    uint32_t raw[kMaxElementDwords];
    get_element<P>(src, w.wave_size, lane, raw);
    if (!memory.store(address.at<F>(lane), lane, element_bytes(P.type), raw)) return Step::kExit;
  }
  return Step::kNext;
}

/// Lanes one after the other. Compare-and-swap takes (data, cmp) from consecutive registers.
template <class Row>
Step flat_atomic(Context& c, const Uop& u) {
  using T = typename Row::T;
  constexpr unsigned kDwords = sizeof(T) / 4;
  WaveState& w = *c.wave;
  const FlatAddress address(c, u);
  LaneMemory memory(c);
  AtomicLane m;
  const Operand& operand = u.ops.src[kMemData];
  const uint32_t* src = registers(w, operand);
  const bool has_cmp = operand.dwords == 2 * kDwords;
  for (uint64_t left = w.exec(); left; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    const T data = get_value<T>(src, w.wave_size, lane);
    const T cmp = has_cmp ? get_value<T>(src + kDwords * w.wave_size, w.wave_size, lane) : T{};
    T old{};
    if (!memory.update<T>(address.at<Row::kFormat>(lane), lane, old,
                          [&](T seen) -> T { return Row::eval(m, seen, data, cmp); }))
      return Step::kExit;
    if (u.ops.n_dst) put_value<T>(registers(w, u.ops.dst[0]), w.wave_size, lane, old);
  }
  return Step::kNext;
}

/// Rows that are no plain load, store or atomic.
template <Format F>
class FlatOther {
 public:
  FlatOther(Context& context, const Uop& uop) : c(context), u(uop) {}

  /// Cache control has nothing to do: memory is coherent.
  Step nothing() const { return Step::kNext; }
  /// Up to 32 dwords; M0 has a bit for each register and its dword in memory.
  Step load_block() {
    return for_block([&](const MemTarget& at, unsigned lane, uint32_t* word) {
      return memory_.load(at, lane, 4, word);
    });
  }
  Step store_block() {
    return for_block([&](const MemTarget& at, unsigned lane, uint32_t* word) {
      return memory_.store(at, lane, 4, word);
    });
  }
  /// A 16 x 16 tile: lanes load consecutive elements of row lane % 16 (as a plain load of a matrix
  /// fragment would) and receive those of column lane % 16.
  Step load_transposed(unsigned bits);

 private:
  template <class Access>
  Step for_block(Access&& access) {
    WaveState& w = *c.wave;
    const FlatAddress address(c, u);
    uint32_t* data = registers(w, u.ops.n_dst ? u.ops.dst[0] : u.ops.src[kMemData]);
    for (uint64_t left = w.exec(); left; left &= left - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(left));
      MemTarget at = address.at<F>(lane);
      for (unsigned i = 0; i < 32; ++i, at.address += 4)
        if (w.scalar[kM0] >> i & 1 && !access(at, lane, &data[i * w.wave_size + lane]))
          return Step::kExit;
    }
    return Step::kNext;
  }

  Context& c;
  const Uop& u;
  LaneMemory memory_{c};
};

template <Format F>
Step FlatOther<F>::load_transposed(unsigned bits) {
  constexpr unsigned kSize = 16, kMaxDwords = 4;
  WaveState& w = *c.wave;
  const FlatAddress address(c, u);
  const unsigned each = kSize * kSize / w.wave_size, dwords = each * bits / 32;
  uint32_t loaded[64][kMaxDwords] = {}, result[64][kMaxDwords] = {};
  for (uint64_t left = w.exec(); left; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    if (!memory_.load(address.at<F>(lane), lane, dwords * 4, loaded[lane])) return Step::kExit;
  }
  for (unsigned lane = 0; lane < w.wave_size; ++lane)
    for (unsigned e = 0; e < each; ++e) {
      const unsigned row = lane / kSize * each + e, column = lane % kSize;
      const uint64_t value =
          packed_bits(loaded[row + kSize * (column / each)], 1, column % each, bits);
      append_bits(result[lane], e * bits, bits, static_cast<uint32_t>(value));
    }
  uint32_t* dst = registers(w, u.ops.dst[0]);
  for (uint64_t left = w.exec(); left; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    for (unsigned i = 0; i < dwords; ++i) dst[i * w.wave_size + lane] = result[lane][i];
  }
  return Step::kNext;
}

template <class Row>
Step flat_other(Context& c, const Uop& u) {
  FlatOther<Row::kFormat> m(c, u);
  return Row::eval(m);
}

template <class Row>
void add_row(HandlerTable& table) {
  ExecFn& slot = table[static_cast<size_t>(Row::kOp)];
  constexpr MemKind kKind = Row::kMem.kind;
  if constexpr (kKind == MemKind::kLoad) {
    if (has_semantics(Row::kOp)) slot = &flat_load<Row::kFormat, Row::kMem>;
  } else if constexpr (kKind == MemKind::kStore) {
    if (has_semantics(Row::kOp)) slot = &flat_store<Row::kFormat, Row::kMem>;
  } else if constexpr (kKind == MemKind::kAtomic) {
    if constexpr (atomic_has_semantics<Row>()) slot = &flat_atomic<Row>;
  } else if constexpr (kKind == MemKind::kOther) {
    if constexpr (other_has_semantics<Row, FlatOther<Row::kFormat>>()) slot = &flat_other<Row>;
  } else if constexpr (kKind == MemKind::kLoadLds) {
    if (has_semantics(Row::kOp)) slot = &flat_load_lds<Row::kFormat, Row::kMem>;
  }
}

#define MEM(format, id, g9, g11, g12, params, ...) LOCKSTEP_MEM_ROW(format, id, params, __VA_ARGS__)
#define MEM_ATOMIC(format, id, g9, g11, g12, type, ...) \
  LOCKSTEP_ATOMIC_ROW(format, id, type, __VA_ARGS__)
#include "isa/ops/flat.def"

}  // namespace

void add_flat_handlers(HandlerTable& table) {
#define MEM(format, id, ...) add_row<Mem_##id>(table);
#define MEM_ATOMIC(format, id, ...) add_row<Mem_##id>(table);
#include "isa/ops/flat.def"
}

}  // namespace lockstep::emu
