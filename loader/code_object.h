// SPDX-License-Identifier: MIT
// Code objects in: parse an AMDGPU ELF file (V3 to V6, linked or relocatable) and load it into
// memory.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/result.h"
#include "isa/target.h"
#include "loader/kernel_descriptor.h"
#include "loader/metadata.h"

namespace lockstep::loader {

/// A target feature as e_flags states it (xnack, sramecc).
enum class FeatureSetting : uint8_t { kUnsupported, kAny, kOff, kOn };

/// One interval of the image that load() fills. Addresses are image addresses: offsets from where
/// the image is put.
struct Segment {
  uint64_t address = 0;
  uint64_t memory_size = 0;  ///< bytes in memory; what `bytes` does not cover is zero
  uint64_t alignment = 1;
  uint64_t file_offset = 0;  ///< where it came from
  bool readable = true;
  bool writable = false;
  bool executable = false;
  std::vector<uint8_t>
      bytes;  ///< file contents; in a relocatable object already relocated where no base is needed
};

/// A section of the image. Only sections that are in memory are listed.
struct Section {
  std::string name;
  uint64_t address = 0;
  uint64_t size = 0;
  bool executable = false;
};

enum class SymbolKind : uint8_t { kNone, kFunction, kObject, kSection, kFile, kOther };

struct Symbol {
  std::string name;
  SymbolKind kind = SymbolKind::kNone;
  uint64_t value = 0;  ///< image address, or the value itself if `absolute`
  uint64_t size = 0;
  bool defined = false;
  bool absolute = false;
  bool local = false;
  bool weak = false;
};

struct Relocation {
  uint64_t address = 0;  ///< image address of the field
  uint32_t type = 0;     ///< R_AMDGPU_*, see relocation_name()
  int64_t addend = 0;
  uint32_t symbol = 0;               ///< what it refers to, in CodeObject::relocation_symbols
  std::optional<uint64_t> got_slot;  ///< GOTPCREL*: image address of the slot that the loader made
};

struct Kernel {
  std::string name;
  KernelDescriptor descriptor;
  uint64_t descriptor_address = 0;         ///< image address
  uint64_t entry = 0;                      ///< image address of the first instruction
  uint64_t code_size = 0;                  ///< bytes, from the symbol; 0 if there is none
  std::optional<KernelMetadata> metadata;  ///< absent if the object has no metadata note
};

/// A parsed code object. Owns everything: the bytes that it came from may go.
struct CodeObject {
  isa::Target target = isa::Target::kGfx1100;
  FeatureSetting xnack = FeatureSetting::kUnsupported;
  FeatureSetting sramecc = FeatureSetting::kUnsupported;
  uint32_t e_flags = 0;
  int version = 0;           ///< code object version, 3 to 6
  bool relocatable = false;  ///< ET_REL: laid out by the loader
  uint64_t image_size = 0;   ///< bytes of memory that load() needs
  uint64_t image_alignment = 1;
  std::vector<Segment> segments;  ///< sorted by address, not overlapping
  std::vector<Section> sections;
  std::vector<Symbol>
      symbols;  ///< all named ones, sorted by value; kernels and other functions alike
  std::vector<Relocation> relocations;
  std::vector<Symbol>
      relocation_symbols;  ///< in file order; number 0 is no symbol (an absolute 0 without a name)
  std::vector<Kernel> kernels;
  std::optional<Metadata> metadata;

  /// nullptr if there is none of that name.
  const Kernel* find_kernel(std::string_view name) const;
  /// The function that covers an image address (else the nearest one before it in the same
  /// section), or nullptr.
  const Symbol* find_function(uint64_t address) const;
  const Section* find_section(std::string_view name) const;
  /// ".text", or the first executable section; nullptr if there is no code.
  const Section* text() const;
  /// File contents at [address, address + size) of the image; empty if any of it is not file
  /// contents.
  std::span<const uint8_t> bytes_at(uint64_t address, uint64_t size) const;
  /// "gfx90a:sramecc+:xnack-": features that are not named are "any" or not there.
  std::string target_id() const;
};

/// Largest image that is accepted: a damaged size must not ask for all memory there is.
inline constexpr uint64_t kMaxImageSize = uint64_t{1} << 32;

/// True if the bytes begin like an AMDGPU ELF file (which need not be a valid one).
bool is_code_object(std::span<const uint8_t> bytes);

/// Parses a code object. Never throws, never reads out of bounds; errors name field, offset and
/// sizes.
Result<CodeObject> parse_code_object(std::span<const uint8_t> bytes);

/// Address of an external symbol, nullopt if unknown.
using SymbolResolver = std::function<std::optional<uint64_t>(std::string_view name)>;

/// Loads the image into `memory` (at least image_size bytes), which the device sees at `base` (a
/// multiple of image_alignment): copies segments, zeroes all else, applies relocations. Image
/// address a is at base + a then.
Result<void> load_code_object(const CodeObject& object, std::span<uint8_t> memory, uint64_t base,
                              const SymbolResolver& resolve_external = {});

/// "R_AMDGPU_REL32_LO", or "relocation 99" for a number that does not exist.
std::string relocation_name(uint32_t type);

}  // namespace lockstep::loader
