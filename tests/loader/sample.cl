// SPDX-License-Identifier: MIT
// Three kernels that differ in what they ask of the descriptor: plain, LDS with three dimensions,
// stack and call.
typedef struct {
  int a;
  short b[3];
} Pair;

static __attribute__((noinline)) float helper(const float* values, int count) {
  float sum = 0;
  for (int i = 0; i < count; ++i) sum += values[i] * values[i];
  return sum;
}

kernel void plain(global const float* restrict in, global float* out, float factor, uint n) {
  const uint i = __builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() +
                 __builtin_amdgcn_workitem_id_x();
  if (i < n) out[i] = in[i] * factor;
}

__attribute__((reqd_work_group_size(8, 4, 2))) kernel void lds3d(char small, global int* out,
                                                                 Pair pair, local int* dynamic,
                                                                 double wide) {
  local int cells[64];
  const uint x = __builtin_amdgcn_workitem_id_x(), y = __builtin_amdgcn_workitem_id_y(),
             z = __builtin_amdgcn_workitem_id_z();
  const uint lane = (z * 4 + y) * 8 + x;
  cells[lane] = small + pair.a + pair.b[x % 3] + (int)__builtin_amdgcn_workgroup_id_z();
  dynamic[lane] = (int)wide;
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  out[__builtin_amdgcn_workgroup_id_y() * 64 + lane] = cells[63 - lane] + dynamic[lane ^ 1];
}

kernel void stack(global const float* in, global float* out, int count) {
  float values[200];
  const uint i = __builtin_amdgcn_workitem_id_x();
  for (int k = 0; k < 200; ++k) values[k] = in[i * 200 + k];
  values[count] = 1.0f;
  out[i] = helper(values, count);
}
