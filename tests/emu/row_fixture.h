// SPDX-License-Identifier: MIT
// Runs one vector row over any number of inputs, a wave at a time, and gives back the bits of its
// results.
#pragma once
#include <bit>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tests/emu/wave_fixture.h"

namespace lockstep::emu::testing {

/// How the row is encoded. Modifiers make it the long form.
struct Form {
  bool long_form = true;  ///< VOP3 where the row has one; else its native format
  uint32_t neg = 0, abs = 0, opsel = 0, omod = 0;
  bool clamp = false;
  isa::Suffix suffix = isa::Suffix::kNone;
  std::vector<std::pair<Field, uint32_t>> suffix_fields;
};

/// Sources of each case, as bits; a source that the row lacks stays 0. `old` is the destination
/// before.
struct Case {
  uint64_t a = 0, b = 0, c = 0, old = 0;
};
struct Outcome {
  uint64_t value =
      0;  ///< vector result, all dwords that the row writes (128-bit results: the low half)
  bool mask = false;  ///< the lane's bit of the mask result
};

inline constexpr uint32_t kModeDefault = 0xf0 | ModeBits::kDx10Clamp | ModeBits::kIeee;

class RowTest : public WaveTest {
 protected:
  static constexpr unsigned kRegA = 4, kRegB = 8, kRegC = 12, kRegD = 16, kMaskIn = 20,
                            kMaskOut = 24;

  explicit RowTest(uint32_t lanes = 32, isa::Isa isa = isa::Isa::kGfx11) : WaveTest(lanes, isa) {
    wave.mode = kModeDefault;
  }

  /// Encodes `id` with its sources in kRegA.. and its destination in kRegD.
  Uop prepare(const std::string& id, const Form& form = {}) {
    const Op op = row(id);
    const isa::OpInfo& info = isa::op_info(op);
    Format format = info.format;
    if (form.long_form && isa::opcode_in(op, isa_, Format::VOP3) >= 0 && format != Format::VOP3SD)
      format = Format::VOP3;
    isa::Suffix suffix = form.suffix;
    const bool literal = suffix == isa::Suffix::kNone && has_literal(info);
    if (literal) suffix = isa::Suffix::kLiteral;
    auto made = isa::make_inst(isa_, op, format, suffix);
    EXPECT_TRUE(bool(made)) << id;
    Uop u;
    if (!made) return u;
    isa::Inst inst = *made;
    const auto set = [&](Field f, uint32_t v) {
      if (!inst.has(f)) return;
      EXPECT_TRUE(inst.set(f, v)) << id << ": field " << int(f) << " = " << v;
    };
    const bool has_dpp = suffix == isa::Suffix::kDpp16 || suffix == isa::Suffix::kDpp8;
    const bool compare = info.n_dsts > 0 && (info.dsts[0].type == isa::Type::MASK);
    set(Field::vdst, format == Format::VOP3 && compare                        ? kMaskOut
                     : info.n_dsts && info.dsts[0].place == isa::Place::kSgpr ? kMaskOut
                                                                              : kRegD);
    set(Field::sdst, kMaskOut);
    set(has_dpp ? Field::vsrc0 : Field::src0, has_dpp ? kRegA : 256 + kRegA);
    set(Field::vsrc1, kRegB);
    const unsigned registers[] = {kRegA, kRegB, kRegC};
    int position = 0;
    for (int i = 0; i < info.n_srcs; ++i) {
      if (info.srcs[i].place == isa::Place::kLiteral) continue;
      if (position > 0) {
        const bool mask = info.srcs[i].type == isa::Type::MASK;
        set(position == 1 ? Field::src1 : Field::src2, mask ? kMaskIn : 256 + registers[i]);
      }
      ++position;
    }
    set(Field::neg, form.neg);
    set(Field::abs, form.abs);
    set(Field::opsel, form.opsel);
    set(Field::omod, form.omod);
    set(Field::clamp, form.clamp);
    for (const auto& [field, value] : form.suffix_fields) EXPECT_TRUE(inst.set(field, value)) << id;
    u.inst = inst;
    return u;
  }

