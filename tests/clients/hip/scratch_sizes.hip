// SPDX-License-Identifier: MIT
// Private memory that grows and shrinks from launch to launch, in two queues: the runtime has to
// give each queue more when a kernel asks, and lends large pieces for one launch only.
#include <vector>

#include "check.h"

// Words of an array that is written in one order and read in another: it cannot stay in registers.
template <int kWords>
__global__ void walk(unsigned* out, unsigned seed) {
  unsigned words[kWords];
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  for (unsigned k = 0; k < kWords; ++k) words[(k * 5 + i) % kWords] = k * seed + i;
  unsigned sum = 0;
  for (unsigned k = 0; k < kWords; k += 3) sum = sum * 31 + words[(k + seed) % kWords];
  out[i] = sum;
}

template <int kWords>
unsigned walked(unsigned i, unsigned seed) {
  std::vector<unsigned> words(kWords);
  for (unsigned k = 0; k < kWords; ++k) words[(k * 5 + i) % kWords] = k * seed + i;
  unsigned sum = 0;
  for (unsigned k = 0; k < kWords; k += 3) sum = sum * 31 + words[(k + seed) % kWords];
  return sum;
}

constexpr int kThreads = 256;

template <int kWords>
void check(hipStream_t stream, unsigned* device, unsigned seed) {
  std::vector<unsigned> got(kThreads);
  walk<kWords><<<kThreads / 64, 64, 0, stream>>>(device, seed);
  HIP(hipGetLastError());
  HIP(hipMemcpyAsync(got.data(), device, kThreads * sizeof(unsigned), hipMemcpyDeviceToHost,
                     stream));
  HIP(hipStreamSynchronize(stream));
  for (unsigned i = 0; i < kThreads; ++i) expect("walk", i, got[i], walked<kWords>(i, seed));
}

int main() {
  hipStream_t streams[2];
  unsigned* device[2];
  for (int s = 0; s < 2; ++s) {
    HIP(hipStreamCreate(&streams[s]));
    HIP(hipMalloc(&device[s], kThreads * sizeof(unsigned)));
  }
  for (unsigned round = 1; round <= 2; ++round) {
    for (int s = 0; s < 2; ++s) {
      check<32>(streams[s], device[s], round);
      check<1024>(streams[s], device[s], round + 1);
      check<31>(streams[s], device[s], round + 2);
      check<16384>(streams[s], device[s], round + 3);
      check<256>(streams[s], device[s], round + 4);
    }
  }
  return finish();
}
