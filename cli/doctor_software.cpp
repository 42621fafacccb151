// SPDX-License-Identifier: MIT
// Checks of software: preload driver, LLVM, Python, compilers.
#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>

#include "cli/doctor_checks.h"
#include "cli/preload.h"
#include "cli/process.h"
#include "mockgpu/options.h"

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLlvmName = "libLLVM.so.22.1";  // knows every target, gfx950 included
constexpr const char* kNodes = "/sys/devices/virtual/kfd/kfd/topology/nodes";

struct Output {
  int status = -1;
  std::string text;
};

/// Runs a program and collects its standard output; standard error is dropped.
Output run_quietly(const std::vector<std::string>& argv, const std::string& preload) {
  Output out;
  int fds[2];
  if (pipe2(fds, O_CLOEXEC) != 0) return out;
  const pid_t child = fork();
  if (child == 0) {
    dup2(fds[1], STDOUT_FILENO);
    const int null = open("/dev/null", O_RDWR);
    dup2(null, STDIN_FILENO);
    dup2(null, STDERR_FILENO);
    if (!preload.empty()) setenv("LD_PRELOAD", preload.c_str(), 1);
    unsetenv("LOCKSTEP_REPORT");
    std::vector<char*> raw;
    for (const std::string& arg : argv) raw.push_back(const_cast<char*>(arg.c_str()));
    raw.push_back(nullptr);
    execvp(raw[0], raw.data());
    _exit(127);
  }
  close(fds[1]);
  char buffer[4096];
  ssize_t n;
  while ((n = read(fds[0], buffer, sizeof buffer)) > 0)
    out.text.append(buffer, static_cast<size_t>(n));
  close(fds[0]);
  int status = 0;
  if (child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status)) {
    out.status = WEXITSTATUS(status);
  }
  while (!out.text.empty() && out.text.back() == '\n') out.text.pop_back();
  return out;
}

std::string own_path() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error).string();
}

std::string find_llvm() {
  for (const char* folder :
       {"/usr/lib/x86_64-linux-gnu", "/usr/lib/llvm-22/lib", "/usr/lib64", "/usr/lib"}) {
    const std::string path = fmt::format("{}/{}", folder, kLlvmName);
    if (access(path.c_str(), R_OK) == 0) return path;
  }
  return "";
}

/// The project's own environment (build/bin/lockstep -> .venv), the current folder's, or the
/// system's.
std::string find_python() {
  const fs::path root = fs::path(own_path()).parent_path().parent_path().parent_path();
  for (const fs::path& folder : {fs::path("."), root}) {
    const fs::path python = folder / ".venv/bin/python";
    if (access(python.c_str(), X_OK) == 0) return python.string();
  }
  return find_program("python3");
}

}  // namespace

int probe_preload() {
  if (!std::getenv("LD_PRELOAD")) return 3;
  const int fd = open("/dev/kfd", O_RDWR | O_CLOEXEC);
  if (fd < 0) return 4;
  DIR* nodes = opendir(kNodes);
  if (!nodes) return 5;
  int count = 0;
  while (const dirent* entry = readdir(nodes)) count += entry->d_name[0] != '.';
  closedir(nodes);
  close(fd);
  // Node 0 is the CPU.
  return count >= 2 ? 0 : 6;
}

Check check_preload() {
  const auto library = find_preload_library();
  const std::string topic = "driver";
  if (!library) {
    return {Health::kProblem, topic, library.error() + "; `lockstep run` cannot work",
            "build the target lockstep-kfd, or install Lockstep as a whole"};
  }
  const Output probe = run_quietly({own_path(), "doctor", "--probe"}, *library);
  if (probe.status == 0) {
    return {Health::kOk, topic, "LD_PRELOAD works: a test program found the emulated card", ""};
  }
  std::string why;
  switch (probe.status) {
    case 3:
      why = "LD_PRELOAD does not reach programs";
      break;
    case 4:
      why = "the emulated /dev/kfd could not be opened";
      break;
    case 5:
      why = "the emulated device tree is missing";
      break;
    case 6:
      why = "the emulated device tree has no card";
      break;
    default:
      why = fmt::format("the test program ended with status {}", probe.status);
  }
  return {Health::kProblem, topic, fmt::format("{} does not work in a program: {}", *library, why),
          "LD_PRELOAD=" + *library + " LOCKSTEP_LOG=trace " + own_path() +
              " doctor --probe shows more"};
}

