// SPDX-License-Identifier: MIT
// Tiled matrix product: static LDS, barriers, two-dimensional groups.
#include <vector>

#include "check.h"

constexpr int kTile = 16, kSize = 64;

__global__ void multiply(const float* a, const float* b, float* c) {
  __shared__ float ta[kTile][kTile], tb[kTile][kTile + 1];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * kTile + y, column = blockIdx.x * kTile + x;
  float sum = 0;
  for (int t = 0; t < kSize / kTile; ++t) {
    ta[y][x] = a[row * kSize + t * kTile + x];
    tb[y][x] = b[(t * kTile + y) * kSize + column];
    __syncthreads();
    for (int k = 0; k < kTile; ++k) sum += ta[y][k] * tb[k][x];
    __syncthreads();
  }
  c[row * kSize + column] = sum;
}

int main() {
  std::vector<float> a(kSize * kSize), b(a), c(a);
  for (int i = 0; i < kSize * kSize; ++i) a[i] = i % 7 - 3, b[i] = i % 5 - 2;
  float *da, *db, *dc;
  const size_t bytes = a.size() * sizeof(float);
  HIP(hipMalloc(&da, bytes));
  HIP(hipMalloc(&db, bytes));
  HIP(hipMalloc(&dc, bytes));
  HIP(hipMemcpy(da, a.data(), bytes, hipMemcpyHostToDevice));
  HIP(hipMemcpy(db, b.data(), bytes, hipMemcpyHostToDevice));
  multiply<<<dim3(kSize / kTile, kSize / kTile), dim3(kTile, kTile)>>>(da, db, dc);
  HIP(hipMemcpy(c.data(), dc, bytes, hipMemcpyDeviceToHost));
  for (int row = 0; row < kSize; ++row) {
    for (int column = 0; column < kSize; ++column) {
      float sum = 0;
      for (int k = 0; k < kSize; ++k) sum += a[row * kSize + k] * b[k * kSize + column];
      expect("c", row * kSize + column, c[row * kSize + column], sum);
    }
  }
  return finish();
}
