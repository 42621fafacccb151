// SPDX-License-Identifier: MIT
// Double precision: arithmetic, fma, division, square root, rounding, comparison, conversions.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

kernel void f64_math(global const double* a, global const double* b, global double* out, uint n) {
  const uint i = __builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() +
                 __builtin_amdgcn_workitem_id_x();
  if (i >= n) return;
  const double x = a[i], y = b[i];
  out[i + 0 * n] = x + y;
  out[i + 1 * n] = x * y - x;
  out[i + 2 * n] = __builtin_fma(x, y, -x);
  out[i + 3 * n] = x / y;
  out[i + 4 * n] = __builtin_sqrt(__builtin_fabs(x));
  out[i + 5 * n] = __builtin_floor(x) + __builtin_ceil(y) * 1024.0;
  out[i + 6 * n] = __builtin_trunc(x) - __builtin_rint(y);
  out[i + 7 * n] = __builtin_fmin(x, y) * 2.0 + __builtin_fmax(x, y);
  out[i + 8 * n] = (double)(float)x + (double)(int)y;
  out[i + 9 * n] = (x < y) ? (double)(uint)__builtin_fabs(x) : (double)(long)(y * 1000.0);
}
