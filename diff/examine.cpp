// SPDX-License-Identifier: MIT
// Stepping, shrinking, reporting.
#include "diff/examine.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "asm/describe.h"
#include "asm/disassemble.h"
#include "diff/program_text.h"
#include "isa/operand.h"

namespace lockstep::diff {
namespace {

constexpr size_t kMostSteps = 4096, kMostLines = 12;

uint64_t wide(const State& s, uint32_t word) { return s[word] | uint64_t{s[word + 1]} << 32; }

/// Whether a branch is taken; nothing if the state does not say.
std::optional<bool> branch_taken(std::string_view id, const Layout& l, const State& s) {
  const uint64_t exec = wide(s, kExecLo) & l.lane_mask(), vcc = wide(s, kVccLo) & l.lane_mask();
  if (id == "s_branch") return true;
  if (id == "s_cbranch_scc0") return !s[kScc];
  if (id == "s_cbranch_scc1") return s[kScc] != 0;
  if (id == "s_cbranch_vccz") return vcc == 0;
  if (id == "s_cbranch_vccnz") return vcc != 0;
  if (id == "s_cbranch_execz") return exec == 0;
  if (id == "s_cbranch_execnz") return exec != 0;
  return std::nullopt;
}

std::string outcome_text(const Outcome& a, const Outcome& b, size_t words) {
  const auto met = [](const Outcome& o) { return o.fault.empty() ? "ends well" : o.fault; };
  if (a.fault != b.fault) return fmt::format("{} against {}", met(a), met(b));
  return fmt::format("{} {}", words, words == 1 ? "word differs" : "words differ");
}

Finding finding_of(const Program& program, const State& input, const std::string& a,
                   const Outcome& seen_a, const std::string& b, const Outcome& seen_b) {
  Finding f;
  f.name = program.name;
  f.instruction = program.text();
  while (f.instruction.ends_with('\n')) f.instruction.pop_back();
  f.a = a;
  f.b = b;
  std::vector<Difference> list;
  if (seen_a.fault.empty() && seen_b.fault.empty())
    list = differences(program.layout, seen_a.state, seen_b.state);
  f.outcome = outcome_text(seen_a, seen_b, list.size());
  for (const Difference& d : list) {
    if (f.differences.size() == kMostLines) {
      f.differences.push_back(fmt::format("and {} more", list.size() - kMostLines));
      break;
    }
    f.differences.push_back(describe(program.layout, d));
  }
  std::vector<std::string> comments = {
      fmt::format("{}: {} against {}: {}", program.name, a, b, f.outcome)};
  comments.insert(comments.end(), f.differences.begin(), f.differences.end());
  comments.push_back("lockstep diff THIS_FILE");
  f.reproducer = program_text(program, input, comments);
  return f;
}

/// Registers that an instruction names, word by word.
template <class F>
void for_named_words(const Layout& l, const isa::Inst& inst, F&& f) {
  const auto each = [&](const isa::Operand& o) {
    for (uint32_t r = o.code; r < o.code + std::max<uint32_t>(1, o.dwords); ++r) {
      if (o.kind == isa::OperandKind::kScalar && r < kVccLo) f(r);
      const bool vgpr = o.kind == isa::OperandKind::kVgpr && r < l.vgprs;
      const bool agpr = o.kind == isa::OperandKind::kAgpr && r < l.agprs;
      for (uint32_t lane = 0; lane < (vgpr || agpr ? l.wave_size : 0); ++lane)
        f(vgpr ? l.vgpr_at(r, lane) : l.agpr_at(r, lane));
    }
  };
  const bool pair = inst.format == isa::Format::VOPD;
  for (int half = 0; half < (pair ? 2 : 1); ++half) {
    const isa::Operands list =
        pair ? isa::operands_of_half(inst, half, l.wave_size) : isa::operands_of(inst, l.wave_size);
    std::for_each(list.dst, list.dst + list.n_dst, each);
    std::for_each(list.src, list.src + list.n_src, each);
  }
}

/// Tries simpler inputs.
class Shrinker {
 public:
  Shrinker(Backend& a, Backend& b, const Program& program) : a_(a), b_(b), best_(program) {
    reference_ = both(best_.inputs[0]);
  }

