// SPDX-License-Identifier: MIT
// Allocation, copies both ways, one launch with a partial last group.
#include <vector>

#include "check.h"

__global__ void add(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

int main() {
  constexpr int n = 10007;
  std::vector<float> a(n), b(n), c(n, -1);
  for (int i = 0; i < n; ++i) a[i] = i, b[i] = 0.5f * i;
  float *da, *db, *dc;
  HIP(hipMalloc(&da, n * sizeof(float)));
  HIP(hipMalloc(&db, n * sizeof(float)));
  HIP(hipMalloc(&dc, n * sizeof(float)));
  HIP(hipMemcpy(da, a.data(), n * sizeof(float), hipMemcpyHostToDevice));
  HIP(hipMemcpy(db, b.data(), n * sizeof(float), hipMemcpyHostToDevice));
  add<<<(n + 255) / 256, 256>>>(da, db, dc, n);
  HIP(hipGetLastError());
  HIP(hipMemcpy(c.data(), dc, n * sizeof(float), hipMemcpyDeviceToHost));
  for (int i = 0; i < n; ++i) expect("c", i, c[i], 1.5f * i);
  HIP(hipFree(da));
  HIP(hipFree(db));
  HIP(hipFree(dc));
  return finish();
}
