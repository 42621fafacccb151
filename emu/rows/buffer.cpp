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

/// Bits [low, low + width) of a little-endian element.
uint32_t take_bits(const uint32_t* raw, unsigned low, unsigned width) {
  uint64_t window = raw[low / 32];
  if (low / 32 + 1 < kMaxElementDwords) window |= static_cast<uint64_t>(raw[low / 32 + 1]) << 32;
  const uint64_t value = window >> low % 32;
  return static_cast<uint32_t>(width == 32 ? value : value & ((uint64_t{1} << width) - 1));
}
void put_bits(uint32_t* raw, unsigned low, uint32_t value) {
  const uint64_t window = static_cast<uint64_t>(value) << low % 32;
  raw[low / 32] |= static_cast<uint32_t>(window);
  if (low / 32 + 1 < kMaxElementDwords) raw[low / 32 + 1] |= static_cast<uint32_t>(window >> 32);
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
    uint32_t raw[kMaxElementDwords] = {}, component[4], out[4] = {};
    const BufferPlace place = address.at(lane, format.bytes());
    const bool in_range = place.available == format.bytes();
    if (in_range && !read_in_range(memory, place, lane, raw)) return false;
    for (unsigned i = 0, low = 0; i < 4; low += format.bits[i++])
      component[i] = format.bits[i] ? to_register(format.type, format.bits[i],
                                                  take_bits(raw, low, format.bits[i]), kD16)
                                    : missing_component(format.type, i, kD16);
    for (unsigned i = 0; in_range && i < P.count; ++i) {
      const unsigned from = typed.select[i];
      out[i] = from >= 4 ? component[from - 4] : from == 1 ? one_of(format.type, kD16) : 0;
    }
    const auto reg = [&](unsigned r) -> uint32_t& { return dst[r * w.wave_size + lane]; };
    if constexpr (P.half == MemHalf::kD16Hi) {
      reg(0) = (reg(0) & 0xffff) | out[0] << 16;
    } else {
      for (unsigned i = 0; i < P.count; ++i) {
        if constexpr (!kD16)
          reg(i) = out[i];
        else if (i % 2)
          reg(i / 2) = (reg(i / 2) & 0xffff) | out[i] << 16;
        else
          reg(i / 2) = (reg(i / 2) & 0xffff0000) | out[i];
      }
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
    for (unsigned i = 0, low = 0; i < std::min<unsigned>(P.count, format.components());
         low += format.bits[i++]) {
      uint32_t value = src[(kD16 ? i / 2 : i) * w.wave_size + lane];
      if (kD16 && (i % 2 || P.half == MemHalf::kD16Hi)) value >>= 16;
      put_bits(raw, low, from_register(format.type, format.bits[i], value, kD16));
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
