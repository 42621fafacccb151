// SPDX-License-Identifier: MIT
// C = A * B (row major, m x k times k x n) in 16 x 16 tiles of LDS; one work-item an element of C.
#define TILE 16
#define BARRIER()                                          \
  do {                                                     \
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup"); \
    __builtin_amdgcn_s_barrier();                          \
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup"); \
  } while (0)

__attribute__((reqd_work_group_size(TILE, TILE, 1))) kernel void tiled_matmul(
    global const float* a, global const float* b, global float* c, uint m, uint n, uint k) {
  local float tile_a[TILE][TILE];
  local float tile_b[TILE][TILE];
  const uint x = __builtin_amdgcn_workitem_id_x();
  const uint y = __builtin_amdgcn_workitem_id_y();
  const uint column = __builtin_amdgcn_workgroup_id_x() * TILE + x;
  const uint row = __builtin_amdgcn_workgroup_id_y() * TILE + y;
  float sum = 0.0f;
  for (uint start = 0; start < k; start += TILE) {
    tile_a[y][x] = row < m && start + x < k ? a[row * k + start + x] : 0.0f;
    tile_b[y][x] = column < n && start + y < k ? b[(start + y) * n + column] : 0.0f;
    BARRIER();
    for (uint i = 0; i < TILE; ++i) sum += tile_a[y][i] * tile_b[i][x];
    BARRIER();
  }
  if (row < m && column < n) c[row * n + column] = sum;
}
