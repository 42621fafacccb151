/* SPDX-License-Identifier: MIT
 * The work of some kernels as plain C loops, which clang compiles for this machine. */
#ifndef LOCKSTEP_BENCH_NATIVE_LOOPS_H
#define LOCKSTEP_BENCH_NATIVE_LOOPS_H
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* c = a * b, all n x n and row by row. */
void native_gemm(float* c, const float* a, const float* b, size_t n);
/* Softmax of each row. */
void native_softmax(float* to, const float* from, size_t rows, size_t columns);
/* Sums of parts of `count` numbers. */
void native_sums(float* to, const float* from, size_t parts, size_t count);

#ifdef __cplusplus
}
#endif
#endif
