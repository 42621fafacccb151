// SPDX-License-Identifier: MIT
// Input files that hold a kernel: code objects, offload bundles, or text that is no code object
// yet.
#pragma once
#include <optional>
#include <span>
#include <string>

#include "isa/result.h"
#include "isa/target.h"
#include "loader/code_object.h"

namespace lockstep::cli {

/// Parses a code object, taking the one for `target` out of a bundle. Assembly text is an error
/// that says how to assemble it.
Result<loader::CodeObject> parse_input(std::span<const uint8_t> file, const std::string& path,
                                       std::optional<isa::Target> target);

/// The kernel of that name, or the only one if the name is empty.
Result<const loader::Kernel*> choose_kernel(const loader::CodeObject& object,
                                            const std::string& name);

/// True for an ELF file or a bundle (which may be damaged).
bool looks_like_object(std::span<const uint8_t> file);
bool looks_like_text(std::span<const uint8_t> file);
/// Assembler text, by its name or because it is text.
bool is_assembly(std::span<const uint8_t> file, const std::string& path);

}  // namespace lockstep::cli
