// SPDX-License-Identifier: MIT
// What `exec --dump` prints about a kernel before it runs.
#pragma once
#include <string>
#include <vector>

#include "cli/kernarg.h"
#include "cli/launch.h"
#include "isa/result.h"

namespace lockstep::cli {

struct Dumps {
  bool descriptor = false, kernarg = false, code = false, args = false, jit = false;
};
/// Each text may be a comma list.
Result<Dumps> parse_dumps(const std::vector<std::string>& texts);
/// Prints to standard error, so that standard output stays the results.
void print_dumps(const Dumps& dumps, const LoadedObject& loaded, const loader::Kernel& kernel,
                 const Kernarg& kernarg);

}  // namespace lockstep::cli
