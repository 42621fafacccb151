// SPDX-License-Identifier: MIT
// Private arrays with an index known at run time only, too large for registers: scratch memory.
#define SIZE 256

// Follows a chain of random numbers through a table: each step changes one element.
kernel void scratch(global const uint* in, global uint* out, uint n) {
  const uint i = __builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() +
                 __builtin_amdgcn_workitem_id_x();
  if (i >= n) return;
  uint table[SIZE];
  uint x = in[i];
  for (uint k = 0; k < SIZE; ++k) table[k] = k * 3 + 1;
  for (uint k = 0; k < 40; ++k) {
    x = x * 1664525u + 1013904223u;
    table[x >> 24] += x ^ k;
  }
  out[i] = table[x >> 24] + table[(x >> 13) & (SIZE - 1)] * 7 + table[in[i] % SIZE];
}

// Byte and short elements in scratch: loads and stores narrower than a dword.
kernel void scratch_narrow(global const uint* in, global uint* out, uint n) {
  const uint i = __builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() +
                 __builtin_amdgcn_workitem_id_x();
  if (i >= n) return;
  char bytes[400];
  ushort shorts[300];
  uint x = in[i];
  for (uint k = 0; k < 400; ++k) bytes[k] = (char)(k * 37);
  for (uint k = 0; k < 300; ++k) shorts[k] = (ushort)(k * 4099);
  for (uint k = 0; k < 20; ++k) {
    x = x * 1664525u + 1013904223u;
    bytes[(x >> 16) % 400] = (char)x;
    shorts[(x >> 8) % 300] ^= (ushort)(x >> 3);
  }
  out[i] = (uint)(int)bytes[in[i] % 400] + shorts[in[i] % 300] * 256u;
}
