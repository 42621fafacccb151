// SPDX-License-Identifier: MIT
// Byte and short loads and stores, signed and unsigned, and packed 16-bit integer arithmetic.
kernel void narrow_memory(global const char* s8, global const uchar* u8, global const short* s16,
                          global const ushort* u16, global int* sums, global char* out8,
                          global short* out16, uint n) {
  const uint i = __builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() +
                 __builtin_amdgcn_workitem_id_x();
  if (i >= n) return;
  const int a = s8[i], b = u8[i], c = s16[i], d = u16[i];
  sums[i] = a * 3 + b * 5 + c * 7 + d * 11;
  out8[i] = (char)(a + b);
  out16[i] = (short)(c - d);
}

kernel void packed_short(global const short2* a, global const short2* b, global short2* out,
                         uint n) {
  const uint i = __builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() +
                 __builtin_amdgcn_workitem_id_x();
  if (i >= n) return;
  const short2 x = a[i], y = b[i];
  out[i + 0 * n] = x + y;
  out[i + 1 * n] = x * y - x.yx;
  out[i + 2 * n] = __builtin_elementwise_max(x, y) - __builtin_elementwise_min(x, y);
  out[i + 3 * n] = (x << (y & (short2)15)) ^ (x >> (short2)3);
}

// 16-byte accesses.
kernel void wide_memory(global const float4* a, global const float4* b, global float4* out, float s,
                        uint n) {
  const uint i = __builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() +
                 __builtin_amdgcn_workitem_id_x();
  if (i < n) out[i] = a[i] * s + b[i].wzyx;
}
