// SPDX-License-Identifier: MIT
// Small kernels for one target, assembled from text.
#pragma once
#include <string>

#include "isa/result.h"
#include "loader/code_object.h"

namespace lockstep::runtime::testing {

/// add: out[i] = in[i] + 5 for each work-item (kernarg: in, out). spin: never ends. stray: stores to
/// the address in its kernarg. lds: item i of a workgroup of 64 gives what item 63 - i wrote to LDS.
Result<loader::CodeObject> test_kernels(isa::Target target);
/// The text that test_kernels() assembles.
std::string test_source(isa::Target target);

}  // namespace lockstep::runtime::testing
