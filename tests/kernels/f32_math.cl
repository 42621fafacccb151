// SPDX-License-Identifier: MIT
// Single precision: arithmetic, division, transcendentals, rounding, exponents, conversions.
kernel void f32_math(global const float* a, global const float* b, global float* out, uint n) {
  const uint i = __builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() +
                 __builtin_amdgcn_workitem_id_x();
  if (i >= n) return;
  const float x = a[i], y = b[i];
  out[i + 0 * n] = x - y;
  out[i + 1 * n] = __builtin_fmaf(x, y, 1.0f);
  out[i + 2 * n] = x / y;
  out[i + 3 * n] = __builtin_sqrtf(__builtin_fabsf(x));
  out[i + 4 * n] = __builtin_amdgcn_rcpf(y);
  out[i + 5 * n] = __builtin_amdgcn_rsqf(__builtin_fabsf(y));
  out[i + 6 * n] = __builtin_amdgcn_exp2f(x * 0.1f);
  out[i + 7 * n] = __builtin_amdgcn_logf(__builtin_fabsf(x) + 1.0f);
  out[i + 8 * n] = __builtin_amdgcn_sinf(__builtin_amdgcn_fractf(x));
  out[i + 9 * n] = __builtin_floorf(x) * 4.0f + __builtin_rintf(y);
  out[i + 10 * n] = __builtin_ldexpf(x, (int)y & 7);
  out[i + 11 * n] = __builtin_fminf(x, y) * 2.0f + __builtin_fmaxf(x, __builtin_fminf(y, 1.0f));
  out[i + 12 * n] =
      (float)(int)x + (float)(uint)__builtin_fabsf(y) + (float)(uchar)(uint)__builtin_fabsf(x);
  out[i + 13 * n] = __builtin_copysignf(x, y) + (x == y ? 1.0f : x > y ? 2.0f : 3.0f);
}
