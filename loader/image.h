// SPDX-License-Identifier: MIT
// From ELF tables to an image: segments, sections, symbols and relocations of a code object.
// Internal to the loader.
#pragma once
#include "isa/relocation.h"
#include "loader/code_object.h"
#include "loader/elf_file.h"

namespace lockstep::loader {

/// ET_DYN: takes the PT_LOAD segments as they are.
Result<void> build_linked_image(const ElfFile& elf, CodeObject& object);

/// ET_REL: lays the allocatable sections out (read-only, code, data), gives each GOT reference a
/// slot, and applies the relocations that do not depend on the load address, so that descriptors
/// and calls can be read at once.
Result<void> build_relocatable_image(const ElfFile& elf, CodeObject& object);

/// Image address of a section, nullopt if the section is not in memory.
using SectionAddresses = std::vector<std::optional<uint64_t>>;

/// The symbols of one SHT_SYMTAB or SHT_DYNSYM section in table order. st_value counts from the
/// section's start if `addresses` is given (ET_REL), else it is an image address.
Result<std::vector<Symbol>> read_symbols(const ElfFile& elf, size_t table,
                                         const SectionAddresses* addresses);

/// The entries of one SHT_RELA section; `place` is added to each r_offset. `total_bytes` adds their
/// sizes up: more than the file means that tables overlap.
Result<std::vector<Relocation>> read_relocations(const ElfFile& elf, size_t table, uint64_t place,
                                                 size_t symbol_count, uint64_t* total_bytes);

/// Sorts symbols by value and drops unnamed and repeated ones (.dynsym repeats .symtab).
void set_symbols(std::vector<Symbol> symbols, CodeObject& object);

/// What a relocation writes at `base`.
Result<isa::RelocatedField> compute_relocation(const Relocation& relocation, const Symbol& symbol,
                                               uint64_t base,
                                               const SymbolResolver& resolve_external);

/// "R_AMDGPU_REL32_LO at 0x40 against f+4"
std::string describe_relocation(const Relocation& relocation, const Symbol& symbol);

}  // namespace lockstep::loader
