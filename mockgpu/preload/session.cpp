// SPDX-License-Identifier: MIT
// Lazy start, fork, and the end of the process.
#include "mockgpu/preload/session.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <charconv>
#include <mutex>
#include <vector>

#include "mockgpu/log.h"

namespace lockstep::mockgpu {
namespace {

// Constant-initialised or never destroyed: interposed calls come before constructors and after
// destructors.
std::mutex g_mutex;
std::atomic<Session*> g_session;
std::atomic<Process*> g_process;
/// Device state of the ancestors, kept only to recognise their descriptors.
std::vector<Process*>* g_ancestors;

[[noreturn]] void die(std::string_view message) {
  log_line(LogLevel::kError, message);
  _exit(2);
}

// "/dev//dri/./renderD128" -> "/dev/dri/renderD128". Only for paths below /dev, /sys and /proc.
std::string normalise(std::string_view path) {
  std::vector<std::string_view> parts;
  while (!path.empty()) {
    const size_t slash = path.find('/');
    const std::string_view part = path.substr(0, slash);
    path.remove_prefix(slash == std::string_view::npos ? path.size() : slash + 1);
    if (part.empty() || part == ".") continue;
    if (part == "..") {
      if (!parts.empty()) parts.pop_back();
      continue;
    }
    parts.push_back(part);
  }
  std::string result;
  for (const std::string_view part : parts) result.append("/").append(part);
  return result;
}

std::optional<size_t> number_after(std::string_view path, std::string_view prefix) {
  if (!path.starts_with(prefix)) return std::nullopt;
  path.remove_prefix(prefix.size());
  size_t number = 0;
  const auto [end, error] = std::from_chars(path.data(), path.data() + path.size(), number);
  if (error != std::errc() || end != path.data() + path.size()) return std::nullopt;
  return number;
}

}  // namespace

Session* Session::create() {
  auto options = parse_options([](const char* name) -> const char* { return getenv(name); });
  if (!options) die(options.error());
  set_log_level(options->log_level);
  auto topology = Topology::create(options->devices);
  if (!topology) die(topology.error());
  install_fork_handlers();
  return new Session(std::move(*options), std::move(*topology));
}

Session& Session::get() {
  if (Session* session = existing()) return *session;
  const std::lock_guard lock(g_mutex);
  Session* session = existing();
  if (!session) {
    session = create();
    g_session.store(session, std::memory_order_release);
  }
  return *session;
}

Session* Session::existing() { return g_session.load(std::memory_order_acquire); }

Process& Session::process() {
  const std::lock_guard lock(g_mutex);
  if (!process_) {
    auto process = Process::create(options_, emulator_runner(options_.dispatcher));
    if (!process) die(process.error());
    process_ = std::move(*process);
    g_process.store(process_.get(), std::memory_order_release);
  }
  return *process_;
}

Process* Session::existing_process() { return g_process.load(std::memory_order_acquire); }

bool Session::is_foreign(int fd) {
  if (!g_ancestors) return false;
  for (const Process* process : *g_ancestors) {
    const Process::FileKind kind = process->identify(fd).kind;
    if (kind == Process::FileKind::kKfd || kind == Process::FileKind::kRender) return true;
  }
  return false;
}

void Session::install_fork_handlers() {
  static const int installed = pthread_atfork([] { g_mutex.lock(); }, [] { g_mutex.unlock(); },
                                              [] { after_fork_in_child(); });
  (void)installed;
}

void Session::after_fork_in_child() {
  // The threads and the meaning of the parent's queues are gone, and its locks may be held for
  // ever: the state is left where it is and a new one is made when the child opens a device itself.
  if (Process* process = g_process.exchange(nullptr)) {
    if (!g_ancestors) g_ancestors = new std::vector<Process*>;
    g_ancestors->push_back(process);
  }
  if (Session* session = g_session.exchange(nullptr)) session->topology_.abandon();
  g_mutex.unlock();
}

void Session::end() {
  // A vfork child shares this memory and may _exit when its exec fails: the session is not its to end.
  Session* session = existing();
  if (!session || session->owner_ != getpid()) return;
  if (!g_session.compare_exchange_strong(session, nullptr)) return;
  if (Process* process = g_process.load(std::memory_order_acquire)) process->finish();
  Topology ended = std::move(session->topology_);  // removes the tree; the rest outlives everything
}

Node Session::resolve_device(std::string_view path) const {
  if (path == "/dev/kfd") return {Node::Kind::kKfd, 0, {}};
  std::optional<size_t> device = number_after(path, "/dev/dri/card");
  if (const auto minor = number_after(path, "/dev/dri/renderD")) {
    device = *minor - render_minor_of(0);
  }
  if (device && *device < options_.devices.size()) return {Node::Kind::kRender, *device, {}};
  return {Node::Kind::kTree, 0, topology_.redirect(path)};
}

Node resolve(const char* path) {
  if (!path || path[0] != '/') return {};
  // This runs for every path that the program opens: most are told apart by a few characters.
  std::string_view view(path);
  while (view.starts_with('/')) view.remove_prefix(1);
  if (!view.starts_with("dev/") && !view.starts_with("sys/") && !view.starts_with("proc/m")) {
    return {};
  }
  const std::string clean = normalise(view);
  if (clean != "/dev/kfd" && !is_redirected_path(clean)) return {};
  return Session::get().resolve_device(clean);
}

}  // namespace lockstep::mockgpu

// The linker sends this library's own calls here (--wrap): what would destroy its static objects at
// the end of the process is not registered, since other libraries use the device after that.
extern "C" {
int __real___cxa_atexit(void (*function)(void*), void* argument, void* library);  // NOLINT
int __wrap___cxa_atexit(void (*)(void*), void*, void*) { return 0; }              // NOLINT
}

// HIP programs free device memory in the destructors of their libraries. Handlers run in reverse
// order, and those destructors are registered after all constructors have run: so one that a
// constructor registers comes after them, if it belongs to no library.
__attribute__((constructor)) static void lockstep_end_last() {
  __real___cxa_atexit([](void*) { lockstep::mockgpu::Session::end(); }, nullptr, nullptr);
}

// Processes of one run share a report; children inherit the name of the session that the first one
// makes.
__attribute__((constructor)) static void lockstep_begin() {
  const std::string session = fmt::format("{}-{}", getpid(), time(nullptr));
  setenv("LOCKSTEP_SESSION", session.c_str(), /*overwrite=*/0);
}
