// SPDX-License-Identifier: MIT
// Sums over groups with dynamic LDS, finished by an atomic; and a scan inside a wave.
#include <vector>

#include "check.h"

__global__ void sum_groups(const int* in, int n, int* total) {
  extern __shared__ int partial[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  partial[threadIdx.x] = i < n ? in[i] : 0;
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(total, partial[0]);
}

__global__ void scan_wave(const int* in, int* out) {
  int value = in[threadIdx.x];
  for (int delta = 1; delta < warpSize; delta *= 2) {
    const int other = __shfl_up(value, delta);
    if (static_cast<int>(threadIdx.x) >= delta) value += other;
  }
  out[threadIdx.x] = value;
}

int main() {
  constexpr int n = 50000;
  std::vector<int> in(n);
  long wanted = 0;
  for (int i = 0; i < n; ++i) wanted += in[i] = i * 37 % 101 - 50;
  int *din, *dout;
  HIP(hipMalloc(&din, n * sizeof(int)));
  HIP(hipMalloc(&dout, 64 * sizeof(int)));
  HIP(hipMemcpy(din, in.data(), n * sizeof(int), hipMemcpyHostToDevice));
  for (const int group : {64, 256, 1024}) {
    int total = 0;
    HIP(hipMemset(dout, 0, sizeof(int)));
    sum_groups<<<(n + group - 1) / group, group, group * sizeof(int)>>>(din, n, dout);
    HIP(hipMemcpy(&total, dout, sizeof total, hipMemcpyDeviceToHost));
    expect("total of groups", group, total, wanted);
  }
  int wave = 0, sum = 0, out[64];
  HIP(hipDeviceGetAttribute(&wave, hipDeviceAttributeWarpSize, 0));
  scan_wave<<<1, wave>>>(din, dout);
  HIP(hipMemcpy(out, dout, wave * sizeof(int), hipMemcpyDeviceToHost));
  for (int i = 0; i < wave; ++i) expect("scan", i, out[i], sum += in[i]);
  return finish();
}
