// SPDX-License-Identifier: MIT
// Interposed mmap and lseek: descriptors of shared buffers begin at their buffer, and imported
// buffers are mapped through the render node. All other files behave as they are.
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>

#include "mockgpu/preload/real.h"
#include "mockgpu/preload/session.h"

namespace lockstep::mockgpu {
namespace {

Process* current_process() {
  Session* session = Session::existing();
  return session ? session->existing_process() : nullptr;
}

template <class Real>
void* map(Real& real, void* address, size_t length, int protection, int flags, int fd,
          off64_t offset) {
  Process* process = fd < 0 || (flags & MAP_ANONYMOUS) ? nullptr : current_process();
  if (!process) return real(address, length, protection, flags, fd, offset);
  const auto position = static_cast<uint64_t>(offset);
  const Process::FileId file = process->identify(fd);
  if (file.kind == Process::FileKind::kShared) {
    const auto range = describe_shared_range(fd);
    if (!range || position > range->size || length > range->size - position) {
      errno = EINVAL;
      return MAP_FAILED;
    }
    return real(address, length, protection, flags, fd,
                static_cast<off64_t>(range->offset + position));
  }
  if (file.kind == Process::FileKind::kRender && position >= BufferPool::kForeignOffsets) {
    const std::lock_guard lock(process->mutex());
    const auto buffer = file.device->buffers().find_foreign(position);
    const uint64_t skip = buffer ? position - buffer->offset() : 0;
    if (!buffer || length > buffer->size() - skip) {
      errno = EINVAL;
      return MAP_FAILED;
    }
    return real(address, length, protection, flags, buffer->foreign_fd(),
                static_cast<off64_t>(buffer->foreign_offset() + skip));
  }
  return real(address, length, protection, flags, fd, offset);
}

// Only the size can be asked for, by going to the end; reading and writing do not exist.
template <class Real>
off64_t seek(Real& real, int fd, off64_t offset, int from) {
  Process* process = current_process();
  if (!process || process->identify(fd).kind != Process::FileKind::kShared)
    return real(fd, offset, from);
  const auto range = describe_shared_range(fd);
  if (range && offset == 0 && from == SEEK_END) return static_cast<off64_t>(range->size);
  if (range && offset == 0 && from == SEEK_SET) return 0;
  errno = EINVAL;
  return -1;
}

}  // namespace
}  // namespace lockstep::mockgpu

using namespace lockstep::mockgpu;

LOCKSTEP_EXPORT void* mmap(void* address, size_t length, int protection, int flags, int fd,
                           off_t offset) noexcept {
  static constinit Real<void*(void*, size_t, int, int, int, off_t)> real("mmap");
  return map(real, address, length, protection, flags, fd, offset);
}

LOCKSTEP_EXPORT void* mmap64(void* address, size_t length, int protection, int flags, int fd,
                             off64_t offset) noexcept {
  static constinit Real<void*(void*, size_t, int, int, int, off64_t)> real("mmap64");
  return map(real, address, length, protection, flags, fd, offset);
}

LOCKSTEP_EXPORT off_t lseek(int fd, off_t offset, int from) noexcept {
  static constinit Real<off_t(int, off_t, int)> real("lseek");
  return seek(real, fd, offset, from);
}

LOCKSTEP_EXPORT off64_t lseek64(int fd, off64_t offset, int from) noexcept {
  static constinit Real<off64_t(int, off64_t, int)> real("lseek64");
  return seek(real, fd, offset, from);
}
