// SPDX-License-Identifier: MIT
// The workloads that other emulators publish figures for, written anew from their descriptions.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

#define GROUP_X __builtin_amdgcn_workgroup_id_x()
#define GROUP_Y __builtin_amdgcn_workgroup_id_y()
#define ITEM_X __builtin_amdgcn_workitem_id_x()
#define ITEM_Y __builtin_amdgcn_workitem_id_y()
#define BARRIER()                                      \
  do {                                                 \
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup"); \
    __builtin_amdgcn_s_barrier();                      \
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup"); \
  } while (0)

typedef __attribute__((ext_vector_type(4))) float floats4;
typedef __attribute__((ext_vector_type(8))) float floats8;
typedef __attribute__((ext_vector_type(8))) half halves8;
typedef __attribute__((ext_vector_type(16))) half halves16;

__attribute__((reqd_work_group_size(256, 1, 1))) kernel void vector_add(global float* c, global const float* a,
                                                                         global const float* b, uint n) {
  const uint i = GROUP_X * 256 + ITEM_X;
  if (i < n) c[i] = a[i] + b[i];
}

__attribute__((reqd_work_group_size(64, 1, 1))) kernel void vector_add_64(global float* c, global const float* a,
                                                                           global const float* b) {
  const uint i = GROUP_X * 64 + ITEM_X;
  c[i] = a[i] + b[i];
}

// 32x32 tiles through LDS, workgroups of 32x8.
__attribute__((reqd_work_group_size(32, 8, 1))) kernel void transpose(global half* to, global const half* from,
                                                                       uint n) {
  local half tile[32][34];
  const uint x = GROUP_X * 32, y = GROUP_Y * 32;
  for (uint i = ITEM_Y; i < 32; i += 8) tile[i][ITEM_X] = from[(y + i) * n + x + ITEM_X];
  BARRIER();
  for (uint i = ITEM_Y; i < 32; i += 8) to[(x + i) * n + y + ITEM_X] = tile[ITEM_X][i];
}

__attribute__((reqd_work_group_size(256, 1, 1))) kernel void gather(global float* to, global const float* from,
                                                                     uint n, uint size) {
  const uint i = GROUP_X * 256 + ITEM_X;
  if (i < n) to[i] = from[(i * 104729ul + 17) % size];
}

__attribute__((reqd_work_group_size(256, 1, 1))) kernel void atomic_add(global int* buckets, global const int* from) {
  const uint i = GROUP_X * 256 + ITEM_X;
  __opencl_atomic_fetch_add((global atomic_int*)&buckets[from[i] & 255], 1, memory_order_relaxed,
                            memory_scope_device);
}

// One workgroup a row.
static float reduce(local float* shared, float value, bool largest) {
  BARRIER();
  shared[ITEM_X] = value;
  for (uint step = 128; step > 0; step /= 2) {
    BARRIER();
    if (ITEM_X < step) {
      const float other = shared[ITEM_X + step];
      shared[ITEM_X] = largest ? __builtin_fmaxf(shared[ITEM_X], other) : shared[ITEM_X] + other;
    }
  }
  BARRIER();
  return shared[0];
}

#define SOFTMAX(name, type)                                                                               \
  __attribute__((reqd_work_group_size(256, 1, 1))) kernel void name(global type* to, global const type* from, \
                                                                     uint columns) {                      \
    local float shared[256];                                                                              \
    to += GROUP_X * columns;                                                                              \
    from += GROUP_X * columns;                                                                            \
    float most = -__builtin_inff(), sum = 0;                                                              \
    for (uint i = ITEM_X; i < columns; i += 256) most = __builtin_fmaxf(most, (float)from[i]);            \
    most = reduce(shared, most, true);                                                                    \
    for (uint i = ITEM_X; i < columns; i += 256)                                                          \
      sum += __builtin_amdgcn_exp2f(((float)from[i] - most) * 1.44269504f);                               \
    sum = reduce(shared, sum, false);                                                                     \
    const float scale = __builtin_amdgcn_rcpf(sum);                                                       \
    for (uint i = ITEM_X; i < columns; i += 256)                                                          \
      to[i] = (type)(__builtin_amdgcn_exp2f(((float)from[i] - most) * 1.44269504f) * scale);              \
  }
