// SPDX-License-Identifier: MIT
// Host code of guest instructions in a row, with the registers that are cached between them.
#pragma once
#include "emu/jit/control_flow.h"
#include "emu/jit/lower_memory.h"
#include "emu/jit/lower_scalar.h"
#include "emu/jit/lower_vector.h"
#include "emu/jit/observe.h"

namespace lockstep::emu::jit {

/// How one instruction is executed.
enum class Route : uint8_t {
  kNothing,
  kVector,
  kPair,
  kScalar,
  kBranch,
  kJump,
  kMemory,
  kEnd,
  kCall
};

class BlockEmitter {
 public:
  BlockEmitter(Host& host, const Mode& mode)
      : h(host),
        mode_(mode),
        registers(host, mode.wave_size / kLanes),
        vector(host, registers, mode_),
        scalar(host, mode.wave_size),
        memory(host, registers, vector, mode_) {}

  Host& h;

 private:
  Mode mode_;

 public:
  VectorRegisters registers;
  VectorLowering vector;
  ScalarLowering scalar;
  MemoryLowering memory;
  Xbyak::Label epilogue;
  std::vector<Line>* lines = nullptr;  ///< gets a line for each instruction, if it is there
  size_t called = 0;  ///< instructions that were emitted as calls of their Lane handler

  Route route(const Uop& u);
  /// Everything of the block but the branch at its end.
  void body(const Block& block);
  /// Leaves the unit: the wave continues at `pc`.
  void leave(uint64_t pc, Left why);
  void store_pc(uint64_t pc);

 private:
  Line line_of(const Instruction& i, Route way) const;
  /// What stands before each instruction's code.
  void begin(const Instruction& i, Route way);
  /// Hosts with AVX2: vector instructions from `first` on whose lanes have nothing to do with each
  /// other, all of them for eight lanes, then for the next eight. How many instructions that are; 0
  /// if there are none.
  size_t lane_run(const Block& block, size_t first);
  /// At the end of a wave, a load from `first` on whose elements a store writes and nothing else
  /// reads. How many instructions the two take, with what stands between; 0 if it is none.
  size_t copy(const Block& block, size_t first);
  void call(const Block& block, size_t index);
  void access(const Block& block, size_t index);
  void end(uint64_t pc);
  /// Goes on at the wave's pc.
  void jump();
  /// After a handler: leaves the unit if it said so.
  void check_step(const Block& block, size_t index);
  void call_handler(const Uop& u, uint64_t pc);
};

}  // namespace lockstep::emu::jit
