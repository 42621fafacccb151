// SPDX-License-Identifier: MIT
// What all back ends share: batches, and the search for the input that faults.
#include "diff/backend.h"

#include <fmt/format.h>

#include "asm/disassemble.h"

namespace lockstep::diff {

std::string Program::text() const {
  asm_::DisassembleOptions options;
  options.print.wave_size = layout.wave_size;
  std::string text;
  const isa::Isa isa = isa::target_info(layout.target).isa;
  asm_::disassemble(isa, code, 0, options, [&](const asm_::Line& line) {
    for (uint64_t i = 0; i < line.repeat; ++i) text += line.text + "\n";
  });
  return text;
}

Program Program::with_input(State input, uint32_t index) const {
  Program one{layout, name, code, {}};
  one.layout.slot += index;
  one.inputs.push_back(std::move(input));
  return one;
}

Result<std::vector<Outcome>> Backend::run(const Program& program) {
  if (auto good = check_layout(program.layout); !good)
    return Error{fmt::format("{}: {}", program.name, good.error())};
  if (program.inputs.size() > kMostInputs)
    return Error{
        fmt::format("{}: {} inputs, {} at most", program.name, program.inputs.size(), kMostInputs)};
  std::vector<Outcome> outcomes;
  if (program.inputs.empty()) return outcomes;
  const auto count = static_cast<uint32_t>(program.inputs.size());
  auto launched = launch(program, 0, count);
  if (!launched) return Error{launched.error()};
  if (launched->fault.empty()) {
    for (State& state : launched->states) outcomes.push_back({"", "", std::move(state)});
    return outcomes;
  }
  const State none(program.layout.words());
  if (count == 1) return std::vector{Outcome{launched->fault, launched->detail, none}};
  // A fault ends a whole launch: one by one, to see which input it was.
  for (uint32_t i = 0; i < count; ++i) {
    auto one = launch(program, i, 1);
    if (!one) return Error{one.error()};
    if (one->fault.empty())
      outcomes.push_back({"", "", std::move(one->states[0])});
    else
      outcomes.push_back({one->fault, one->detail, none});
  }
  return outcomes;
}

}  // namespace lockstep::diff
