// SPDX-License-Identifier: MIT
// Fault reports in words.
#include <fmt/format.h>

#include "emu/exit.h"

namespace lockstep::emu {

const char* to_string(FaultKind kind) {
  switch (kind) {
    case FaultKind::kNone:
      return "no fault";
    case FaultKind::kMemoryRead:
      return "read of memory that is not there";
    case FaultKind::kMemoryWrite:
      return "write to memory that is not there or read-only";
    case FaultKind::kInstructionFetch:
      return "no code at the program counter";
    case FaultKind::kIllegalInstruction:
      return "illegal instruction";
    case FaultKind::kUnsupportedInstruction:
      return "unsupported instruction";
    case FaultKind::kRegisterOutOfRange:
      return "register outside the kernel's grant";
    case FaultKind::kMisaligned:
      return "misaligned access";
    case FaultKind::kInstructionLimit:
      return "instruction limit reached";
    case FaultKind::kTrap:
      return "trap";
    case FaultKind::kBadDispatch:
      return "impossible launch";
    case FaultKind::kEngineMismatch:
      return "generated code and interpreter differ";
    case FaultKind::kDeadlock:
      return "deadlock";
  }
  return "?";
}

std::string Fault::describe() const {
  std::string text = fmt::format("lockstep: GPU fault: {}\n", to_string(kind));
  const auto line = [&](const char* name, const std::string& value) {
    if (!value.empty()) text += fmt::format("  {:<12}{}\n", name, value);
  };
  line("kernel", kernel);
  if (kind != FaultKind::kBadDispatch) {
    line("pc", fmt::format("{:#x} (entry + {:#x})", pc, pc_offset));
    if (!instruction.empty()) line("instruction", fmt::format("{}    [{}]", instruction, bytes));
    std::string where = fmt::format("workgroup ({}, {}, {}), wave {}", workgroup[0], workgroup[1],
                                    workgroup[2], wave);
    if (lane >= 0) where += fmt::format(", lane {}", lane);
    line("where", where);
  }
  if (kind == FaultKind::kMemoryRead || kind == FaultKind::kMemoryWrite ||
      kind == FaultKind::kMisaligned)
    line("address", access_size ? fmt::format("{:#x}, {} bytes", address, access_size)
                                : fmt::format("{:#x}", address));
  line("nearest", nearest);
  line("note", detail);
  switch (kind) {
    case FaultKind::kInstructionLimit:
      line("hint",
           "the kernel may loop for ever; raise --max-instructions if it only needs longer");
      break;
    case FaultKind::kUnsupportedInstruction:
      line("hint", "`lockstep isa --coverage` lists what runs; please report the kernel");
      break;
    case FaultKind::kRegisterOutOfRange:
      line("hint", "check next_free_vgpr (and accum_offset) in the kernel descriptor");
      break;
    default:
      break;
  }
  return text;
}

}  // namespace lockstep::emu
