// SPDX-License-Identifier: MIT
// The kernel checks the pointers: process_vm_readv and writev on the own process need no special
// right.
#include "mockgpu/user_memory.h"

#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace lockstep::mockgpu {
namespace {

// Where a sandbox forbids the call, pointers are trusted.
bool is_forbidden() { return errno == EPERM || errno == ENOSYS; }

}  // namespace

bool copy_from_user(void* to, uint64_t from, size_t size) {
  if (size == 0) return true;
  const int saved = errno;
  const iovec local{to, size}, remote{reinterpret_cast<void*>(from), size};
  const ssize_t done = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
  bool ok = done == static_cast<ssize_t>(size);
  if (done < 0 && is_forbidden()) {
    std::memcpy(to, reinterpret_cast<const void*>(from), size);
    ok = true;
  }
  errno = saved;
  return ok;
}

bool copy_to_user(uint64_t to, const void* from, size_t size) {
  if (size == 0) return true;
  const int saved = errno;
  const iovec local{const_cast<void*>(from), size}, remote{reinterpret_cast<void*>(to), size};
  const ssize_t done = process_vm_writev(getpid(), &local, 1, &remote, 1, 0);
  bool ok = done == static_cast<ssize_t>(size);
  if (done < 0 && is_forbidden()) {
    std::memcpy(reinterpret_cast<void*>(to), from, size);
    ok = true;
  }
  errno = saved;
  return ok;
}

bool is_user_range(uint64_t address, uint64_t size) {
  if (size == 0 || address + size < address) return false;
  constexpr uint64_t kPage = 4096;
  constexpr size_t kBatch = 1024;  // IOV_MAX
  const int saved = errno;
  std::array<uint8_t, kBatch> bytes;
  std::array<iovec, kBatch> remote;
  bool ok = true;
  for (uint64_t at = address; ok && at < address + size;) {
    size_t n = 0;
    for (; n < kBatch && at < address + size; at = (at / kPage + 1) * kPage)
      remote[n++] = {reinterpret_cast<void*>(at), 1};
    const iovec local{bytes.data(), n};
    const ssize_t done = process_vm_readv(getpid(), &local, 1, remote.data(), n, 0);
    ok = done == static_cast<ssize_t>(n) || (done < 0 && is_forbidden());
  }
  errno = saved;
  return ok;
}

}  // namespace lockstep::mockgpu
