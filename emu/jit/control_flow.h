// SPDX-License-Identifier: MIT
// The control-flow graph that is reachable from a guest address.
#pragma once
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <vector>

#include "emu/prepare.h"

namespace lockstep::emu::jit {

/// What happens when an instruction runs a second time from the same state of the wave and LDS.
enum class Repeat : uint8_t {
  kSame,    ///< the same
  kStores,  ///< the same bytes are written to memory again
  kNever,   ///< something else: atomics, clocks, messages, barriers of several waves
};
Repeat repeat_of(const Uop& u);

struct Instruction {
  uint64_t pc = 0;
  const Uop* uop = nullptr;
};

/// Instructions without a branch between them.
struct Block {
  uint64_t pc = 0;
  std::vector<Instruction> code;
  uint64_t target = 0;        ///< of the branch at the end; 0: none
  bool conditional = false;   ///< ... which may not be taken
  bool falls_through = true;  ///< control may reach what follows
  uint64_t end() const { return code.back().pc + code.back().uop->size; }
};

struct Flow {
  std::map<uint64_t, Block> blocks;  ///< by address
  uint64_t first = 0, last = 0;      ///< guest bytes that were read: [first, last)
  size_t instructions = 0;
};

/// Follows direct branches. Decoding stops quietly at what is no instruction: the interpreter meets
/// it again and reports it.
/// With `isolate`, instructions that write memory or cannot be repeated are blocks of their own.
Flow explore(Context& c, const CodeKey& key, uint64_t entry, bool isolate,
             std::deque<Uop>& storage);

}  // namespace lockstep::emu::jit
