// SPDX-License-Identifier: MIT
// Interposed ioctl, and the exits that skip destructors.
#include "mockgpu/kfd/ioctl.h"

#include <stdarg.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "mockgpu/log.h"
#include "mockgpu/preload/real.h"
#include "mockgpu/preload/session.h"

using namespace lockstep::mockgpu;

LOCKSTEP_EXPORT int ioctl(int fd, unsigned long request, ...) noexcept {
  va_list arguments;
  va_start(arguments, request);
  void* const argument = va_arg(arguments, void*);
  va_end(arguments);
  static constinit Real<int(int, unsigned long, ...)> real("ioctl");
  Session* session = Session::existing();
  Process* process = session ? session->existing_process() : nullptr;
  Process::FileId file;
  if (process) file = process->identify(fd);
  if (file.kind == Process::FileKind::kOther) {
    if (Session::is_foreign(fd)) {
      log(LogLevel::kWarn, "ioctl {:#x} on a device that was opened before fork", request);
      errno = EBADF;
      return -1;
    }
    return real(fd, request, argument);
  }
  const auto address = reinterpret_cast<uint64_t>(argument);
  const int result = file.kind == Process::FileKind::kKfd ? kfd_ioctl(*process, request, address)
                     : file.kind == Process::FileKind::kRender
                         ? drm_ioctl(*process, *file.device, request, address)
                         : shared_buffer_ioctl(request, address);
  if (result >= 0) return result;
  errno = -result;
  return -1;
}

// Python's multiprocessing ends its children this way: the report would be lost.
LOCKSTEP_EXPORT [[noreturn]] void _exit(int status) {
  Session::end();
  while (true) syscall(SYS_exit_group, status);
}

LOCKSTEP_EXPORT [[noreturn]] void _Exit(int status) noexcept {
  Session::end();
  while (true) syscall(SYS_exit_group, status);
}
