// SPDX-License-Identifier: MIT
// 256 bins: each workgroup counts with LDS atomics, then adds to the result with global atomics.
#define BINS 256
#define BARRIER()                                          \
  do {                                                     \
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup"); \
    __builtin_amdgcn_s_barrier();                          \
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup"); \
  } while (0)

__attribute__((amdgpu_flat_work_group_size(1, 1024))) kernel void histogram(global const uint* in,
                                                                            global uint* bins,
                                                                            uint n) {
  local uint counts[BINS];
  const uint lane = __builtin_amdgcn_workitem_id_x();
  const uint size = __builtin_amdgcn_workgroup_size_x();
  for (uint bin = lane; bin < BINS; bin += size) counts[bin] = 0;
  BARRIER();
  const uint i = __builtin_amdgcn_workgroup_id_x() * size + lane;
  if (i < n)
    __scoped_atomic_fetch_add(&counts[in[i] % BINS], 1u, __ATOMIC_RELAXED, __MEMORY_SCOPE_WRKGRP);
  BARRIER();
  for (uint bin = lane; bin < BINS; bin += size)
    if (counts[bin] != 0)
      __scoped_atomic_fetch_add(&bins[bin], counts[bin], __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
}
