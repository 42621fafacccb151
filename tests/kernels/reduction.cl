// SPDX-License-Identifier: MIT
// Sum of each workgroup's part through LDS; the workgroup may have any size up to 1024.
#define BARRIER()                                          \
  do {                                                     \
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup"); \
    __builtin_amdgcn_s_barrier();                          \
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup"); \
  } while (0)

__attribute__((amdgpu_flat_work_group_size(1, 1024))) kernel void reduction(global const float* in,
                                                                            global float* partial,
                                                                            uint n) {
  local float sums[1024];
  const uint lane = __builtin_amdgcn_workitem_id_x();
  const uint group = __builtin_amdgcn_workgroup_id_x();
  const uint size = __builtin_amdgcn_workgroup_size_x();
  const uint i = group * size + lane;
  sums[lane] = i < n ? in[i] : 0.0f;
  BARRIER();
  for (uint count = size; count > 1;) {
    const uint half_count = (count + 1) / 2;
    if (lane < half_count && lane + half_count < count) sums[lane] += sums[lane + half_count];
    BARRIER();
    count = half_count;
  }
  if (lane == 0) partial[group] = sums[0];
}
