// SPDX-License-Identifier: MIT
// Walks over code bytes.
#include "asm/disassemble.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "isa/operand.h"

namespace lockstep::asm_ {
namespace {

constexpr size_t kWord = 4;
constexpr std::string_view kPadding = "s_code_end";

Line unknown_line(std::span<const uint8_t> rest, uint64_t address, std::string problem) {
  Line line;
  line.address = address;
  line.problem = std::move(problem);
  line.bytes = rest.first(std::min(rest.size(), kWord));
  if (line.bytes.size() == kWord) {
    uint32_t word;
    std::memcpy(&word, line.bytes.data(), kWord);
    line.text = fmt::format(".long 0x{:08x}", word);
    return line;
  }
  line.text = ".byte ";
  for (size_t i = 0; i < line.bytes.size(); ++i)
    line.text += fmt::format("{}0x{:02x}", i ? ", " : "", line.bytes[i]);
  return line;
}

Line next_line(isa::Isa isa, std::span<const uint8_t> rest, uint64_t address,
               const PrintOptions& base) {
  isa::Inst inst;
  const isa::DecodeError error = isa::decode(isa, rest, inst);
  if (error != isa::DecodeError::kNone) return unknown_line(rest, address, isa::to_string(error));
  PrintOptions options = base;
  options.address = address;
  Line line;
  line.address = address;
  line.bytes = rest.first(inst.size);
  line.text = print(inst, options);
  line.target = branch_target(inst, address);
  return line;
}

/// How many more times `bytes` follow at the start of `rest`.
uint64_t repetitions(std::span<const uint8_t> bytes, std::span<const uint8_t> rest) {
  uint64_t count = 0;
  while (rest.size() >= bytes.size() && std::equal(bytes.begin(), bytes.end(), rest.begin())) {
    rest = rest.subspan(bytes.size());
    ++count;
  }
  return count;
}

}  // namespace

std::optional<uint64_t> branch_target(const isa::Inst& inst, uint64_t address) {
  if (inst.format != isa::Format::SOPP && inst.format != isa::Format::SOPK) return std::nullopt;
  const isa::OpInfo& info = inst.info();
  for (int i = 0; i < info.n_srcs; ++i) {
    if (info.srcs[i].type != isa::Type::LABEL) continue;
    const int64_t words = inst.get_signed(isa::Field::simm16);
    return address + inst.size + static_cast<uint64_t>(words * static_cast<int64_t>(kWord));
  }
  return std::nullopt;
}

void disassemble(isa::Isa isa, std::span<const uint8_t> code, uint64_t address,
                 const DisassembleOptions& options, const std::function<void(const Line&)>& sink) {
  while (!code.empty()) {
    Line line = next_line(isa, code, address, options.print);
    code = code.subspan(line.bytes.size());
    address += line.bytes.size();
    if (options.fold_padding && (line.text == kPadding || !line.problem.empty())) {
      const uint64_t more = repetitions(line.bytes, code);
      line.repeat += more;
      code = code.subspan(more * line.bytes.size());
      address += more * line.bytes.size();
    }
    sink(line);
  }
}

std::vector<Line> disassemble(isa::Isa isa, std::span<const uint8_t> code, uint64_t address,
                              const DisassembleOptions& options) {
  std::vector<Line> lines;
  disassemble(isa, code, address, options, [&](const Line& line) { lines.push_back(line); });
  return lines;
}

}  // namespace lockstep::asm_
