// SPDX-License-Identifier: MIT
// Scalar memory.
#include "emu/scalar_memory.h"

#include <algorithm>
#include <cstring>

#include "emu/clock.h"
#include "emu/global_memory.h"
#include "emu/scalar_operand.h"

namespace lockstep::emu {
namespace {

using isa::Field;
using isa::Generation;
using isa::Operand;
using isa::OperandKind;

constexpr unsigned kMaxBytes = 64;

bool is_buffer(const Operand& base) { return base.dwords == 4; }

}  // namespace

int32_t smem_offset(const isa::Inst& inst) {
  if (isa::generation_of(inst.isa) == Generation::kGfx9 && !inst.get(Field::imm)) return 0;
  return inst.get_signed(Field::offset);
}

void SmemLane::write_value(unsigned dwords, uint64_t value) {
  write_scalar(c, u.ops.dst[0].code, dwords, value);
}

Step SmemLane::shader_clock() {
  write64(emu::shader_clock());
  return Step::kNext;
}
Step SmemLane::realtime() {
  write64(realtime_counter());
  return Step::kNext;
}

bool SmemLane::resolve(unsigned bytes, Place& place) {
  const WaveState& w = *c.wave;
  const Operand& base = u.ops.src[isa::kSmemBase];
  uint64_t register_offset = 0;
  if (u.ops.src[isa::kSmemOffset].kind != OperandKind::kOff &&
      !read_scalar(c, u.ops.src[isa::kSmemOffset], register_offset))
    return false;
  const uint64_t offset = register_offset + static_cast<uint64_t>(int64_t{smem_offset(u.inst)});
  // The low address bits are ignored, as far as they lie inside an element (dwords for wide ones).
  const uint64_t align = ~uint64_t{std::min(bytes, 4u) - 1};
  if (!is_buffer(base)) {
    const uint64_t start = base.code == isa::kNull ? 0 : w.read64(base.code);
    place.address = (start + offset) & align;
    return true;
  }
  uint32_t v[4] = {};
  if (base.code != isa::kNull) std::memcpy(v, &w.scalar[base.code], sizeof v);
  const uint64_t start = v[0] | static_cast<uint64_t>(v[1] & 0xffff) << 32;
  const uint64_t stride = v[1] >> 16 & 0x3fff;
  const uint64_t size = v[2] * (stride ? stride : 1);
  place.address = (start + offset) & align;
  const uint64_t inside = place.address - (start & align);
  place.available = inside < size ? size - inside : 0;
  return true;
}

Step SmemLane::load(unsigned bytes, bool is_signed) {
  Place place;
  if (!resolve(bytes, place)) return Step::kExit;
  const auto dst = u.ops.dst[0];
  uint32_t raw[kMaxBytes / 4] = {};
  const unsigned unit = std::min(bytes, 4u);
  const auto wanted =
      static_cast<uint32_t>(std::min<uint64_t>(bytes, place.available / unit * unit));
  LaneMemory memory(c);
  if (wanted && !memory.load({Space::kGlobal, place.address}, 0, wanted, raw)) {
    c.fault.lane = -1;
    return Step::kExit;
  }
  if (bytes < 4 && is_signed)
    raw[0] =
        static_cast<uint32_t>(static_cast<int32_t>(raw[0] << (32 - 8 * bytes)) >> (32 - 8 * bytes));
  if (dst.code == isa::kNull) return Step::kNext;
  std::memcpy(&c.wave->scalar[dst.code], raw, std::max(bytes, 4u));
  return Step::kNext;
}

Step SmemLane::store(unsigned bytes) {
  Place place;
  if (!resolve(bytes, place)) return Step::kExit;
  const Operand& data = u.ops.src[isa::kSmemData];
  const auto wanted = static_cast<uint32_t>(std::min<uint64_t>(bytes, place.available / 4 * 4));
  uint32_t raw[kMaxBytes / 4] = {};
  if (data.code != isa::kNull) std::memcpy(raw, &c.wave->scalar[data.code], bytes);
  LaneMemory memory(c);
  if (wanted && !memory.store({Space::kGlobal, place.address}, 0, wanted, raw)) {
    c.fault.lane = -1;
    return Step::kExit;
  }
  return Step::kNext;
}

}  // namespace lockstep::emu
