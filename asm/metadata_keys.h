// SPDX-License-Identifier: MIT
// The keys of the AMDGPU metadata note and the kinds of their values.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

namespace lockstep::asm_ {

enum class ValueKind : uint8_t { kAny, kText, kNumber, kTruth, kTexts, kNumbers, kMaps };

struct MetadataKey {
  std::string_view name;
  ValueKind kind;
  bool required = false;
  std::span<const MetadataKey> items = {};  ///< of kMaps
};

/// Of the outermost map.
std::span<const MetadataKey> metadata_keys();

}  // namespace lockstep::asm_
