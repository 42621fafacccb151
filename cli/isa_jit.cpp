// SPDX-License-Identifier: MIT
// Rows that the JIT compiles, counted, and the others by name.
#include "cli/isa_jit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/messages.h"
#include "emu/coverage.h"
#include "emu/jit/coverage.h"
#include "emu/jit/tier.h"
#include "isa/names.h"
#include "isa/op.h"

namespace lockstep::cli {

int print_jit_coverage(const std::vector<isa::Target>& targets, bool as_json) {
  const Result<emu::jit::Tier> chosen = emu::jit::choose_tier();
  if (!chosen) return bad_input("isa", "{}", chosen.error());
  const auto tier = *chosen == emu::jit::Tier::kNone ? emu::jit::Tier::kAvx512 : *chosen;
  const std::string_view tier_name = emu::jit::tier_name(tier);
  nlohmann::json out = nlohmann::json::array();
  std::set<isa::Isa> seen;
  for (const isa::Target target : targets) {
    const isa::TargetInfo& info = isa::target_info(target);
    if (!seen.insert(info.isa).second) continue;
    std::map<std::string_view, std::vector<std::string>> called;
    size_t executed = 0, compiled = 0;
    for (int i = 0; i < isa::kOpCount; ++i) {
      const auto op = static_cast<isa::Op>(i);
      if (!isa::exists_on(op, info.isa) || !emu::why_not_executed(op, info.isa).empty()) continue;
      ++executed;
      if (emu::jit::compiles(op, info.isa, tier))
        ++compiled;
      else
        called[isa::format_name(isa::op_info(op).format)].emplace_back(isa::op_name(op, info.isa));
    }
    if (as_json) {
      out.push_back({{"target", info.name},
                     {"tier", tier_name},
                     {"executed", executed},
                     {"compiled", compiled},
                     {"called", called}});
      continue;
    }
    fmt::print("{}: {} rows executed, {} compiled ({}), {} called\n", info.name, executed, compiled,
               tier_name, executed - compiled);
    for (const auto& [format, names] : called)
      fmt::print("  {} ({}): {}\n", format, names.size(), fmt::join(names, " "));
  }
  if (as_json) fmt::print("{}\n", out.dump(2));
  return kExitOk;
}

}  // namespace lockstep::cli
