// SPDX-License-Identifier: MIT
// Global atomics of every kind; each result is the same in every order of the lanes.
static uint global_id(void) {
  return __builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() +
         __builtin_amdgcn_workitem_id_x();
}

kernel void atomics_u32(global const uint* in, global uint* cells, uint n) {
  const uint i = global_id();
  if (i >= n) return;
  const uint x = in[i];
  __scoped_atomic_fetch_add(&cells[0], x, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
  __scoped_atomic_fetch_sub(&cells[1], x, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
  __scoped_atomic_fetch_and(&cells[2], x | 0xff, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
  __scoped_atomic_fetch_or(&cells[3], x & 0xff00, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
  __scoped_atomic_fetch_xor(&cells[4], x, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
  __scoped_atomic_fetch_min(&cells[5], x, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
  __scoped_atomic_fetch_max(&cells[6], x, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
  __scoped_atomic_fetch_min((global int*)&cells[7], (int)x, __ATOMIC_RELAXED,
                            __MEMORY_SCOPE_DEVICE);
  __scoped_atomic_fetch_max((global int*)&cells[8], (int)x, __ATOMIC_RELAXED,
                            __MEMORY_SCOPE_DEVICE);
  // A lock-free multiply: compare and swap until nobody came between.
  uint old = cells[9];
  while (!__scoped_atomic_compare_exchange_n(&cells[9], &old, old * (x | 1), false,
                                             __ATOMIC_RELAXED, __ATOMIC_RELAXED,
                                             __MEMORY_SCOPE_DEVICE)) {
  }
}

kernel void atomics_u64(global const ulong* in, global ulong* cells, uint n) {
  const uint i = global_id();
  if (i >= n) return;
  __scoped_atomic_fetch_add(&cells[0], in[i], __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
  __scoped_atomic_fetch_xor(&cells[1], in[i], __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
  __scoped_atomic_fetch_max(&cells[2], in[i], __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
}

// Hands out every number below n once: the returned values are a permutation.
kernel void tickets(global uint* counter, global uint* out, uint n) {
  const uint i = global_id();
  if (i >= n) return;
  out[i] = __scoped_atomic_fetch_add(counter, 1u, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
}

// Small whole numbers: f32 addition is exact in every order.
kernel void atomics_f32(global const float* in, global float* cells, uint n) {
  const uint i = global_id();
  if (i >= n) return;
#pragma clang atomic no_fine_grained_memory(on) no_remote_memory(on) ignore_denormal_mode(on)
  {
    __scoped_atomic_fetch_add(&cells[i % 3], in[i], __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
  }
}
