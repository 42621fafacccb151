// SPDX-License-Identifier: MIT
// One wave with registers, LDS, scratch and device memory, for tests that run single instructions.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "emu/handlers.h"
#include "emu/memory_map.h"

namespace lockstep::emu::testing {

using isa::Field;
using isa::Format;
using isa::Op;
using FieldValues = std::initializer_list<std::pair<Field, uint32_t>>;

inline constexpr uint32_t kSrcS0 = 0, kSrcLit = 255, kInlineZero = 128;
inline constexpr uint32_t inline_int(int v) {
  return static_cast<uint32_t>(v >= 0 ? 128 + v : 192 - v);
}

class WaveTest : public ::testing::Test {
 protected:
  static constexpr uint64_t kBase = 0x100000000, kScratchBase = 0x700000000;
  static constexpr uint32_t kSize = 4096, kScratchPerLane = 64;

  explicit WaveTest(uint32_t lanes = 32, isa::Isa isa = isa::Isa::kGfx11)
      : view_(map_), isa_(isa), memory(kSize), lds(1024), scratch(kScratchPerLane * 64) {
    map_.add({kBase, kSize, memory.data(), true, "test memory"});
    map_.add({kScratchBase, scratch.size(), scratch.data(), true, "scratch"});
    restart(lanes);
  }

  void restart(uint32_t lanes) {
    wave.allocate(lanes, 32, 0, 106);
    wave.pc = 0x2000;
    wave.write64(isa::kExecLo, lanes == 64 ? ~uint64_t{0} : 0xffffffff);
    wave.flat_scratch = kScratchBase;
    request.scratch_bytes_per_lane = kScratchPerLane;
    c = Context{};
    c.wave = &wave;
    c.memory = &view_;
    c.lds = lds.data();
    c.lds_size = static_cast<uint32_t>(lds.size());
    c.request = &request;
    c.isa = isa_;
    c.shared_base = uint64_t{1} << 48;
    c.private_base = uint64_t{2} << 48;
    c.scratch_limit = scratch_limit(request);
  }

  /// Runs one instruction given by its fields. Does not advance the PC.
  Step run(Op op, FieldValues fields, uint32_t literal = 0, bool has_literal = false) {
    const isa::OpInfo& info = isa::op_info(op);
    auto made = isa::make_inst(isa_, op, info.format,
                               has_literal ? isa::Suffix::kLiteral : isa::Suffix::kNone);
    EXPECT_TRUE(bool(made)) << info.id;
    if (!made) return Step::kExit;
    isa::Inst inst = *made;
    for (const auto& [field, value] : fields)
      EXPECT_TRUE(inst.set(field, value)) << info.id << ": field " << int(field) << " = " << value;
    if (has_literal) inst.set(Field::literal, literal);
    Uop u;
    u.inst = inst;
    u.ops = isa::operands_of(inst, wave.wave_size);
    u.size = inst.size;
    u.exec = handlers()[static_cast<size_t>(op)];
    EXPECT_NE(u.exec, nullptr) << info.id << " has no handler";
    return u.exec ? u.exec(c, u) : Step::kExit;
  }
  /// The row whose identifier is `id`.
  static Op row(const std::string& id) {
    for (int i = 0; i < isa::kOpCount; ++i)
      if (isa::op_info(static_cast<Op>(i)).id == id) return static_cast<Op>(i);
    ADD_FAILURE() << "no row " << id;
    return Op::kCount;
  }

  uint32_t& v(unsigned r, unsigned lane) { return wave.vgpr(r)[lane]; }
  uint64_t v64(unsigned r, unsigned lane) {
    return v(r, lane) | static_cast<uint64_t>(v(r + 1, lane)) << 32;
  }
  void set_v64(unsigned r, unsigned lane, uint64_t value) {
    v(r, lane) = static_cast<uint32_t>(value);
    v(r + 1, lane) = static_cast<uint32_t>(value >> 32);
  }
  template <class T>
  T peek(uint64_t offset) const {
    T value;
    std::memcpy(&value, &memory[offset], sizeof value);
    return value;
  }
  template <class T>
  void poke(uint64_t offset, T value) {
    std::memcpy(&memory[offset], &value, sizeof value);
  }
  template <class T>
  T lds_at(uint32_t offset) const {
    T value;
    std::memcpy(&value, &lds[offset], sizeof value);
    return value;
  }
  template <class T>
  void set_lds(uint32_t offset, T value) {
    std::memcpy(&lds[offset], &value, sizeof value);
  }
  void fill_random(std::vector<uint8_t>& bytes) {
    for (uint8_t& b : bytes) b = static_cast<uint8_t>(random());
  }

  void expect_fault(FaultKind kind, int lane, uint64_t address, uint32_t size) const {
    EXPECT_EQ(c.exit, ExitReason::kFault);
    EXPECT_EQ(c.fault.kind, kind);
    EXPECT_EQ(c.fault.lane, lane);
    EXPECT_EQ(c.fault.address, address);
    EXPECT_EQ(c.fault.size, size);
  }

 private:
  MemoryMap map_;
  MemoryView view_;

 protected:
  isa::Isa isa_;
  std::vector<uint8_t> memory, lds, scratch;
  WaveState wave;
  DispatchRequest request;
  Context c;
  std::mt19937 random{1234};
};

}  // namespace lockstep::emu::testing
