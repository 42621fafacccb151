// SPDX-License-Identifier: MIT
// First-fit ranges of a sparse memfd.
#include "mockgpu/device_heap.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace lockstep::mockgpu {

Result<DeviceHeap> DeviceHeap::create(const char* name, uint64_t size) {
  const int fd = memfd_create(name, MFD_CLOEXEC);
  if (fd < 0) return Error{fmt::format("memfd_create({}): {}", name, strerror(errno))};
  if (ftruncate(fd, static_cast<off_t>(size)) != 0) {
    const int saved = errno;
    close(fd);
    return Error{fmt::format("ftruncate of {} to {:#x}: {}", name, size, strerror(saved))};
  }
  void* base = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
  if (base == MAP_FAILED) {
    const int saved = errno;
    close(fd);
    return Error{
        fmt::format("cannot map {:#x} bytes of address space for {}: {}; is there a limit "
                    "on virtual memory (ulimit -v)?",
                    size, name, strerror(saved))};
  }
  madvise(base, size, MADV_DONTDUMP);
  return DeviceHeap(fd, static_cast<uint8_t*>(base), size);
}

DeviceHeap::DeviceHeap(int fd, uint8_t* base, uint64_t size) : fd_(fd), base_(base), size_(size) {
  free_.emplace(0, size);
}

DeviceHeap::DeviceHeap(DeviceHeap&& other) noexcept
    : fd_(other.fd_), base_(other.base_), size_(other.size_), free_(std::move(other.free_)) {
  other.fd_ = -1;
  other.base_ = nullptr;
}

DeviceHeap::~DeviceHeap() {
  if (base_) munmap(base_, size_);
  if (fd_ >= 0) close(fd_);
}

std::optional<uint64_t> DeviceHeap::allocate(uint64_t size) {
  size = page_round(size);
  if (size == 0) return std::nullopt;
  for (auto it = free_.begin(); it != free_.end(); ++it) {
    const auto [offset, length] = *it;
    if (length < size) continue;
    free_.erase(it);
    if (length > size) free_.emplace(offset + size, length - size);
    return offset;
  }
  return std::nullopt;
}

void DeviceHeap::release(uint64_t offset, uint64_t size) {
  size = page_round(size);
  fallocate(fd_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset),
            static_cast<off_t>(size));
  auto next = free_.upper_bound(offset);
  if (next != free_.end() && offset + size == next->first) {
    size += next->second;
    next = free_.erase(next);
  }
  if (next != free_.begin()) {
    const auto previous = std::prev(next);
    if (previous->first + previous->second == offset) {
      previous->second += size;
      return;
    }
  }
  free_.emplace(offset, size);
}

}  // namespace lockstep::mockgpu
