// SPDX-License-Identifier: MIT
// Decompression for offload bundles. Internal to the loader.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "isa/result.h"

namespace lockstep::loader {

/// Compression methods as compressed bundles number them.
enum class CompressionMethod : uint16_t { kZlib = 0, kZstd = 1 };

/// Decompresses exactly `size` bytes; less or more is an error. Memory grows with what really comes
/// out.
Result<std::vector<uint8_t>> decompress(CompressionMethod method, std::span<const uint8_t> data,
                                        uint64_t size);

}  // namespace lockstep::loader
