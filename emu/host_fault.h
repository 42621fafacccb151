// SPDX-License-Identifier: MIT
// Memory that the program takes away while a kernel uses it: SIGSEGV and SIGBUS of an access of
// ours become a guest fault. Signals of anything else go to the handler that was there before.
#pragma once
#include <csetjmp>
#include <cstdint>

#include "emu/context.h"

namespace lockstep::emu {

/// What this thread executes for a wave, and how it is left. Nothing on the way costs more than the
/// two stores that begin and end it.
struct GuestAccess {
  Context* context = nullptr;
  std::jmp_buf* jump = nullptr;  ///< the interpreter's way out; null: generated code's
  // Generated code: where the stack was when it was entered, and the code to go on at with it.
  uint64_t stack = 0;
  const void* resume = nullptr;
  int64_t budget = 0;  ///< what it was given: instructions
  const void* unit = nullptr;
  /// The guest pc at a host instruction of the unit; 0: the wave's pc says it.
  uint64_t (*pc_at)(const void* unit, uint64_t instruction) = nullptr;
};

/// Installs the handlers, once a process.
void watch_host_faults();

/// While it lives, faults in memory that the context's view has shown are the guest's.
class AccessScope {
 public:
  explicit AccessScope(GuestAccess* access) : before_(current_) { current_ = access; }
  ~AccessScope() { current_ = before_; }
  AccessScope(const AccessScope&) = delete;
  AccessScope& operator=(const AccessScope&) = delete;
  static GuestAccess* current() { return current_; }

 private:
  // Never allocated at first use: a signal handler reads it.
  static constinit thread_local GuestAccess* current_ __attribute__((tls_model("initial-exec")));
  GuestAccess* before_;
};

}  // namespace lockstep::emu
