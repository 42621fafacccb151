// SPDX-License-Identifier: MIT
// Sixteen hardware queues on every device, all of them busy at once. HIP takes four unless it is told otherwise.
#include <vector>

#include "check.h"

constexpr int kQueues = 16, kRounds = 20, kNumbers = 256;

__global__ void mix(unsigned* data, unsigned seed) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  data[i] = data[i] * 1664525u + seed;
}

int main() {
  setenv("GPU_MAX_HW_QUEUES", "16", 1);
  int devices = 0;
  HIP(hipGetDeviceCount(&devices));
  expect("devices", 0, devices, 8);
  struct Work {
    hipStream_t stream;
    unsigned* data;
  };
  std::vector<Work> all(devices * kQueues);
  for (int k = 0; k < static_cast<int>(all.size()); ++k) {
    HIP(hipSetDevice(k / kQueues));
    HIP(hipStreamCreateWithFlags(&all[k].stream, hipStreamNonBlocking));
    HIP(hipMalloc(&all[k].data, kNumbers * sizeof(unsigned)));
    HIP(hipMemsetAsync(all[k].data, 0, kNumbers * sizeof(unsigned), all[k].stream));
  }
  for (int round = 0; round < kRounds; ++round) {
    for (int k = 0; k < static_cast<int>(all.size()); ++k) {
      HIP(hipSetDevice(k / kQueues));
      mix<<<4, 64, 0, all[k].stream>>>(all[k].data, round * 1000 + k);
    }
  }
  for (int k = 0; k < static_cast<int>(all.size()); ++k) {
    HIP(hipSetDevice(k / kQueues));
    HIP(hipStreamSynchronize(all[k].stream));
    std::vector<unsigned> got(kNumbers);
    HIP(hipMemcpy(got.data(), all[k].data, kNumbers * sizeof(unsigned), hipMemcpyDeviceToHost));
    unsigned wanted = 0;
    for (int round = 0; round < kRounds; ++round) wanted = wanted * 1664525u + round * 1000 + k;
    for (int i = 0; i < kNumbers; ++i) expect("data", k * kNumbers + i, got[i], wanted);
    HIP(hipStreamDestroy(all[k].stream));
    HIP(hipFree(all[k].data));
  }
  return finish();
}
