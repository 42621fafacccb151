// SPDX-License-Identifier: MIT
// Block-wise comparison of the engines.
#include "emu/verify.h"

#include <fmt/format.h>

#include <cstring>

#include "emu/interp.h"

namespace lockstep::emu {

void VerifyingRunner::save(const Context& c) {
  const WaveState& w = *c.wave;
  if (!replay_.vgprs || replay_.wave_size != w.wave_size || replay_.num_vgprs != w.num_vgprs ||
      replay_.num_agprs != w.num_agprs)
    replay_.allocate(w.wave_size, w.num_vgprs, w.num_agprs, w.num_sgprs);
  std::memcpy(replay_.vgprs.get(), w.vgprs.get(), size_t{w.num_vgprs} * w.wave_size * 4);
  if (w.num_agprs)
    std::memcpy(replay_.agprs.get(), w.agprs.get(), size_t{w.num_agprs} * w.wave_size * 4);
  std::memcpy(replay_.scalar, w.scalar, sizeof w.scalar);
  replay_.pc = w.pc;
  replay_.scc = w.scc;
  replay_.mode = w.mode;
  replay_.status = w.status;
  replay_.trapsts = w.trapsts;
  replay_.hw_id = w.hw_id;
  replay_.flat_scratch = w.flat_scratch;
  replay_.barrier_done = w.barrier_done;
  replay_.joined_barrier = w.joined_barrier;
  lds_.assign(c.lds, c.lds + c.lds_size);
}

std::string VerifyingRunner::difference(const Context& c, const std::vector<uint8_t>& lds) const {
  const WaveState &a = replay_, &b = *c.wave;
  const auto words = [](std::string_view what, uint64_t x, uint64_t y) {
    return fmt::format("{}: the interpreter has {:#x}, generated code {:#x}", what, x, y);
  };
  if (a.pc != b.pc) return words("pc", a.pc, b.pc);
  if (a.scc != b.scc) return words("SCC", a.scc, b.scc);
  if (a.mode != b.mode) return words("MODE", a.mode, b.mode);
  for (unsigned i = 0; i < std::size(a.scalar); ++i)
    if (a.scalar[i] != b.scalar[i])
      return words(fmt::format("scalar register {}", i), a.scalar[i], b.scalar[i]);
  for (unsigned r = 0; r < a.num_vgprs; ++r)
    for (unsigned lane = 0; lane < a.wave_size; ++lane)
      if (a.vgpr(r)[lane] != b.vgpr(r)[lane])
        return words(fmt::format("v{} lane {}", r, lane), a.vgpr(r)[lane], b.vgpr(r)[lane]);
  for (unsigned i = 0; i < a.num_agprs * a.wave_size; ++i)
    if (a.agprs[i] != b.agprs[i])
      return words(fmt::format("a{} lane {}", i / a.wave_size, i % a.wave_size), a.agprs[i],
                   b.agprs[i]);
  for (size_t i = 0; i < lds.size(); ++i)
    if (lds[i] != c.lds[i]) return words(fmt::format("LDS byte {}", i), lds[i], c.lds[i]);
  return "";
}

ExitReason VerifyingRunner::run(Context& c, CodeCache& code, uint64_t budget, uint64_t& executed) {
  for (uint64_t left = budget; left > 0;) {
    const bool special = c.wave->mode & c.special_modes;
    const jit::Runner::Known known = special ? jit::Runner::Known{} : jit_.entry_for(c);
    const uint64_t n = known.entry.code ? known.entry.instructions : 1;
    uint64_t ran = 0;
    if (!known.entry.code || n > left || known.entry.repeat == jit::Repeat::kNever) {
      c.exit = ExitReason::kEnd;
      const ExitReason reason = interpret(c, code, std::min(n, left), ran);
      left -= ran;
      executed += ran;
      if (reason != ExitReason::kYield || c.exit == ExitReason::kYield) return reason;
      continue;
    }
    save(c);
    Context again = c;
    again.wave = &replay_;
    again.lds = lds_.data();
    again.exit = c.exit = ExitReason::kEnd;
    const uint64_t start = c.wave->pc;
    const jit::Left why = jit_.enter_block(c, known);
    const ExitReason reason = interpret(again, code, n, ran);
    left -= ran;
    executed += ran;
    const bool leaves = reason != ExitReason::kYield || again.exit == ExitReason::kYield;
    detail_ = leaves != (why == jit::Left::kExit) || (leaves && again.exit != c.exit)
                  ? "one engine leaves the block and the other one does not"
                  : difference(c, lds_);
    if (!detail_.empty()) {
      c.wave->pc = start;
      c.raise(FaultKind::kEngineMismatch, -1, 0, 0, detail_.c_str());
      return ExitReason::kFault;
    }
    if (leaves) return reason;
    if (c.code_changed) {
      c.code_changed = false;
      code.invalidate();
      jit_.invalidate();
    }
  }
  return ExitReason::kYield;
}

}  // namespace lockstep::emu
