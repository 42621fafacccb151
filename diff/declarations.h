// SPDX-License-Identifier: MIT
// The lines ";@ PLACE = VALUES". Internal to program_text.cpp.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "diff/random.h"
#include "diff/state.h"
#include "isa/result.h"

namespace lockstep::diff {

/// One declaration, its line number for messages.
struct Declaration {
  unsigned line = 0;
  std::string place;   ///< "v3", "s[8:9]", "exec", "lds[0x40]", "wave", ..
  std::string values;  ///< text behind the =
};
/// ";@ place = values"; nothing if the line is no declaration.
Result<std::vector<Declaration>> find_declarations(std::string_view text, const std::string& name);

/// Sets target, wave size and sizes; true if the declaration was one of these.
Result<bool> apply_to_layout(const Declaration& d, Layout& layout, bool& sized);
/// Sets registers or memory of input number `index`.
Result<void> apply_to_state(const Declaration& d, const Layout& layout, uint32_t index,
                            Random& random, State& state);
/// Whether the values name the program's memory.
bool names_memory(const Declaration& d);

}  // namespace lockstep::diff
