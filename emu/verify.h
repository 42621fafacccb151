// SPDX-License-Identifier: MIT
// The engine "verify": every block runs in generated code and again in the interpreter from the
// same state; the first difference stops the dispatch.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "emu/code_cache.h"
#include "emu/jit/engine.h"

namespace lockstep::emu {

/// One worker's. Stores are made by both engines; what cannot be run twice (atomics, clocks,
/// messages, split barriers) the interpreter does alone.
class VerifyingRunner {
 public:
  explicit VerifyingRunner(std::shared_ptr<jit::UnitCaches> units)
      : jit_(std::move(units), jit::Runner::kVerify) {}
  void begin(const CodeKey& key) { jit_.begin(key); }
  /// As interpret(). A difference is a kEngineMismatch fault whose detail names the first register.
  ExitReason run(Context& c, CodeCache& code, uint64_t budget, uint64_t& executed);

 private:
  std::string difference(const Context& c) const;

  jit::Runner jit_;
  WaveState replay_;          ///< state before the block, then what the interpreter makes of it
  std::vector<uint8_t> lds_;  ///< the same for LDS
  std::string detail_;
};

}  // namespace lockstep::emu
