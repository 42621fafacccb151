// SPDX-License-Identifier: MIT
// Streams, events between them, asynchronous copies from pinned memory, host functions, times.
#include "check.h"

__global__ void scale(int* data, int n, int factor) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    data[i] = data[i] * factor + 1;
  }
}

int main() {
  constexpr int n = 1 << 14;
  int *pinned, *device;
  hipStream_t first, second;
  hipEvent_t begin, middle, end;
  HIP(hipHostMalloc(&pinned, n * sizeof(int), hipHostMallocDefault));
  HIP(hipMalloc(&device, n * sizeof(int)));
  HIP(hipStreamCreate(&first));
  HIP(hipStreamCreateWithFlags(&second, hipStreamNonBlocking));
  HIP(hipEventCreate(&begin));
  HIP(hipEventCreate(&middle));
  HIP(hipEventCreate(&end));
  for (int i = 0; i < n; ++i) pinned[i] = i;
  HIP(hipEventRecord(begin, first));
  HIP(hipMemcpyAsync(device, pinned, n * sizeof(int), hipMemcpyHostToDevice, first));
  scale<<<16, 256, 0, first>>>(device, n, 2);
  HIP(hipEventRecord(middle, first));
  HIP(hipStreamWaitEvent(second, middle, 0));
  scale<<<16, 256, 0, second>>>(device, n, 3);
  HIP(hipMemcpyAsync(pinned, device, n * sizeof(int), hipMemcpyDeviceToHost, second));
  int called = 0;
  HIP(hipStreamAddCallback(
      second, [](hipStream_t, hipError_t, void* data) { *static_cast<int*>(data) = 7; }, &called,
      0));
  HIP(hipEventRecord(end, second));
  HIP(hipEventSynchronize(end));
  HIP(hipStreamSynchronize(second));
  for (int i = 0; i < n; ++i) expect("data", i, pinned[i], (i * 2 + 1) * 3 + 1);
  expect("callback", 0, called, 7);
  float milliseconds = -1;
  HIP(hipEventElapsedTime(&milliseconds, begin, middle));
  expect("time is plausible", 0, milliseconds > 0 && milliseconds < 60000, true);
  HIP(hipStreamDestroy(first));
  HIP(hipStreamDestroy(second));
  HIP(hipHostFree(pinned));
  HIP(hipFree(device));
  return finish();
}
