// SPDX-License-Identifier: MIT
// DS rows on the executing machine.
#include <bit>

#include "emu/ds_lane.h"
#include "emu/lds.h"
#include "emu/mem_element.h"
#include "emu/mem_rows.h"

namespace lockstep::emu {
namespace {

using namespace isa::rows;
using namespace isa;

/// Global wave sync goes to the unit behind the gds bit, which these rows always have.
constexpr bool is_wave_sync(Op op) {
  return op >= Op::ds_gws_sema_release_all && op <= Op::ds_gws_barrier;
}

/// The GDS memory is gone since gfx11, and no compute kernel of gfx9 uses it.
bool check_gds(Context& c, const Uop& u) {
  if (!u.inst.get(Field::gds)) return true;
  c.raise(FaultKind::kUnsupportedInstruction, -1, 0, 0,
          "Lockstep has no global data share (gds bit)");
  return false;
}

/// Byte addresses of one lane's elements.
template <MemParams P>
struct DsAddress {
  static constexpr bool kTwo =
      P.address == MemAddress::kTwo || P.address == MemAddress::kTwoStride64;
  static constexpr uint32_t kUnit =
      kTwo ? element_bytes(P.type) * (P.address == MemAddress::kTwoStride64 ? 64 : 1) : 0;

  DsAddress(Context& c, const Uop& u) {
    const uint32_t low = u.inst.get(Field::offset0), high = u.inst.get(Field::offset1);
    if constexpr (kTwo) {
      offset[0] = low * kUnit;
      offset[1] = high * kUnit;
    } else {
      offset[0] = low | high << 8;
    }
    if constexpr (P.address == MemAddress::kAddTid)
      offset[0] += c.wave->scalar[kM0] & 0xffff;
    else
      base = registers(*c.wave, u.ops.src[kMemAddr]);
  }
  uint32_t at(unsigned lane, unsigned element = 0) const {
    if constexpr (P.address == MemAddress::kAddTid)
      return offset[0] + lane * 4;
    else
      return base[lane] + offset[element];
  }

  const uint32_t* base = nullptr;
  uint32_t offset[2] = {};
};

template <MemParams P>
Step ds_load(Context& c, const Uop& u) {
  if (!check_gds(c, u)) return Step::kExit;
  WaveState& w = *c.wave;
  constexpr unsigned kBytes = element_bytes(P.type), kElements = DsAddress<P>::kTwo ? 2 : 1;
  const DsAddress<P> address(c, u);
  const Lds lds(c);
  uint32_t* dst = registers(w, u.ops.dst[0]);
  for (uint64_t left = w.exec(); left; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    uint32_t raw[kElements][kMaxElementDwords] =
        {};  // the destination may hold the address: read all first
    for (unsigned e = 0; e < kElements; ++e) lds.load(address.at(lane, e), kBytes, raw[e]);
    for (unsigned e = 0; e < kElements; ++e)
      put_element<P>(dst + e * (kBytes / 4) * w.wave_size, w.wave_size, lane, raw[e]);
  }
  return Step::kNext;
}

template <MemParams P>
Step ds_store(Context& c, const Uop& u) {
  if (!check_gds(c, u)) return Step::kExit;
  WaveState& w = *c.wave;
  constexpr unsigned kBytes = element_bytes(P.type), kElements = DsAddress<P>::kTwo ? 2 : 1;
  const DsAddress<P> address(c, u);
  const Lds lds(c);
  const uint32_t* src[2] = {registers(w, u.ops.src[kMemData]), nullptr};
  if constexpr (kElements == 2) src[1] = registers(w, u.ops.src[kDsData1]);
  for (uint64_t left = w.exec(); left; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    for (unsigned e = 0; e < kElements; ++e) {
      uint32_t raw[kMaxElementDwords];
      get_element<P>(src[e], w.wave_size, lane, raw);
      lds.store(address.at(lane, e), kBytes, raw);
    }
  }
  return Step::kNext;
}

template <class Row>
Step ds_atomic(Context& c, const Uop& u) {
  if (!check_gds(c, u)) return Step::kExit;
  using T = typename Row::T;
  WaveState& w = *c.wave;
  const DsAddress<Row::kMem> address(c, u);
  const Lds lds(c);
  AtomicLane m;
  const uint32_t* src = registers(w, u.ops.src[kMemData]);
  const uint32_t* second =
      u.ops.src[kDsData1].kind == OperandKind::kNone ? nullptr : registers(w, u.ops.src[kDsData1]);
  for (uint64_t left = w.exec(); left; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    const uint32_t at = address.at(lane);
    if (at % sizeof(T))
      return c.raise(FaultKind::kMisaligned, static_cast<int>(lane), at, sizeof(T),
                     "an atomic access must be aligned to its size");
    const T data = get_value<T>(src, w.wave_size, lane);
    const T cmp = second ? get_value<T>(second, w.wave_size, lane) : T{};
    const T old = lds.update<T>(at, [&](T seen) -> T { return Row::eval(m, seen, data, cmp); });
    if (u.ops.n_dst) put_value<T>(registers(w, u.ops.dst[0]), w.wave_size, lane, old);
  }
  return Step::kNext;
}

template <class Row>
Step ds_other(Context& c, const Uop& u) {
  if (!is_wave_sync(Row::kOp) && !check_gds(c, u)) return Step::kExit;
  DsLane m(c, u);
  return Row::eval(m);
}

template <class Row>
void add_row(HandlerTable& table) {
  ExecFn& slot = table[static_cast<size_t>(Row::kOp)];
  constexpr MemKind kKind = Row::kMem.kind;
  if constexpr (kKind == MemKind::kLoad) {
    if (has_semantics(Row::kOp)) slot = &ds_load<Row::kMem>;
  } else if constexpr (kKind == MemKind::kStore) {
    if (has_semantics(Row::kOp)) slot = &ds_store<Row::kMem>;
  } else if constexpr (kKind == MemKind::kAtomic) {
    if constexpr (atomic_has_semantics<Row>()) slot = &ds_atomic<Row>;
  } else if constexpr (kKind == MemKind::kOther) {
    if constexpr (other_has_semantics<Row, DsLane>()) slot = &ds_other<Row>;
  }
}

#define MEM(format, id, g9, g11, g12, params, ...) LOCKSTEP_MEM_ROW(format, id, params, __VA_ARGS__)
#define MEM_ATOMIC(format, id, g9, g11, g12, type, ...) \
  LOCKSTEP_ATOMIC_ROW(format, id, type, __VA_ARGS__)
#include "isa/ops/ds.def"

}  // namespace

void add_ds_handlers(HandlerTable& table) {
#define MEM(format, id, ...) add_row<Mem_##id>(table);
#define MEM_ATOMIC(format, id, ...) add_row<Mem_##id>(table);
#include "isa/ops/ds.def"
}

}  // namespace lockstep::emu
