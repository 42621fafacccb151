// SPDX-License-Identifier: MIT
// Constant tables reached through relocations: one directly, others through a table of pointers.
constant int primes[16] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53};
constant int squares[16] = {0, 1, 4, 9, 16, 25, 36, 49, 64, 81, 100, 121, 144, 169, 196, 225};
constant int* constant tables[2] = {primes, squares};

kernel void const_table(global const uint* in, global int* out, uint n) {
  const uint i = __builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() +
                 __builtin_amdgcn_workitem_id_x();
  if (i >= n) return;
  const uint x = in[i];
  out[i] = primes[x & 15] * 1000 + tables[(x >> 4) & 1][(x >> 5) & 15];
}
