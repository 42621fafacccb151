// SPDX-License-Identifier: MIT
// Reads and writes programs with declared inputs.
#include "diff/program_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "asm/object.h"
#include "asm/source.h"
#include "diff/declarations.h"
#include "isa/operand.h"

namespace lockstep::diff {
namespace {

constexpr uint32_t kUsualLds = 1024, kUsualMemory = 4096;

/// The contents of .text; everything must be known, there is no linker here.
Result<std::vector<uint8_t>> assemble(std::string_view text, const std::string& name,
                                      const Layout& l) {
  asm_::SourceOptions options;
  options.target = l.target;
  options.wave_size = l.wave_size;
  options.max_errors = 10;
  const asm_::AssembledSource source = asm_::assemble_source(text, name, options);
  std::string problems;
  for (const asm_::Diagnostic& d : source.diagnostics)
    if (d.severity == asm_::Severity::kError) problems += asm_::to_text(d);
  if (!source.ok) {
    while (problems.ends_with('\n')) problems.pop_back();
    return Error{problems};
  }
  for (const asm_::ObjectSection& section : source.object.sections) {
    if (section.name != ".text") {
      if (section.size && section.flags & 2)  // SHF_ALLOC
        return Error{fmt::format("{}: the section {} is not run; use memory", name, section.name)};
      continue;
    }
    if (!section.relocations.empty())
      return Error{fmt::format("{}: the code names a symbol that is not in the file", name)};
    return section.bytes;
  }
  return std::vector<uint8_t>{};
}

/// Runs of equal values as few declarations as possible.
std::string lane_values(const State& state, uint32_t first, uint32_t lanes) {
  const bool equal = std::all_of(state.begin() + first, state.begin() + first + lanes,
                                 [&](uint32_t v) { return v == state[first]; });
  std::string text;
  for (uint32_t lane = 0; lane < (equal ? 1 : lanes); ++lane)
    text += fmt::format("{}{:#x}", lane ? ", " : "", state[first + lane]);
  return text;
}

bool all_zero(const State& state, uint32_t first, uint32_t count) {
  return std::all_of(state.begin() + first, state.begin() + first + count,
                     [](uint32_t v) { return v == 0; });
}

}  // namespace

State plain_state(const Layout& layout) {
  const State usual = background(layout);
  State state(layout.words());
  for (const uint32_t word : {kExecLo, kExecHi, kMode}) state[word] = usual[word];
  return state;
}

Result<void> fit_layout(Program& program) {
  const isa::Isa isa = isa::target_info(program.layout.target).isa;
  unsigned vgprs = 0, agprs = 0;
  for (size_t at = 0; at < program.code.size();) {
    isa::Inst inst;
    const std::span rest(program.code.data() + at, program.code.size() - at);
    if (const auto error = isa::decode(isa, rest, inst); error != isa::DecodeError::kNone)
      return Error{fmt::format("{}: at offset {:#x}: {}", program.name, at, to_string(error))};
    if (inst.info().id.starts_with("s_endpgm"))
      return Error{fmt::format(
          "{}: s_endpgm at offset {:#x}: a program ends by running off its end", program.name, at)};
    const auto take = [&](const isa::Operand& o) {
      const unsigned end = o.code + std::max<unsigned>(1, o.dwords);
      if (o.kind == isa::OperandKind::kVgpr) vgprs = std::max(vgprs, end);
      if (o.kind == isa::OperandKind::kAgpr) agprs = std::max(agprs, end);
    };
    for (int half = 0; half < (inst.format == isa::Format::VOPD ? 2 : 1); ++half) {
      const isa::Operands list = inst.format == isa::Format::VOPD
                                     ? isa::operands_of_half(inst, half, program.layout.wave_size)
                                     : isa::operands_of(inst, program.layout.wave_size);
      std::for_each(list.dst, list.dst + list.n_dst, take);
      std::for_each(list.src, list.src + list.n_src, take);
    }
    at += inst.size;
  }
  if (vgprs > kMostVgprs || agprs > kMostAgprs)
    return Error{
        fmt::format("{}: registers up to v{} and a{} can be used; the capture kernel needs "
                    "those above",
                    program.name, kMostVgprs - 1, kMostAgprs - 1)};
  program.layout.vgprs = std::max(program.layout.vgprs, (vgprs + 7) / 8 * 8);
  program.layout.agprs = std::max(program.layout.agprs, (agprs + 7) / 8 * 8);
  return {};
}

Result<Program> parse_program(std::string_view text, const std::string& name,
                              const TextOptions& options) {
  const auto found = find_declarations(text, name);
  if (!found) return Error{found.error()};
  const auto at_line = [&](const std::string& problem) {
    return Error{fmt::format("{}: {}", name, problem)};
  };
  Program program;
  program.name = name;
  Layout& l = program.layout;
  bool has_target = options.target.has_value(), has_wave = false, sized = false;
  if (options.target) l.target = *options.target;
  std::vector<const Declaration*> values;
  bool memory = false, lds = false;
  for (const Declaration& d : *found) {
    const isa::Target before = l.target;
    const auto taken = apply_to_layout(d, l, sized);
    if (!taken) return at_line(taken.error());
    if (d.place == "target") {
      if (options.target && l.target != before)
        return at_line(fmt::format("line {}: the program is for {}, not {}", d.line, d.values,
                                   isa::target_info(before).name));
      has_target = true;
    }
    has_wave = has_wave || d.place == "wave";
    memory = memory || names_memory(d);
    lds = lds || d.place.starts_with("lds");
    if (!*taken) values.push_back(&d);
  }
  if (!has_target) return at_line("no target: declare one (;@ target = gfx1100) or use --mcpu");
  if (!has_wave) l.wave_size = isa::target_info(l.target).has_wave32 ? 32 : 64;
  // Code that reaches memory faults without any; some is there for all that may.
  if (memory && l.memory_bytes == 0) l.memory_bytes = kUsualMemory;
  auto code = assemble(text, name, l);
  if (!code) return Error{code.error()};
  program.code = std::move(*code);
  if (program.code.empty()) return at_line("there is no instruction");
  if (program.code.size() % 4) return at_line("the code is no whole number of dwords");
  if (!lds && l.lds_bytes == 0) lds = program.text().find("ds_") != std::string::npos;
  if (lds && l.lds_bytes == 0) l.lds_bytes = kUsualLds;
  if (auto good = fit_layout(program); !good) return Error{good.error()};
  if (auto good = check_layout(l); !good) return at_line(good.error());
  if (options.count == 0 || options.count > kMostInputs)
    return at_line(fmt::format("{} inputs: 1 to {} can be had", options.count, kMostInputs));
  Random random(options.seed);
  for (uint32_t i = 0; i < options.count; ++i) {
    State state = plain_state(l);
    for (const Declaration* d : values)
      if (auto done = apply_to_state(*d, l, i, random, state); !done) return at_line(done.error());
    program.inputs.push_back(std::move(state));
  }
  return program;
}

std::string program_text(const Program& program, const State& input,
                         const std::vector<std::string>& comments) {
  const Layout& l = program.layout;
  std::string text;
  const auto line = [&](const std::string& s) { text += s + "\n"; };
  for (const std::string& c : comments) line("; " + c);
  line(fmt::format(";@ target = {}", isa::target_info(l.target).name));
  line(fmt::format(";@ wave = {}", l.wave_size));
  line(fmt::format(";@ vgprs = {}", l.vgprs));
  if (l.agprs) line(fmt::format(";@ agprs = {}", l.agprs));
  if (l.lds_bytes) line(fmt::format(";@ lds_bytes = {}", l.lds_bytes));
  if (l.memory_bytes) line(fmt::format(";@ memory_bytes = {}", l.memory_bytes));
  if (l.slot) line(fmt::format(";@ slot = {}", l.slot));
  const State plain = plain_state(l);
  for (uint32_t word = 0; word <= kMode; ++word)
    if (input[word] != plain[word])
      line(fmt::format(";@ {} = {:#x}", l.name_of(word), input[word]));
  for (uint32_t r = 0; r < l.vgprs + l.agprs; ++r) {
    const uint32_t first = l.vgpr_at(r, 0);
    if (all_zero(input, first, l.wave_size)) continue;
    line(fmt::format(";@ {}{} = {}", r < l.vgprs ? 'v' : 'a', r < l.vgprs ? r : r - l.vgprs,
                     lane_values(input, first, l.wave_size)));
  }
  constexpr uint32_t kRow = 16;
  for (uint32_t word = l.lds_at(); word < l.words(); word += kRow)
    if (!all_zero(input, word, kRow)) {
      std::string values;
      for (uint32_t i = 0; i < kRow; ++i)
        values += fmt::format("{}{:#x}", i ? ", " : "", input[word + i]);
      line(fmt::format(";@ {} = {}", l.name_of(word), values));
    }
  text += program.text();
  return text;
}

}  // namespace lockstep::diff
