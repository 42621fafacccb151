// SPDX-License-Identifier: MIT
// Memory of the program that the device is given: its device address may differ from the host's.
#include <vector>

#include "check.h"

__global__ void twice(int* data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] *= 2;
}

int main() {
  constexpr int n = 3000;
  std::vector<int> heap(n);
  int stack[256];
  for (int i = 0; i < n; ++i) heap[i] = i;
  for (int i = 0; i < 256; ++i) stack[i] = -i;
  int *heap_device, *stack_device;
  HIP(hipHostRegister(heap.data(), n * sizeof(int), hipHostRegisterDefault));
  HIP(hipHostRegister(stack, sizeof stack, hipHostRegisterMapped));
  HIP(hipHostGetDevicePointer(reinterpret_cast<void**>(&heap_device), heap.data(), 0));
  HIP(hipHostGetDevicePointer(reinterpret_cast<void**>(&stack_device), stack, 0));
  twice<<<(n + 127) / 128, 128>>>(heap_device, n);
  twice<<<1, 256>>>(stack_device, 256);
  HIP(hipDeviceSynchronize());
  for (int i = 0; i < n; ++i) expect("heap", i, heap[i], 2 * i);
  for (int i = 0; i < 256; ++i) expect("stack", i, stack[i], -2 * i);
  HIP(hipHostUnregister(stack));
  HIP(hipHostUnregister(heap.data()));
  return finish();
}