  Program run() {
    if (!reference_) return best_;
    const Layout& l = best_.layout;
    const State plain = plain_state(l);
    const auto reset = [&](uint32_t first, uint32_t count) {
      return attempt(
          [&](State& s) { std::copy_n(plain.begin() + first, count, s.begin() + first); });
    };
    one_lane();
    reset(kMode, 1);
    reset(kScc, 1);
    reset(kVccLo, 2);
    reset(kM0, 1);
    const uint32_t data = l.words() - l.lds_at();
    if (data) reset(l.lds_at(), data);
    // Many registers play no part: halves of all of them at first, then smaller and smaller runs.
    for (uint32_t run = kVccLo; run >= 1; run /= 2) {
      for (uint32_t first = 0; first < kVccLo; first += run)
        if (changed(plain, first, std::min(run, kVccLo - first)))
          reset(first, std::min(run, kVccLo - first));
      if (run == 1) break;
    }
    const uint32_t registers = l.vgprs + l.agprs;
    for (uint32_t run = registers; run >= 1; run /= 2) {
      for (uint32_t r = 0; r < registers; r += run) {
        const uint32_t first = l.vgpr_at(r, 0), n = std::min(run, registers - r) * l.wave_size;
        if (changed(plain, first, n)) reset(first, n);
      }
      if (run == 1) break;
    }
    for (uint32_t r = 0; r < registers; ++r) lanes_of(r, plain);
    return best_;
  }

 private:
  struct Seen {
    Outcome a, b;
  };
  std::optional<Seen> both(const State& input) {
    const Program one = best_.with_input(input);
    auto a = a_.run(one), b = b_.run(one);
    if (!a || !b || !differ(one.layout, (*a)[0], (*b)[0])) return std::nullopt;
    return Seen{std::move((*a)[0]), std::move((*b)[0])};
  }
  /// Keeps the change if both still differ, in the same manner.
  template <class Change>
  bool attempt(Change change) {
    State candidate = best_.inputs[0];
    change(candidate);
    if (candidate == best_.inputs[0]) return false;
    auto seen = both(candidate);
    if (!seen || seen->a.fault != reference_->a.fault || seen->b.fault != reference_->b.fault)
      return false;
    best_.inputs[0] = std::move(candidate);
    reference_ = std::move(seen);
    return true;
  }
  bool changed(const State& plain, uint32_t first, uint32_t count) const {
    const State& s = best_.inputs[0];
    return !std::equal(s.begin() + first, s.begin() + first + count, plain.begin() + first);
  }
  /// Only the first lane that differs.
  void one_lane() {
    const Layout& l = best_.layout;
    const auto list = differences(l, reference_->a.state, reference_->b.state, 1);
    lane_ = 0;
    if (!list.empty() && list[0].word >= kScalarWords && list[0].word < l.lds_at())
      lane_ = (list[0].word - kScalarWords) % l.wave_size;
    const uint64_t mask = uint64_t{1} << lane_;
    attempt([&](State& s) {
      s[kExecLo] = static_cast<uint32_t>(mask);
      s[kExecHi] = static_cast<uint32_t>(mask >> 32);
    });
  }
  void lanes_of(uint32_t r, const State& plain) {
    const Layout& l = best_.layout;
    const uint32_t first = l.vgpr_at(r, 0);
    if (!changed(plain, first, l.wave_size)) return;
    // The same value everywhere reads best; else zeros in all other lanes.
    if (attempt([&](State& s) { std::fill_n(s.begin() + first, l.wave_size, s[first + lane_]); }))
      return;
    attempt([&](State& s) {
      for (uint32_t lane = 0; lane < l.wave_size; ++lane)
        if (lane != lane_) s[first + lane] = 0;
    });
  }

