// SPDX-License-Identifier: MIT
// FLAT, GLOBAL and SCRATCH rows on the executing machine.
#include <bit>

#include "emu/global_memory.h"
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
    // FLAT's offset is unsigned before gfx12: the sign bit is ignored.
    const bool is_unsigned =
        u.inst.format == Format::FLAT && generation_of(u.inst.isa) != Generation::kGfx12;
    const int32_t offset = is_unsigned ? static_cast<int32_t>(u.inst.get(Field::offset) & 0xfff)
                                       : u.inst.get_signed(Field::offset);
    base_ += static_cast<uint64_t>(int64_t{offset});
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

template <Format F, MemParams P>
Step flat_load(Context& c, const Uop& u) {
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

/// Cache control has nothing to do: memory is coherent.
struct FlatOther {
  Step nothing() const { return Step::kNext; }
};
template <class Row>
Step flat_other(Context&, const Uop&) {
  FlatOther m;
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
    if constexpr (other_has_semantics<Row, FlatOther>()) slot = &flat_other<Row>;
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
