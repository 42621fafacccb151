// SPDX-License-Identifier: MIT
// Rows to programs: instructions, and states to start them from.
#include "diff/generate.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "diff/instruction.h"
#include "diff/values.h"
#include "isa/operand.h"

namespace lockstep::diff {
namespace {

using isa::Format;
using isa::OperandKind;

constexpr uint32_t kLdsBytes = 4096, kMemoryBytes = 8192, kMemoryStart = 1024, kSlot = 64;

bool reaches_memory(Format format) {
  switch (format) {
    case Format::FLAT:
    case Format::GLOBAL:
    case Format::MUBUF:
    case Format::MTBUF:
    case Format::SMEM:
      return true;
    default:
      return false;
  }
}

uint64_t mix(uint64_t seed, std::string_view name) {
  uint64_t hash = seed ^ 0xcbf29ce484222325u;
  for (const char c : name) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3u;
  return hash;
}

/// Fills one starting state for an instruction.
class StateMaker {
 public:
  StateMaker(const Program& program, const isa::Inst& inst, const Registers& registers,
             Random& random)
      : l_(program.layout), inst_(inst), r_(registers), random_(random) {}

  State make(uint32_t index) {
    state_ = background(l_);
    const isa::Generation generation = isa::target_info(l_.target).generation;
    if (inst_.info().format == Format::VOPD) {
      for (int half = 0; half < 2; ++half)
        operands(isa::operands_of_half(inst_, half, l_.wave_size));
    } else {
      operands(isa::operands_of(inst_, l_.wave_size));
    }
    mask(kVccLo, random_.next());
    state_[kScc] = random_.below(2);
    state_[kM0] = random_.below(16) * 4;
    state_[kMode] = interesting_mode(random_, generation);
    // The first input runs all lanes: something is seen of every instruction.
    mask(kExecLo, index == 0 ? l_.lane_mask() : interesting_mask(random_, l_.wave_size));
    if (l_.memory_bytes || l_.lds_bytes) memory(index);
    for (uint32_t i = 0; i < kScalarWords; ++i) state_[i] &= l_.compared_bits(i);
    return std::move(state_);
  }

 private:
  void mask(uint32_t word, uint64_t value) {
    state_[word] = static_cast<uint32_t>(value);
    state_[word + 1] = static_cast<uint32_t>(value >> 32);
  }
  void operands(const isa::Operands& list) {
    for (int i = 0; i < list.n_dst; ++i)
      if (random_.one_in(2)) fill(list.dst[i]);  // else the pattern shows what was written
    for (int i = 0; i < list.n_src; ++i) fill(list.src[i]);
  }
  void fill(const isa::Operand& o) {
    uint64_t wide = 0;
    if (o.kind == OperandKind::kScalar) {
      for (unsigned d = 0; d < o.dwords; ++d)
        if (o.code + d < kVccLo) state_[o.code + d] = interesting_dword(random_, o.type, d, wide);
      return;
    }
    if (o.kind != OperandKind::kVgpr && o.kind != OperandKind::kAgpr) return;
    const bool accumulator = o.kind == OperandKind::kAgpr;
    for (uint32_t lane = 0; lane < l_.wave_size; ++lane)
      for (unsigned d = 0; d < o.dwords; ++d) {
        const uint32_t r = o.code + d;
        if (r >= (accumulator ? l_.agprs : l_.vgprs)) continue;
        state_[accumulator ? l_.agpr_at(r, lane) : l_.vgpr_at(r, lane)] =
            interesting_dword(random_, o.type, d, wide);
      }
  }
  /// Addresses of lanes never overlap: what several lanes write to one place is not defined.
  void memory(uint32_t index) {
    const uint64_t base = memory_address(l_, index) + kMemoryStart;
    const isa::OpInfo& info = inst_.info();
    const bool stride64 = info.mem.address == isa::MemAddress::kTwoStride64;
    const bool permutes = info.id.find("permute") != std::string_view::npos;
    const uint32_t slot = stride64 ? isa::dwords_of(info.mem.type) * 4u : kSlot;
    std::vector<uint32_t> order(l_.wave_size);
    std::iota(order.begin(), order.end(), 0);
    if (random_.one_in(2))
      for (uint32_t i = l_.wave_size - 1; i > 0; --i)
        std::swap(order[i], order[random_.below(i + 1)]);
    for (uint32_t lane = 0; lane < l_.wave_size; ++lane) {
      const uint32_t offset = permutes ? order[lane] * 4 : order[lane] * slot;
      const uint64_t address = base + offset;
      state_[l_.vgpr_at(r_.address, lane)] = static_cast<uint32_t>(address);
      state_[l_.vgpr_at(r_.address + 1, lane)] = static_cast<uint32_t>(address >> 32);
      state_[l_.vgpr_at(r_.offset(), lane)] = offset;
    }
    mask(kMemorySgpr, base);
    // Raw buffer; word 3 selects x, y, z, w and a plain 32-bit format.
    mask(kResourceSgpr, base);
    state_[kResourceSgpr + 2] = kMemoryBytes - kMemoryStart;
    switch (isa::target_info(l_.target).generation) {
      case isa::Generation::kGfx9:
        state_[kResourceSgpr + 3] = 0xfac | 7u << 12 | 4u << 15;
        break;
      case isa::Generation::kGfx11:
      case isa::Generation::kGfx12:
        state_[kResourceSgpr + 3] = 0xfac | 22u << 12 | 3u << 28;
        break;
    }
    uint64_t wide = 0;
    for (uint32_t word = l_.lds_at(); word < l_.words(); ++word)
      state_[word] = interesting_dword(random_, info.mem.type, word % 2, wide);
  }