  Backend &a_, &b_;
  Program best_;
  std::optional<Seen> reference_;
  uint32_t lane_ = 0;
};

}  // namespace

bool differ(const Layout& layout, const Outcome& a, const Outcome& b) {
  if (a.fault != b.fault) return true;
  return a.fault.empty() && !differences(layout, a.state, b.state, 1).empty();
}

std::optional<Program> first_difference(Backend& a, Backend& b, const Program& program,
                                        const State& input, std::string& why) {
  const isa::Isa isa = isa::target_info(program.layout.target).isa;
  State state = input;
  uint64_t pc = 0;
  for (size_t step = 0; step < kMostSteps && pc < program.code.size(); ++step) {
    isa::Inst inst;
    const std::span rest(program.code.data() + pc, program.code.size() - pc);
    if (isa::decode(isa, rest, inst) != isa::DecodeError::kNone) {
      why = fmt::format("at offset {:#x} is no instruction", pc);
      return std::nullopt;
    }
    if (asm_::groups_of(inst) & (asm_::kGroupBranch | asm_::kGroupCall)) {
      const auto taken = branch_taken(inst.info().id, program.layout, state);
      const auto target = asm_::branch_target(inst, pc);
      if (!taken || !target) {
        why = fmt::format("stepping ends at {} (offset {:#x}): it reads the program counter",
                          inst.info().id, pc);
        return std::nullopt;
      }
      pc = *taken ? *target : pc + inst.size;
      continue;
    }
    Program one = program.with_input(state);
    one.code.assign(rest.begin(), rest.begin() + inst.size);
    auto seen_a = a.run(one), seen_b = b.run(one);
    if (!seen_a || !seen_b) {
      why = seen_a ? seen_b.error() : seen_a.error();
      return std::nullopt;
    }
    if (differ(one.layout, (*seen_a)[0], (*seen_b)[0])) return one;
    if (!(*seen_a)[0].fault.empty()) {
      why = fmt::format("both met \"{}\" at offset {:#x}", (*seen_a)[0].fault, pc);
      return std::nullopt;
    }
    state = std::move((*seen_a)[0].state);
    pc += inst.size;
  }
  why = pc < program.code.size() ? fmt::format("no difference in {} steps", kMostSteps)
                                 : "no instruction differs alone: the order of them matters";
  return std::nullopt;
}

Program shrink(Backend& a, Backend& b, const Program& program) {
  return Shrinker(a, b, program).run();
}

Finding examine(Backend& a, Backend& b, const Program& program, uint32_t input) {
  Program one = program.with_input(program.inputs[input], input);
  std::string why;
  isa::Inst inst;
  const isa::Isa isa = isa::target_info(program.layout.target).isa;
  const bool single =
      isa::decode(isa, one.code, inst) == isa::DecodeError::kNone && inst.size == one.code.size();
  if (!single)
    if (auto narrowed = first_difference(a, b, one, one.inputs[0], why)) one = std::move(*narrowed);
  one = shrink(a, b, one);
  const auto seen_a = a.run(one), seen_b = b.run(one);
  if (!seen_a || !seen_b) {
    Finding f = finding_of(one, one.inputs[0], a.name(), {}, b.name(), {});
    f.note = seen_a ? seen_b.error() : seen_a.error();
    return f;
  }
  Finding f = finding_of(one, one.inputs[0], a.name(), (*seen_a)[0], b.name(), (*seen_b)[0]);
  f.note = why;
  if (!differ(one.layout, (*seen_a)[0], (*seen_b)[0]))
    f.note = "the difference did not come again when this input ran alone";
  return f;
}

Finding compare_recorded(Backend& a, const Program& program, uint32_t input, const Outcome& seen,
                         const std::string& b, const Outcome& recorded) {
  const Program one = program.with_input(program.inputs[input], input);
  const Layout& l = one.layout;
  Finding f = finding_of(one, one.inputs[0], a.name(), seen, b, recorded);
  isa::Inst inst;
  const isa::Isa isa = isa::target_info(l.target).isa;
  if (isa::decode(isa, one.code, inst) != isa::DecodeError::kNone || inst.size != one.code.size() ||
      !seen.fault.empty() || !recorded.fault.empty())
    return f;
  const State& full = one.inputs[0];
  State few = plain_state(l);
  std::copy(full.begin() + kVccLo, full.begin() + kScalarWords, few.begin() + kVccLo);
  std::copy(full.begin() + l.lds_at(), full.end(), few.begin() + l.lds_at());
  for_named_words(l, inst, [&](uint32_t word) { few[word] = full[word]; });
  const auto again = a.run(one.with_input(few));
  if (!again || !(*again)[0].fault.empty()) return f;
  for (const Difference& d : differences(l, seen.state, recorded.state))
    if ((*again)[0].state[d.word] != d.a) return f;
  const Finding shorter = finding_of(one, few, a.name(), seen, b, recorded);
  f.reproducer = shorter.reproducer;
  return f;
}

}  // namespace lockstep::diff
