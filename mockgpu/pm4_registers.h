// SPDX-License-Identifier: MIT
// Registers that PM4 packets may name, as data: which exist on which generation.
#pragma once
#include <cstdint>
#include <string>

#include "isa/target.h"

namespace lockstep::mockgpu {

inline constexpr uint32_t kShRegisterBase = 0x2c00;
inline constexpr uint32_t kShRegisterCount = 0x400;
inline constexpr uint32_t kUconfigRegisterBase = 0xc000;

/// Offsets of the compute registers from kShRegisterBase; the same on gfx9, gfx11 and gfx12 but for
/// RSRC3.
enum ShRegister : uint32_t {
  kDispatchInitiator = 0x200,
  kStartX = 0x204,
  kNumThreadX = 0x207,
  kPgmLo = 0x20c,
  kPgmHi = 0x20d,
  kPgmRsrc1 = 0x212,
  kPgmRsrc2 = 0x213,
  kTmpringSize = 0x218,
  kUserData0 = 0x240,
};
inline constexpr uint32_t kUserDataCount = 16;

uint32_t pgm_rsrc3_register(isa::Generation generation);

/// Name of a compute register a program may set on this generation, or nullptr.
const char* sh_register_name(isa::Generation generation, uint32_t offset);
/// Name of a user-config register that a program may set, or nullptr. `reg` is the absolute number.
const char* uconfig_register_name(uint32_t reg);

/// The HDP flush request and done registers: a write-and-wait on this pair is always satisfied,
/// because host and device memory are the same.
bool is_hdp_flush_pair(uint32_t request, uint32_t done);

}  // namespace lockstep::mockgpu
