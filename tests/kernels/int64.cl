// SPDX-License-Identifier: MIT
// 64-bit integers: products, high halves, division and remainder, shifts, comparison.
kernel void int64(global const long* a, global const long* b, global long* out, uint n) {
  const uint i = __builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() +
                 __builtin_amdgcn_workitem_id_x();
  if (i >= n) return;
  const long x = a[i], y = b[i];  // y is never 0
  const ulong ux = (ulong)x, uy = (ulong)y;
  out[i + 0 * n] = (long)(ux * uy);
  out[i + 1 * n] = x / y;
  out[i + 2 * n] = x % y;
  out[i + 3 * n] = (long)(ux / uy);
  out[i + 4 * n] = (long)(ux % uy);
  out[i + 5 * n] = (long)(ux << (uy & 63)) ^ (x >> (uy & 63));
  out[i + 6 * n] = (long)(ux >> ((uy >> 8) & 63));
  out[i + 7 * n] = (x < y ? 1 : 0) | (ux < uy ? 2 : 0) | (x == y ? 4 : 0);
  out[i + 8 * n] = (long)((unsigned __int128)ux * uy >> 64);
  out[i + 9 * n] = __builtin_popcountl(ux) + (x == 0 ? 64 : __builtin_clzl(ux)) * 100;
}

// 32-bit division and remainder, high halves, bit fields.
kernel void int32(global const int* a, global const int* b, global int* out, uint n) {
  const uint i = __builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() +
                 __builtin_amdgcn_workitem_id_x();
  if (i >= n) return;
  const int x = a[i], y = b[i];
  const uint ux = (uint)x, uy = (uint)y;
  out[i + 0 * n] = (int)(ux * uy);
  out[i + 1 * n] = x / y;
  out[i + 2 * n] = x % y;
  out[i + 3 * n] = (int)(ux / uy);
  out[i + 4 * n] = (int)(ux % uy);
  out[i + 5 * n] = (int)(((long)x * y) >> 32);
  out[i + 6 * n] = (int)(((ulong)ux * uy) >> 32);
  out[i + 7 * n] = (int)((ux << 7) | (ux >> 25)) ^ (int)((uy >> 3) & 0x1ff);
  out[i + 8 * n] = __builtin_bitreverse32(ux) ^ (uint)__builtin_popcount(uy);
  out[i + 9 * n] = x > y ? x - y : ~(x & y) + (x | y) * 3;
}
