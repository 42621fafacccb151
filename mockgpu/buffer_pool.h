// SPDX-License-Identifier: MIT
// Buffers of one device: who holds them, how much memory there is for them, and sharing between
// processes.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "mockgpu/device_heap.h"
#include "mockgpu/dmabuf.h"

namespace lockstep::mockgpu {

/// System memory that devices may use, over all devices of a program. The driver lets the graphics
/// memory manager have half of it, and all users together all but a 64th.
class SystemMemory {
 public:
  explicit SystemMemory(uint64_t total) : total_(total) {}
  uint64_t total() const { return total_; }
  uint64_t managed_limit() const { return total_ / 2; }
  uint64_t managed_used() const { return managed_; }
  /// managed: pages that the driver itself allocates (GTT), not the program's own.
  bool reserve(uint64_t bytes, bool managed);
  void release(uint64_t bytes, bool managed);

 private:
  const uint64_t total_;
  uint64_t managed_ = 0, all_ = 0;
};

class BufferPool;

/// VRAM or GTT memory; lives as long as a handle, an import or a descriptor of any process needs it.
class Buffer {
 public:
  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  uint64_t offset() const { return offset_; }  ///< for mmap of the render node
  uint64_t size() const { return size_; }      ///< whole pages
  uint32_t domain() const { return domain_; }  ///< KFD_IOC_ALLOC_MEM_FLAGS_VRAM or _GTT
  uint8_t* host() const { return host_; }
  /// Memory of another process: mmap of the render node at offset() is mmap of this descriptor at
  /// foreign_offset(). -1 for own memory.
  int foreign_fd() const { return foreign_fd_; }
  uint64_t foreign_offset() const { return foreign_offset_; }

 private:
  friend class BufferPool;
  Buffer(BufferPool& pool, uint64_t offset, uint64_t size, uint32_t domain, uint8_t* host)
      : pool_(pool), offset_(offset), size_(size), domain_(domain), host_(host) {}
  BufferPool& pool_;
  const uint64_t offset_, size_;
  const uint32_t domain_;
  uint8_t* const host_;
  int foreign_fd_ = -1;
  int key_fd_ = -1;  ///< what the buffer's key names
  uint64_t foreign_offset_ = 0;
};

/// Not thread-safe: callers hold the process lock. Outlives its buffers.
class BufferPool {
 public:
  BufferPool(DeviceHeap& heap, SystemMemory& system, uint64_t vram_bytes);

  uint64_t vram_used() const { return vram_used_; }
  uint64_t vram_free() const { return vram_bytes_ - vram_used_; }
  uint64_t gtt_used() const { return gtt_used_; }

  /// nullptr: out of memory of that domain.
  std::shared_ptr<Buffer> allocate(uint64_t size, uint32_t domain);
  /// A descriptor for a buffer, or a negative errno.
  int share(const Buffer& buffer, bool cloexec, bool writable) const;
  /// A key by which other processes find the buffer while this one holds it, or a negative errno.
  int name(Buffer& buffer, RangeKey& key) const;
  /// The buffer behind a descriptor; the same one if it is known here. nullptr: no memory.
  std::shared_ptr<Buffer> import(int fd, const SharedRange& range);
  /// The imported buffer of another process that has this offset for mmap, or nullptr.
  std::shared_ptr<Buffer> find_foreign(uint64_t offset) const;

  /// Offsets for mmap from here on stand for imports.
  static constexpr uint64_t kForeignOffsets = 1ull << 44;

 private:
  friend class Buffer;
  struct Range {
    uint64_t offset, size;
    uint32_t domain;
  };
  std::shared_ptr<Buffer> make(const Range& range);
  bool reserve(uint64_t size, uint32_t domain);
  void release(const Range& range);
  void retire(const Range& range);
  /// Frees what no other process needs any more.
  void reclaim();

  DeviceHeap& heap_;
  SystemMemory& system_;
  const Inode inode_;
  const uint64_t vram_bytes_;
  uint64_t vram_used_ = 0, gtt_used_ = 0;
  std::map<uint64_t, std::weak_ptr<Buffer>> own_;      ///< by offset
  std::map<uint64_t, std::weak_ptr<Buffer>> foreign_;  ///< by offset for mmap
  std::vector<Range> retired_;  ///< without holders here, but shared with others
  uint64_t next_foreign_ = kForeignOffsets;
};

}  // namespace lockstep::mockgpu
