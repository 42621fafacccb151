// SPDX-License-Identifier: MIT
// printf from the device: the wave asks the host, and waits for its answer, while it runs.
#include "check.h"

__global__ void speak(int base) {
  if (threadIdx.x < 3) printf("lane %d of group %d: %d %.2f %s\n", static_cast<int>(threadIdx.x),
                              static_cast<int>(blockIdx.x), base + static_cast<int>(threadIdx.x),
                              1.5 * threadIdx.x, "text");
}

int main() {
  speak<<<2, 64>>>(1000);
  HIP(hipDeviceSynchronize());
  return finish();
}
