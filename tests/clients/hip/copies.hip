// SPDX-License-Identifier: MIT
// Copies of every shape: large, odd, two-dimensional, device to device, fills, symbols.
#include <vector>

#include "check.h"

__constant__ int g_table[8];
__device__ int g_result[8];
__global__ void look_up() { g_result[threadIdx.x] = g_table[7 - threadIdx.x] * 2; }

int main() {
  const size_t large = (9u << 20) + 13;
  std::vector<unsigned char> a(large), b(large);
  for (size_t i = 0; i < large; ++i) a[i] = static_cast<unsigned char>(i * 31 >> 3);
  unsigned char *first, *second;
  HIP(hipMalloc(&first, large));
  HIP(hipMalloc(&second, large));
  HIP(hipMemcpy(first, a.data(), large, hipMemcpyHostToDevice));
  HIP(hipMemcpy(second, first, large, hipMemcpyDeviceToDevice));
  HIP(hipMemset(second + 1001, 0x5a, 3001));
  HIP(hipMemcpy(b.data(), second, large, hipMemcpyDeviceToHost));
  for (size_t i = 0; i < large; ++i) {
    expect("large", static_cast<long>(i), b[i], i - 1001 < 3001 ? 0x5a : a[i]);
  }
  // A window of 100 x 20 bytes out of rows of 256.
  HIP(hipMemcpy2D(b.data(), 100, first + 10, 256, 100, 20, hipMemcpyDeviceToHost));
  for (int row = 0; row < 20; ++row) {
    for (int column = 0; column < 100; ++column) {
      expect("window", row * 100 + column, b[row * 100 + column], a[10 + row * 256 + column]);
    }
  }
  HIP(hipMemsetD32(reinterpret_cast<hipDeviceptr_t>(first), 0x01020304, 1000));
  HIP(hipMemcpy(b.data(), first, 4004, hipMemcpyDeviceToHost));
  for (int i = 0; i < 4004; ++i) expect("words", i, b[i], i < 4000 ? 4 - i % 4 : a[i]);
  const int table[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  int result[8];
  HIP(hipMemcpyToSymbol(HIP_SYMBOL(g_table), table, sizeof table));
  look_up<<<1, 8>>>();
  HIP(hipMemcpyFromSymbol(result, HIP_SYMBOL(g_result), sizeof result));
  for (int i = 0; i < 8; ++i) expect("symbol", i, result[i], 2 * (8 - i));
  return finish();
}
