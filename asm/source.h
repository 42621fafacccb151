// SPDX-License-Identifier: MIT
// A whole assembler file, in LLVM's AMDGPU syntax, to an object.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "asm/diagnostic.h"
#include "asm/object.h"
#include "isa/result.h"
#include "isa/target.h"

namespace lockstep::asm_ {

struct SourceOptions {
  /// Nothing: the file's .amdgcn_target says it.
  std::optional<isa::Target> target = {};
  /// Target features: on, off, or (nothing) any.
  std::optional<bool> xnack = {}, sramecc = {};
  unsigned wave_size = 0;  ///< 0: the usual one of the target
  /// How 16-bit operands are spelt; nothing: either way, line for line (both mean the same bits).
  std::optional<bool> real_true16 = {};
  bool cu_mode = false;   ///< +cumode: default of .amdhsa_workgroup_processor_mode
  bool tg_split = false;  ///< +tgsplit: default of .amdhsa_tg_split
  std::vector<std::string> include_paths = {};
  /// Symbols that are set before the first line.
  std::vector<std::pair<std::string, int64_t>> defines = {};
  size_t max_errors = 100;                 ///< then it stops
  size_t max_expansion = size_t{1} << 28;  ///< bytes that macros and repetitions may make
};

struct AssembledSource {
  Object object;  ///< only good if there is no error
  std::vector<Diagnostic> diagnostics;
  bool ok = false;
};

/// Sets the target of a target id ("gfx1100", "gfx90a:xnack+:sramecc-") and its features. Fails with
/// a sentence.
Result<void> apply_target_id(std::string_view id, SourceOptions& options);
/// "xnack", "sramecc", "cumode", "tgsplit"; other names are no feature of a file and change nothing.
void set_feature(SourceOptions& options, std::string_view name, bool on);

/// `name` stands in messages; .include looks beside it first.
AssembledSource assemble_source(std::string_view text, const std::string& name,
                                const SourceOptions& options);

}  // namespace lockstep::asm_
