// SPDX-License-Identifier: MIT
// Two devices: work on both, copies between them, and a kernel that reads its peer's memory.
#include "check.h"

__global__ void fill(int* data, int base) { data[threadIdx.x] = base + threadIdx.x; }
__global__ void add_peer(int* mine, const int* other) { mine[threadIdx.x] += other[threadIdx.x]; }

int main() {
  int count = 0;
  HIP(hipGetDeviceCount(&count));
  expect("devices", 0, count, 2);
  if (count != 2) return finish();
  int *data[2], host[256];
  for (int d = 0; d < 2; ++d) {
    HIP(hipSetDevice(d));
    HIP(hipMalloc(&data[d], sizeof host));
    fill<<<1, 256>>>(data[d], 1000 * (d + 1));
    HIP(hipDeviceSynchronize());
  }
  int access = 0;
  HIP(hipDeviceCanAccessPeer(&access, 0, 1));
  expect("peer access is offered", 0, access, 1);
  HIP(hipSetDevice(0));
  HIP(hipDeviceEnablePeerAccess(1, 0));
  add_peer<<<1, 256>>>(data[0], data[1]);
  HIP(hipMemcpy(host, data[0], sizeof host, hipMemcpyDeviceToHost));
  for (int i = 0; i < 256; ++i) expect("sum", i, host[i], 3000 + 2 * i);
  HIP(hipMemcpyPeer(data[1], 1, data[0], 0, sizeof host));
  HIP(hipSetDevice(1));
  HIP(hipMemcpy(host, data[1], sizeof host, hipMemcpyDeviceToHost));
  for (int i = 0; i < 256; ++i) expect("copy", i, host[i], 3000 + 2 * i);
  return finish();
}