  Step execute(Uop& u) {
    u.ops = isa::operands_of(u.inst, wave.wave_size);
    u.size = u.inst.size;
    u.clamp = u.inst.get(Field::clamp);
    u.omod = static_cast<uint8_t>(u.inst.get(Field::omod));
    u.exec = handlers()[static_cast<size_t>(u.inst.op)];
    EXPECT_NE(u.exec, nullptr) << u.inst.info().id << " has no handler";
    return u.exec ? u.exec(c, u) : Step::kExit;
  }

  /// Runs the row on every case. Cases beyond a multiple of the wave size run with the rest of the
  /// lanes switched off.
  std::vector<Outcome> evaluate(const std::string& id, const std::vector<Case>& cases,
                                const Form& form = {}) {
    Uop u = prepare(id, form);
    const isa::OpInfo& info = isa::op_info(u.inst.op);
    const bool literal = has_literal(info);
    const size_t step = literal ? 1 : wave.wave_size;
    std::vector<Outcome> out;
    out.reserve(cases.size());
    for (size_t first = 0; first < cases.size(); first += step) {
      const size_t n = std::min<size_t>(step, cases.size() - first);
      wave.write64(isa::kExecLo, n == 64 ? ~uint64_t{0} : (uint64_t{1} << n) - 1);
      uint64_t carry = 0;
      for (size_t i = 0; i < n; ++i) {
        const Case& k = cases[first + i];
        const auto lane = static_cast<unsigned>(i);
        set_v64(kRegA, lane, k.a);
        set_v64(kRegB, lane, k.b);
        set_v64(kRegC, lane, k.c);
        set_v64(kRegD, lane, k.old);
        carry |= (k.c & 1) << i;
      }
      if (literal) {
        const int at = info.srcs[1].place == isa::Place::kLiteral ? 1 : 2;
        const Case& k = cases[first];
        EXPECT_TRUE(u.inst.set(Field::literal, static_cast<uint32_t>(at == 1 ? k.b : k.c)));
        if (at == 1) set_v64(kRegB, 0, k.c);
      }
      wave.write64(kMaskIn, carry);
      wave.write64(isa::kVccLo, carry);
      const Step s = execute(u);
      EXPECT_EQ(s, Step::kNext) << id;
      if (s != Step::kNext) return out;
      for (size_t i = 0; i < n; ++i) out.push_back(outcome(u, static_cast<unsigned>(i)));
    }
    return out;
  }

  /// Result of one lane after execute().
  Outcome outcome(const Uop& u, unsigned lane) {
    Outcome r;
    for (int i = 0; i < u.ops.n_dst; ++i) {
      const isa::Operand& d = u.ops.dst[i];
      if (d.type == isa::Type::MASK || d.type == isa::Type::EXEC_MASK)
        r.mask = wave.read_mask(d.code) >> lane & 1;
      else if (d.kind == isa::OperandKind::kScalar)
        r.value = wave.scalar[d.code];
      else
        r.value = d.dwords >= 2 ? v64(d.code, lane) : v(d.code, lane);
    }
    return r;
  }

  /// Runs one case and gives its value.
  uint64_t one(const std::string& id, uint64_t a, uint64_t b = 0, uint64_t c3 = 0,
               const Form& form = {}) {
    const auto out = evaluate(id, {Case{a, b, c3, 0}}, form);
    return out.empty() ? ~uint64_t{0} : out[0].value;
  }

  static bool has_literal(const isa::OpInfo& info) {
    for (int i = 0; i < info.n_srcs; ++i)
      if (info.srcs[i].place == isa::Place::kLiteral) return true;
    return false;
  }
  /// Any mix of values from a list and random bits.
  std::vector<Case> mixed_cases(const std::vector<uint64_t>& special, size_t random_count,
                                unsigned sources) {
    std::vector<Case> cases;
    for (uint64_t a : special)
      for (uint64_t b : sources > 1 ? special : std::vector<uint64_t>{0})
        for (uint64_t c3 : sources > 2 ? special : std::vector<uint64_t>{0})
          cases.push_back({a, b, c3, 0});
    std::mt19937_64 generator(99);
    const auto pick = [&] {
      return generator() % 4 ? generator() : special[generator() % special.size()];
    };
    for (size_t i = 0; i < random_count; ++i) cases.push_back({pick(), pick(), pick(), pick()});
    return cases;
  }
};

}  // namespace lockstep::emu::testing
