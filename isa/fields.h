// SPDX-License-Identifier: MIT
// The encoding of an instruction as a list of fields.
#pragma once
#include <vector>

#include "isa/inst.h"

namespace lockstep::isa {

struct FieldValue {
  bool fixed = false;  ///< the bits that select the format; `field` means nothing then
  Field field = Field::op;
  unsigned low = 0;  ///< first bit, counted from the start of the instruction
  unsigned width = 0;
  uint32_t value = 0;
};

/// Every field of this encoding in order of its first bit, suffix dword included. Fields may
/// overlap where an encoding reads the same bits in two ways; bits that no field names are unused.
std::vector<FieldValue> fields_of(const Inst& inst);

/// Set bits of the first dword that no field names.
uint32_t reserved_bits(const Inst& inst);

}  // namespace lockstep::isa
