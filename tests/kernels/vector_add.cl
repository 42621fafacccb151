// SPDX-License-Identifier: MIT
// c = a + b, with a tail that does not fill the last workgroup.
__attribute__((amdgpu_flat_work_group_size(1, 1024))) kernel void vector_add(global const float* a,
                                                                             global const float* b,
                                                                             global float* c,
                                                                             uint n) {
  const uint i = __builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() +
                 __builtin_amdgcn_workitem_id_x();
  if (i < n) c[i] = a[i] + b[i];
}
