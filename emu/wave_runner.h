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
  /// `units` is needed by the engines that generate code; `keep`: see jit::Runner.
  WaveRunner(Engine engine, std::shared_ptr<jit::UnitCaches> units,
             std::shared_ptr<RowCounts> row_counts = {}, bool keep = true)
      : row_counts_(std::move(row_counts)) {
    if (engine == Engine::kJit)
      jit_.emplace(std::move(units), row_counts_ ? jit::Runner::kCount : jit::Runner::kPlain, keep);
    if (engine == Engine::kVerify) verify_.emplace(std::move(units));
  }
  /// Starts a dispatch: code is compared with memory again.
  void begin(const CodeKey& key) {
    code_.begin(key);
    if (row_counts_ && (!counts_ || key.isa != counted_)) {
      counts_ = &row_counts_->of_worker(key.isa);
      counted_ = key.isa;
    }
    if (jit_) jit_->begin(key, counts_);
    if (verify_) verify_->begin(key);
  }
  /// Ends a dispatch: its counts are complete.
  void end() {
    if (jit_) jit_->end();
  }
  /// Runs c.wave for at most `budget` instructions; `executed` grows by what ran.
  ExitReason run(Context& c, uint64_t budget, uint64_t& executed) {
    c.counts = counts_;
    if (jit_) return jit_->run(c, code_, budget, executed);
    if (verify_) return verify_->run(c, code_, budget, executed);
    return interpret(c, code_, budget, executed);
  }

 private:
  std::shared_ptr<RowCounts> row_counts_;
  OpCounts* counts_ = nullptr;  ///< of this worker; null: nobody asks
  isa::Isa counted_ = {};       ///< whose they are
  CodeCache code_;
  std::optional<jit::Runner> jit_;
  std::optional<VerifyingRunner> verify_;
};

}  // namespace lockstep::emu
