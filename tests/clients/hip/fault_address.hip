// SPDX-License-Identifier: MIT
// A store to memory that nobody has.
#include "check.h"

__global__ void scribble(int* data) { data[threadIdx.x] = 1; }

int main() {
  scribble<<<1, 64>>>(reinterpret_cast<int*>(0x1234560000));
  const hipError_t error = hipDeviceSynchronize();
  std::printf("survived: %s\n", hipGetErrorString(error));
  return finish();
}
