// SPDX-License-Identifier: MIT
// Reads and writes memory at addresses that a program passed to an ioctl: a bad pointer is EFAULT,
// not a crash.
#pragma once
#include <cstddef>
#include <cstdint>

namespace lockstep::mockgpu {

bool copy_from_user(void* to, uint64_t from, size_t size);
bool copy_to_user(uint64_t to, const void* from, size_t size);
/// True if every page of the range can be read, as the driver finds when it pins them.
bool is_user_range(uint64_t address, uint64_t size);

}  // namespace lockstep::mockgpu