  const Layout& l_;
  const isa::Inst& inst_;
  const Registers& r_;
  Random& random_;
  State state_;
};

bool matches_one(std::string_view pattern, std::string_view name) {
  size_t p = 0, n = 0, star = std::string_view::npos, mark = 0;
  while (n < name.size()) {
    if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p;
      ++n;
    } else if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      mark = n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++mark;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace

bool matches(std::string_view patterns, std::string_view name) {
  while (true) {
    const size_t comma = patterns.find(',');
    if (matches_one(patterns.substr(0, comma), name)) return true;
    if (comma == std::string_view::npos) return false;
    patterns.remove_prefix(comma + 1);
  }
}

Result<Sweep> plan_sweep(const GenerateOptions& o) {
  if (o.match.find_first_not_of(", ") == std::string::npos)
    return Error{"the pattern of rows is empty"};
  if (o.count == 0 || o.count > kMostInputs)
    return Error{fmt::format("{} inputs an instruction: 1 to {} can be had", o.count, kMostInputs)};
  const isa::Isa isa = isa::target_info(o.target).isa;
  Sweep sweep;
  for (int i = 0; i < isa::kOpCount; ++i) {
    const auto op = static_cast<isa::Op>(i);
    if (!isa::exists_on(op, isa) || !matches(o.match, isa::op_name(op, isa))) continue;
    if (const std::string_view reason = why_excluded(op, isa); !reason.empty())
      sweep.excluded.push_back({std::string(isa::op_name(op, isa)), reason});
    else
      sweep.rows.push_back(op);
  }
  const std::string_view name = isa::target_info(o.target).name;
  if (sweep.rows.empty() && sweep.excluded.empty())
    return Error{fmt::format("no row of {} matches \"{}\" (lockstep isa --mcpu={} lists them)",
                             name, o.match, name)};
  if (sweep.rows.empty())
    return Error{fmt::format("{}: {}", sweep.excluded[0].name, sweep.excluded[0].reason)};
  return sweep;
}

std::vector<Program> generate(isa::Op op, const GenerateOptions& o) {
  const isa::TargetInfo& info = isa::target_info(o.target);
  const std::string_view name = isa::op_name(op, info.isa);
  const Registers registers = registers_for(op, info.isa);
  const Format native = isa::op_info(op).format;
  std::vector<Program> programs;
  uint32_t number = 0;
  for (const Form& form : forms_of(op, info.isa)) {
    for (uint32_t i = 0; i < o.per_form; ++i) {
      Random random(
          mix(o.seed,
              fmt::format("{} {} {}", name,
                          static_cast<int>(form.format) * 8 + static_cast<int>(form.suffix), i)));
      // VOPD pairs exist in waves of 32 only.
      const bool narrow = info.has_wave32 && (native == Format::VOPD || number++ % 2 == 0);
      Program program;
      program.layout.target = o.target;
      program.layout.wave_size = o.wave_size ? o.wave_size : narrow ? 32 : 64;
      if (native == Format::VOPD && program.layout.wave_size == 64) continue;
      program.layout.vgprs = registers.total();
      program.layout.agprs = registers.agprs;
      if (native == Format::DS) program.layout.lds_bytes = kLdsBytes;
      if (reaches_memory(native)) program.layout.memory_bytes = kMemoryBytes;
      program.name = name;
      const auto inst =
          random_instruction(info.isa, op, form, registers, program.layout.wave_size, random);
      if (!inst) break;
      const auto* bytes = reinterpret_cast<const uint8_t*>(inst->words);
      program.code.assign(bytes, bytes + inst->size);
      StateMaker maker(program, *inst, registers, random);
      for (uint32_t input = 0; input < o.count; ++input)
        program.inputs.push_back(maker.make(input));
      programs.push_back(std::move(program));
    }
  }
  return programs;
}

}  // namespace lockstep::diff
