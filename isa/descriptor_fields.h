// SPDX-License-Identifier: MIT
// The fields of an amdhsa kernel descriptor by the names of their .amdhsa_ directives: where the
// bits are, and which generations have them. Assembler and disassembler read it.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "isa/target.h"

namespace lockstep::isa {

inline constexpr unsigned kDescriptorSize = 64;
/// Byte offsets of the words.
enum DescriptorWord : uint8_t {
  kGroupSegmentSize = 0,
  kPrivateSegmentSize = 4,
  kKernargSize = 8,
  kEntryOffset = 16,  ///< 64 bits: entry minus descriptor
  kPgmRsrc3 = 44,
  kPgmRsrc1 = 48,
  kPgmRsrc2 = 52,
  kCodeProperties = 56,  ///< 16 bits
  kKernargPreload = 58,  ///< 16 bits
};

struct DescriptorField {
  std::string_view name;  ///< without ".amdhsa_"
  DescriptorWord word;
  uint8_t low, width;
  uint8_t targets;         ///< of DescriptorTargets
  uint8_t user_sgprs = 0;  ///< SGPRs that it asks for
};

/// Sets of targets that differ in their descriptors.
enum DescriptorTargets : uint8_t {
  kOn90a = 1,
  kOn94x = 2,  ///< gfx942, gfx950
  kOn11 = 4,
  kOn12 = 8,
  kOnAll = 15,
};
DescriptorTargets descriptor_targets(Target target);

/// In the order in which compilers write them. Sizes in registers are no fields of this list: they
/// are computed (see granulated_vgprs()).
std::span<const DescriptorField> descriptor_fields();
const DescriptorField* find_descriptor_field(std::string_view name, Target target);

/// Value of a field in 64 descriptor bytes.
uint32_t get_descriptor_field(std::span<const uint8_t> descriptor, const DescriptorField& field);
void set_descriptor_field(std::span<uint8_t> descriptor, const DescriptorField& field,
                          uint32_t value);
uint32_t descriptor_word(std::span<const uint8_t> descriptor, DescriptorWord word);

/// Register counts, as rsrc1 and rsrc3 hold them.
inline constexpr DescriptorField kGranulatedVgprs = {"granulated_vgprs", kPgmRsrc1, 0, 6, kOnAll};
inline constexpr DescriptorField kGranulatedSgprs = {"granulated_sgprs", kPgmRsrc1, 6, 4,
                                                     kOn90a | kOn94x};
inline constexpr DescriptorField kAccumOffset = {"accum_offset", kPgmRsrc3, 0, 6, kOn90a | kOn94x};
/// VGPRs (SGPRs) that one step of the field stands for.
unsigned vgpr_granule(Target target, bool wave32);
inline constexpr unsigned kSgprGranule = 8;  ///< gfx9; later targets hold no count

/// SGPRs behind the numbered ones that a kernel of gfx9 pays for.
unsigned extra_sgprs(Target target, bool vcc, bool flat_scratch, bool xnack);
/// gfx942 and later: the hardware sets FLAT_SCRATCH up by itself.
bool has_architected_flat_scratch(Target target);

}  // namespace lockstep::isa
