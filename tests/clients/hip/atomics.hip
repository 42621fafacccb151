// SPDX-License-Identifier: MIT
// Atomics on global memory and LDS: integers of both widths, floats, compare-and-swap loops.
#include "check.h"

struct Cells {
  int sum, least, most;
  unsigned ands, ors, exchanged_sum;
  unsigned long long wide;
  float single;
  double twice;
  int by_cas, in_lds;
};

__global__ void update(Cells* c) {
  __shared__ int local;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0) local = 0;
  __syncthreads();
  atomicAdd(&c->sum, i);
  atomicMin(&c->least, i - 100);
  atomicMax(&c->most, i);
  atomicAnd(&c->ands, ~(1u << (i % 7)));
  atomicOr(&c->ors, 1u << (i % 9));
  atomicAdd(&c->wide, 1ull << 33);
  atomicAdd(&c->single, 0.5f);
  atomicAdd(&c->twice, 0.25);
  for (int seen = c->by_cas;;) {
    const int before = atomicCAS(&c->by_cas, seen, seen + 3);
    if (before == seen) break;
    seen = before;
  }
  atomicAdd(&local, 1);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(&c->in_lds, local);
}

int main() {
  constexpr int n = 1024;
  Cells host = {0, 1 << 20, -5, ~0u, 0, 0, 0, 0, 0, 0, 0}, *device;
  HIP(hipMalloc(&device, sizeof host));
  HIP(hipMemcpy(device, &host, sizeof host, hipMemcpyHostToDevice));
  update<<<n / 128, 128>>>(device);
  HIP(hipMemcpy(&host, device, sizeof host, hipMemcpyDeviceToHost));
  expect("add", 0, host.sum, n * (n - 1) / 2);
  expect("min", 0, host.least, -100);
  expect("max", 0, host.most, n - 1);
  expect("and", 0, host.ands, ~0x7fu);
  expect("or", 0, host.ors, 0x1ffu);
  expect("add of 64 bits", 0, host.wide, n * (1ull << 33));
  expect("add of floats", 0, host.single, n * 0.5f);
  expect("add of doubles", 0, host.twice, n * 0.25);
  expect("compare and swap", 0, host.by_cas, 3 * n);
  expect("LDS", 0, host.in_lds, n);
  return finish();
}
