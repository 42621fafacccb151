// SPDX-License-Identifier: MIT
// The inner loops of matrix operations: one row of D at a time over contiguous columns.
#pragma once
#include <cstdint>

namespace lockstep::emu {

/// accumulator[j] += a[i] * b[pick[i]][j] for i in order, each step rounded once (FMA) or, for
/// integers, exactly (sums of products fit). Rows of b have `n` elements (4, 16 or 32), as has the accumulator.
void multiply_row(const float* a, const uint8_t* pick, unsigned depth, const float* b, unsigned n,
                  float* accumulator);
void multiply_row(const double* a, const uint8_t* pick, unsigned depth, const double* b, unsigned n,
                  double* accumulator);
void multiply_row(const int32_t* a, const uint8_t* pick, unsigned depth, const int32_t* b,
                  unsigned n, int32_t* accumulator);

}  // namespace lockstep::emu
