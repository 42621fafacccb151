// SPDX-License-Identifier: MIT
// Runs waves on the chosen engine. One a worker thread: no locks on the way.
#pragma once
#include <memory>
#include <optional>

#include "emu/code_cache.h"
#include "emu/dispatch.h"
#include "emu/interp.h"
#include "emu/jit/engine.h"
#include "emu/verify.h"

namespace lockstep::emu {

class WaveRunner {
 public:
  /// `units` is needed by the engines that generate code.
  WaveRunner(Engine engine, std::shared_ptr<jit::UnitCaches> units) {
    if (engine == Engine::kJit) jit_.emplace(std::move(units));
    if (engine == Engine::kVerify) verify_.emplace(std::move(units));
  }
  /// Starts a dispatch: code is compared with memory again.
  void begin(const CodeKey& key) {
    code_.begin(key);
    if (jit_) jit_->begin(key);
    if (verify_) verify_->begin(key);
  }
  /// Runs c.wave for at most `budget` instructions; `executed` grows by what ran.
  ExitReason run(Context& c, uint64_t budget, uint64_t& executed) {
    if (jit_) return jit_->run(c, code_, budget, executed);
    if (verify_) return verify_->run(c, code_, budget, executed);
    return interpret(c, code_, budget, executed);
  }

 private:
  CodeCache code_;
  std::optional<jit::Runner> jit_;
  std::optional<VerifyingRunner> verify_;
};

}  // namespace lockstep::emu
