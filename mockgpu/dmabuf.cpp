// SPDX-License-Identifier: MIT
// Positions and locks of open file descriptions.
#include "mockgpu/dmabuf.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/kfd_ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

#include "mockgpu/device_heap.h"

namespace lockstep::mockgpu {
namespace {

// Raw calls: the interposed ones ask this very file.
int64_t seek(int fd, int64_t offset, int from) { return syscall(SYS_lseek, fd, offset, from); }

int reopen(int fd, int flags) {
  const std::string path = fmt::format("/proc/self/fd/{}", fd);
  return static_cast<int>(syscall(SYS_openat, AT_FDCWD, path.c_str(), flags, 0));
}

struct flock lock_of(short type, uint64_t offset, uint64_t size) {
  struct flock lock{};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = static_cast<off_t>(offset);
  lock.l_len = static_cast<off_t>(size);
  return lock;
}

// The name of a memfd; empty for other files.
std::string memfd_name(int fd) {
  char target[128];
  const std::string path = fmt::format("/proc/self/fd/{}", fd);
  const long length = syscall(SYS_readlinkat, AT_FDCWD, path.c_str(), target, sizeof target);
  std::string_view name(target, length > 0 ? static_cast<size_t>(length) : 0);
  constexpr std::string_view kPrefix = "/memfd:";
  if (!name.starts_with(kPrefix)) return {};
  name.remove_prefix(kPrefix.size());
  return std::string(name.substr(0, name.find(' ')));
}

class KeepErrno {
 public:
  ~KeepErrno() { errno = saved_; }

 private:
  int saved_ = errno;
};

// The low bits of the position: ranges start at pages.
constexpr uint64_t kDomains = KFD_IOC_ALLOC_MEM_FLAGS_VRAM | KFD_IOC_ALLOC_MEM_FLAGS_GTT;
constexpr int kDomainBits = 2;

// The length of the range that others have locked from an offset on; 0 if there is none.
uint64_t locked_size(int fd, uint64_t offset) {
  struct flock lock = lock_of(F_WRLCK, offset, 1);
  const bool found = fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK &&
                     lock.l_start == static_cast<off_t>(offset);
  return found ? static_cast<uint64_t>(lock.l_len) : 0;
}

}  // namespace

Inode inode_of(int fd) {
  const KeepErrno keep;
  struct statx info{};
  if (syscall(SYS_statx, fd, "", AT_EMPTY_PATH, STATX_INO, &info) != 0) return {};
  return {static_cast<uint64_t>(info.stx_dev_major) << 32 | info.stx_dev_minor, info.stx_ino};
}

int make_shared_range(int heap_fd, uint64_t offset, uint64_t size, uint32_t domain, bool cloexec,
                      bool writable) {
  const int fd = reopen(heap_fd, (writable ? O_RDWR : O_RDONLY) | (cloexec ? O_CLOEXEC : 0));
  if (fd < 0) return -errno;
  struct flock lock = lock_of(F_RDLCK, offset, size);
  if (fcntl(fd, F_OFD_SETLK, &lock) != 0 ||
      seek(fd, static_cast<int64_t>(offset | domain), SEEK_SET) < 0) {
    const int error = errno;
    close(fd);
    return -error;
  }
  return fd;
}

RangeKey key_of_shared_range(int fd) {
  const auto position = static_cast<uint64_t>(seek(fd, 0, SEEK_CUR));
  const uint64_t page = position / kPageBytes, domain = position & kDomains;
  static_assert(kDomains < 1u << kDomainBits);
  return {static_cast<uint32_t>(getpid()), static_cast<uint32_t>(fd),
          static_cast<uint32_t>(page << kDomainBits | domain),
          static_cast<uint32_t>(inode_of(fd).number)};
}

int open_shared_range(const RangeKey& key) {
  const KeepErrno keep;
  const std::string path = fmt::format("/proc/{}/fd/{}", key[0], key[1]);
  const int found =
      static_cast<int>(syscall(SYS_openat, AT_FDCWD, path.c_str(), O_RDWR | O_CLOEXEC, 0));
  if (found < 0) return -EINVAL;
  const uint64_t offset = uint64_t{key[2] >> kDomainBits} * kPageBytes;
  const bool same = static_cast<uint32_t>(inode_of(found).number) == key[3] &&
                    memfd_name(found).starts_with(kHeapPrefix);
  const uint64_t size = same ? locked_size(found, offset) : 0;
  const int fd = size ? make_shared_range(found, offset, size,
                                          static_cast<uint32_t>(key[2] & kDomains), true, true)
                      : -EINVAL;
  close(found);
  return fd;
}

std::optional<SharedRange> describe_shared_range(int fd) {
  const KeepErrno keep;
  const int64_t position = seek(fd, 0, SEEK_CUR);
  if (position < static_cast<int64_t>(kPageBytes)) return std::nullopt;
  SharedRange range;
  range.heap_name = memfd_name(fd);
  if (!range.heap_name.starts_with(kHeapPrefix)) return std::nullopt;
  range.heap = inode_of(fd);
  range.domain = static_cast<uint32_t>(position) & kDomains;
  range.offset = static_cast<uint64_t>(position) & ~(kPageBytes - 1);
  // A description does not see its own locks, so another one asks.
  const int other = reopen(fd, O_RDWR | O_CLOEXEC);
  if (other < 0) return std::nullopt;
  range.size = locked_size(other, range.offset);
  close(other);
  if (range.size == 0) return std::nullopt;
  return range;
}

bool is_range_shared(int heap_fd, uint64_t offset, uint64_t size) {
  const KeepErrno keep;
  struct flock lock = lock_of(F_WRLCK, offset, size);
  return fcntl(heap_fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

}  // namespace lockstep::mockgpu
