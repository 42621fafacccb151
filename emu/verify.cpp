// SPDX-License-Identifier: MIT
// Block-wise comparison of the engines.
#include "emu/verify.h"

#include <fmt/format.h>

#include <algorithm>

#include "emu/interp.h"

namespace lockstep::emu {

std::string VerifyingRunner::difference(const Context& c) const {
  std::string text = first_difference(replay_, *c.wave);
  const auto at = std::mismatch(lds_.begin(), lds_.end(), c.lds);
  if (text.empty() && at.first != lds_.end())
    text = fmt::format("LDS byte {}: {:#x} against {:#x}", at.first - lds_.begin(), *at.first,
                       *at.second);
  return text.empty() ? text : "interpreter against generated code: " + text;
}

ExitReason VerifyingRunner::run(Context& c, CodeCache& code, uint64_t budget, uint64_t& executed) {
  for (uint64_t left = budget; left > 0;) {
    jit_.follow(c, code);
    const bool special = c.wave->mode & c.special_modes;
    const jit::Runner::Known known = special ? jit::Runner::Known{} : jit_.entry_for(c);
    const uint64_t n = known.entry.code ? known.entry.instructions : 1;
    uint64_t ran = 0;
    if (!known.entry.code || n > left || known.entry.repeat == jit::Repeat::kNever) {
      const auto reason = interpret_until_exit(c, code, std::min(n, left), ran);
      left -= ran;
      executed += ran;
      if (reason) return *reason;
      continue;
    }
    replay_.copy_from(*c.wave);
    lds_.assign(c.lds, c.lds + c.lds_size);
    Context again = c;
    again.wave = &replay_;
    again.lds = lds_.data();
    const uint64_t start = c.wave->pc;
    const jit::Left why = jit_.enter_block(c, known);
    const auto reason = interpret_until_exit(again, code, n, ran);
    left -= ran;
    executed += ran;
    const bool same_end =
        reason.has_value() == (why == jit::Left::kExit) && (!reason || *reason == c.exit);
    detail_ = same_end ? difference(c) : "one engine leaves the block and the other one does not";
    if (!detail_.empty()) {
      c.wave->pc = start;
      c.raise(FaultKind::kEngineMismatch, -1, 0, 0, detail_.c_str());
      return ExitReason::kFault;
    }
    if (reason) return *reason;
  }
  return ExitReason::kYield;
}

}  // namespace lockstep::emu
