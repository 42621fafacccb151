// SPDX-License-Identifier: MIT
// A trap on the device.
#include "check.h"

__global__ void stop() {
  if (threadIdx.x == 5) __builtin_trap();
}

int main() {
  stop<<<1, 64>>>();
  const hipError_t error = hipDeviceSynchronize();
  std::printf("survived: %s\n", hipGetErrorString(error));
  return finish();
}
