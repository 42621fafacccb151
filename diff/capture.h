// SPDX-License-Identifier: MIT
// The capture kernel: loads a declared state into a wave, runs the instructions under test, and
// stores the whole state. One workgroup of one wave an input.
#pragma once
#include <cstdint>
#include <string>

#include "diff/backend.h"
#include "isa/result.h"
#include "loader/code_object.h"

namespace lockstep::diff {

/// Guest addresses, the same on every back end so that addresses in registers compare equal. The
/// memory of waves is at memory_address().
inline constexpr uint64_t kCodeAddress = 0x2200'0000'0000, kInputAddress = 0x2201'0000'0000,
                          kOutputAddress = 0x2202'0000'0000, kKernargAddress = 0x2204'0000'0000;

/// What the kernel finds at its kernarg pointer.
struct CaptureArguments {
  uint64_t input = kInputAddress, output = kOutputAddress;
  uint32_t stride = 0;  ///< bytes from one wave's state to the next
  uint32_t first = 0;   ///< number of the first input
};
static_assert(sizeof(CaptureArguments) == 24);

/// Bytes of one wave's registers and LDS in the input and output buffers: its state without memory,
/// rounded up to 64.
uint32_t state_stride(const Layout& layout);

/// The kernel "capture" as assembler text. The instructions under test are in it as data.
std::string capture_source(const Program& program);
/// The same, assembled. Fails if the assembler refuses it, which is a defect.
Result<loader::CodeObject> capture_kernel(const Program& program);

/// Moves states into and out of the two buffers.
void write_states(const Program& program, uint32_t first, uint32_t count, uint8_t* input,
                  uint8_t* memory);
std::vector<State> read_states(const Layout& layout, uint32_t first, uint32_t count,
                               const uint8_t* output, const uint8_t* memory);

}  // namespace lockstep::diff
