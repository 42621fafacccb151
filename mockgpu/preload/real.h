// SPDX-License-Identifier: MIT
// The C library functions behind the interposed ones.
#pragma once
#include <dlfcn.h>

#include <atomic>
#include <cstdlib>

// Marks the functions that the version script exports.
#define LOCKSTEP_EXPORT extern "C" __attribute__((visibility("default")))

namespace lockstep::mockgpu {

/// The next definition of a function after this library, looked up at the first call. Constant-initialised
/// and without a guard: calls come before constructors, from any thread, and in children of fork.
template <class Function>
class Real {
 public:
  constexpr explicit Real(const char* name) : name_(name) {}
  operator Function*() {
    Function* found = function_.load(std::memory_order_acquire);
    if (found) return found;
    found = reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name_));
    if (!found) abort();  // a C library without it cannot run this at all
    function_.store(found, std::memory_order_release);
    return found;
  }

 private:
  const char* name_;
  std::atomic<Function*> function_{nullptr};
};

}  // namespace lockstep::mockgpu
