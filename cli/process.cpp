// SPDX-License-Identifier: MIT
// fork, exec, wait, and signals in between.
#include "cli/process.h"

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "cli/files.h"

namespace lockstep::cli {
namespace {

constexpr int kForwarded[] = {SIGINT,  SIGQUIT, SIGTERM, SIGHUP,  SIGUSR1,
                              SIGUSR2, SIGALRM, SIGCONT, SIGWINCH};

/// The child's side: never returns. The reason of a failed exec goes through `report`.
[[noreturn]] void exec_child(const std::vector<std::string>& argv,
                             const std::map<std::string, std::string>& environment,
                             const sigset_t& mask, int report) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);  // a killed `lockstep run` must not leave the program behind
  for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> raw;
  for (const std::string& arg : argv) raw.push_back(const_cast<char*>(arg.c_str()));
  raw.push_back(nullptr);
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  execvp(raw[0], raw.data());
  const int error = errno;
  [[maybe_unused]] const ssize_t n = write(report, &error, sizeof error);
  _exit(127);
}

ChildStatus wait_and_forward(pid_t child, const sigset_t& signals,
                             const std::function<void()>& tick) {
  constexpr timespec kHalfSecond = {0, 500'000'000};
  while (true) {
    siginfo_t info;
    if ((tick ? sigtimedwait(&signals, &info, &kHalfSecond) : sigwaitinfo(&signals, &info)) < 0) {
      if (tick && errno == EAGAIN) tick();
      continue;
    }
    if (info.si_signo != SIGCHLD) {
      // The terminal (SI_KERNEL) signals the whole foreground group, the child with it.
      if (info.si_code != SI_KERNEL) kill(child, info.si_signo);
      continue;
    }
    int status = 0;
    if (waitpid(child, &status, WNOHANG) != child) continue;
    if (WIFEXITED(status)) return {WEXITSTATUS(status), 0};
    if (WIFSIGNALED(status)) return {0, WTERMSIG(status)};
  }
}

}  // namespace

Result<ChildStatus> run_child(const std::vector<std::string>& argv,
                              const std::map<std::string, std::string>& environment,
                              const std::function<void()>& tick) {
  int report[2];
  if (pipe2(report, O_CLOEXEC) != 0) {
    return Error{fmt::format("cannot make a pipe: {}", strerror(errno))};
  }
  sigset_t signals, before;
  sigemptyset(&signals);
  sigaddset(&signals, SIGCHLD);
  for (const int number : kForwarded) sigaddset(&signals, number);
  sigprocmask(SIG_BLOCK, &signals, &before);

  const pid_t child = fork();
  if (child == 0) exec_child(argv, environment, before, report[1]);
  const int fork_error = errno;
  close(report[1]);
  int exec_error = 0;
  const bool started = child > 0 && read(report[0], &exec_error, sizeof exec_error) == 0;
  close(report[0]);
  if (!started) {
    if (child > 0) waitpid(child, nullptr, 0);
    sigprocmask(SIG_SETMASK, &before, nullptr);
    return Error{
        fmt::format("cannot start {}: {}", argv[0], strerror(child > 0 ? exec_error : fork_error))};
  }
  const ChildStatus status = wait_and_forward(child, signals, tick);
  sigprocmask(SIG_SETMASK, &before, nullptr);
  return status;
}

int pass_on(const ChildStatus& status) {
  if (status.signal == 0) return status.exit_code;
  const rlimit no_core = {0, 0};  // the child's core file is the interesting one
  setrlimit(RLIMIT_CORE, &no_core);
  signal(status.signal, SIG_DFL);
  raise(status.signal);
  return 128 + status.signal;  // for signals that do not end us
}

std::string find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return access(name.c_str(), X_OK) == 0 ? name : "";
  const char* path = getenv("PATH");
  std::string_view rest = path ? path : "/usr/bin:/bin";
  while (true) {
    const size_t colon = rest.find(':');
    const std::string_view folder = rest.substr(0, colon);
    const std::string candidate = fmt::format("{}/{}", folder.empty() ? "." : folder, name);
    struct stat info;
    if (stat(candidate.c_str(), &info) == 0 && S_ISREG(info.st_mode) &&
        access(candidate.c_str(), X_OK) == 0) {
      return candidate;
    }
    if (colon == std::string_view::npos) return "";
    rest.remove_prefix(colon + 1);
  }
}

std::string preload_obstacle(const std::string& program) {
  const std::string path = find_program(program);
  if (path.empty()) return "";  // exec will say it
  struct stat info;
  if (stat(path.c_str(), &info) == 0 && (info.st_mode & (S_ISUID | S_ISGID)) && geteuid() != 0) {
    return path + " is setuid or setgid: the system ignores LD_PRELOAD for it";
  }
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return "";
  Elf64_Ehdr header{};
  std::string why;
  if (pread(fd, &header, sizeof header, 0) == sizeof header &&
      std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0) {
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != EM_X86_64) {
      why = path + " is no 64-bit x86 program: the preload library cannot be loaded into it";
    } else {
      bool dynamic = false;
      for (unsigned i = 0; i < header.e_phnum; ++i) {
        Elf64_Phdr segment{};
        const auto at = static_cast<off_t>(header.e_phoff + i * sizeof segment);
        if (pread(fd, &segment, sizeof segment, at) != sizeof segment) break;
        dynamic = dynamic || segment.p_type == PT_INTERP;
      }
      if (!dynamic) why = path + " is statically linked: LD_PRELOAD has no effect on it";
    }
  }
  close(fd);
  return why;
}

}  // namespace lockstep::cli
