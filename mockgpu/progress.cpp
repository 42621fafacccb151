// SPDX-License-Identifier: MIT
// Maps the counters of a run.
#include "mockgpu/progress.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace lockstep::mockgpu {

ProgressCounters* map_progress(const std::string& file, bool create) {
  static_assert(std::atomic<uint64_t>::is_always_lock_free);
  const int fd = open(file.c_str(), O_RDWR | O_CLOEXEC | (create ? O_CREAT : 0), 0600);
  if (fd < 0) return nullptr;
  constexpr size_t kBytes = sizeof(ProgressCounters);
  void* memory = ftruncate(fd, kBytes) == 0
                     ? mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
                     : MAP_FAILED;
  close(fd);
  return memory == MAP_FAILED ? nullptr : static_cast<ProgressCounters*>(memory);
}

}  // namespace lockstep::mockgpu
