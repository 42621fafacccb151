// SPDX-License-Identifier: MIT
// Why a wave stopped running, and the record of a guest fault. Both are data: nothing is thrown.
#pragma once
#include <cstdint>
#include <string>

namespace lockstep::emu {

enum class ExitReason : uint8_t {
  kEnd,          ///< s_endpgm
  kBarrier,      ///< waits for the workgroup
  kYield,        ///< budget slice used up, or the wave sleeps; run it again later
  kFault,        ///< memory fault or illegal state; see Fault
  kTrap,         ///< s_trap
  kUnsupported,  ///< a row without semantics, or a word that is no instruction
  kWait,         ///< a barrier of the group is not complete; the same instruction again later
};

enum class FaultKind : uint8_t {
  kNone,
  kMemoryRead,
  kMemoryWrite,
  kInstructionFetch,
  kIllegalInstruction,      ///< the word decodes to nothing on this target
  kUnsupportedInstruction,  ///< it decodes, but Lockstep has no semantics for it
  kRegisterOutOfRange,      ///< a register outside what the descriptor grants
  kMisaligned,
  kInstructionLimit,  ///< --max-instructions reached
  kTrap,
  kBadDispatch,     ///< the dispatch itself is impossible (LDS too large, group too large, ...)
  kEngineMismatch,  ///< the engine verify: generated code and interpreter differ (a Lockstep defect)
  kDeadlock,        ///< every wave waits for something that no wave can provide
};

/// A fault report. All that a person needs to find the place.
struct Fault {
  FaultKind kind = FaultKind::kNone;
  std::string kernel;        ///< kernel name if known, else "kernel at 0x..."
  uint64_t pc = 0;           ///< guest address of the instruction
  uint64_t pc_offset = 0;    ///< pc minus the kernel's entry
  std::string instruction;   ///< disassembly
  std::string bytes;         ///< hex, memory order
  int lane = -1;             ///< first faulting lane, -1 if not a lane's doing
  uint64_t address = 0;      ///< data address for memory faults
  uint32_t access_size = 0;  ///< bytes
  uint32_t workgroup[3] = {0, 0, 0};
  uint32_t wave = 0;    ///< index in the workgroup
  std::string nearest;  ///< "4 bytes past the end of arg 0 [0x..., 0x...)"
  std::string detail;   ///< anything else worth saying, and what to do

  /// Several lines for a terminal: what, where, which lane, which allocation, and what to do.
  std::string describe() const;
};

const char* to_string(FaultKind kind);

}  // namespace lockstep::emu
