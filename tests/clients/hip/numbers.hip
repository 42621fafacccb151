// SPDX-License-Identifier: MIT
// Mathematical functions of both widths and half precision, against the host's.
#include <hip/hip_fp16.h>

#include <cmath>

#include "check.h"

__global__ void single(const float* x, float* out, int n) {
  const int i = threadIdx.x;
  out[i] = sinf(x[i]), out[n + i] = expf(x[i]), out[2 * n + i] = powf(fabsf(x[i]), 1.7f);
  out[3 * n + i] = tgammaf(fabsf(x[i]) + 1), out[4 * n + i] = sqrtf(fabsf(x[i]));
}
__global__ void twofold(const double* x, double* out, int n) {
  const int i = threadIdx.x;
  out[i] = cos(x[i]), out[n + i] = log(fabs(x[i]) + 1), out[2 * n + i] = x[i] / 3;
  out[3 * n + i] = cbrt(x[i]), out[4 * n + i] = fma(x[i], x[i], 1.0);
}
__global__ void half_sums(const float* x, float* out) {
  const __half a = __float2half(x[threadIdx.x]), b = __float2half(0.25f);
  out[threadIdx.x] = __half2float(__hadd(__hmul(a, b), a));
}

template <class T>
void near(const char* what, long i, T got, T wanted, T tolerance) {
  const bool close = std::fabs(got - wanted) <= tolerance * std::fmax(T(1), std::fabs(wanted));
  if (!close) expect(what, i, got, wanted);
}

int main() {
  constexpr int n = 128;
  float x[n], out[5 * n], *dx, *dout;
  double y[n], wide[5 * n], *dy, *dwide;
  for (int i = 0; i < n; ++i) y[i] = x[i] = (i - 64) * 0.125f;
  HIP(hipMalloc(&dx, sizeof x));
  HIP(hipMalloc(&dout, sizeof out));
  HIP(hipMalloc(&dy, sizeof y));
  HIP(hipMalloc(&dwide, sizeof wide));
  HIP(hipMemcpy(dx, x, sizeof x, hipMemcpyHostToDevice));
  HIP(hipMemcpy(dy, y, sizeof y, hipMemcpyHostToDevice));
  single<<<1, n>>>(dx, dout, n);
  twofold<<<1, n>>>(dy, dwide, n);
  HIP(hipMemcpy(out, dout, sizeof out, hipMemcpyDeviceToHost));
  HIP(hipMemcpy(wide, dwide, sizeof wide, hipMemcpyDeviceToHost));
  for (int i = 0; i < n; ++i) {
    near("sinf", i, out[i], sinf(x[i]), 1e-6f);
    near("expf", i, out[n + i], expf(x[i]), 1e-6f);
    near("powf", i, out[2 * n + i], powf(fabsf(x[i]), 1.7f), 1e-6f);
    near("tgammaf", i, out[3 * n + i], tgammaf(fabsf(x[i]) + 1), 2e-6f);
    near("sqrtf", i, out[4 * n + i], sqrtf(fabsf(x[i])), 1e-7f);
    near("cos", i, wide[i], cos(y[i]), 1e-14);
    near("log", i, wide[n + i], log(fabs(y[i]) + 1), 1e-14);
    near("division", i, wide[2 * n + i], y[i] / 3, 0.0);
    near("cbrt", i, wide[3 * n + i], cbrt(y[i]), 1e-14);
    near("fma", i, wide[4 * n + i], fma(y[i], y[i], 1.0), 0.0);
  }
  half_sums<<<1, n>>>(dx, dout);
  HIP(hipMemcpy(out, dout, sizeof x, hipMemcpyDeviceToHost));
  for (int i = 0; i < n; ++i) near("half", i, out[i], x[i] * 1.25f, 1e-3f);
  return finish();
}
