// SPDX-License-Identifier: MIT
// Assembler files to code objects, for the subcommands that take them.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "asm/source.h"
#include "isa/result.h"

namespace lockstep::cli {

/// What --mcpu ("gfx90a:xnack+") and --mattr say, for a whole file. An empty `mcpu` leaves the
/// target to the file's .amdgcn_target.
Result<asm_::SourceOptions> source_options(const std::string& mcpu, const std::string& mattr);

/// A shared object, or a relocatable one. Errors and warnings go to the standard error output;
/// nothing then.
std::optional<std::vector<uint8_t>> assemble_to_object(std::string_view text,
                                                       const std::string& name,
                                                       const asm_::SourceOptions& options,
                                                       bool relocatable);

}  // namespace lockstep::cli
