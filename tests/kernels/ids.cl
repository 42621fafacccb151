// SPDX-License-Identifier: MIT
// What a work-item can ask about its launch: ids, sizes (hidden arguments), the dispatch packet.
typedef struct {
  ushort header, setup, workgroup_size_x, workgroup_size_y, workgroup_size_z, reserved;
  uint grid_size_x, grid_size_y, grid_size_z;
} DispatchPacket;

__attribute__((amdgpu_flat_work_group_size(1, 1024))) kernel void ids(global uint* out) {
  const uint x = __builtin_amdgcn_workitem_id_x(), y = __builtin_amdgcn_workitem_id_y(),
             z = __builtin_amdgcn_workitem_id_z();
  const uint gx = __builtin_amdgcn_workgroup_id_x(), gy = __builtin_amdgcn_workgroup_id_y(),
             gz = __builtin_amdgcn_workgroup_id_z();
  const uint sx = __builtin_amdgcn_workgroup_size_x(), sy = __builtin_amdgcn_workgroup_size_y(),
             sz = __builtin_amdgcn_workgroup_size_z();
  const constant DispatchPacket* packet =
      (const constant DispatchPacket*)__builtin_amdgcn_dispatch_ptr();
  const uint width = packet->grid_size_x, height = packet->grid_size_y;
  const uint i = ((gz * sz + z) * height + gy * sy + y) * width + gx * sx + x;
  out[4 * i + 0] = x | y << 10 | z << 20;
  out[4 * i + 1] = gx | gy << 10 | gz << 20;
  out[4 * i + 2] = sx | sy << 10 | sz << 20;
  out[4 * i + 3] = width | height << 10 | packet->grid_size_z << 20;
}
