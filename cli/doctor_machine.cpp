// SPDX-License-Identifier: MIT
// Checks of the machine: processor, memory, limits, devices.
#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "cli/doctor_checks.h"
#include "emu/dispatch.h"
#include "emu/jit/tier.h"

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kGiB = uint64_t{1} << 30;
// tinygrad alone maps staging buffers, rings and scratch of a few hundred MiB; a compiler comes on
// top.
constexpr uint64_t kComfortableMemory = 2 * kGiB;

uint64_t available_memory() {
  std::ifstream file("/proc/meminfo");
  std::string line;
  while (std::getline(file, line)) {
    if (line.starts_with("MemAvailable:"))
      return std::strtoull(line.c_str() + 13, nullptr, 10) * 1024;
  }
  return 0;
}

/// Memory limit of the container; 0 = none.
uint64_t container_limit() {
  for (const char* path :
       {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    const uint64_t limit = std::strtoull(read_text(path).c_str(), nullptr, 10);
    if (limit != 0 && limit < uint64_t{1} << 60) return limit;
  }
  return 0;
}

std::string gib(uint64_t bytes) {
  return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / static_cast<double>(kGiB));
}

}  // namespace

std::string read_text(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  std::string out = text.str();
  while (!out.empty() && (out.back() == '\n' || out.back() == ' ')) out.pop_back();
  return out;
}

Check check_processor() {
#if defined(__x86_64__)
  const Result<emu::jit::Tier> tier = emu::jit::choose_tier();
  if (!tier) return {Health::kProblem, "processor", tier.error(), "unset LOCKSTEP_JIT_HOST"};
  if (*tier == emu::jit::Tier::kNone)
    return {Health::kOk, "processor",
            fmt::format("x86-64; no compiled code (that takes {}, and LOCKSTEP_JIT_HOST not to be "
                        "none): the interpreter runs everything",
                        emu::jit::kHostNeeds),
            ""};
  const char* chosen = std::getenv("LOCKSTEP_JIT_HOST") ? ", as LOCKSTEP_JIT_HOST says" : "";
  return {Health::kOk, "processor",
          fmt::format("x86-64 with {}{}: kernels are compiled (--engine=jit)",
                      emu::jit::tier_name(*tier), chosen),
          ""};
#else
  return {Health::kWarning, "processor",
          "no x86-64: `lockstep exec` and the C library may work, but "
          "this is not tested",
          "use an x86-64 machine"};
#endif
}

Check check_threads() {
  cpu_set_t set;
  CPU_ZERO(&set);
  const unsigned usable = sched_getaffinity(0, sizeof set, &set) == 0
                              ? static_cast<unsigned>(CPU_COUNT(&set))
                              : std::thread::hardware_concurrency();
  const unsigned all = static_cast<unsigned>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
  std::string found = fmt::format("{} processor thread{} usable", usable, usable == 1 ? "" : "s");
  if (usable < all) found += fmt::format(" of {} (this process is pinned)", all);
  return {Health::kOk, "threads", found + "; --threads=N uses fewer", ""};
}

Check check_memory() {
  uint64_t memory = available_memory();
  std::string found = gib(memory) + " free";
  if (const uint64_t limit = container_limit(); limit != 0 && limit < memory) {
    memory = limit;
    found = gib(limit) + " allowed by the container";
  }
  rlimit address_space{};
  getrlimit(RLIMIT_AS, &address_space);
  if (address_space.rlim_cur != RLIM_INFINITY) {
    return {Health::kWarning, "memory",
            found + fmt::format("; address space is limited to {}, and emulated cards need large "
                                "(mostly empty) mappings",
                                gib(address_space.rlim_cur)),
            "ulimit -v unlimited"};
  }
  if (read_text("/proc/sys/vm/overcommit_memory") == "2") {
    return {Health::kWarning, "memory",
            found + "; the kernel refuses to overcommit, so large empty mappings may fail",
            "sysctl vm.overcommit_memory=0 (as root)"};
  }
  if (memory < kComfortableMemory) {
    return {
        Health::kWarning, "memory",
        found + "; small programs run, but a tinygrad program with its compiler wants about 2 GiB",
        "free some memory"};
  }
  return {Health::kOk, "memory", found, ""};
}

Check check_shared_files() {
  const int fd = memfd_create("lockstep-doctor", MFD_CLOEXEC);
  // The size of a device file that drivers map pieces of: sparse, so it costs nothing.
  const bool sparse = fd >= 0 && ftruncate(fd, off_t{1} << 42) == 0;
  const int error = errno;
  if (fd >= 0) close(fd);
  if (!sparse) {
    return {Health::kProblem, "device files",
            fmt::format("files in memory (memfd) do not work here: {}", std::strerror(error)),
            "`lockstep run` needs them; allow memfd_create, or lift ulimit -f"};
  }
  std::error_code no_folder;
  const fs::path folder = fs::temp_directory_path(no_folder);
  if (no_folder || access(folder.c_str(), W_OK) != 0) {
    return {Health::kProblem, "device files", "the folder for temporary files cannot be written",
            "set TMPDIR to a folder that can"};
  }
  return {Health::kOk, "device files", "files in memory and temporary files work", ""};
}

Check check_limits() {
  const std::string ptrace = read_text("/proc/sys/kernel/yama/ptrace_scope");
  const std::string perf = read_text("/proc/sys/kernel/perf_event_paranoid");
  std::string found;
  if (!ptrace.empty() && ptrace != "0") {
    found += fmt::format("gdb cannot attach to a running program (ptrace_scope {})", ptrace);
  }
  if (!perf.empty() && std::atoi(perf.c_str()) > 2 && geteuid() != 0) {
    found += fmt::format("{}perf cannot sample (perf_event_paranoid {})", found.empty() ? "" : "; ",
                         perf);
  }
  if (found.empty()) return {Health::kOk, "debugging", "gdb can attach, perf can sample", ""};
  return {Health::kNote, "debugging", found + "; emulation does not need either", ""};
}

Check check_real_gpu() {
  if (access("/dev/kfd", F_OK) != 0) {
    return {Health::kOk, "real GPU", "none (no /dev/kfd); none is needed", ""};
  }
  const bool usable = access("/dev/kfd", R_OK | W_OK) == 0;
  return {
      Health::kNote, "real GPU",
      fmt::format("/dev/kfd exists{}; programs under `lockstep run` see only the emulated cards, "
                  "others see the real one as ever",
                  usable ? "" : ", but this user may not open it"),
      ""};
}

}  // namespace lockstep::cli
