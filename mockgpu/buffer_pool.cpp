// SPDX-License-Identifier: MIT
// Accounting, life and import of buffers.
#include "mockgpu/buffer_pool.h"

#include <linux/kfd_ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

namespace lockstep::mockgpu {
namespace {

constexpr bool is_vram(uint32_t domain) { return domain & KFD_IOC_ALLOC_MEM_FLAGS_VRAM; }

}  // namespace

bool SystemMemory::reserve(uint64_t bytes, bool managed) {
  if (bytes > total_ - total_ / 64 - all_) return false;
  if (managed && bytes > managed_limit() - managed_) return false;
  all_ += bytes;
  if (managed) managed_ += bytes;
  return true;
}

void SystemMemory::release(uint64_t bytes, bool managed) {
  all_ -= bytes;
  if (managed) managed_ -= bytes;
}

Buffer::~Buffer() {
  if (key_fd_ >= 0) close(key_fd_);
  if (foreign_fd_ >= 0) {
    pool_.foreign_.erase(offset_);
    munmap(host_, size_);
    close(foreign_fd_);
    return;
  }
  pool_.own_.erase(offset_);
  pool_.retire({offset_, size_, domain_});
}

BufferPool::BufferPool(DeviceHeap& heap, SystemMemory& system, uint64_t vram_bytes)
    : heap_(heap), system_(system), inode_(inode_of(heap.fd())), vram_bytes_(vram_bytes) {
  heap_.allocate(kPageBytes);  // position 0 of the file names no buffer
}

bool BufferPool::reserve(uint64_t size, uint32_t domain) {
  if (is_vram(domain)) {
    if (size > vram_free()) return false;
    vram_used_ += size;
    return true;
  }
  if (!system_.reserve(size, true)) return false;
  gtt_used_ += size;
  return true;
}

void BufferPool::release(const Range& range) {
  if (is_vram(range.domain)) {
    vram_used_ -= range.size;
  } else {
    system_.release(range.size, true);
    gtt_used_ -= range.size;
  }
  heap_.release(range.offset, range.size);
}

void BufferPool::retire(const Range& range) {
  if (is_range_shared(heap_.fd(), range.offset, range.size)) {
    retired_.push_back(range);
  } else {
    release(range);
  }
}

void BufferPool::reclaim() {
  std::erase_if(retired_, [&](const Range& range) {
    if (is_range_shared(heap_.fd(), range.offset, range.size)) return false;
    release(range);
    return true;
  });
}

std::shared_ptr<Buffer> BufferPool::make(const Range& range) {
  std::shared_ptr<Buffer> buffer(
      new Buffer(*this, range.offset, range.size, range.domain, heap_.host(range.offset)));
  own_[range.offset] = buffer;
  return buffer;
}

std::shared_ptr<Buffer> BufferPool::allocate(uint64_t size, uint32_t domain) {
  reclaim();
  const uint64_t bytes = page_round(size);
  if (bytes < size || !reserve(bytes, domain)) return nullptr;
  const auto offset = heap_.allocate(bytes);
  if (!offset) {
    if (is_vram(domain)) {
      vram_used_ -= bytes;
    } else {
      system_.release(bytes, true);
      gtt_used_ -= bytes;
    }
    return nullptr;
  }
  return make({*offset, bytes, domain});
}

int BufferPool::share(const Buffer& buffer, bool cloexec, bool writable) const {
  const bool own = buffer.foreign_fd_ < 0;
  return make_shared_range(own ? heap_.fd() : buffer.foreign_fd_,
                           own ? buffer.offset_ : buffer.foreign_offset_, buffer.size_,
                           buffer.domain_, cloexec, writable);
}

int BufferPool::name(Buffer& buffer, RangeKey& key) const {
  if (buffer.key_fd_ < 0) {
    const int fd = share(buffer, true, true);
    if (fd < 0) return fd;
    buffer.key_fd_ = fd;
  }
  key = key_of_shared_range(buffer.key_fd_);
  return 0;
}

std::shared_ptr<Buffer> BufferPool::import(int fd, const SharedRange& range) {
  if (range.heap == inode_) {
    const auto known = own_.find(range.offset);
    if (known != own_.end()) return known->second.lock();
    const auto retired = std::ranges::find(retired_, range.offset, &Range::offset);
    if (retired == retired_.end()) return nullptr;
    const Range revived = *retired;
    retired_.erase(retired);
    return make(revived);
  }
  for (const auto& [offset, weak] : foreign_) {
    const std::shared_ptr<Buffer> buffer = weak.lock();
    if (buffer && buffer->foreign_offset_ == range.offset &&
        inode_of(buffer->foreign_fd_) == range.heap)
      return buffer;
  }
  // A lock of our own keeps the range alive after the program has closed its descriptor.
  const int lease = make_shared_range(fd, range.offset, range.size, range.domain, true, true);
  if (lease < 0) return nullptr;
  // A raw call: to the interposed one, the descriptor's first byte is that of the buffer.
  const long mapped = syscall(SYS_mmap, nullptr, range.size, PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_NORESERVE, lease, range.offset);
  void* host = reinterpret_cast<void*>(mapped);
  if (host == MAP_FAILED) {
    close(lease);
    return nullptr;
  }
  std::shared_ptr<Buffer> buffer(
      new Buffer(*this, next_foreign_, range.size, range.domain, static_cast<uint8_t*>(host)));
  next_foreign_ += range.size;
  buffer->foreign_fd_ = lease;
  buffer->foreign_offset_ = range.offset;
  foreign_[buffer->offset_] = buffer;
  return buffer;
}

std::shared_ptr<Buffer> BufferPool::find_foreign(uint64_t offset) const {
  auto it = foreign_.upper_bound(offset);
  if (it == foreign_.begin()) return nullptr;
  const std::shared_ptr<Buffer> buffer = std::prev(it)->second.lock();
  return buffer && offset - buffer->offset() < buffer->size() ? buffer : nullptr;
}

}  // namespace lockstep::mockgpu
