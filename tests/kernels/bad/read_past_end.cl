// SPDX-License-Identifier: MIT
// Misbehaves on purpose: reads `distance` elements past the place that it should read.
kernel void read_past_end(global const float* in, global float* out, uint distance) {
  const uint i = __builtin_amdgcn_workitem_id_x();
  out[i] = in[i + distance];
}
