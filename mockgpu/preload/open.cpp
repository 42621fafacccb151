// SPDX-License-Identifier: MIT
// Interposed functions that open files and directories by path.
#include <dirent.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "mockgpu/preload/real.h"
#include "mockgpu/preload/session.h"

namespace lockstep::mockgpu {
namespace {

// A new open file description of the memfd behind a device node, with the access that was asked
// for.
int open_memfd(int memfd, int flags) {
  const std::string path = "/proc/self/fd/" + std::to_string(memfd);
  const int kept = flags & (O_ACCMODE | O_CLOEXEC | O_NONBLOCK);
  const long fd = syscall(SYS_openat, AT_FDCWD, path.c_str(), kept, 0);
  if (fd >= 0) return static_cast<int>(fd);
  return fcntl(memfd, flags & O_CLOEXEC ? F_DUPFD_CLOEXEC : F_DUPFD, 0);  // no /proc here
}

// Opens what a path means. `plain` is called with the path to use when it is an ordinary file.
template <class Plain>
int open_node(const char* path, int flags, Plain plain) {
  const Node node = resolve(path);
  switch (node.kind) {
    case Node::Kind::kOther:
      return plain(path);
    case Node::Kind::kTree:
      return plain(node.tree_path.c_str());
    default:
      break;
  }
  if (flags & O_DIRECTORY) {
    errno = ENOTDIR;
    return -1;
  }
  Process& process = Session::get().process();
  return open_memfd(node.kind == Node::Kind::kKfd ? process.control().fd()
                                                  : process.devices()[node.device]->heap().fd(),
                    flags);
}

mode_t mode_of(int flags, va_list arguments) {
  return flags & (O_CREAT | (O_TMPFILE & ~O_DIRECTORY)) ? va_arg(arguments, mode_t) : 0;
}

// A device node as a stream, or the stream of the file that a path stands for.
template <class Plain>
FILE* open_stream(const char* path, const char* mode, Plain& plain) {
  const Node node = resolve(path);
  if (node.kind == Node::Kind::kOther) return plain(path, mode);
  if (node.kind == Node::Kind::kTree) return plain(node.tree_path.c_str(), mode);
  const bool update = std::string_view(mode).find('+') != std::string_view::npos;
  const int access = update ? O_RDWR : mode[0] == 'r' ? O_RDONLY : O_WRONLY;
  const int fd = open_node(path, access | O_CLOEXEC, [](const char*) { return -1; });
  return fd < 0 ? nullptr : fdopen(fd, mode);
}

// The path to hand to a directory function; a device node stays what it is and fails as such.
const char* directory_path(const char* path, Node& node) {
  node = resolve(path);
  return node.kind == Node::Kind::kTree ? node.tree_path.c_str() : path;
}

}  // namespace
}  // namespace lockstep::mockgpu

using namespace lockstep::mockgpu;

LOCKSTEP_EXPORT int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  static constinit Real<int(const char*, int, ...)> real("open");
  return open_node(path, flags, [&](const char* p) { return real(p, flags, mode); });
}

LOCKSTEP_EXPORT int open64(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  static constinit Real<int(const char*, int, ...)> real("open64");
  return open_node(path, flags, [&](const char* p) { return real(p, flags, mode); });
}

LOCKSTEP_EXPORT int openat(int directory, const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  static constinit Real<int(int, const char*, int, ...)> real("openat");
  return open_node(path, flags, [&](const char* p) { return real(directory, p, flags, mode); });
}

LOCKSTEP_EXPORT int openat64(int directory, const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  static constinit Real<int(int, const char*, int, ...)> real("openat64");
  return open_node(path, flags, [&](const char* p) { return real(directory, p, flags, mode); });
}

// What fortified programs call when there is no mode argument.
LOCKSTEP_EXPORT int __open_2(const char* path, int flags) {
  static constinit Real<int(const char*, int)> real("__open_2");
  return open_node(path, flags, [&](const char* p) { return real(p, flags); });
}

LOCKSTEP_EXPORT int __open64_2(const char* path, int flags) {
  static constinit Real<int(const char*, int)> real("__open64_2");
  return open_node(path, flags, [&](const char* p) { return real(p, flags); });
}

LOCKSTEP_EXPORT int __openat_2(int directory, const char* path, int flags) {
  static constinit Real<int(int, const char*, int)> real("__openat_2");
  return open_node(path, flags, [&](const char* p) { return real(directory, p, flags); });
}

LOCKSTEP_EXPORT int __openat64_2(int directory, const char* path, int flags) {
  static constinit Real<int(int, const char*, int)> real("__openat64_2");
  return open_node(path, flags, [&](const char* p) { return real(directory, p, flags); });
}

LOCKSTEP_EXPORT FILE* fopen(const char* path, const char* mode) {
  static constinit Real<FILE*(const char*, const char*)> real("fopen");
  return open_stream(path, mode, real);
}

LOCKSTEP_EXPORT FILE* fopen64(const char* path, const char* mode) {
  static constinit Real<FILE*(const char*, const char*)> real("fopen64");
  return open_stream(path, mode, real);
}

LOCKSTEP_EXPORT DIR* opendir(const char* path) {
  static constinit Real<DIR*(const char*)> real("opendir");
  Node node;
  return real(directory_path(path, node));
}

LOCKSTEP_EXPORT int scandir(const char* path, dirent*** list, int (*filter)(const dirent*),
                            int (*compare)(const dirent**, const dirent**)) {
  static constinit Real<int(const char*, dirent***, int (*)(const dirent*),
                            int (*)(const dirent**, const dirent**))>
      real("scandir");
  Node node;
  return real(directory_path(path, node), list, filter, compare);
}

LOCKSTEP_EXPORT int scandir64(const char* path, dirent64*** list, int (*filter)(const dirent64*),
                              int (*compare)(const dirent64**, const dirent64**)) {
  static constinit Real<int(const char*, dirent64***, int (*)(const dirent64*),
                            int (*)(const dirent64**, const dirent64**))>
      real("scandir64");
  Node node;
  return real(directory_path(path, node), list, filter, compare);
}
