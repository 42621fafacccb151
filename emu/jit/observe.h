// SPDX-License-Identifier: MIT
// Compiled code shown to people and their tools: perf's map, gdb's JIT interface, listings.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "emu/dispatch.h"
#include "emu/jit/vector_registers.h"

namespace lockstep::emu::jit {

struct Unit;

/// Where the host code of one guest instruction starts, and what was cached there.
struct Line {
  uint64_t pc = 0;
  size_t host_offset = 0;  ///< in the unit
  std::string text;        ///< the guest instruction
  bool called = false;     ///< through its Lane handler
  VectorRegisters::Picture cached = {};
};

/// One part of a unit's host code, with a name for it: "kernel+0x1c v_add_f32_e32 v1, v2, v3".
struct Symbol {
  std::string name;
  const uint8_t* start = nullptr;
  size_t size = 0;
};
/// All host code of the unit: ways in and slow paths too. `kernel` stands in front of offsets from
/// `entry`.
std::vector<Symbol> symbols_of(const Unit& unit, const std::string& kernel, uint64_t entry);

/// Guest instructions with their host bytes and the registers that were cached before each.
std::string listing_of(const Unit& unit, const std::string& kernel, uint64_t entry);

/// An ELF file that has nothing but the names of the symbols: what gdb is told.
std::vector<uint8_t> symbol_file(const std::vector<Symbol>& symbols);

/// Tells whoever `observers` names about a new unit. A file that cannot be written is reported once,
/// on standard error: the kernel runs on.
void announce(const Unit& unit, const DispatchRequest& request, const JitObservers& observers);
/// The unit's memory is about to go: gdb forgets it.
void withdraw(const Unit& unit);

}  // namespace lockstep::emu::jit
