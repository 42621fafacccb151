// SPDX-License-Identifier: MIT
// Mnemonics to rows, with the older spellings that LLVM also accepts.
#pragma once
#include <span>
#include <string_view>

#include "isa/op.h"

namespace lockstep::asm_ {

/// Every row that `name` (lower case, without encoding suffix) can mean on this variant.
std::span<const isa::Op> ops_named(std::string_view name, isa::Isa isa);

}  // namespace lockstep::asm_
