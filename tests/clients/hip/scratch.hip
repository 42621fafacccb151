// SPDX-License-Identifier: MIT
// Private memory: arrays that are indexed, recursion, calls through pointers, addresses of locals.
#include "check.h"

__device__ __noinline__ int fibonacci(int n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__device__ __noinline__ void sort(int* values, int n) {
  for (int i = 1; i < n; ++i) {
    for (int k = i; k > 0 && values[k - 1] > values[k]; --k) {
      const int kept = values[k];
      values[k] = values[k - 1];
      values[k - 1] = kept;
    }
  }
}

__device__ int plus(int a, int b) { return a + b; }
__device__ int times(int a, int b) { return a * b; }
__device__ __noinline__ int apply(int (*operation)(int, int), int a, int b) {
  return operation(a, b);
}

__global__ void work(int* sorted, int* called, int* numbers) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int values[16];
  for (int k = 0; k < 16; ++k) values[k] = (k * 7 + i) % 16;
  sort(values, 16);
  for (int k = 0; k < 16; ++k) sorted[i * 16 + k] = values[k];
  called[i] = apply(i % 2 ? plus : times, i, 3);
  numbers[i] = fibonacci(i % 11);
}

int main() {
  constexpr int n = 192;
  static int sorted[n * 16], called[n], numbers[n];
  int *dsorted, *dcalled, *dnumbers;
  HIP(hipMalloc(&dsorted, sizeof sorted));
  HIP(hipMalloc(&dcalled, sizeof called));
  HIP(hipMalloc(&dnumbers, sizeof numbers));
  work<<<n / 96, 96>>>(dsorted, dcalled, dnumbers);
  HIP(hipGetLastError());
  HIP(hipMemcpy(sorted, dsorted, sizeof sorted, hipMemcpyDeviceToHost));
  HIP(hipMemcpy(called, dcalled, sizeof called, hipMemcpyDeviceToHost));
  HIP(hipMemcpy(numbers, dnumbers, sizeof numbers, hipMemcpyDeviceToHost));
  const int wanted[] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55};
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < 16; ++k) expect("sorted", i * 16 + k, sorted[i * 16 + k], k);
    expect("called", i, called[i], i % 2 ? i + 3 : i * 3);
    expect("fibonacci", i, numbers[i], wanted[i % 11]);
  }
  return finish();
}