Check check_environment_variables() {
  const auto options =
      mockgpu::parse_options([](const char* name) -> const char* { return std::getenv(name); });
  if (!options) {
    return {Health::kProblem, "settings", options.error(), "unset or correct that variable"};
  }
  std::string set;
  for (char** entry = environ; *entry; ++entry) {
    const std::string_view text = *entry;
    if (text.starts_with("LOCKSTEP_")) set += (set.empty() ? "" : " ") + std::string(text);
  }
  if (!set.empty()) return {Health::kNote, "settings", "from the environment: " + set, ""};
  return {Health::kOk, "settings", "no LOCKSTEP_* variables are set", ""};
}

Check check_llvm() {
  const std::string path = find_llvm();
  const char* set = std::getenv("LLVM_PATH");
  if (path.empty()) {
    return {
        Health::kWarning, "LLVM",
        fmt::format("{} is not here: tinygrad cannot compile for all emulated cards", kLlvmName),
        "apt-get install libllvm22 (in Debian 12's security suite)"};
  }
  if (set && *set && access(set, R_OK) != 0) {
    return {Health::kWarning, "LLVM", fmt::format("LLVM_PATH is {}, which cannot be read", set),
            "export LLVM_PATH=" + path};
  }
  if (set && *set && fs::path(set).filename() != kLlvmName) {
    return {Health::kNote, "LLVM", fmt::format("LLVM_PATH is {}; tested is {}", set, path), ""};
  }
  if (!set || !*set) {
    return {Health::kNote, "LLVM", path + " is here, but tinygrad may pick an older one by itself",
            "export LLVM_PATH=" + path + " DEV=AMD:LLVM"};
  }
  return {Health::kOk, "LLVM", "LLVM_PATH is " + std::string(set), ""};
}

Check check_python() {
  const std::string python = find_python();
  if (python.empty()) {
    return {Health::kNote, "Python", "no Python here; only Python programs need it",
            "apt-get install python3 python3-venv"};
  }
  const Output version = run_quietly({python, "-c",
                                      "import sys, importlib.metadata as m\n"
                                      "print('%d.%d' % sys.version_info[:2])\n"
                                      "print(m.version('tinygrad'))"},
                                     "");
  const size_t line = version.text.find('\n');
  const std::string python_version = version.text.substr(0, line);
  if (version.status != 0 || line == std::string::npos) {
    return {Health::kNote, "Python",
            fmt::format("{} ({}) has no tinygrad; only tinygrad programs need it", python,
                        python_version.empty() ? "does not start" : python_version),
            "tools/bootstrap.sh build makes .venv with it"};
  }
  return {
      Health::kOk, "Python",
      fmt::format("{} {} with tinygrad {}", python, python_version, version.text.substr(line + 1)),
      ""};
}

Check check_compilers() {
  std::string missing;
  for (const char* tool : {"clang-22", "llvm-mc-22", "ld.lld-22"}) {
    if (find_program(tool).empty()) missing += (missing.empty() ? "" : " ") + std::string(tool);
  }
  if (missing.empty()) {
    return {Health::kOk, "compilers", "clang-22, llvm-mc-22 and ld.lld-22 are here", ""};
  }
  return {Health::kNote, "compilers",
          "missing: " + missing +
              "; only needed to make code objects for `lockstep exec`, and by the tests",
          "apt-get install clang-22 lld-22 llvm-22"};
}

}  // namespace lockstep::cli
