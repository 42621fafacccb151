// SPDX-License-Identifier: MIT
// Interposed functions that ask about files: stat and its family, access, readlink, realpath.
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>

#include "mockgpu/preload/real.h"
#include "mockgpu/preload/session.h"

namespace lockstep::mockgpu {
namespace {

constexpr unsigned kKfdMajor = 235;

dev_t number_of(Node::Kind kind, size_t device) {
  return kind == Node::Kind::kKfd ? makedev(kKfdMajor, 0)
                                  : makedev(kDrmMajor, render_minor_of(device));
}

// Programs check that a device node is a character device with the right number.
template <class Stat>
void describe_node(Stat& info, dev_t number) {
  info.st_mode = S_IFCHR | 0666;
  info.st_rdev = number;
  info.st_size = 0;
  info.st_blocks = 0;
}

template <class Stat, class Plain>
int stat_path(const char* path, Stat* info, Plain plain) {
  const Node node = resolve(path);
  if (node.kind == Node::Kind::kOther) return plain(path);
  if (node.kind == Node::Kind::kTree) return plain(node.tree_path.c_str());
  memset(info, 0, sizeof *info);
  info->st_nlink = 1;
  info->st_blksize = 4096;
  info->st_ino = 1000 + number_of(node.kind, node.device);
  describe_node(*info, number_of(node.kind, node.device));
  return 0;
}

// True (and described) if the descriptor is one of our device nodes.
template <class Stat>
void adjust(int fd, Stat* info) {
  Session* session = Session::existing();
  Process* process = session ? session->existing_process() : nullptr;
  if (!process) return;
  const Process::FileId file = process->identify(fd);
  if (file.kind == Process::FileKind::kOther) return;
  if (file.kind == Process::FileKind::kShared) {
    if (const auto range = describe_shared_range(fd))
      info->st_size = static_cast<off_t>(range->size);
    return;
  }
  const bool kfd = file.kind == Process::FileKind::kKfd;
  describe_node(*info, number_of(kfd ? Node::Kind::kKfd : Node::Kind::kRender,
                                 kfd ? 0 : file.device->index()));
}

template <class Plain>
int check_access(const char* path, int mode, Plain plain) {
  const Node node = resolve(path);
  if (node.kind == Node::Kind::kOther) return plain(path);
  if (node.kind == Node::Kind::kTree) return plain(node.tree_path.c_str());
  if (mode & X_OK) {
    errno = EACCES;
    return -1;
  }
  return 0;
}

template <class Plain>
ssize_t read_link(const char* path, Plain plain) {
  const Node node = resolve(path);
  if (node.kind == Node::Kind::kOther) return plain(path);
  if (node.kind == Node::Kind::kTree) return plain(node.tree_path.c_str());
  errno = EINVAL;  // a device node is no link
  return -1;
}

// Resolves inside the tree and takes the tree's own place off again. nullptr with errno on failure.
char* real_path(const char* path, char* resolved, char* (*real)(const char*, char*)) {
  const Node node = resolve(path);
  if (node.kind == Node::Kind::kOther) return real(path, resolved);
  std::string result = path;
  if (node.kind == Node::Kind::kTree) {
    char buffer[PATH_MAX], root[PATH_MAX];
    if (!real(node.tree_path.c_str(), buffer)) return nullptr;
    result = buffer;
    if (real(Session::get().topology().root().c_str(), root) && result.starts_with(root)) {
      result.erase(0, strlen(root));
    }
  }
  if (!resolved) return strdup(result.c_str());
  memcpy(resolved, result.c_str(), result.size() + 1);
  return resolved;
}

}  // namespace
}  // namespace lockstep::mockgpu

using namespace lockstep::mockgpu;

LOCKSTEP_EXPORT int stat(const char* path, struct stat* info) {
  static constinit Real<int(const char*, struct stat*)> real("stat");
  return stat_path(path, info, [&](const char* p) { return real(p, info); });
}

LOCKSTEP_EXPORT int stat64(const char* path, struct stat64* info) {
  static constinit Real<int(const char*, struct stat64*)> real("stat64");
  return stat_path(path, info, [&](const char* p) { return real(p, info); });
}

