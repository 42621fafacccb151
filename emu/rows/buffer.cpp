// SPDX-License-Identifier: MIT
// MUBUF and MTBUF rows on the executing machine.
#include <algorithm>
#include <bit>

#include "emu/buffer_resource.h"
#include "emu/global_memory.h"
#include "emu/mem_element.h"
#include "emu/mem_rows.h"

namespace lockstep::emu {
namespace {

using namespace isa::rows;
using namespace isa;

template <class F>
Step for_lanes(const WaveState& w, F&& f) {
  for (uint64_t left = w.exec(); left; left &= left - 1)
    if (!f(static_cast<unsigned>(std::countr_zero(left)))) return Step::kExit;
  return Step::kNext;
}

/// Reads what is in range; the rest of `raw` stays 0.
bool read_in_range(LaneMemory& memory, const BufferPlace& place, unsigned lane, void* raw) {
  return place.available == 0 ||
         memory.load({Space::kGlobal, place.address}, lane, place.available, raw);
}
bool write_in_range(LaneMemory& memory, const BufferPlace& place, unsigned lane, const void* raw) {
  return place.available == 0 ||
         memory.store({Space::kGlobal, place.address}, lane, place.available, raw);
}

/// The register after the data says whether the texels were resident (TFE): memory always is.
void clear_residency(const Uop& u, uint32_t* dst, unsigned stride, unsigned lane,
                     unsigned data_dwords) {
  if (u.inst.get(Field::tfe)) dst[data_dwords * stride + lane] = 0;
}

/// Elements go to LDS at M0[15:0] + instruction offset + lane * 4.
template <MemParams P>
Step buffer_load_lds(Context& c, const Uop& u) {
  WaveState& w = *c.wave;
  BufferAddress address;
  if (!address.prepare(c, u)) return Step::kExit;
  LaneMemory memory(c);
  const Lds lds(c);
  constexpr unsigned kBytes = element_bytes(P.type);
  const uint32_t base = (w.scalar[kM0] & 0xffff) + u.inst.get(Field::offset);
  return for_lanes(w, [&](unsigned lane) {
    uint32_t raw[kMaxElementDwords] = {};
    if (!read_in_range(memory, address.at(lane, kBytes), lane, raw)) return false;
    raw[0] = extended<P.type>(raw[0]);
    lds.store(base + lane * std::max(kBytes, 4u), std::max(kBytes, 4u), raw);
    return true;
  });
}

template <MemParams P>
Step buffer_load(Context& c, const Uop& u) {
  if (u.inst.get(Field::lds)) return buffer_load_lds<P>(c, u);
  WaveState& w = *c.wave;
  BufferAddress address;
  if (!address.prepare(c, u)) return Step::kExit;
  LaneMemory memory(c);
  constexpr unsigned kBytes = element_bytes(P.type);
  uint32_t* dst = registers(w, u.ops.dst[0]);
  return for_lanes(w, [&](unsigned lane) {
    uint32_t raw[kMaxElementDwords] = {};
    if (!read_in_range(memory, address.at(lane, kBytes), lane, raw)) return false;
    put_element<P>(dst, w.wave_size, lane, raw);
    clear_residency(u, dst, w.wave_size, lane, (kBytes + 3) / 4);
    return true;
  });
}

template <MemParams P>
Step buffer_store(Context& c, const Uop& u) {
  WaveState& w = *c.wave;
  BufferAddress address;
  if (!address.prepare(c, u)) return Step::kExit;
  LaneMemory memory(c);
  const uint32_t* src = registers(w, u.ops.src[kMemData]);
  return for_lanes(w, [&](unsigned lane) {
    uint32_t raw[kMaxElementDwords];
    get_element<P>(src, w.wave_size, lane, raw);
    return write_in_range(memory, address.at(lane, element_bytes(P.type)), lane, raw);
  });
}

template <class Row>
Step buffer_atomic(Context& c, const Uop& u) {
  using T = typename Row::T;
  constexpr unsigned kDwords = sizeof(T) / 4;
  WaveState& w = *c.wave;
  BufferAddress address;
  if (!address.prepare(c, u)) return Step::kExit;
  LaneMemory memory(c);
  AtomicLane m;
  const Operand& operand = u.ops.src[kMemData];
  const uint32_t* src = registers(w, operand);
  const bool has_cmp = operand.dwords == 2 * kDwords;
  return for_lanes(w, [&](unsigned lane) {
    const T data = get_value<T>(src, w.wave_size, lane);
    const T cmp = has_cmp ? get_value<T>(src + kDwords * w.wave_size, w.wave_size, lane) : T{};
    T old{};
    const BufferPlace place = address.at(lane, sizeof(T));
    if (place.available == sizeof(T) &&
        !memory.update<T>({Space::kGlobal, place.address}, lane, old,
                          [&](T seen) -> T { return Row::eval(m, seen, data, cmp); }))
      return false;
    if (u.ops.n_dst) put_value<T>(registers(w, u.ops.dst[0]), w.wave_size, lane, old);
    return true;
  });
}

/// Format and destination select: MTBUF brings the format in the instruction and selects nothing.
struct TypedAccess {
  BufferFormat format;
  uint8_t select[4] = {4, 5, 6, 7};
};
bool prepare_typed(Context& c, const Uop& u, const BufferResource& resource, TypedAccess& t) {
  const bool gfx9 = generation_of(c.isa) == Generation::kGfx9;
  std::optional<BufferFormat> format;
  if (u.inst.format == Format::MTBUF) {
    format = gfx9 ? split_format(u.inst.get(Field::dfmt), u.inst.get(Field::nfmt))
                  : unified_format(u.inst.get(Field::format));
  } else {
    format = resource.typed(generation_of(c.isa));
    std::copy_n(resource.select, 4, t.select);
  }
  if (!format) {
    c.raise(FaultKind::kIllegalInstruction, -1, 0, 0,
            "the instruction or its buffer resource names no valid data format");
    return false;
  }
  t.format = *format;
  return true;
}

template <MemParams P>
Step buffer_load_format(Context& c, const Uop& u) {
  constexpr bool kD16 = P.half != MemHalf::kWhole;
  WaveState& w = *c.wave;
  BufferAddress address;
  TypedAccess typed;
  if (!address.prepare(c, u) || !prepare_typed(c, u, address.resource(), typed)) return Step::kExit;
  LaneMemory memory(c);
  const BufferFormat& format = typed.format;
  uint32_t* dst = registers(w, u.ops.dst[0]);
  return for_lanes(w, [&](unsigned lane) {
    uint32_t raw[kMaxElementDwords] = {}, component[4];
    const BufferPlace place = address.at(lane, format.bytes());
    const bool in_range = place.available == format.bytes();
    if (in_range && !read_in_range(memory, place, lane, raw)) return false;
    unpack_element(format, raw, kD16, component);
    for (unsigned i = 0; i < P.count; ++i) {
      const uint32_t value =
          in_range ? select_component(format.type, typed.select[i], component, kD16) : 0;
      // The forms with one component may name the high half.
      put_component(dst, w.wave_size, lane, P.half == MemHalf::kD16Hi ? 1 : i, kD16, value);
    }
    clear_residency(u, dst, w.wave_size, lane, kD16 ? (P.count + 1) / 2 : P.count);
    return true;
  });
}

template <MemParams P>
Step buffer_store_format(Context& c, const Uop& u) {
  constexpr bool kD16 = P.half != MemHalf::kWhole;
  WaveState& w = *c.wave;
  BufferAddress address;
  TypedAccess typed;
  if (!address.prepare(c, u) || !prepare_typed(c, u, address.resource(), typed)) return Step::kExit;
  LaneMemory memory(c);
  const BufferFormat& format = typed.format;
  const uint32_t* src = registers(w, u.ops.src[kMemData]);
  return for_lanes(w, [&](unsigned lane) {
    const BufferPlace place = address.at(lane, format.bytes());
    if (place.available != format.bytes()) return true;
    uint32_t raw[kMaxElementDwords] = {};
    // Components that the instruction does not bring are stored as 0.
    for (unsigned i = 0; i < std::min<unsigned>(P.count, format.components()); ++i) {
      const unsigned from = P.half == MemHalf::kD16Hi ? 1 : i;
      pack_component(format, i, get_component(src, w.wave_size, lane, from, kD16), kD16, raw);
    }
    return write_in_range(memory, place, lane, raw);
  });
}

class BufferOther {
 public:
  BufferOther(Context& context, const Uop& uop) : c(context), u(uop) {}

