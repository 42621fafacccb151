// SPDX-License-Identifier: MIT
// Matches --arg SPECs with what a kernel's metadata asks for, and builds the kernarg segment.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/arena.h"
#include "cli/arg_spec.h"
#include "cli/launch.h"
#include "isa/result.h"
#include "loader/code_object.h"

namespace lockstep::cli {

/// One argument with its place in the kernarg segment and, for buffers, its memory.
struct BoundArg {
  ArgSpec spec;
  std::string name;  ///< from the metadata; may be empty
  uint64_t offset = 0;
  uint64_t size = 0;
  Shape shape;                ///< buffers
  std::span<uint8_t> memory;  ///< buffers; empty if the array has no elements
};

struct Kernarg {
  std::vector<BoundArg> args;
  std::span<uint8_t> memory;  ///< the segment; empty if the kernel has none
  uint32_t dynamic_lds = 0;
};

/// Allocates and fills all arguments. Errors name the argument: "argument 2 (n): ...". Without
/// metadata arguments go to their natural alignment in order.
Result<Kernarg> build_kernarg(const loader::Kernel& kernel, const LaunchShape& shape,
                              const std::vector<ArgSpec>& specs, uint32_t max_lds, Arena& arena);

/// "vector_add(float* out, float* a, int n)", as far as the metadata tells.
std::string signature(const loader::Kernel& kernel);

}  // namespace lockstep::cli
