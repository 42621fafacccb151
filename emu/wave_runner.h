// SPDX-License-Identifier: MIT
// Runs waves on the chosen engine. One a worker thread: no locks on the way.
#pragma once
#include <memory>
#include <optional>

#include "emu/code_cache.h"
#include "emu/interp.h"
#include "emu/jit/engine.h"

namespace lockstep::emu {

class WaveRunner {
 public:
  /// `units` may be null: then the interpreter runs everything.
  explicit WaveRunner(std::shared_ptr<jit::UnitCache> units) {
    if (units) jit_.emplace(std::move(units));
  }
  /// Starts a dispatch: code is compared with memory again.
  void begin(const CodeKey& key) {
    code_.begin(key);
    if (jit_) jit_->begin(key);
  }
  /// Runs c.wave for at most `budget` instructions; `executed` grows by what ran.
  ExitReason run(Context& c, uint64_t budget, uint64_t& executed) {
    return jit_ ? jit_->run(c, code_, budget, executed) : interpret(c, code_, budget, executed);
  }

 private:
  CodeCache code_;
  std::optional<jit::Runner> jit_;
};

}  // namespace lockstep::emu