SOFTMAX(softmax_f32, float)
SOFTMAX(softmax_f16, half)

__attribute__((reqd_work_group_size(256, 1, 1))) kernel void rmsnorm_f16(global half* to, global const half* from,
                                                                          uint columns) {
  local float shared[256];
  to += GROUP_X * columns;
  from += GROUP_X * columns;
  float sum = 0;
  for (uint i = ITEM_X; i < columns; i += 256) sum += (float)from[i] * (float)from[i];
  const float scale = __builtin_amdgcn_rsqf(reduce(shared, sum, false) / columns + 1e-5f);
  for (uint i = ITEM_X; i < columns; i += 256) to[i] = (half)((float)from[i] * scale);
}

// One wave: 256 times a load and a store that must happen, and arithmetic between them.
__attribute__((reqd_work_group_size(32, 1, 1))) kernel void valu_memory(global float* data) {
  volatile global float* mine = data + GROUP_X * 32 + ITEM_X;
  for (uint i = 0; i < 256; ++i) {
    float x = *mine;
    x = __builtin_fmaf(x, 0.5f, 0.25f);
    x = x * x + 0.125f;
    x = __builtin_fmaf(x, 0.75f, 0.0625f);
    *mine = x;
  }
}

#if defined(__gfx1100__)
#define WMMA(a, b, c) __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(a, b, c)
typedef halves16 wmma_part;
#elif defined(__gfx1201__)
#define WMMA(a, b, c) __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12(a, b, c)
typedef halves8 wmma_part;
#endif
#ifdef WMMA
// One wave: 128 times four independent products.
__attribute__((reqd_work_group_size(32, 1, 1))) kernel void matrix(global floats8* to, global const wmma_part* from) {
  const wmma_part a = from[ITEM_X], b = from[ITEM_X + 32];
  floats8 sum[4] = {0, 0, 0, 0};
  for (uint i = 0; i < 128; ++i)
    for (uint j = 0; j < 4; ++j) sum[j] = WMMA(a, b, sum[j]);
  to[GROUP_X * 32 + ITEM_X] = sum[0] + sum[1] + sum[2] + sum[3];
}
#endif

// 8x8 tiles of f32, one wave64 a tile.
__attribute__((reqd_work_group_size(64, 1, 1))) kernel void matmul_tiled(global float* c, global const float* a,
                                                                          global const float* b, uint n) {
  local float tile_a[64], tile_b[64];
  const uint row = ITEM_X / 8, column = ITEM_X % 8, y = GROUP_Y * 8 + row, x = GROUP_X * 8 + column;
  float sum = 0;
  for (uint k = 0; k < n; k += 8) {
    tile_a[ITEM_X] = a[y * n + k + column];
    tile_b[ITEM_X] = b[(k + row) * n + x];
    BARRIER();
    for (uint i = 0; i < 8; ++i) sum += tile_a[row * 8 + i] * tile_b[i * 8 + column];
    BARRIER();
  }
  c[y * n + x] = sum;
}

#if defined(__gfx950__)
// 4x4 tiles of f32: the sixteen blocks of the wave take every sixteenth k, and are added up at the end.
__attribute__((reqd_work_group_size(64, 1, 1))) kernel void matmul_mfma(global float* c, global const float* a,
                                                                         global const float* b, uint n) {
  local float parts[64 * 4];
  const uint block = ITEM_X / 4, i = ITEM_X % 4, y = GROUP_Y * 4, x = GROUP_X * 4;
  floats4 sum = 0;
  for (uint k = block; k < n; k += 16)
    sum = __builtin_amdgcn_mfma_f32_4x4x1f32(a[(y + i) * n + k], b[k * n + x + i], sum, 0, 0, 0);
  for (uint j = 0; j < 4; ++j) parts[ITEM_X * 4 + j] = sum[j];
  BARRIER();
  if (ITEM_X < 16) {
    const uint row = ITEM_X / 4, column = ITEM_X % 4;
    float total = 0;
    for (uint j = 0; j < 16; ++j) total += parts[(j * 4 + column) * 4 + row];
    c[(y + row) * n + x + column] = total;
  }
}
#endif
