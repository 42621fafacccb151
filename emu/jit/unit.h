// SPDX-License-Identifier: MIT
// A compiled unit: host code of all that is reachable from one guest address by direct branches.
#pragma once
#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

#include "emu/footprint.h"
#include "emu/jit/control_flow.h"
#include "emu/jit/mode.h"
#include "emu/jit/observe.h"
#include "emu/prepare.h"

namespace lockstep::emu::jit {

/// A place where control may enter from outside: the start of a block.
struct Entry {
  const void* code = nullptr;
  uint32_t instructions = 0;  ///< of the block
  Repeat repeat = Repeat::kSame;
};

/// Of each unit and runner, reached through r14.
union Slot {
  const Allocation* hit;  ///< what a memory access hit last
  uint64_t count;         ///< runs of a block
};

/// Where a block counts its runs, and its instructions.
struct Counter {
  size_t slot = 0;  ///< as those of memory accesses
  std::vector<const Uop*> code;
};

struct Unit {
  uint64_t first = 0;          ///< guest interval that was compiled
  std::vector<uint8_t> bytes;  ///< what it held
  Mode mode;
  std::deque<Uop> uops;
  /// By guest address.
  std::unordered_map<uint64_t, Entry> entries;
  size_t instructions = 0, called = 0;  ///< of them through their Lane handler
  size_t host_bytes = 0;
  const uint8_t* code = nullptr;  ///< host code: host_bytes
  size_t tail = 0;                ///< where slow paths and ways in start
  std::vector<Line> lines;        ///< by host offset; only with observers
  std::vector<Mark> marks;        ///< in the order of host code
  size_t sites = 0;               ///< slots: what memory accesses hit last, counters
  std::vector<Counter> counters;  ///< none unless Mode::count
  Footprint footprint;
};

enum class Failure : uint8_t {
  kNone,
  kNoCode,    ///< nothing there can be decoded
  kTooBig,    ///< the code does not fit into the room that is left
  kInternal,  ///< the lowering ran out of host registers: a defect, see Statistics::failed
};
/// Compiles from `pc` into `memory`, which has `room` bytes; with lines if `observed`. nullptr with
/// the reason in `failure`.
std::unique_ptr<Unit> compile(Context& c, const CodeKey& key, const Mode& mode, uint64_t pc,
                              void* memory, size_t room, bool observed, Failure& failure);

}  // namespace lockstep::emu::jit
