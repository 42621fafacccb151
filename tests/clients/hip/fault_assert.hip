// SPDX-License-Identifier: MIT
// assert() that fails on the device: its message, then the end of the program.
#include <cassert>

#include "check.h"

__global__ void doubtful(int limit) { assert(static_cast<int>(threadIdx.x) < limit); }

int main() {
  doubtful<<<1, 64>>>(64);
  HIP(hipDeviceSynchronize());
  std::printf("the first launch is fine\n");
  std::fflush(stdout);
  doubtful<<<1, 64>>>(40);
  const hipError_t error = hipDeviceSynchronize();
  std::printf("survived: %s\n", hipGetErrorString(error));
  return finish();
}