LOCKSTEP_EXPORT int lstat(const char* path, struct stat* info) {
  static constinit Real<int(const char*, struct stat*)> real("lstat");
  return stat_path(path, info, [&](const char* p) { return real(p, info); });
}

LOCKSTEP_EXPORT int lstat64(const char* path, struct stat64* info) {
  static constinit Real<int(const char*, struct stat64*)> real("lstat64");
  return stat_path(path, info, [&](const char* p) { return real(p, info); });
}

LOCKSTEP_EXPORT int fstat(int fd, struct stat* info) {
  static constinit Real<int(int, struct stat*)> real("fstat");
  const int result = real(fd, info);
  if (result == 0) adjust(fd, info);
  return result;
}

LOCKSTEP_EXPORT int fstat64(int fd, struct stat64* info) {
  static constinit Real<int(int, struct stat64*)> real("fstat64");
  const int result = real(fd, info);
  if (result == 0) adjust(fd, info);
  return result;
}

LOCKSTEP_EXPORT int fstatat(int directory, const char* path, struct stat* info, int flags) {
  static constinit Real<int(int, const char*, struct stat*, int)> real("fstatat");
  const int result =
      stat_path(path, info, [&](const char* p) { return real(directory, p, info, flags); });
  if (result == 0 && !*path && (flags & AT_EMPTY_PATH)) adjust(directory, info);
  return result;
}

LOCKSTEP_EXPORT int fstatat64(int directory, const char* path, struct stat64* info, int flags) {
  static constinit Real<int(int, const char*, struct stat64*, int)> real("fstatat64");
  const int result =
      stat_path(path, info, [&](const char* p) { return real(directory, p, info, flags); });
  if (result == 0 && !*path && (flags & AT_EMPTY_PATH)) adjust(directory, info);
  return result;
}

LOCKSTEP_EXPORT int statx(int directory, const char* path, int flags, unsigned mask,
                          struct statx* info) {
  static constinit Real<int(int, const char*, int, unsigned, struct statx*)> real("statx");
  const Node node = resolve(path);
  if (node.kind == Node::Kind::kOther) return real(directory, path, flags, mask, info);
  if (node.kind == Node::Kind::kTree) {
    return real(directory, node.tree_path.c_str(), flags, mask, info);
  }
  const dev_t number = number_of(node.kind, node.device);
  memset(info, 0, sizeof *info);
  info->stx_mask = STATX_TYPE | STATX_MODE | STATX_NLINK | STATX_INO;
  info->stx_mode = S_IFCHR | 0666;
  info->stx_nlink = 1;
  info->stx_blksize = 4096;
  info->stx_ino = 1000 + number;
  info->stx_rdev_major = major(number);
  info->stx_rdev_minor = minor(number);
  return 0;
}

LOCKSTEP_EXPORT int access(const char* path, int mode) noexcept {
  static constinit Real<int(const char*, int)> real("access");
  return check_access(path, mode, [&](const char* p) { return real(p, mode); });
}

LOCKSTEP_EXPORT int faccessat(int directory, const char* path, int mode, int flags) noexcept {
  static constinit Real<int(int, const char*, int, int)> real("faccessat");
  return check_access(path, mode, [&](const char* p) { return real(directory, p, mode, flags); });
}

LOCKSTEP_EXPORT ssize_t readlink(const char* path, char* buffer, size_t size) noexcept {
  static constinit Real<ssize_t(const char*, char*, size_t)> real("readlink");
  return read_link(path, [&](const char* p) { return real(p, buffer, size); });
}

LOCKSTEP_EXPORT ssize_t readlinkat(int directory, const char* path, char* buffer,
                                   size_t size) noexcept {
  static constinit Real<ssize_t(int, const char*, char*, size_t)> real("readlinkat");
  return read_link(path, [&](const char* p) { return real(directory, p, buffer, size); });
}

LOCKSTEP_EXPORT char* realpath(const char* path, char* resolved) noexcept {
  static constinit Real<char*(const char*, char*)> real("realpath");
  return real_path(path, resolved, real);
}

LOCKSTEP_EXPORT char* __realpath_chk(const char* path, char* resolved, size_t size) noexcept {
  static constinit Real<char*(const char*, char*)> real("realpath");
  if (size < PATH_MAX) abort();  // as the C library does: the caller's buffer is too small
  return real_path(path, resolved, real);
}
