// SPDX-License-Identifier: MIT
// Uses the installed package: prints, target by target, how many instructions exist and how many are executed.
#include <cstdio>
#include <string>

#include "isa/op.h"
#include "isa/target.h"

int main() {
  using namespace lockstep::isa;
  std::printf("%-36s %12s %10s\n", "targets", "instructions", "executed");
  for (int i = 0; i < kIsaCount; ++i) {
    const Isa isa = static_cast<Isa>(i);
    std::string names;
    for (const TargetInfo& target : all_targets()) {
      if (target.isa == isa) names += (names.empty() ? "" : " ") + std::string(target.name);
    }
    int known = 0;
    int executed = 0;
    for (int op = 0; op < kOpCount; ++op) {
      if (!exists_on(static_cast<Op>(op), isa)) continue;
      ++known;
      executed += has_semantics(static_cast<Op>(op)) ? 1 : 0;
    }
    if (known == 0) return 1;
    std::printf("%-36s %12d %10d\n", names.c_str(), known, executed);
  }
  return 0;
}
