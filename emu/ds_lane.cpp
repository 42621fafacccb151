// SPDX-License-Identifier: MIT
// Lane exchange and counters of the DS unit.
#include "emu/ds_lane.h"

#include <bit>

#include "emu/matrix/elements.h"
#include "emu/mem_element.h"

namespace lockstep::emu {
namespace {

constexpr unsigned kFft = 0xe000, kRotate = 0xc000, kQuadMode = 0x8000;

unsigned reverse5(unsigned v) {
  return (v & 1) << 4 | (v & 2) << 2 | (v & 4) | (v & 8) >> 2 | (v & 16) >> 4;
}

}  // namespace

unsigned swizzle_source(unsigned offset, unsigned lane) {
  const unsigned i = lane & 31, group = lane & 32, mask = offset & 31;
  if (offset >= kFft) return group | ((reverse5(i) >> std::popcount(mask) | (i & mask)) & 31);
  if (offset >= kRotate) {
    const unsigned amount = offset >> 5 & 31;
    const unsigned turned = offset & 0x400 ? i - amount : i + amount;
    return group | (i & mask) | (turned & ~mask & 31);
  }
  if (offset & kQuadMode) return (lane & ~3u) | (offset >> 2 * (lane & 3) & 3);
  const unsigned or_mask = offset >> 5 & 31, xor_mask = offset >> 10 & 31;
  return group | (((i & mask) | or_mask) ^ xor_mask);
}

void DsLane::write_active(const LaneValues& values) {
  WaveState& w = *c.wave;
  uint32_t* dst = registers(w, u.ops.dst[0]);
  for (uint64_t left = w.exec(); left; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    dst[lane] = values[lane];
  }
}

Step DsLane::swizzle() {
  WaveState& w = *c.wave;
  const uint32_t* src = registers(w, u.ops.src[isa::kMemAddr]);
  const uint64_t active = w.exec();
  LaneValues out{};
  for (unsigned lane = 0; lane < w.wave_size; ++lane) {
    const unsigned from = swizzle_source(offset16(), lane);
    out[lane] = active >> from & 1 ? src[from] : 0;
  }
  write_active(out);
  return Step::kNext;
}

unsigned DsLane::selected(unsigned lane, uint32_t address) const {
  const unsigned index = (address + offset16()) / 4;
  // gfx11 exchanges inside each half of a wave64 only.
  if (isa::generation_of(c.isa) == isa::Generation::kGfx11) return (index & 31) | (lane & 32);
  return index & (c.wave->wave_size - 1);
}

Step DsLane::permute() {
  WaveState& w = *c.wave;
  const uint32_t* address = registers(w, u.ops.src[isa::kMemAddr]);
  const uint32_t* data = registers(w, u.ops.src[isa::kMemData]);
  LaneValues out{};
  for (uint64_t left = w.exec(); left; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    out[selected(lane, address[lane])] = data[lane];
  }
  write_active(out);
  return Step::kNext;
}

Step DsLane::bpermute(bool fetch_inactive) {
  WaveState& w = *c.wave;
  const uint32_t* address = registers(w, u.ops.src[isa::kMemAddr]);
  const uint32_t* data = registers(w, u.ops.src[isa::kMemData]);
  const uint64_t readable = fetch_inactive ? w.lane_mask() : w.exec();
  LaneValues out{};
  for (unsigned lane = 0; lane < w.wave_size; ++lane) {
    const unsigned from = selected(lane, address[lane]);
    out[lane] = readable >> from & 1 ? data[from] : 0;
  }
  write_active(out);
  return Step::kNext;
}

Step DsLane::count(int sign) {
  WaveState& w = *c.wave;
  const uint64_t active = w.exec();
  if (active == 0) return Step::kNext;
  const uint32_t address = (w.scalar[isa::kM0] & 0xffff) + offset16();
  if (address % 4)
    return c.raise(FaultKind::kMisaligned, -1, address, 4,
                   "the counter of ds_append and ds_consume must be dword-aligned");
  const auto change = static_cast<uint32_t>(sign * std::popcount(active));
  const uint32_t old =
      lds_.update<uint32_t>(address, [&](uint32_t value) { return value + change; });
  LaneValues out;
  out.fill(old);
  write_active(out);
  return Step::kNext;
}

Step DsLane::load_transposed(unsigned bits) {
  constexpr unsigned kColumns = 16, kMaxDwords = 3;
  WaveState& w = *c.wave;
  const isa::Operand& out = u.ops.dst[0];
  const unsigned each = out.dwords * 32 / bits, lanes_per_row = kColumns / each;
  const uint32_t* address = registers(w, u.ops.src[isa::kMemAddr]);
  uint32_t loaded[64][kMaxDwords] = {}, result[64][kMaxDwords] = {};
  for (uint64_t left = w.exec(); left; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    lds_.load(address[lane] + offset16(), out.dwords * 4u, loaded[lane]);
  }
  for (unsigned lane = 0; lane < w.wave_size; ++lane)
    for (unsigned row = 0; row < each; ++row) {
      const unsigned column = lane % kColumns;
      const unsigned from = lane - column + row * lanes_per_row + column / each;
      const auto value = static_cast<uint32_t>(packed_bits(loaded[from], 1, column % each, bits));
      append_bits(result[lane], row * bits, bits, value);
    }
  uint32_t* dst = registers(w, out);
  for (uint64_t left = w.exec(); left; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    for (unsigned i = 0; i < out.dwords; ++i) dst[i * w.wave_size + lane] = result[lane][i];
  }
  return Step::kNext;
}

Step DsLane::exchange_two(unsigned dwords, unsigned stride) {
  WaveState& w = *c.wave;
  const unsigned bytes = dwords * 4;
  const uint32_t offsets[2] = {u.inst.get(isa::Field::offset0) * bytes * stride,
                               u.inst.get(isa::Field::offset1) * bytes * stride};
  const uint32_t* address = registers(w, u.ops.src[isa::kMemAddr]);
  const uint32_t* data[2] = {registers(w, u.ops.src[isa::kMemData]),
                             registers(w, u.ops.src[isa::kDsData1])};
  uint32_t* dst = registers(w, u.ops.dst[0]);
  for (uint64_t left = w.exec(); left; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    const uint32_t base = address[lane];
    uint32_t old[2][2] = {}, fresh[2][2] = {};
    for (unsigned e = 0; e < 2; ++e) {
      const uint32_t at = base + offsets[e];
      if (at % bytes)
        return c.raise(FaultKind::kMisaligned, static_cast<int>(lane), at, bytes,
                       "an atomic access must be aligned to its size");
      for (unsigned i = 0; i < dwords; ++i) fresh[e][i] = data[e][i * w.wave_size + lane];
      lds_.load(at, bytes, old[e]);
    }
    for (unsigned e = 0; e < 2; ++e) lds_.store(base + offsets[e], bytes, fresh[e]);
    for (unsigned e = 0; e < 2; ++e)
      for (unsigned i = 0; i < dwords; ++i) dst[(e * dwords + i) * w.wave_size + lane] = old[e][i];
  }
  return Step::kNext;
}

GlobalWaveSync* DsLane::sync() {
  if (c.request && c.request->wave_sync) return c.request->wave_sync;
  c.raise(FaultKind::kUnsupportedInstruction, -1, 0, 0,
          "the queue was not given global wave sync (a cooperative launch asks the driver for it)");
  return nullptr;
}

unsigned DsLane::sync_resource() const {
  const uint32_t base = c.wave->scalar[isa::kM0] >> 16 & 63;
  return (base + u.inst.get(isa::Field::offset0)) % GlobalWaveSync::kResources;
}

uint32_t DsLane::sync_value() const {
  WaveState& w = *c.wave;
  const uint64_t active = w.exec();
  const auto lane = static_cast<unsigned>(active ? std::countr_zero(active) : 0);
  return registers(w, u.ops.src[isa::kMemData])[lane];
}

Step DsLane::sync_init() {
  GlobalWaveSync* unit = sync();
  if (!unit) return Step::kExit;
  unit->init(sync_resource(), sync_value());
  return Step::kNext;
}

Step DsLane::sync_barrier() {
  GlobalWaveSync* unit = sync();
  if (!unit) return Step::kExit;
  return wait_unless(unit->barrier(sync_resource(), sync_value(), c.sync_wait));
}

Step DsLane::sync_acquire() {
  GlobalWaveSync* unit = sync();
  if (!unit) return Step::kExit;
  return wait_unless(unit->acquire(sync_resource(), c.sync_wait));
}

Step DsLane::sync_release() {
  GlobalWaveSync* unit = sync();
  if (!unit) return Step::kExit;
  unit->release(sync_resource(), 1);
  return Step::kNext;
}

Step DsLane::sync_release_many() {
  GlobalWaveSync* unit = sync();
  if (!unit) return Step::kExit;
  unit->release(sync_resource(), sync_value());
  return Step::kNext;
}

Step DsLane::sync_release_all() {
  GlobalWaveSync* unit = sync();
  if (!unit) return Step::kExit;
  unit->release_all(sync_resource());
  return Step::kNext;
}

}  // namespace lockstep::emu
