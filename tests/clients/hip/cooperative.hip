// SPDX-License-Identifier: MIT
// Cooperative groups: tiles of a wave, the group, and a grid that synchronises.
#include "check.h"
// After the runtime, which it needs and does not name.
#include <hip/hip_cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void rounds(int* cells, int* total, int steps) {
  cg::grid_group grid = cg::this_grid();
  const int n = static_cast<int>(grid.size()), i = static_cast<int>(grid.thread_rank());
  for (int step = 0; step < steps; ++step) {
    const int next = cells[(i + blockDim.x) % n] + 1;  // written by another group
    grid.sync();
    cells[i] = next;
    grid.sync();
  }
  cg::thread_block block = cg::this_thread_block();
  block.sync();
  auto tile = cg::tiled_partition<16>(block);
  int value = 1;
  for (int delta = 8; delta > 0; delta /= 2) value += tile.shfl_down(value, delta);
  if (tile.thread_rank() == 0) atomicAdd(total, value);
}

int main() {
  constexpr int groups = 12, size = 64, n = groups * size;
  int host[n], total = 0, steps = 7, supported = 0;
  HIP(hipDeviceGetAttribute(&supported, hipDeviceAttributeCooperativeLaunch, 0));
  expect("cooperative launch is offered", 0, supported, 1);
  for (int i = 0; i < n; ++i) host[i] = i;
  int *cells, *sum;
  HIP(hipMalloc(&cells, sizeof host));
  HIP(hipMalloc(&sum, sizeof total));
  HIP(hipMemcpy(cells, host, sizeof host, hipMemcpyHostToDevice));
  HIP(hipMemset(sum, 0, sizeof total));
  void* arguments[] = {&cells, &sum, &steps};
  HIP(hipLaunchCooperativeKernel(reinterpret_cast<void*>(rounds), dim3(groups), dim3(size),
                                 arguments, 0, nullptr));
  HIP(hipMemcpy(host, cells, sizeof host, hipMemcpyDeviceToHost));
  HIP(hipMemcpy(&total, sum, sizeof total, hipMemcpyDeviceToHost));
  for (int i = 0; i < n; ++i) expect("cells", i, host[i], (i + steps * size) % n + steps);
  expect("tiles", 0, total, n);
  return finish();
}
