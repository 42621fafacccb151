// SPDX-License-Identifier: MIT
// Mappings of this process: one by an ioctl of /proc/self/maps, or all from its text.
#include "emu/process_maps.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <mutex>

namespace lockstep::emu {
namespace {

// struct procmap_query of linux/fs.h, which headers older than Linux 6.11 do not have.
struct Query {
  uint64_t size = sizeof(Query);
  uint64_t flags = 0;  // 0: the mapping that covers the address
  uint64_t address = 0;
  uint64_t start = 0, end = 0, rights = 0, page_size = 0, offset = 0, inode = 0;
  uint32_t device_major = 0, device_minor = 0, name_size = 0, build_id_size = 0;
  uint64_t name = 0, build_id = 0;
};
constexpr unsigned long kQuery = _IOWR('f', 17, Query);
constexpr uint64_t kReadable = 1, kWritable = 2;
constexpr const char* kLabel = "process memory";

/// /proc/self/maps, kept open. A child of fork must open its own: the file shows whoever opened it.
class MapsFile {
 public:
  /// -1 if there is none, or the kernel does not answer queries.
  int get() {
    const std::lock_guard lock(mutex_);
    const pid_t self = getpid();
    if (owner_ != self) {
      if (fd_ >= 0) close(fd_);
      owner_ = self;
      fd_ = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
      Query query;
      query.address = reinterpret_cast<uint64_t>(this);
      if (fd_ >= 0 && ioctl(fd_, kQuery, &query) != 0) {
        close(fd_);
        fd_ = -1;
      }
    }
    return fd_;
  }

 private:
  std::mutex mutex_;
  pid_t owner_ = -1;
  int fd_ = -1;
};

std::optional<Allocation> ask(int fd, uint64_t address) {
  Query query;
  query.address = address;
  int error;
  do error = ioctl(fd, kQuery, &query);
  while (error != 0 && errno == EINTR);
  if (error != 0 || !(query.rights & kReadable)) return std::nullopt;
  return Allocation{query.start, query.end - query.start, reinterpret_cast<uint8_t*>(query.start),
                    (query.rights & kWritable) != 0, kLabel};
}

}  // namespace

std::optional<Allocation> process_mapping_at(uint64_t address, uint64_t size) {
  static MapsFile file;
  const int fd = file.get();
  if (fd < 0) {
    const AllocationList all = process_mappings();
    const auto hit = std::find_if(all.begin(), all.end(),
                                  [&](const Allocation& a) { return address - a.base < a.size; });
    return hit == all.end() ? std::nullopt : std::optional(*hit);
  }
  std::optional<Allocation> found = ask(fd, address);
  while (found && size > found->size - (address - found->base)) {
    const std::optional<Allocation> next = ask(fd, found->base + found->size);
    if (!next) break;
    found->size += next->size;
    found->writable &= next->writable;
  }
  return found;
}

AllocationList process_mappings() {
  AllocationList list;
  FILE* file = std::fopen("/proc/self/maps", "re");
  if (!file) return list;
  char line[512];
  while (std::fgets(line, sizeof line, file)) {
    uint64_t start = 0, end = 0;
    char rights[5] = {};
    if (std::sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s", &start, &end, rights) != 3 ||
        rights[0] != 'r')
      continue;
    const bool writable = rights[1] == 'w';
    if (!list.empty() && list.back().base + list.back().size == start &&
        list.back().writable == writable) {
      list.back().size += end - start;
      continue;
    }
    list.push_back({start, end - start, reinterpret_cast<uint8_t*>(start), writable, kLabel});
  }
  std::fclose(file);
  return list;
}

}  // namespace lockstep::emu
