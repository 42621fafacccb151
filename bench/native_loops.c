/* SPDX-License-Identifier: MIT
 * Plain loops; the compiler does the rest. */
#include "bench/native_loops.h"

#include <math.h>
#include <string.h>

void native_gemm(float* restrict c, const float* restrict a, const float* restrict b, size_t n) {
  memset(c, 0, n * n * sizeof *c);
  for (size_t i = 0; i < n; ++i)
    for (size_t k = 0; k < n; ++k)
      for (size_t j = 0; j < n; ++j) c[i * n + j] += a[i * n + k] * b[k * n + j];
}

void native_softmax(float* restrict to, const float* restrict from, size_t rows, size_t columns) {
  for (size_t r = 0; r < rows; ++r, to += columns, from += columns) {
    float most = from[0], sum = 0;
    for (size_t i = 1; i < columns; ++i) most = from[i] > most ? from[i] : most;
    for (size_t i = 0; i < columns; ++i) sum += to[i] = expf(from[i] - most);
    for (size_t i = 0; i < columns; ++i) to[i] /= sum;
  }
}

void native_sums(float* restrict to, const float* restrict from, size_t parts, size_t count) {
  for (size_t p = 0; p < parts; ++p) {
    float sum = 0;
    for (size_t i = 0; i < count; ++i) sum += from[p * count + i];
    to[p] = sum;
  }
}
