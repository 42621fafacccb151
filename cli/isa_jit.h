// SPDX-License-Identifier: MIT
// `lockstep isa --coverage --engine=jit`.
#pragma once
#include <vector>

#include "isa/target.h"

namespace lockstep::cli {

/// For the tier that LOCKSTEP_JIT_HOST names, or the best of this host (AVX-512 where it has none), and
/// for each instruction set of `targets`: how many executed rows the JIT compiles, and the names of
/// those that it leaves to the interpreter's handlers, by format. Returns the exit status.
int print_jit_coverage(const std::vector<isa::Target>& targets, bool as_json);

}  // namespace lockstep::cli
