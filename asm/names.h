// SPDX-License-Identifier: MIT
// Mnemonics to rows, with the older spellings that LLVM also accepts.
#pragma once
#include <span>
#include <string_view>
#include <vector>

#include "isa/op.h"

namespace lockstep::asm_ {

/// Every row that `name` (lower case, without encoding suffix) can mean on this variant.
std::span<const isa::Op> ops_named(std::string_view name, isa::Isa isa);

/// Letters to insert, delete or replace between two names; `limit` + 1 if there are more.
size_t edit_distance(std::string_view a, std::string_view b, size_t limit);

/// The mnemonics of the target that are spelt most like `name`: at most five, none if even the
/// nearest differ in more than two letters.
std::vector<std::string_view> names_like(std::string_view name, isa::Isa isa);

}  // namespace lockstep::asm_
