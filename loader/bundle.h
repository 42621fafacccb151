// SPDX-License-Identifier: MIT
// Clang offload bundles: several code objects in one file, plain or compressed, also inside host
// executables.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/result.h"
#include "isa/target.h"

namespace lockstep::loader {

struct BundleEntry {
  std::string id;       ///< as written: "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack+"
  uint64_t offset = 0;  ///< in Bundle::bytes
  uint64_t size = 0;
  std::string offload_kind;  ///< "hipv4", "host", ...
  std::string target_id;     ///< "gfx90a:xnack+"; empty for host entries
};

struct Bundle {
  uint64_t file_offset = 0;    ///< where it starts in the file that was searched
  std::vector<uint8_t> bytes;  ///< the plain (decompressed) bundle
  std::vector<BundleEntry> entries;

  std::span<const uint8_t> contents(const BundleEntry& entry) const;
};

/// True if the bytes start with the magic of a plain or compressed bundle.
bool is_bundle(std::span<const uint8_t> bytes);

/// Parses one bundle at the start of `bytes` (which may go on behind it); decompresses it if need
/// be.
Result<Bundle> parse_bundle(std::span<const uint8_t> bytes);

/// All bundles of a file: a file of one or more bundles, or a host ELF file with a .hip_fatbin
/// section.
Result<std::vector<Bundle>> find_bundles(std::span<const uint8_t> file);

/// The entry for a target. `features` (":xnack+:sramecc-") excludes entries that say otherwise. Of
/// several that fit, the one that agrees most with it wins; what it does not name counts as the
/// cards' defaults, xnack- and sramecc+. The error lists what there is.
Result<BundleEntry> select_entry(const Bundle& bundle, isa::Target target,
                                 std::string_view features = {});

/// Whatever file a user has: a code object as it is, else the first one in its bundles that fits
/// `target` (or the only one, if no target is given).
Result<std::vector<uint8_t>> extract_code_object(std::span<const uint8_t> file,
                                                 std::optional<isa::Target> target = std::nullopt);

}  // namespace lockstep::loader
