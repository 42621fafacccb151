// SPDX-License-Identifier: MIT
// `lockstep isa --coverage --engine=jit`.
#pragma once
#include <vector>

#include "isa/target.h"

namespace lockstep::cli {

/// For each instruction set of `targets`: how many executed rows the JIT compiles, and the names of
/// those that it leaves to the interpreter's handlers, by format. Returns the exit status.
int print_jit_coverage(const std::vector<isa::Target>& targets, bool as_json);

}  // namespace lockstep::cli
