// SPDX-License-Identifier: MIT
// f16: scalar and packed arithmetic, conversions; half2 becomes v_pk_* instructions.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

kernel void half_scalar(global const half* a, global const half* b, global half* out, uint n) {
  const uint i = __builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() +
                 __builtin_amdgcn_workitem_id_x();
  if (i >= n) return;
  const half x = a[i], y = b[i];
  out[i + 0 * n] = x + y;
  out[i + 1 * n] = x * y;
  out[i + 2 * n] = __builtin_fmaf16(x, y, -x);
  out[i + 3 * n] = x < y ? -x : __builtin_fabsf16(y);
  out[i + 4 * n] = (half)((float)x * 3.0f + (float)y);
  out[i + 5 * n] = (half)(int)x;
  out[i + 6 * n] = __builtin_fminf16(x, y) - __builtin_fmaxf16(x, y);
}

// n counts pairs.
kernel void half_packed(global const half2* a, global const half2* b, global half2* out, uint n) {
  const uint i = __builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() +
                 __builtin_amdgcn_workitem_id_x();
  if (i >= n) return;
  const half2 x = a[i], y = b[i];
  out[i + 0 * n] = x + y;
  out[i + 1 * n] = x * y;
  out[i + 2 * n] = __builtin_elementwise_fma(x, y, -x);
  out[i + 3 * n] = x.yx * y - x;
  out[i + 4 * n] = __builtin_elementwise_max(x, y) + __builtin_elementwise_min(x, y.yx);
}
