// SPDX-License-Identifier: MIT
// A relocatable object in memory: what the source assembler makes, and what the ELF writer and the
// linker read.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "isa/result.h"
#include "isa/target.h"

namespace lockstep::asm_ {

// What <elf.h> lacks.
constexpr uint64_t kShfExclude = 0x80000000;      ///< not for linked objects
constexpr uint32_t kShtLlvmAddrsig = 0x6fff4c03;  ///< numbers of symbols

struct ObjectRelocation {
  uint64_t offset = 0;  ///< in its section
  uint32_t type = 0;    ///< isa::Relocation
  uint32_t symbol = 0;  ///< number in Object::symbols; 0 is none
  int64_t addend = 0;
};

struct ObjectSection {
  std::string name;
  uint32_t type = 0;   ///< SHT_*
  uint64_t flags = 0;  ///< SHF_*
  uint64_t alignment = 1;
  uint64_t entry_size = 0;
  std::string link_section;    ///< of SHF_LINK_ORDER
  std::vector<uint8_t> bytes;  ///< none of SHT_NOBITS
  uint64_t size = 0;
  std::vector<ObjectRelocation> relocations;
};

struct ObjectSymbol {
  std::string name;
  uint8_t binding = 0, type = 0, visibility = 0;  ///< STB_*, STT_*, STV_*
  /// A section's number plus 1, or SHN_UNDEF, SHN_ABS, SHN_COMMON.
  uint32_t section = 0;
  uint64_t value = 0;  ///< offset in the section; alignment of a common symbol
  uint64_t size = 0;
};

struct Object {
  isa::Target target = isa::Target::kGfx1100;
  uint32_t elf_flags = 0;
  uint8_t abi_version = 0;  ///< EI_ABIVERSION: code object version minus 2
  std::vector<ObjectSection> sections;
  std::vector<ObjectSymbol> symbols;  ///< local ones first; number 0 is the empty symbol
};

/// An ET_REL file.
std::vector<uint8_t> write_relocatable(const Object& object);

/// Links the object alone to a shared object that ROCr and HIP load, laid out like lld's. Undefined
/// symbols and relocations that do not fit are errors.
Result<std::vector<uint8_t>> link_shared(const Object& object);

}  // namespace lockstep::asm_
