// SPDX-License-Identifier: MIT
// What the HIP programs of this folder share: checked calls, and a count of wrong numbers.
#pragma once
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>

#define HIP(call)                                                                               \
  do {                                                                                          \
    const hipError_t hip_error_ = (call);                                                       \
    if (hip_error_ != hipSuccess) {                                                             \
      std::printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, hipGetErrorString(hip_error_)); \
      std::exit(2);                                                                             \
    }                                                                                           \
  } while (0)

inline int g_wrong = 0;

template <class A, class B>
void expect(const char* what, long index, A got, B wanted) {
  if (got == static_cast<A>(wanted)) return;
  if (g_wrong++ < 8) {
    std::printf("%s[%ld] is %g, not %g\n", what, index, static_cast<double>(got),
                static_cast<double>(wanted));
  }
}

/// The last line of every program; the status says the same.
inline int finish() {
  std::printf("%s\n", g_wrong ? "FAILED" : "PASSED");
  return g_wrong ? 1 : 0;
}
