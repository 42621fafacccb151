// SPDX-License-Identifier: MIT
// Lanes that exchange values, vote, and ask who they are.
#include "check.h"

struct Lane {
  int from_next, exchanged, broadcast, any_odd, all_less, count, prefix;
};

__global__ void exchange(Lane* out) {
  const int lane = threadIdx.x;
  Lane r;
  r.from_next = __shfl_down(lane * 10, 1);
  r.exchanged = __shfl_xor(lane, 5);
  r.broadcast = __shfl(lane + 100, 7);
  r.any_odd = __any(lane % 2 == 1);
  r.all_less = __all(lane < warpSize - 1);
  const unsigned long long third = __ballot(lane % 3 == 0);
  r.count = __popcll(third);
  r.prefix = __popcll(third & ((1ull << lane) - 1));
  out[lane] = r;
}

int main() {
  int wave = 0;
  HIP(hipDeviceGetAttribute(&wave, hipDeviceAttributeWarpSize, 0));
  Lane *device, host[64];
  HIP(hipMalloc(&device, sizeof host));
  exchange<<<1, wave>>>(device);
  HIP(hipMemcpy(host, device, wave * sizeof(Lane), hipMemcpyDeviceToHost));
  for (int i = 0; i < wave; ++i) {
    expect("shfl_down", i, host[i].from_next, (i + 1 < wave ? i + 1 : i) * 10);
    expect("shfl_xor", i, host[i].exchanged, i ^ 5);
    expect("shfl", i, host[i].broadcast, 107);
    expect("any", i, host[i].any_odd != 0, true);
    expect("all", i, host[i].all_less != 0, false);
    expect("ballot", i, host[i].count, (wave + 2) / 3);
    expect("prefix", i, host[i].prefix, (i + 2) / 3);
  }
  return finish();
}
