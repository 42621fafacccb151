// SPDX-License-Identifier: MIT
// Random instructions of a row in one encoding. Internal to the generator.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "diff/random.h"
#include "isa/inst.h"

namespace lockstep::diff {

/// Registers that generated instructions use. Data: v0 up to `vgprs`, any SGPR from kFirstSgpr on.
struct Registers {
  uint32_t vgprs = 24;    ///< for data
  uint32_t agprs = 0;     ///< ACCVGPRs for data
  uint32_t address = 24;  ///< VGPR pair of a global address; then one of an offset
  uint32_t offset() const { return address + 2; }
  uint32_t total() const { return (address + 4 + 7) / 8 * 8; }
};
inline constexpr uint32_t kMemorySgpr = 8, kResourceSgpr = 12, kFirstSgpr = 16, kLastSgpr = 95;

/// One encoding of a row.
struct Form {
  isa::Format format;
  isa::Suffix suffix;
};
std::vector<Form> forms_of(isa::Op op, isa::Isa isa);
Registers registers_for(isa::Op op, isa::Isa isa);

/// An instruction that the assembler accepts in this very encoding; nothing if none was found.
std::optional<isa::Inst> random_instruction(isa::Isa isa, isa::Op op, Form form,
                                            const Registers& registers, uint32_t wave_size,
                                            Random& random);

}  // namespace lockstep::diff
