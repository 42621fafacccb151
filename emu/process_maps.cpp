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
#include <fstream>
#include <mutex>
#include <string>

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

void for_each_process_mapping(const std::function<void(const ProcessMapping&)>& visit) {
  std::ifstream file("/proc/self/maps");
  std::string line;
  while (std::getline(file, line)) {
    ProcessMapping m;
    char rights[5] = {};
    int path = 0;
    if (std::sscanf(line.c_str(), "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*x:%*x %" SCNu64 " %n",
                    &m.start, &m.end, rights, &m.offset, &m.inode, &path) != 5)
      continue;
    m.rights = rights;
    m.path = std::string_view(line).substr(static_cast<size_t>(path));
    visit(m);
  }
}

AllocationList process_mappings() {
  AllocationList list;
  for_each_process_mapping([&](const ProcessMapping& m) {
    if (m.rights[0] != 'r') return;
    const bool writable = m.rights[1] == 'w';
    if (!list.empty() && list.back().base + list.back().size == m.start &&
        list.back().writable == writable) {
      list.back().size += m.end - m.start;
      return;
    }
    list.push_back(
        {m.start, m.end - m.start, reinterpret_cast<uint8_t*>(m.start), writable, kLabel});
  });
  return list;
}

}  // namespace lockstep::emu
