// SPDX-License-Identifier: MIT
// Managed memory, written by both sides in turn, with advice and prefetch.
#include "check.h"

__managed__ int g_counter = 5;

__global__ void add_index(int* data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] += i;
  if (i == 0) g_counter += 10;
}

int main() {
  constexpr int n = 5000;
  int* data;
  HIP(hipMallocManaged(&data, n * sizeof(int)));
  for (int i = 0; i < n; ++i) data[i] = 3;
  const hipDevice_t device = 0;
  HIP(hipMemAdvise(data, n * sizeof(int), hipMemAdviseSetPreferredLocation, device));
  HIP(hipMemPrefetchAsync(data, n * sizeof(int), device, nullptr));
  int where = -7;
  HIP(hipMemRangeGetAttribute(&where, sizeof where, hipMemRangeAttributePreferredLocation, data,
                              n * sizeof(int)));
  expect("preferred location", 0, where, device);
  add_index<<<(n + 255) / 256, 256>>>(data, n);
  HIP(hipDeviceSynchronize());
  for (int i = 0; i < n; ++i) expect("data", i, data[i], 3 + i);
  expect("managed variable", 0, g_counter, 15);
  data[1] = 100;
  add_index<<<1, 64>>>(data, n);
  HIP(hipDeviceSynchronize());
  expect("data after a second launch", 1, data[1], 101);
  HIP(hipFree(data));
  return finish();
}
