// SPDX-License-Identifier: MIT
// The capture kernel: loads a declared state into a wave, runs the instructions under test, and
// stores the whole state. One workgroup of one wave an input.
#pragma once
#include <array>
#include <cstdint>
#include <string>

#include "diff/backend.h"
#include "isa/result.h"
#include "loader/code_object.h"

namespace lockstep::diff {

/// What a launch reads and writes.
enum CaptureBuffer : size_t { kCode, kInput, kOutput, kMemory, kKernarg };
template <class T>
using PerBuffer = std::array<T, 5>;

/// Guest addresses, the same on every back end so that addresses in registers compare equal.
inline constexpr uint64_t kCodeAddress = 0x2200'0000'0000, kInputAddress = 0x2201'0000'0000,
                          kOutputAddress = 0x2202'0000'0000, kKernargAddress = 0x2204'0000'0000;
PerBuffer<uint64_t> capture_addresses();

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

/// Bytes that the buffers of all inputs of a program need.
PerBuffer<size_t> capture_sizes(const Program& program, const loader::CodeObject& object);
/// Fills buffers of that size, at these host addresses, for inputs [first, first + count): the code,
/// the states, the kernel arguments. Returns the kernel, which lives in `object`.
Result<const loader::Kernel*> prepare_capture(const Program& program, uint32_t first,
                                              uint32_t count, const loader::CodeObject& object,
                                              const PerBuffer<uint8_t*>& buffers);
/// The states after the launch.
std::vector<State> read_states(const Layout& layout, uint32_t first, uint32_t count,
                               const PerBuffer<uint8_t*>& buffers);

}  // namespace lockstep::diff
