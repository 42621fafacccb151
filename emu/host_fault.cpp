// SPDX-License-Identifier: MIT
// The signal handlers.
#include "emu/host_fault.h"

#include <signal.h>
#include <ucontext.h>

namespace lockstep::emu {

constinit thread_local GuestAccess* AccessScope::current_ = nullptr;

namespace {

constexpr int kSignals[] = {SIGSEGV, SIGBUS};
struct sigaction g_before[2];

constexpr const char* kDetail =
    "the address belongs to memory of the device, but the program has unmapped or protected it, or "
    "cut its file, while the kernel ran; keep memory until the kernel has ended";

/// As if we had not been there.
void pass_on(int signal, siginfo_t* info, void* state) {
  const struct sigaction& before = g_before[signal == SIGSEGV ? 0 : 1];
  if (before.sa_flags & SA_SIGINFO) {
    before.sa_sigaction(signal, info, state);
  } else if (before.sa_handler == SIG_DFL || before.sa_handler == SIG_IGN) {
    // The instruction runs again, or the signal that was sent is sent again, and ends the process.
    sigaction(signal, &before, nullptr);
    if (info->si_code <= 0) raise(signal);
  } else {
    before.sa_handler(signal);
  }
}

bool was_write([[maybe_unused]] const ucontext_t* state) {
#ifdef __x86_64__
  constexpr greg_t kWrite = 2;  // of a page fault's error code
  return state->uc_mcontext.gregs[REG_ERR] & kWrite;
#else
  return false;
#endif
}

void on_signal(int signal, siginfo_t* info, void* raw_state) {
  auto* state = static_cast<ucontext_t*>(raw_state);
  GuestAccess* access = AccessScope::current();
  if (!access || info->si_code <= 0) return pass_on(signal, info, raw_state);
  Context& c = *access->context;
  const Allocation* a = c.memory->holder_of(info->si_addr);
  if (!a) return pass_on(signal, info, raw_state);
  const uint64_t address =
      a->base + static_cast<uint64_t>(static_cast<uint8_t*>(info->si_addr) - a->host);
  c.raise(was_write(state) ? FaultKind::kMemoryWrite : FaultKind::kMemoryRead, -1, address, 0,
          kDetail);
  if (access->jump) _longjmp(*access->jump, 1);
#ifdef __x86_64__
  auto& registers = state->uc_mcontext.gregs;
  const uint64_t pc = access->pc_at(access->unit, static_cast<uint64_t>(registers[REG_RIP]));
  if (pc) c.wave->pc = pc;
  // What is left of the budget, as generated code returns it. A handler may have changed r13.
  registers[REG_RDX] = pc ? registers[REG_R13] : access->budget;
  registers[REG_RSP] = static_cast<greg_t>(access->stack);
  registers[REG_RIP] = static_cast<greg_t>(reinterpret_cast<uint64_t>(access->resume));
#endif
}

}  // namespace

void watch_host_faults() {
  static const bool installed = [] {
    struct sigaction ours = {};
    ours.sa_sigaction = on_signal;
    // The interpreter's way out does not restore the signal mask.
    ours.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
    sigemptyset(&ours.sa_mask);
    for (size_t i = 0; i < std::size(kSignals); ++i) sigaction(kSignals[i], &ours, &g_before[i]);
    return true;
  }();
  static_cast<void>(installed);
}

}  // namespace lockstep::emu
