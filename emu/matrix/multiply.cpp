// SPDX-License-Identifier: MIT
// Inner loops, compiled once for the baseline and once for hosts with AVX2 and FMA: both give the
// same bits, as std::fma is exact either way.
#include "emu/matrix/multiply.h"

#include <cmath>
#include <type_traits>

namespace lockstep::emu {
namespace {

#if defined(__x86_64__)
#define LOCKSTEP_FMA_TARGET __attribute__((target("avx2,fma")))
#define LOCKSTEP_ALWAYS_INLINE inline __attribute__((always_inline))
#else
#define LOCKSTEP_ALWAYS_INLINE inline
#endif

template <unsigned N, class T>
LOCKSTEP_ALWAYS_INLINE void row(const T* a, const uint8_t* pick, unsigned depth, const T* b,
                                T* accumulator) {
  T sum[N];
  for (unsigned j = 0; j < N; ++j) sum[j] = accumulator[j];
  for (unsigned i = 0; i < depth; ++i) {
    const T factor = a[i];
    const T* columns = b + pick[i] * N;
    for (unsigned j = 0; j < N; ++j) {
      if constexpr (std::is_same_v<T, float>)
        sum[j] = __builtin_fmaf(factor, columns[j], sum[j]);
      else if constexpr (std::is_same_v<T, double>)
        sum[j] = __builtin_fma(factor, columns[j], sum[j]);
      else
        sum[j] += factor * columns[j];
    }
  }
  for (unsigned j = 0; j < N; ++j) accumulator[j] = sum[j];
}

template <class T>
LOCKSTEP_ALWAYS_INLINE void any_row(const T* a, const uint8_t* pick, unsigned depth, const T* b,
                                    unsigned n, T* accumulator) {
  if (n == 16)
    row<16>(a, pick, depth, b, accumulator);
  else if (n == 32)
    row<32>(a, pick, depth, b, accumulator);
  else
    row<4>(a, pick, depth, b, accumulator);
}

template <class T>
void plain(const T* a, const uint8_t* pick, unsigned depth, const T* b, unsigned n,
           T* accumulator) {
  any_row(a, pick, depth, b, n, accumulator);
}

#if defined(__x86_64__)
template <class T>
LOCKSTEP_FMA_TARGET void with_fma(const T* a, const uint8_t* pick, unsigned depth, const T* b,
                                  unsigned n, T* accumulator) {
  any_row(a, pick, depth, b, n, accumulator);
}
#endif

template <class T>
void dispatch(const T* a, const uint8_t* pick, unsigned depth, const T* b, unsigned n,
              T* accumulator) {
#if defined(__x86_64__)
  static const bool has_fma = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (has_fma) return with_fma(a, pick, depth, b, n, accumulator);
#endif
  plain(a, pick, depth, b, n, accumulator);
}

}  // namespace

void multiply_row(const float* a, const uint8_t* pick, unsigned depth, const float* b, unsigned n,
                  float* accumulator) {
  dispatch(a, pick, depth, b, n, accumulator);
}
void multiply_row(const double* a, const uint8_t* pick, unsigned depth, const double* b, unsigned n,
                  double* accumulator) {
  dispatch(a, pick, depth, b, n, accumulator);
}
void multiply_row(const int32_t* a, const uint8_t* pick, unsigned depth, const int32_t* b,
                  unsigned n, int32_t* accumulator) {
  dispatch(a, pick, depth, b, n, accumulator);
}

}  // namespace lockstep::emu
