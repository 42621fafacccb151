// SPDX-License-Identifier: MIT
// Programs under test, and what can run them.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "diff/state.h"
#include "emu/dispatch.h"
#include "isa/result.h"

namespace lockstep::diff {

/// Instructions and the states from which they start, one wave each. The instructions end by
/// running off their end; s_endpgm is not among them.
struct Program {
  Layout layout;
  std::string name;           ///< row, or file
  std::vector<uint8_t> code;  ///< whole dwords
  std::vector<State> inputs;
  /// The instructions as text, one a line.
  std::string text() const;
  /// A copy with one input, which keeps the memory of input number `index`.
  Program with_input(State input, uint32_t index = 0) const;
};

/// What became of one wave.
struct Outcome {
  std::string fault;   ///< a word that back ends share ("memory fault"); empty: it ended well
  std::string detail;  ///< what the back end says of the fault
  State state;         ///< at the end; of the size of the input, zeros after a fault
};

/// Largest batch: inputs that one call may have.
inline constexpr uint32_t kMostInputs = kMostSlots;

class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::string name() const = 0;
  /// One outcome an input, in order. An error: the program cannot be run here at all.
  Result<std::vector<Outcome>> run(const Program& program);

 protected:
  /// Inputs [first, first + count) in one launch. If one faults, `fault` is set and there are no
  /// states.
  struct Launched {
    std::string fault = {}, detail = {};
    std::vector<State> states = {};
  };
  virtual Result<Launched> launch(const Program& program, uint32_t first, uint32_t count) = 0;
};

/// The emulator. Fails if the engine does not run on this host.
Result<std::unique_ptr<Backend>> emulator_backend(emu::Engine engine);
/// GPU number `index` through /dev/kfd; fails with a sentence that says what to do where there is
/// none.
Result<std::unique_ptr<Backend>> device_backend(size_t index);
/// The target of that GPU.
Result<isa::Target> device_target(size_t index);

}  // namespace lockstep::diff
