// SPDX-License-Identifier: MIT
// The C library functions behind the interposed ones.
#pragma once
#include <dlfcn.h>

#include <cstdlib>

// Marks the functions that the version script exports.
#define LOCKSTEP_EXPORT extern "C" __attribute__((visibility("default")))

namespace lockstep::mockgpu {

/// The next definition of a function after this library. A C library without it cannot run this at
/// all.
template <class Function>
Function* next(const char* name) {
  void* found = dlsym(RTLD_NEXT, name);
  if (!found) abort();
  return reinterpret_cast<Function*>(found);
}

}  // namespace lockstep::mockgpu
