// SPDX-License-Identifier: MIT
// AMDGPU relocations: their numbers, and what each writes. Assembler, linker and loader share this.
#pragma once
#include <cstdint>
#include <string>

#include "isa/result.h"

namespace lockstep::isa {

/// R_AMDGPU_* numbers of the ABI; <elf.h> has none.
enum Relocation : uint32_t {
  kRelocNone = 0,
  kRelocAbs32Lo = 1,
  kRelocAbs32Hi = 2,
  kRelocAbs64 = 3,
  kRelocRel32 = 4,
  kRelocRel64 = 5,
  kRelocAbs32 = 6,
  kRelocGotPcRel = 7,
  kRelocGotPcRel32Lo = 8,
  kRelocGotPcRel32Hi = 9,
  kRelocRel32Lo = 10,
  kRelocRel32Hi = 11,
  kRelocRelative64 = 13,  // there is no 12
  kRelocRel16 = 14,
};

/// "R_AMDGPU_REL32_LO", or "relocation 99" for a number that does not exist.
std::string relocation_name(uint32_t type);

/// Refers to a slot of the global offset table instead of to the symbol itself.
bool is_got_relocation(uint32_t type);
/// Its value does not change when the whole image moves.
bool is_position_independent(uint32_t type);

/// What a relocation writes: `size` bytes (0, 2, 4 or 8), little endian.
struct RelocatedField {
  uint64_t value = 0;
  uint32_t size = 0;
};
/// `value`: symbol (or its slot) plus addend; `place`: address of the field. The error says what
/// does not fit.
Result<RelocatedField> relocated_field(uint32_t type, uint64_t value, uint64_t place);

}  // namespace lockstep::isa
