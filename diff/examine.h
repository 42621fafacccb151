// SPDX-License-Identifier: MIT
// From "these two differ" to one instruction, the smallest input, and a file that shows it.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "diff/backend.h"

namespace lockstep::diff {

/// One difference, ready for a report.
struct Finding {
  std::string name;         ///< of the program
  std::string instruction;  ///< the first that differs; the whole program if no single one does
  std::string a, b;         ///< back ends
  std::string outcome;      ///< "3 words differ", or what each of them met
  std::vector<std::string> differences;  ///< "v5 lane 3: 0x1 against 0x2"; the first few
  std::string note;                      ///< what else is worth saying; may be empty
  std::string reproducer;                ///< an assembler file with declared inputs
};

/// Whether two outcomes of one input differ.
bool differ(const Layout& layout, const Outcome& a, const Outcome& b);

/// Runs the program instruction by instruction on both, each from the state that `a` reached, and
/// gives the first instruction that differs as a program of its own with its input. Conditional
/// branches follow the state. Nothing: none differs alone, `why` says how far it went.
std::optional<Program> first_difference(Backend& a, Backend& b, const Program& program,
                                        const State& input, std::string& why);

/// Makes the one input simpler as long as the two still differ: fewer lanes, zeros, usual modes.
Program shrink(Backend& a, Backend& b, const Program& program);

/// The whole way for one input of a program, given by its number.
Finding examine(Backend& a, Backend& b, const Program& program, uint32_t input);
/// What `a` made of an input against what was recorded of `b`, which cannot run again. Registers
/// that the instruction does not name are cleared where `a` shows that they play no part.
Finding compare_recorded(Backend& a, const Program& program, uint32_t input, const Outcome& seen,
                         const std::string& b, const Outcome& recorded);

}  // namespace lockstep::diff