  /// Cache control has nothing to do: memory is coherent.
  Step nothing() const { return Step::kNext; }
  /// A dword of LDS at M0[15:0] + instruction offset + lane * 4 goes to the buffer.
  Step store_lds() {
    BufferAddress address;
    if (!address.prepare(c, u)) return Step::kExit;
    LaneMemory memory(c);
    const Lds lds(c);
    const uint32_t base = (c.wave->scalar[kM0] & 0xffff) + u.inst.get(Field::offset);
    return for_lanes(*c.wave, [&](unsigned lane) {
      uint32_t word = 0;
      lds.load(base + lane * 4, 4, &word);
      return write_in_range(memory, address.at(lane, 4), lane, &word);
    });
  }

 private:
  Context& c;
  const Uop& u;
};
template <class Row>
Step buffer_other(Context& c, const Uop& u) {
  BufferOther m(c, u);
  return Row::eval(m);
}

template <class Row>
void add_row(HandlerTable& table) {
  ExecFn& slot = table[static_cast<size_t>(Row::kOp)];
  constexpr MemParams kMem = Row::kMem;
  if constexpr (kMem.kind == MemKind::kAtomic) {
    if constexpr (atomic_has_semantics<Row>()) slot = &buffer_atomic<Row>;
  } else if constexpr (kMem.kind == MemKind::kOther) {
    if constexpr (other_has_semantics<Row, BufferOther>()) slot = &buffer_other<Row>;
  } else if (has_semantics(Row::kOp)) {
    if constexpr (kMem.kind == MemKind::kLoad) slot = &buffer_load<kMem>;
    if constexpr (kMem.kind == MemKind::kStore) slot = &buffer_store<kMem>;
    if constexpr (kMem.kind == MemKind::kLoadFormat) slot = &buffer_load_format<kMem>;
    if constexpr (kMem.kind == MemKind::kStoreFormat) slot = &buffer_store_format<kMem>;
    if constexpr (kMem.kind == MemKind::kLoadLds) slot = &buffer_load_lds<kMem>;
  }
}

#define MEM(format, id, g9, g11, g12, params, ...) LOCKSTEP_MEM_ROW(format, id, params, __VA_ARGS__)
#define MEM_ATOMIC(format, id, g9, g11, g12, type, ...) \
  LOCKSTEP_ATOMIC_ROW(format, id, type, __VA_ARGS__)
#include "isa/ops/buffer.def"

}  // namespace

void add_buffer_handlers(HandlerTable& table) {
#define MEM(format, id, ...) add_row<Mem_##id>(table);
#define MEM_ATOMIC(format, id, ...) add_row<Mem_##id>(table);
#include "isa/ops/buffer.def"
}

}  // namespace lockstep::emu
