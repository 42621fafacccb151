// SPDX-License-Identifier: MIT
// Why an operation is encoded but not executed.
#pragma once
#include <string_view>

#include "isa/op.h"

namespace lockstep::emu {

/// What stands in the way; "" for operations that are executed on this variant.
std::string_view why_not_executed(isa::Op op, isa::Isa isa);

}  // namespace lockstep::emu
