// SPDX-License-Identifier: MIT
// The AMDGPU metadata note as YAML, both directions.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/result.h"

namespace lockstep::asm_ {

/// The MessagePack bytes that LLVM makes of such YAML. `error_at`: offset of what is wrong.
Result<std::vector<uint8_t>> pack_metadata(std::string_view yaml, size_t& error_at);

/// YAML of which pack_metadata() makes these bytes again; nothing if there is none.
std::optional<std::string> metadata_yaml(std::span<const uint8_t> note);

}  // namespace lockstep::asm_
