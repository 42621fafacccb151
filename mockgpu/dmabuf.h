// SPDX-License-Identifier: MIT
// Buffers as file descriptors that other processes can hold: how one is made and recognised.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace lockstep::mockgpu {

/// A file's identity, the same in every process.
struct Inode {
  uint64_t device = 0, number = 0;
  bool operator==(const Inode&) const = default;
};
/// {} if the descriptor is closed. Keeps errno.
Inode inode_of(int fd);

/// A range of some device heap, of this process or of another one.
///
/// The descriptor is one more open file description of the heap. Its file position says which range
/// it stands for, and a shared lock on the range says how long that is and that somebody needs it:
/// both follow the description over sockets and forks, and the kernel drops the lock with the last
/// copy, however its holder dies.
struct SharedRange {
  Inode heap;
  std::string heap_name;  ///< as given to DeviceHeap::create
  uint64_t offset = 0;
  uint64_t size = 0;
  uint32_t domain = 0;  ///< KFD_IOC_ALLOC_MEM_FLAGS_VRAM or _GTT
};

/// A new descriptor for a range of a heap, or a negative errno. cloexec and writable as asked.
int make_shared_range(int heap_fd, uint64_t offset, uint64_t size, uint32_t domain, bool cloexec,
                      bool writable);
/// What a descriptor stands for; nothing if it is no such descriptor. Keeps errno.
std::optional<SharedRange> describe_shared_range(int fd);

/// A name for a range that other processes can open without being sent a descriptor. It holds as
/// long as `fd`, a descriptor of the range, stays open in this process.
using RangeKey = std::array<uint32_t, 4>;
RangeKey key_of_shared_range(int fd);
/// A new descriptor for the range, or a negative errno: EINVAL if the key names none (any more).
int open_shared_range(const RangeKey& key);
/// True while any descriptor or import needs a byte of the range.
bool is_range_shared(int heap_fd, uint64_t offset, uint64_t size);

}  // namespace lockstep::mockgpu
