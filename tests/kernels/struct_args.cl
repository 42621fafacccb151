// SPDX-License-Identifier: MIT
// Structures by value in the kernarg segment, with padding, arrays and a pointer behind them.
typedef struct {
  char tag;
  double scale;
  short counts[3];
  struct {
    int x;
    uchar y;
  } inner;
} Settings;

kernel void struct_args(uchar first, Settings settings, global float* out, float4 offset, uint n) {
  const uint i = __builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() +
                 __builtin_amdgcn_workitem_id_x();
  if (i >= n) return;
  const float base = (float)(settings.scale * (double)i) + (float)settings.counts[i % 3];
  out[i] = base + (float)(settings.tag + first) + (float)(settings.inner.x * settings.inner.y) +
           (i & 1 ? offset.y : offset.z);
}
